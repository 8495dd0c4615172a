/* SPDX-License-Identifier: MIT */
/*
 * Launches: a few blocks at a time, whose threads take turns of random length.
 * A block in which all threads wait, and no barrier is complete, fails the
 * launch.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine.h"

enum { MOST_BLOCKS = 8, MOST_THREADS = 2048, LONGEST_TURN = 128,
	MOST_FRAMES = 256 };

static uint32_t chance(struct ptx_machine *m, uint32_t bound)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (uint32_t)((m->random >> 16) % bound);
}

/* --- failures ------------------------------------------------------------- */

/* The statement's text, its blanks as one. */
static void print_text(char *out, size_t room, const struct ptx_op *o)
{
	size_t used = 0, i;

	for (i = 0; i < o->text_bytes && used + 1 < room; i++) {
		char c = o->text[i] <= ' ' ? ' ' : o->text[i];

		if (c != ' ' || (used != 0 && out[used - 1] != ' '))
			out[used++] = c;
	}
	out[used] = '\0';
}

void ptx_machine_fail(struct ptx_thread *t, enum ptx_result result,
		      const char *format, ...)
{
	struct ptx_machine *m = t->machine;
	const struct ptx_op *o = t->at - 1;
	char text[100];
	va_list list;
	int used;

	if (m->result != PTX_DONE)
		return;
	m->result = result;
	print_text(text, sizeof(text), o);
	used = snprintf(m->message, PTX_MESSAGE_BYTES, "ptx: kernel %.80s, line "
			"%u: `%s`: block (%u, %u, %u), thread (%u, %u, %u): ",
			m->function->name, o->line, text, t->block->ctaid[0],
			t->block->ctaid[1], t->block->ctaid[2], t->tid[0],
			t->tid[1], t->tid[2]);
	va_start(list, format);
	vsnprintf(m->message + used, PTX_MESSAGE_BYTES - (size_t)used, format,
		  list);
	va_end(list);
}

/* --- frames --------------------------------------------------------------- */

static uint64_t timer(const struct ptx_machine *m)
{
	return m->launch->timer != NULL ? m->launch->timer() : m->steps;
}

static uint64_t special(const struct ptx_thread *t, uint32_t what)
{
	const struct ptx_machine *m = t->machine;
	uint32_t lane = t->number % PTX_WARP;

	if (what < PTX_NTID)
		return t->tid[what - PTX_TID];
	if (what < PTX_CTAID)
		return m->launch->block[what - PTX_NTID];
	if (what < PTX_NCTAID)
		return t->block->ctaid[what - PTX_CTAID];
	if (what < PTX_LANEID)
		return m->launch->grid[what - PTX_NCTAID];
	switch (what) {
	case PTX_LANEID:
		return lane;
	case PTX_WARPID:
		return t->number / PTX_WARP;
	case PTX_NWARPID:
		return (m->threads + PTX_WARP - 1) / PTX_WARP;
	case PTX_LANEMASK_EQ:
		return 1u << lane;
	case PTX_LANEMASK_LE:
		return (2ull << lane) - 1;
	case PTX_LANEMASK_LT:
		return (1ull << lane) - 1;
	case PTX_LANEMASK_GE:
		return (uint32_t)~((1ull << lane) - 1);
	case PTX_LANEMASK_GT:
		return (uint32_t)~((2ull << lane) - 1);
	case PTX_CLOCK:
		return (uint32_t)m->steps;
	case PTX_CLOCK64:
		return m->steps;
	case PTX_TIMER:
		return timer(m);
	case PTX_TIMER_LO:
		return (uint32_t)timer(m);
	case PTX_NSMID:
		return 1;
	case PTX_SHARED_SIZE:
		return m->launch->shared_bytes;
	default:
		return 0;
	}
}

static void set_specials(struct ptx_thread *t,
			 const struct ptx_function *function,
			 uint32_t local_base)
{
	uint32_t i;

	for (i = 0; i < function->special_count; i++) {
		const struct ptx_special *s = &function->specials[i];

		t->r[s->slot] = s->what == PTX_LOCAL_ADDRESS ?
				local_base + s->offset : special(t, s->what);
	}
}

static void *grow(void *old, size_t bytes)
{
	void *new = realloc(old, bytes);

	if (new == NULL)
		abort();
	return new;
}

static uint32_t words_of(const struct ptx_function *function)
{
	return function->slot_count + function->param_bytes / 8 + 4;
}

