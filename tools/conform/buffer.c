/* SPDX-License-Identifier: MIT */
/* Group B: buffers, and the commands and maps that move their bytes. */
#include "conform.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODEL = 10007 };

/* A buffer and its expected contents. */
struct model {
	plait_buffer *buffer;
	unsigned char want[MODEL];
};

/* Fill the whole buffer with random bytes, by one write. */
static void model_init(struct conform *c, plait_queue *queue,
		       struct model *model)
{
	model->buffer = conform_buffer(c, MODEL);
	conform_random_bytes(c, model->want, MODEL);
	NEED(plait_queue_write(queue, model->buffer, 0, model->want, MODEL,
			       ERR));
}

/* Compare the whole buffer, so that a stray byte is seen anywhere. */
static bool model_fits(struct conform *c, plait_queue *queue,
		       struct model *model)
{
	static unsigned char got[MODEL];
	size_t at = 0;

	memset(got, 0xee, sizeof(got));
	NEED(plait_queue_read(queue, model->buffer, 0, got, MODEL, ERR));
	while (at < MODEL && got[at] == model->want[at])
		at++;
	return HOLDS_THAT(at == MODEL, "all bytes are right: byte %zu is %u "
			  "instead of %u", at, at < MODEL ? got[at] : 0,
			  at < MODEL ? model->want[at] : 0);
}

/* Choose a random range; short ones are as frequent as long ones. */
static void part(struct conform *c, uint64_t *offset, uint64_t *bytes)
{
	uint64_t longest = (uint64_t)1 << conform_below(c, 14);

	*offset = conform_below(c, MODEL);
	*bytes = conform_below(c, longest + 1);
	if (*bytes > MODEL - *offset)
		*bytes = MODEL - *offset;
}

static struct model one, two;

/* --- B1, B2: sizes ------------------------------------------------------- */

static void try_size(struct conform *c, plait_queue *queue, uint64_t bytes)
{
	plait_buffer *buffer = conform_buffer(c, bytes);
	unsigned char last = 0;
	uint64_t got = 1;

	NEED(plait_buffer_bytes(buffer, &got, ERR));
	HOLDS(got == bytes);
	NEED(plait_queue_fill(queue, buffer, 0, bytes, 0xa5, 1, ERR));
	if (bytes > 0)
		NEED(plait_queue_read(queue, buffer, bytes - 1, &last, 1,
				      ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS_THAT(bytes == 0 || last == 0xa5,
		   "the last of %llu bytes can be used",
		   (unsigned long long)bytes);
}

static void try_alignment(struct conform *c, uint64_t alignment)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 100,
				   .alignment_bytes = alignment };
	uint64_t want = alignment > c->info.alignment_bytes ?
			alignment : c->info.alignment_bytes;
	plait_buffer *buffer;
	plait_status status;
	void *pointer;

	/* More than the device promises may be refused. */
	status = plait_buffer_create(c->device, &desc, &buffer, ERR);
	if (status == PLAIT_E_UNSUPPORTED &&
	    alignment > c->info.alignment_bytes)
		return;
	NEED(status);
	conform_hold(c, HOLDS_BUFFER, buffer);
	if (!(c->info.capabilities & PLAIT_DEVICE_MAP))
		return;
	NEED(plait_buffer_map(buffer, 0, 100, PLAIT_MAP_READ, &pointer, ERR));
	HOLDS_THAT((uintptr_t)pointer % want == 0,
		   "memory is aligned to %llu", (unsigned long long)want);
	NEED(plait_buffer_unmap(buffer, pointer, ERR));
}

static void sizes(struct conform *c)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t large = 16u << 20;
	plait_buffer_desc odd = { .size = sizeof(odd), .bytes = 8,
				  .alignment_bytes = 24 };
	plait_queue *queue = conform_queue(c);
	plait_buffer *buffer;

	if (c->info.memory_bytes > 0 && large > c->info.memory_bytes / 4)
		large = c->info.memory_bytes / 4;
	try_size(c, queue, 0);
	try_size(c, queue, 1);
	try_size(c, queue, page - 1);
	try_size(c, queue, page);
	try_size(c, queue, page + 1);
	try_size(c, queue, large);
	for (uint64_t alignment = 1; alignment <= 4096; alignment *= 2)
		for (int again = 0; again < 3; again++)
			try_alignment(c, alignment);
	GIVES(plait_buffer_create(c->device, &odd, &buffer, ERR),
	      PLAIT_E_INVALID);
	HOLDS(buffer == NULL);
}

