/* SPDX-License-Identifier: MIT */
/* Streams of the target interface: the bytes of one thread, and arguments drawn
 * from them. */
#ifndef T_FUZZ_STREAM_H
#define T_FUZZ_STREAM_H

#include "fuzz.h"

#include "plait/plait.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	MOST_THREADS = 4,
	MOST_ELEMENTS = 4,
	MOST_HANDLES = 12, /* of a kind */
	STALE_HANDLES = 8,
	MOST_CONTEXTS = 4, /* of one input: each has threads */
	MOST_CALLS = 120, /* of one input */
	MEMORY_BYTES = 4096,
	MEMORY_SLOTS = 16,
	KEPT_BYTES = 1 << 16, /* arguments of one call */
	/* A thread that is blocked is helped after the first time, in ms, for
	 * the last time after the second, and hangs after the third. */
	HELP_MS = 100,
	LAST_HELP_MS = 5000,
	HANG_MS = 20000
};

/* The bytes of one thread. */
struct stream {
	const uint8_t *data;
	size_t size;
	pthread_t thread;
	_Atomic(const char *) inside; /* the function that is being called */
	atomic_uint calls;
	atomic_bool over;
	_Alignas(16) char kept[KEPT_BYTES];
	size_t kept_bytes;
	uint64_t plan_bytes, graph_bytes;
};

/* ---- bytes ---- */

static unsigned draw_byte(struct stream *s)
{
	if (s->size == 0)
		return 0;
	s->size--;
	return *s->data++;
}

static uint64_t draw_word(struct stream *s)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word = word << 8 | draw_byte(s);
	return word;
}

/* One time in 32. */
static bool draw_rare(struct stream *s)
{
	return draw_byte(s) >= 248;
}

/* Fields are left 0 half of the time: most descriptors have few. */
static bool draw_field(struct stream *s)
{
	return draw_byte(s) % 2 != 0;
}

static uint64_t draw_small(struct stream *s, unsigned below)
{
	return below > 256 ? (draw_byte(s) << 8 | draw_byte(s)) % below :
			     draw_byte(s) % below;
}

static uint64_t draw_size(struct stream *s)
{
	static const uint64_t edges[] = { UINT64_MAX, INT64_MAX, UINT32_MAX,
					  1u << 31, 4096, 4097, 1 << 20, 7 };
	unsigned byte = draw_byte(s);

	if (byte < 8)
		return edges[byte];
	return byte < 128 ? byte % 5 * 4 : byte;
}

static uint32_t draw_struct_size(struct stream *s, uint64_t size)
{
	if (!draw_rare(s))
		return (uint32_t)size;
	return draw_rare(s) ? (uint32_t)draw_word(s) :
			      (uint32_t)draw_small(s, (unsigned)size + 1);
}

static uint64_t draw_timeout(struct stream *s)
{
	static const uint64_t timeouts[] = { 0, 1000, 100000, 2000000 };

	return timeouts[draw_byte(s) % 4];
}

static uint64_t draw_capacity(struct stream *s)
{
	static const uint64_t capacities[] = { 0, 1, 40, 1 << 14 };

	return capacities[draw_byte(s) % 4];
}

static uint64_t draw_budget(struct stream *s)
{
	return draw_rare(s) ? 1 << 16 : 0;
}

static int64_t draw_enum(struct stream *s, const int64_t *values, unsigned count)
{
	unsigned byte = draw_byte(s);

	if (byte >= 252)
		return (int64_t)(int32_t)draw_word(s);
	/* Flags also in pairs. */
	return byte >= 236 ? values[byte % count] |
				     values[draw_byte(s) % count] :
			     values[byte % count];
}

static void *keep(struct stream *s, size_t bytes)
{
	void *out = s->kept + s->kept_bytes;

	s->kept_bytes += (bytes + 15) / 16 * 16;
	FUZZ_NEED(s->kept_bytes <= KEPT_BYTES, "room for arguments");
	memset(out, 0, bytes);
	return out;
}

/* ---- texts and memory ---- */

static const char *draw_text(struct stream *s)
{
	static const char *const texts[] = {
		"", "a", "x", "y", "n", "host:0", "chaos:0", "a:0", "scale",
		"a label with 60 characters, which is more than most would be",
		"\xff\xfe", "%s%n",
	};

	return texts[draw_byte(s) % (sizeof(texts) / sizeof(*texts))];
}

static const char *draw_text_or_null(struct stream *s)
{
	return draw_rare(s) ? NULL : draw_text(s);
}

static const char *draw_path(struct stream *s)
{
	static const char *const paths[] = { "/nonexistent/plan", "/dev/null",
					     "/", "" };

	return paths[draw_byte(s) % 4];
}

static const char *draw_signature(struct stream *s)
{
	static const char *const signatures[] = {
		"step()", "step(a: f32): i32", "step(x: pointer, n: u64): i32",
		"step(", "scale(x: pointer f32, a: f32)", "f(a: f64): i64",
	};

	return signatures[draw_byte(s) % 6];
}

static const char *draw_graph_text(struct stream *s)
{
	static const char *const texts[] = {
		"plait-graph 1\nnode a host:0\nnode b host:0 after=a\n",
		"device cpu lanes=2\nload cpu 5\nstore cpu 3\nload -> store\n",
		"plait-graph 1\n", "\n", "x", "{",
	};
	const char *text = texts[draw_byte(s) % 6];

	s->graph_bytes = strlen(text);
	return text;
}

static char memory[MEMORY_SLOTS][MEMORY_BYTES];

static void *draw_memory(struct stream *s)
{
	return draw_rare(s) ? NULL : memory[draw_byte(s) % MEMORY_SLOTS];
}

static char *draw_scratch(struct stream *s)
{
	static _Thread_local char scratch[1 << 14];

	return draw_rare(s) ? NULL : scratch;
}

/* The last plan that was written, by any thread. */
static pthread_mutex_t plan_lock = PTHREAD_MUTEX_INITIALIZER;
static char plan_text[1 << 14];
static uint64_t plan_text_bytes;

static const void *draw_plan_bytes(struct stream *s)
{
	static _Thread_local char copy[sizeof(plan_text)];

	pthread_mutex_lock(&plan_lock);
	memcpy(copy, plan_text, sizeof(copy));
	s->plan_bytes = plan_text_bytes;
	pthread_mutex_unlock(&plan_lock);
	if (draw_rare(s) && s->plan_bytes > 0)
		copy[draw_word(s) % s->plan_bytes] ^= (char)draw_byte(s);
	if (draw_rare(s))
		s->plan_bytes = draw_small(s, (unsigned)s->plan_bytes + 1);
	return copy;
}

#endif