static void show_frame(struct ptx_thread *t)
{
	const struct ptx_frame *frame = &t->frames[t->frame_count - 1];

	t->r = t->words + frame->base;
	/* At a multiple of 16. */
	t->params = (char *)(t->r + (frame->function->slot_count + 1) / 2 * 2);
}

/* Slots begin at a multiple of 16 bytes. */
static uint32_t next_base(const struct ptx_thread *t)
{
	const struct ptx_frame *frame = &t->frames[t->frame_count - 1];

	return t->frame_count == 0 ? 0 :
	       (frame->base + words_of(frame->function) + 1) / 2 * 2;
}

static void make_room(struct ptx_thread *t, uint32_t words, uint32_t local)
{
	if (words > t->word_room) {
		t->word_room = words + 256;
		t->words = grow(t->words, t->word_room * sizeof(*t->words));
	}
	if (t->frame_count == t->frame_room) {
		t->frame_room += 4;
		t->frames = grow(t->frames, t->frame_room * sizeof(*t->frames));
	}
	if (local > t->local_room) {
		t->local_room = local + 64;
		t->local = grow(t->local, t->local_room);
	}
}

void ptx_machine_enter(struct ptx_thread *t,
		       const struct ptx_function *function,
		       const struct ptx_call *call)
{
	uint32_t base = next_base(t);
	uint32_t local_base = (t->local_bytes + 15) / 16 * 16;
	uint32_t bytes = local_base + function->local_bytes;

	if (t->frame_count == MOST_FRAMES) {
		ptx_machine_fail(t, PTX_FAILED, "calls are nested too deeply");
		return;
	}
	make_room(t, base + words_of(function), bytes);
	t->frames[t->frame_count++] = (struct ptx_frame){
		function, t->at, call, base, local_base
	};
	if (function->local_bytes != 0)
		memset(t->local + local_base, 0xa5, function->local_bytes);
	t->local_bytes = bytes;
	show_frame(t);
	memcpy(t->r, function->initial,
	       function->slot_count * sizeof(*t->r));
	set_specials(t, function, local_base);
	t->at = function->code;
}

void ptx_machine_leave(struct ptx_thread *t)
{
	struct ptx_frame frame = t->frames[--t->frame_count];
	const struct ptx_parameter *results = frame.function->results;
	const char *from = t->params;
	uint32_t i;

	if (t->frame_count == 0) {
		t->state = PTX_ENDED;
		t->block->live--;
		return;
	}
	t->local_bytes = frame.local_base;
	t->at = frame.back;
	show_frame(t);
	for (i = 0; i < frame.call->result_count; i++)
		memcpy(t->params + frame.call->results[i],
		       from + results[i].offset, results[i].bytes);
}

/* --- blocks --------------------------------------------------------------- */

static void start_thread(struct ptx_thread *t, struct ptx_block *block,
			 uint32_t number)
{
	const struct ptx_machine *m = block->machine;
	const unsigned *size = m->launch->block;
	uint32_t i;

	t->block = block;
	t->machine = block->machine;
	t->number = number;
	t->tid[0] = number % size[0];
	t->tid[1] = number / size[0] % size[1];
	t->tid[2] = number / size[0] / size[1];
	t->frame_count = t->local_bytes = 0;
	t->state = PTX_RUNNING;
	ptx_machine_enter(t, m->function, NULL);
	for (i = 0; i < m->function->parameter_count; i++)
		memcpy(t->params + m->function->parameters[i].offset,
		       m->launch->arguments[i],
		       m->function->parameters[i].bytes);
}

static void start_block(struct ptx_block *block, uint64_t number)
{
	const struct ptx_machine *m = block->machine;
	const unsigned *size = m->launch->grid;
	uint32_t i;

	block->ctaid[0] = (uint32_t)(number % size[0]);
	block->ctaid[1] = (uint32_t)(number / size[0] % size[1]);
	block->ctaid[2] = (uint32_t)(number / size[0] / size[1]);
	block->live = m->threads;
	block->epoch++;
	memset(block->shared, 0xa5, m->shared_bytes);
	memset(block->barriers, 0, sizeof(block->barriers));
	for (i = 0; i < m->threads; i++)
		start_thread(&block->threads[i], block, i);
}

static void prepare_block(struct ptx_block *block, struct ptx_machine *m)
{
	block->machine = m;
	block->threads = calloc(m->threads, sizeof(*block->threads));
	block->shared = aligned_alloc(256, (m->shared_bytes + 256) / 256 * 256);
	block->shadow = calloc(m->shared_bytes + 1, sizeof(*block->shadow));
	if (block->threads == NULL || block->shared == NULL ||
	    block->shadow == NULL)
		abort();
}