static void refused(struct conform *c, uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_device_info info = { .size = sizeof(info) };
	plait_buffer *buffer = (plait_buffer *)c;

	GIVES(plait_buffer_create(c->device, &desc, &buffer, ERR),
	      PLAIT_E_NOMEM);
	HOLDS_THAT(buffer == NULL, "no buffer of %llu bytes",
		   (unsigned long long)bytes);
	NEED(plait_device_query(c->device, &info, ERR));
	HOLDS(info.used_bytes == c->info.used_bytes);
	HOLDS(info.budget_bytes == c->info.budget_bytes);
}

static void impossible(struct conform *c)
{
	plait_queue *queue = conform_queue(c);

	refused(c, UINT64_MAX);
	refused(c, UINT64_MAX - 4095);
	refused(c, (uint64_t)1 << 62);
	if (c->info.memory_bytes > 0)
		refused(c, c->info.memory_bytes + 1);
	/* Without a budget only the backend can refuse the size. */
	NEED(plait_device_set_budget(c->device, UINT64_MAX, ERR));
	c->info.budget_bytes = UINT64_MAX;
	refused(c, (uint64_t)1 << 62);
	if (c->info.memory_bytes > 0)
		refused(c, c->info.memory_bytes + 4096);
	NEED(plait_device_set_budget(c->device, 100000, ERR));
	c->info.budget_bytes = 100000;
	refused(c, 100001);
	try_size(c, queue, 50000);
}

/* --- B3, B4, B5: bytes --------------------------------------------------- */

static void round_trip(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	static unsigned char bytes[MODEL], back[MODEL];
	uint64_t offset, count;

	model_init(c, queue, &one);
	for (int i = 0; i < 64; i++) {
		part(c, &offset, &count);
		conform_random_bytes(c, bytes, count);
		NEED(plait_queue_write(queue, one.buffer, offset, bytes,
				       count, ERR));
		memcpy(one.want + offset, bytes, count);
		memset(back, 0x11, sizeof(back));
		part(c, &offset, &count);
		NEED(plait_queue_read(queue, one.buffer, offset, back, count,
				      ERR));
		HOLDS(memcmp(back, one.want + offset, count) == 0);
		HOLDS_THAT(count == MODEL || back[count] == 0x11,
			   "a read of %llu bytes writes no more",
			   (unsigned long long)count);
		if (!model_fits(c, queue, &one))
			return;
	}
}

static void overlap(struct conform *c, plait_queue *queue)
{
	plait_buffer *left, *right;

	GIVES(plait_queue_copy(queue, one.buffer, 100, one.buffer, 150, 51,
			       ERR), PLAIT_E_INVALID);
	GIVES(plait_queue_copy(queue, one.buffer, 150, one.buffer, 100, 51,
			       ERR), PLAIT_E_INVALID);
	GIVES(plait_queue_copy(queue, one.buffer, 0, one.buffer, 0, 1, ERR),
	      PLAIT_E_INVALID);
	/* The overlap rule also holds through two views of one buffer. */
	NEED(plait_buffer_view(one.buffer, 0, 200, &left, ERR));
	conform_hold(c, HOLDS_BUFFER, left);
	NEED(plait_buffer_view(one.buffer, 100, 200, &right, ERR));
	conform_hold(c, HOLDS_BUFFER, right);
	GIVES(plait_queue_copy(queue, left, 110, right, 0, 20, ERR),
	      PLAIT_E_INVALID);
	NEED(plait_queue_copy(queue, left, 80, right, 0, 20, ERR));
	memcpy(one.want + 80, one.want + 100, 20);
	NEED(plait_queue_copy(queue, one.buffer, 50, one.buffer, 0, 50, ERR));
	memcpy(one.want + 50, one.want, 50);
	model_fits(c, queue, &one);
}

static void device_copy(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	uint64_t from, to, count, room;

	model_init(c, queue, &one);
	model_init(c, queue, &two);
	for (int i = 0; i < 64; i++) {
		struct model *target = i & 1 ? &one : &two;
		struct model *source = i & 1 ? &two : &one;

		part(c, &from, &count);
		to = conform_below(c, MODEL);
		room = MODEL - to;
		count = count < room ? count : room;
		NEED(plait_queue_copy(queue, target->buffer, to,
				      source->buffer, from, count, ERR));
		memcpy(target->want + to, source->want + from, count);
		if (!model_fits(c, queue, target))
			return;
	}
	model_fits(c, queue, &one);
	overlap(c, queue);
}

