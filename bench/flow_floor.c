/* SPDX-License-Identifier: MIT */
/*
 * Hand-written scheduler of three graphs.  A task counts its predecessors, and has a
 * list of its successors: the submitter adds a task to the lists of predecessors that
 * are not done, and the thread that ends a task counts down those in its list.  The
 * thread runs one that is ready itself, and pushes the others to its deque, from
 * which both threads take the oldest.  No failures, boxes, handles, or window: the
 * array of tasks is as long as the longest graph, and a tile has a fixed place.
 */
#include "flow_floor.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SIDE = 24,
	TILES = 12,
	LAYERS = 40,
	WIDTH = 16,
	TASKS = 1024, /* of a graph, at most */
	PREDS = 8,
	READERS = 16,
	CLOSED = -1 /* instead of the list: the task is done */
};

/* Number `task` * PREDS + the place among its predecessors. */
typedef int32_t place;

struct task {
	_Alignas(64) node_body body;
	void *node;
	_Atomic place first;   /* successors; 0: none */
	_Atomic int32_t left; /* predecessors that are not done */
	place next[PREDS];     /* per predecessor: the next in its list */
};

_Static_assert(sizeof(struct task) == 64, "one cache line");

/* The last task that wrote a tile, and those that have read it since. */
struct tile {
	int32_t writer;
	int32_t count;
	int32_t readers[READERS];
};

/* Ready tasks: the owner pushes at `bottom`, both threads take at `top`. */
struct deque {
	_Alignas(128) _Atomic int64_t bottom;
	_Alignas(128) _Atomic int64_t top;
	_Alignas(128) _Atomic int32_t items[TASKS];
};

static struct task tasks[TASKS];
static struct tile tiles[2][SIDE * SIDE];
static struct deque deques[2];
/* Tasks that a thread has ended: written by it alone. */
static struct {
	_Alignas(128) _Atomic int32_t count;
} ended[2];
static int32_t newest;
static node_body task_body;
static void *task_node;

/* ---- deques ---- */

static void push(int who, int32_t number)
{
	struct deque *own = &deques[who];
	int64_t bottom = atomic_load_explicit(&own->bottom,
					      memory_order_relaxed);

	atomic_store_explicit(&own->items[bottom % TASKS], number,
			      memory_order_relaxed);
	atomic_store_explicit(&own->bottom, bottom + 1, memory_order_release);
}

/* The oldest task of a deque, or 0. */
static int32_t take_oldest(int who)
{
	struct deque *from = &deques[who];
	int64_t top = atomic_load_explicit(&from->top, memory_order_acquire);
	int32_t number;

	do {
		if (top >= atomic_load_explicit(&from->bottom,
						memory_order_acquire))
			return 0;
		number = atomic_load_explicit(&from->items[top % TASKS],
					      memory_order_relaxed);
	} while (!atomic_compare_exchange_weak(&from->top, &top, top + 1));
	return number;
}

/* ---- end of a task ---- */

/* End a task.  Returns one that the thread runs next, or 0. */
static int32_t finish(int who, int32_t number)
{
	place at = atomic_exchange_explicit(&tasks[number].first, CLOSED,
					   memory_order_acq_rel);
	int32_t next = 0;

	while (at != 0) {
		int32_t behind = at / PREDS;
		struct task *task = &tasks[behind];

		at = task->next[at % PREDS];
		if (atomic_fetch_sub_explicit(&task->left, 1,
					      memory_order_acq_rel) != 1)
			continue;
		if (next != 0)
			push(who, next);
		next = behind;
	}
	return next;
}

/* Between two looks; another thread may have the processor of the other side. */
static void rest(uint32_t *looks)
{
	if (++*looks % 10000 == 0)
		(void)sched_yield();
	else
		__builtin_ia32_pause();
}

/* Tasks of the run, or 0 until all are submitted. */
static _Atomic int32_t task_count;

/* Run tasks until those of both threads are all. */
static void run(int who)
{
	int32_t number = 0, done = 0, all;
	uint32_t looks = 0;

	for (;;) {
		if (number == 0)
			number = take_oldest(who);
		if (number == 0)
			number = take_oldest(!who);
		if (number != 0) {
			tasks[number].body(tasks[number].node);
			number = finish(who, number);
			atomic_store_explicit(&ended[who].count, ++done,
					      memory_order_release);
			continue;
		}
		all = atomic_load_explicit(&task_count, memory_order_acquire);
		if (all != 0 && done + atomic_load_explicit(
					       &ended[!who].count,
					       memory_order_acquire) == all)
			return;
		rest(&looks);
	}
}

/* ---- submission ---- */

struct preds {
	int32_t count;
	int32_t items[PREDS];
};

static void add_pred(struct preds *preds, int32_t number)
{
	if (number == 0)
		return;
	for (int32_t i = 0; i < preds->count; i++)
		if (preds->items[i] == number)
			return;
	preds->items[preds->count++] = number;
}

/* Add the task to the list of a predecessor.  Returns 1 if that is done. */
static int32_t add_link(struct task *task, place own, int32_t pred)
{
	_Atomic place *first = &tasks[pred].first;
	place at = atomic_load_explicit(first, memory_order_relaxed);

	do {
		if (at == CLOSED)
			return 1;
		task->next[own % PREDS] = at;
	} while (!atomic_compare_exchange_weak_explicit(
		first, &at, own, memory_order_acq_rel, memory_order_acquire));
	return 0;
}