static void free_block(struct ptx_block *block)
{
	uint32_t i;

	for (i = 0; i < block->machine->threads; i++) {
		free(block->threads[i].words);
		free(block->threads[i].frames);
		free(block->threads[i].local);
	}
	free(block->threads);
	free(block->shared);
	free(block->shadow);
}

/* --- turns ---------------------------------------------------------------- */

static void run_thread(struct ptx_thread *t, uint32_t steps)
{
	struct ptx_machine *m = t->machine;
	uint32_t left = steps;

	t->state = PTX_RUNNING;
	while (left-- != 0) {
		const struct ptx_op *o = t->at++;

		if (t->r[o->guard] == o->negate)
			continue;
		o->run(t, o);
		if (t->state != PTX_RUNNING || m->result != PTX_DONE)
			break;
	}
	m->steps += steps;
}

/* The first that waits tells where. */
static void fail_barrier(const struct ptx_block *block)
{
	struct ptx_machine *m = block->machine;
	uint32_t waiting = 0, i;
	struct ptx_thread *first = NULL;

	for (i = 0; i < m->threads; i++) {
		if (block->threads[i].state == PTX_ENDED)
			continue;
		waiting++;
		if (first == NULL)
			first = &block->threads[i];
	}
	ptx_machine_fail(first, PTX_FAILED, "divergent barrier: %u of %u threads"
			 " wait, and the others have ended or wait elsewhere",
			 waiting, m->threads);
}

/* One turn for each thread that can run. */
static void run_turns(struct ptx_block *block)
{
	struct ptx_machine *m = block->machine;
	uint32_t first = chance(m, m->threads), i, ran = 0;
	bool backwards = chance(m, 2);

	for (i = 0; i < m->threads && m->result == PTX_DONE; i++) {
		uint32_t k = backwards ? m->threads - 1 - i : i;
		struct ptx_thread *t =
			&block->threads[(first + k) % m->threads];

		if (t->state > PTX_YIELDED)
			continue;
		ran++;
		run_thread(t, 1 + chance(m, LONGEST_TURN));
	}
	if (ran == 0)
		fail_barrier(block);
}

static void check_steps(const struct ptx_block *block)
{
	struct ptx_machine *m = block->machine;
	uint64_t most = m->launch->most_steps != 0 ? m->launch->most_steps :
						     1ull << 32;

	if (m->steps > most && block->live != 0) {
		struct ptx_thread *t = block->threads;

		while (t->state == PTX_ENDED)
			t++;
		ptx_machine_fail(t, PTX_STEPS, "the limit of %llu steps is "
				 "reached", (unsigned long long)most);
	}
}

static void run_blocks(struct ptx_machine *m, struct ptx_block *blocks,
		       uint32_t count, uint64_t total)
{
	uint64_t next = 0, ended = 0;
	uint32_t i;

	for (; next < count; next++)
		start_block(&blocks[next], next);
	while (ended < total && m->result == PTX_DONE) {
		i = chance(m, count);
		if (blocks[i].live == 0)
			continue;
		run_turns(&blocks[i]);
		check_steps(&blocks[i]);
		if (blocks[i].live != 0 || m->result != PTX_DONE)
			continue;
		ended++;
		if (next < total)
			start_block(&blocks[i], next++);
	}
}

enum ptx_result ptx_launch(const struct ptx_module *module,
			   const struct ptx_kernel *kernel,
			   const struct ptx_launch *launch, char *message)
{
	const unsigned *g = launch->grid, *b = launch->block;
	struct ptx_block blocks[MOST_BLOCKS];
	struct ptx_machine m = {
		.module = module, .function = kernel->function,
		.launch = launch, .threads = b[0] * b[1] * b[2],
		.static_bytes = (module->shared_bytes + 15) / 16 * 16,
		.random = launch->seed * 0x9e3779b97f4a7c15u + 0x1234567,
		.message = message,
	};
	uint64_t total = (uint64_t)g[0] * g[1] * g[2];
	uint32_t count = MOST_THREADS / m.threads, i;

	count = count == 0 ? 1 : count > MOST_BLOCKS ? MOST_BLOCKS : count;
	count = count > total ? (uint32_t)total : count;
	m.shared_bytes = m.static_bytes + launch->shared_bytes;
	m.random += m.random == 0;
	message[0] = '\0';
	memset(blocks, 0, sizeof(blocks));
	for (i = 0; i < count; i++)
		prepare_block(&blocks[i], &m);
	run_blocks(&m, blocks, count, total);
	for (i = 0; i < count; i++)
		free_block(&blocks[i]);
	return m.result;
}