static void fill_patterns(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	unsigned char bytes[8];
	uint64_t offset, count, pattern;
	uint32_t width;

	model_init(c, queue, &one);
	for (int i = 0; i < 96; i++) {
		width = 1u << (i % 4);
		pattern = conform_random(c);
		part(c, &offset, &count);
		memcpy(bytes, &pattern, sizeof(bytes));
		NEED(plait_queue_fill(queue, one.buffer, offset, count,
				      pattern, width, ERR));
		for (uint64_t at = 0; at < count; at++)
			one.want[offset + at] = bytes[at % width];
		if (!model_fits(c, queue, &one))
			return;
	}
	GIVES(plait_queue_fill(queue, one.buffer, 0, 8, 1, 0, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_fill(queue, one.buffer, 0, 8, 1, 3, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_fill(queue, one.buffer, 0, 8, 1, 16, ERR),
	      PLAIT_E_INVALID);
	model_fits(c, queue, &one);
}

/* --- B6, B7: maps and ranges --------------------------------------------- */

static void map_visible(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	unsigned char *whole, *tail, *part_of_view;
	plait_buffer *view;

	model_init(c, queue, &one);
	for (int i = 0; i < 8; i++) {
		NEED(plait_buffer_map(one.buffer, 0, MODEL,
				      PLAIT_MAP_READ | PLAIT_MAP_WRITE,
				      (void **)&whole, ERR));
		HOLDS_THAT(memcmp(whole, one.want, MODEL) == 0,
			   "a mapping shows what the device wrote");
		conform_random_bytes(c, whole, MODEL);
		memcpy(one.want, whole, MODEL);
		NEED(plait_buffer_unmap(one.buffer, whole, ERR));
		model_fits(c, queue, &one);
		one.want[i] = 0x42;
		NEED(plait_queue_fill(queue, one.buffer, (uint64_t)i, 1, 0x42,
				      1, ERR));
		NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	}
	NEED(plait_buffer_view(one.buffer, 500, 100, &view, ERR));
	conform_hold(c, HOLDS_BUFFER, view);
	NEED(plait_buffer_map(one.buffer, 500, 100, PLAIT_MAP_READ,
			      (void **)&tail, ERR));
	NEED(plait_buffer_map(view, 10, 90, PLAIT_MAP_READ,
			      (void **)&part_of_view, ERR));
	HOLDS(memcmp(tail + 10, part_of_view, 90) == 0);
	HOLDS(memcmp(tail, one.want + 500, 100) == 0);
	GIVES(plait_buffer_unmap(one.buffer, &view, ERR), PLAIT_E_INVALID);
	NEED(plait_buffer_unmap(view, part_of_view, ERR));
	NEED(plait_buffer_unmap(one.buffer, tail, ERR));
	GIVES(plait_buffer_unmap(one.buffer, tail, ERR), PLAIT_E_INVALID);
}

static void bad_range(struct conform *c, plait_queue *queue, uint64_t offset,
		      uint64_t bytes)
{
	plait_buffer *view = one.buffer;
	static unsigned char host[64];

	GIVES(plait_queue_read(queue, one.buffer, offset, host, bytes, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_write(queue, one.buffer, offset, host, bytes, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_fill(queue, one.buffer, offset, bytes, 1, 1, ERR),
	      PLAIT_E_INVALID);
	GIVES(plait_queue_copy(queue, one.buffer, offset, two.buffer, 0,
			       bytes, ERR), PLAIT_E_INVALID);
	GIVES(plait_queue_copy(queue, two.buffer, 0, one.buffer, offset,
			       bytes, ERR), PLAIT_E_INVALID);
	GIVES(plait_buffer_view(one.buffer, offset, bytes, &view, ERR),
	      PLAIT_E_INVALID);
	HOLDS(view == NULL);
	if (c->info.capabilities & PLAIT_DEVICE_MAP) {
		void *pointer = host;

		GIVES(plait_buffer_map(one.buffer, offset, bytes,
				       PLAIT_MAP_READ, &pointer, ERR),
		      PLAIT_E_INVALID);
		HOLDS(pointer == NULL);
	}
}

static void ranges(struct conform *c)
{
	plait_queue *queue = conform_queue(c);

	model_init(c, queue, &one);
	model_init(c, queue, &two);
	bad_range(c, queue, 0, MODEL + 1);
	bad_range(c, queue, MODEL, 1);
	bad_range(c, queue, MODEL + 1, 1);
	bad_range(c, queue, UINT64_MAX, 1);
	bad_range(c, queue, UINT64_MAX, 2);
	bad_range(c, queue, 1, UINT64_MAX);
	bad_range(c, queue, 16, UINT64_MAX - 15);
	bad_range(c, queue, (uint64_t)1 << 63, (uint64_t)1 << 63);
	GIVES(plait_queue_finish(queue, PLAIT_FOREVER, ERR), PLAIT_OK);
	model_fits(c, queue, &one);
	model_fits(c, queue, &two);
}

/* --- B8, B9, B10: lifetimes ---------------------------------------------- */

static void freed_in_use(struct conform *c)
{
	plait_queue *queue = conform_queue(c);
	plait_signal *gate = conform_gate(c);
	static unsigned char got[MODEL];
	plait_buffer *view;

	model_init(c, queue, &one);
	model_init(c, queue, &two);
	NEED(plait_queue_wait(queue, gate, 1, ERR));
	NEED(plait_buffer_view(one.buffer, 0, MODEL, &view, ERR));
	NEED(plait_queue_copy(queue, two.buffer, 0, view, 0, MODEL, ERR));
	plait_command read = conform_read(two.buffer, 0, got, MODEL);
	NEED(plait_queue_submit(queue, &read, 1, NULL, ERR));
	conform_forget(c, one.buffer);
	conform_forget(c, two.buffer);
	plait_buffer_release(one.buffer);
	plait_buffer_release(two.buffer);
	plait_buffer_release(view);
	for (int i = 0; i < 32; i++) /* would reuse freed memory */
		NEED(plait_queue_fill(conform_queue(c),
				      conform_buffer(c, MODEL), 0, MODEL, 0,
				      1, ERR));
	NEED(plait_signal_raise(gate, 1, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS(memcmp(got, one.want, MODEL) == 0);
}

static atomic_int released_calls;

static void wrapped(struct conform *c)
{
	plait_wrap_desc desc = { .size = sizeof(desc), .bytes = 4096 };
	plait_queue *queue = conform_queue(c);
	unsigned char *mine = aligned_alloc(4096, 4096);
	plait_event event = { .size = sizeof(event) };
	unsigned char got = 0;
	plait_buffer *buffer;

	desc.pointer = mine;
	desc.inbox = conform_inbox(c);
	desc.user_data = &desc;
	NEED(plait_buffer_wrap(c->device, &desc, &buffer, ERR));
	memset(mine, 3, 4096);
	NEED(plait_queue_read(queue, buffer, 4095, &got, 1, ERR));
	HOLDS(got == 3);
	NEED(plait_queue_fill(queue, buffer, 1000, 7, 9, 1, ERR));
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	HOLDS(mine[999] == 3 && mine[1000] == 9 && mine[1006] == 9 &&
	      mine[1007] == 3);
	GIVES(plait_inbox_next(desc.inbox, &event, ERR), PLAIT_PENDING);
	plait_buffer_release(buffer);
	NEED(plait_inbox_wait(desc.inbox, PLAIT_FOREVER, ERR));
	NEED(plait_inbox_next(desc.inbox, &event, ERR));
	HOLDS(event.kind == PLAIT_EVENT_RELEASED && event.user_data == &desc);
	GIVES(plait_inbox_next(desc.inbox, &event, ERR), PLAIT_PENDING);

	desc.inbox = NULL;
	desc.flags = PLAIT_CALL_ANY_THREAD;
	desc.released = conform_count_up;
	desc.user_data = &released_calls;
	NEED(plait_buffer_wrap(c->device, &desc, &buffer, ERR));
	plait_buffer_release(buffer);
	conform_finish(c);
	HOLDS(atomic_load(&released_calls) == 1);
	free(mine);
}

static void churn(struct conform *c, int rounds)
{
	plait_queue *queue = conform_queue(c);

	for (int i = 0; i < rounds; i++) {
		uint64_t bytes = 1 + conform_below(c, 8192);
		plait_buffer *buffer = conform_buffer(c, bytes);

		if (i % 64 == 0)
			NEED(plait_queue_fill(queue, buffer, 0, bytes, 1, 1,
					      ERR));
		conform_forget(c, buffer);
		plait_buffer_release(buffer);
		if (i % 1024 == 0)
			NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	}
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	conform_forget(c, queue);
	plait_queue_release(queue);
}

/* Wait a little: a reclaiming thread may still hold the last buffer. */
static uint64_t used_bytes(struct conform *c)
{
	plait_device_info info = { .size = sizeof(info) };
	uint64_t end = conform_now_ns() + conform_patience_ns();

	do {
		NEED(plait_device_query(c->device, &info, ERR));
	} while (info.used_bytes != 0 && conform_now_ns() < end);
	return info.used_bytes;
}

static void no_leak(struct conform *c)
{
	plait_context_desc desc = { .size = sizeof(desc) };
	struct conform_process before, after;
	static struct conform_memory memory;

	conform_memory_init(&memory, 0);
	desc.allocator = &memory.allocator;
	conform_begin(c, &desc);
	churn(c, 1000);
	conform_look(&before);
	long long live = atomic_load(&memory.live_bytes);
	churn(c, 10000);
	conform_look(&after);
	HOLDS_THAT(atomic_load(&memory.live_bytes) < live + (1 << 20),
		   "memory of the library stays: %lld bytes, then %lld", live,
		   atomic_load(&memory.live_bytes));
	/* 40 MB were allocated and freed; a new thread's stack may remain. */
	HOLDS_THAT(conform_sanitized() ||
		   after.data_bytes < before.data_bytes + (24u << 20),
		   "memory of the process stays: %llu bytes, then %llu",
		   (unsigned long long)before.data_bytes,
		   (unsigned long long)after.data_bytes);
	HOLDS(after.descriptors <= before.descriptors);
	HOLDS(used_bytes(c) == 0);
	conform_finish(c);
	conform_memory_settle(&memory);
	HOLDS_THAT(atomic_load(&memory.live_bytes) == 0,
		   "all memory is given back: %lld bytes are not",
		   atomic_load(&memory.live_bytes));
}

/* --- B11: from device to device ------------------------------------------ */

static void across(struct conform *c)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = MODEL };
	plait_queue *queue = conform_queue(c);
	plait_buffer *far;
	plait_status status;

	model_init(c, queue, &one);
	NEED(plait_buffer_create(c->second, &desc, &far, ERR));
	conform_hold(c, HOLDS_BUFFER, far);
	status = plait_queue_copy(queue, far, 0, one.buffer, 0, MODEL, ERR);
	if (status == PLAIT_E_UNSUPPORTED)
		conform_skip(c, "no copies between devices: %s",
			     c->error.text);
	GIVES(status, PLAIT_OK);
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	two = one;
	two.buffer = far;
	model_fits(c, conform_queue_on(c, c->second, NULL), &two);
	NEED(plait_queue_copy(queue, one.buffer, 0, far, 1, 5000, ERR));
	memmove(one.want, one.want + 1, 5000);
	model_fits(c, queue, &one);
}

static const struct conform_check checks[] = {
	{ "B1", "sizes 0, 1, around a page and large; alignment", 0, sizes },
	{ "B2", "impossible sizes: out of memory, and nothing changed", 0,
	  impossible },
	{ "B3", "random bytes at odd offsets, there and back", 0,
	  round_trip },
	{ "B4", "copies on the device, and the overlap rule", 0,
	  device_copy },
	{ "B5", "fill patterns of 1, 2, 4, 8 bytes with a tail", 0,
	  fill_patterns },
	{ "B6", "mappings show and carry what changed", NEED_MAP,
	  map_visible },
	{ "B7", "ranges that wrap around are refused", 0, ranges },
	{ "B8", "buffers released while in use", NEED_GATE, freed_in_use },
	{ "B9", "wrapped memory is used in place and released once",
	  NEED_WRAP, wrapped },
	{ "B10", "10,000 buffers leave no memory behind", NO_CONTEXT,
	  no_leak },
	{ "B11", "copies between two devices", NEED_TWO_DEVICES, across },
};

CONFORM_GROUP(conform_buffers, "Buffers");