static void publish(const struct preds *preds)
{
	struct task *task = &tasks[newest];
	int32_t done = 1; /* the submitter's own count */

	task->body = task_body;
	task->node = task_node;
	atomic_store_explicit(&task->first, 0, memory_order_relaxed);
	atomic_store_explicit(&task->left, preds->count + 1,
			      memory_order_relaxed);
	for (int32_t i = 0; i < preds->count; i++)
		done += add_link(task, newest * PREDS + i, preds->items[i]);
	if (done == preds->count + 1 ||
	    atomic_fetch_sub_explicit(&task->left, done,
				      memory_order_acq_rel) == done)
		push(0, newest);
}

static void submit(struct tile *writes, struct tile *const *reads, int count)
{
	struct preds preds = { .count = 0 };

	newest++;
	for (int i = 0; i < count; i++) {
		struct tile *read = reads[i];

		add_pred(&preds, read->writer);
		if (read->count < READERS)
			read->readers[read->count++] = newest;
	}
	if (writes->count == 0)
		add_pred(&preds, writes->writer);
	for (int32_t i = 0; i < writes->count; i++)
		if (writes->readers[i] != newest)
			add_pred(&preds, writes->readers[i]);
	writes->writer = newest;
	writes->count = 0;
	publish(&preds);
}

/* ---- graphs ---- */

static struct tile *tile(uint64_t x, uint64_t y)
{
	return &tiles[0][y * SIDE + x];
}

static void submit_cholesky(void)
{
	for (uint64_t k = 0; k < TILES; k++) {
		submit(tile(k, k), NULL, 0);
		for (uint64_t i = k + 1; i < TILES; i++)
			submit(tile(k, i), (struct tile *[]){ tile(k, k) }, 1);
		for (uint64_t i = k + 1; i < TILES; i++)
			for (uint64_t j = k + 1; j <= i; j++)
				submit(tile(j, i),
				       (struct tile *[]){ tile(k, i),
							  tile(k, j) },
				       i == j ? 1 : 2);
	}
}

static void submit_wavefront(void)
{
	for (uint64_t y = 0; y < SIDE; y++)
		for (uint64_t x = 0; x < SIDE; x++) {
			struct tile *reads[2];
			int count = 0;

			if (x > 0)
				reads[count++] = tile(x - 1, y);
			if (y > 0)
				reads[count++] = tile(x, y - 1);
			submit(tile(x, y), reads, count);
		}
}

static void submit_layers(void)
{
	for (uint64_t i = 0; i < (uint64_t)LAYERS * WIDTH; i++) {
		bool odd = i / WIDTH % 2 != 0;
		uint64_t at = i % WIDTH;
		struct tile *reads[3];
		int count = 0;

		if (at > 0)
			reads[count++] = &tiles[odd][at - 1];
		reads[count++] = &tiles[odd][at];
		if (at + 1 < WIDTH)
			reads[count++] = &tiles[odd][at + 1];
		submit(&tiles[!odd][at], reads, count);
	}
}

static void submit_all(int shape, node_body body, void *node)
{
	memset(tiles, 0, sizeof(tiles));
	newest = 0;
	task_body = body;
	task_node = node;
	if (shape == FLOOR_CHOLESKY)
		submit_cholesky();
	else if (shape == FLOOR_WAVEFRONT)
		submit_wavefront();
	else
		submit_layers();
}

/* ---- the second thread ---- */

static pthread_t thread;
/* Runs that have begun; -1: the thread ends. */
static _Alignas(128) _Atomic int32_t begun;
/* The last run that the thread has left. */
static _Alignas(128) _Atomic int32_t left;

static void *other_side(void *unused)
{
	int32_t seen = 0, now;

	(void)unused;
	for (;;) {
		while ((now = atomic_load(&begun)) == seen)
			(void)syscall(SYS_futex, &begun, FUTEX_WAIT_PRIVATE,
				      seen, NULL, NULL, 0);
		if (now < 0)
			return NULL;
		seen = now;
		run(1);
		atomic_store(&left, seen);
	}
}

static void begin(int32_t number)
{
	atomic_store(&begun, number);
	(void)syscall(SYS_futex, &begun, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool floor_open(void)
{
	return pthread_create(&thread, NULL, other_side, NULL) == 0;
}

void floor_close(void)
{
	begin(-1);
	(void)pthread_join(thread, NULL);
}

static void reset(void)
{
	atomic_store(&task_count, 0);
	for (int i = 0; i < 2; i++) {
		atomic_store(&ended[i].count, 0);
		atomic_store(&deques[i].top, 0);
		atomic_store(&deques[i].bottom, 0);
	}
}

void floor_run(int shape, node_body body, void *node)
{
	int32_t number = atomic_load(&begun) + 1;
	uint32_t looks = 0;

	reset();
	begin(number);
	submit_all(shape, body, node);
	atomic_store_explicit(&task_count, newest, memory_order_release);
	run(0);
	/* The other thread may still look for a task. */
	while (atomic_load_explicit(&left, memory_order_acquire) != number)
		rest(&looks);
}

double floor_submission_ns(int shape, node_body body, void *node)
{
	uint64_t time = now_ns();
	double ns;

	reset();
	submit_all(shape, body, node);
	ns = (double)(now_ns() - time) / newest;
	atomic_store(&task_count, newest);
	run(0);
	return ns;
}
