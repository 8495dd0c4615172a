/* SPDX-License-Identifier: MIT */
/* The host backend through the loader, on a real pool: its memory, settings,
 * devices, and queues that move bytes. */
#include "plugin/registry.h"

#include "lib/pool.h"
#include "lib/unwrapped.h"

#include <stdlib.h>

enum { MANY = 50 };

struct bench {
	plait_allocator allocator;
	plait__pool *pool;
	plait__registry *registry;
	const plait_backend_table *table;
	plait_backend *self;
	plait__backend *backend;
	plait_error error;
	at_u32 left;   /* allocations that still succeed */
	at_u32 blocks; /* live allocations */
};

static struct bench bench;

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (new_bytes == 0) {
		at_sub_u32(&bench.blocks, 1);
		free(pointer);
		return NULL;
	}
	if (at_load_relaxed_u32(&bench.left) == 0)
		return NULL;
	at_sub_u32(&bench.left, 1);
	if (pointer == NULL)
		at_add_u32(&bench.blocks, 1);
	return realloc(pointer, (size_t)new_bytes);
}

static plait_status open_bench(uint32_t workers, const char *options)
{
	plait__registry_config config = { .backends = "host",
					  .options = options,
					  .allocator = &bench.allocator };
	plait_status status;

	memset(&bench, 0, sizeof(bench));
	bench.allocator.size = sizeof(bench.allocator);
	bench.allocator.resize = resize;
	at_init_u32(&bench.left, UINT32_MAX);
	plait__pool_create(&bench.allocator, workers, &bench.pool, NULL);
	config.pool = bench.pool;
	status = plait__registry_open(&config, &bench.registry, &bench.error);
	if (status != PLAIT_OK) {
		plait__pool_destroy(bench.pool);
		IS_INT(at_load_relaxed_u32(&bench.blocks), 0);
		return status;
	}
	bench.backend = plait__registry_backend(bench.registry, 0);
	bench.table = &bench.backend->table;
	bench.self = bench.backend->self;
	return PLAIT_OK;
}

static void close_bench(void)
{
	plait__registry_close(bench.registry);
	plait__pool_destroy(bench.pool);
	IS_INT(at_load_relaxed_u32(&bench.blocks), 0);
}

static plait_backend_memory *create_memory(uint64_t bytes, uint64_t alignment,
					   void *pointer)
{
	plait_memory_request request = {
		.size = sizeof(request), .bytes = bytes,
		.flags = pointer != NULL ? PLAIT_MEMORY_WRAP : 0,
		.alignment_bytes = alignment, .pointer = pointer
	};
	plait_backend_memory *memory = NULL;

	(void)bench.table->memory_create(bench.self, 0, &request, &memory,
					 &bench.error);
	return memory;
}

static char *map(plait_backend_memory *memory, uint64_t offset)
{
	void *pointer = NULL;

	IS_INT(bench.table->memory_map(bench.self, memory, offset, 1, 0,
				       &pointer, &bench.error), PLAIT_OK);
	return pointer;
}

static void devices(void)
{
	if (!IS_INT(open_bench(3, "host:devices=2,memory=1M"), PLAIT_OK))
		return;
	IS_INT(bench.backend->device_count, 2);
	IS_INT(bench.backend->devices[1].parallel, 3);
	IS_INT(bench.backend->devices[1].memory_bytes, 1 << 20);
	IS_INT(bench.backend->devices[1].capabilities,
	       PLAIT_CAP_MAP | PLAIT_CAP_WRAP | PLAIT_CAP_HOST_CALL |
		       PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY |
		       PLAIT_CAP_NATIVE | PLAIT_CAP_ROWS | PLAIT_CAP_LASTS |
		       PLAIT_CAP_HOST | PLAIT_CAP_IMAGE);
	IS_STR(bench.backend->devices[1].description,
	       "this machine; 3 workers");
	close_bench();
	if (!IS_INT(open_bench(3, "host:describe=1"), PLAIT_OK))
		return;
	HAS_STR(bench.backend->devices[0].description, "3 workers");
#ifdef HAVE_HWLOC
	HAS_STR(bench.backend->devices[0].description, " cores, ");
#endif
	NOTE("%s", bench.backend->devices[0].description);
	close_bench();
	if (!IS_INT(open_bench(0, NULL), PLAIT_OK))
		return;
	IS_INT(bench.backend->device_count, 1);
	IS_INT(bench.backend->devices[0].parallel, 1);
	OK(bench.backend->devices[0].memory_bytes > 1 << 20);
	OK(bench.backend->devices[0].capabilities & PLAIT_CAP_NEEDS_PUMP);
	close_bench();
}

static void settings(void)
{
	static const char *const bad[] = {
		"host:devices=0",   "host:devices=65",	 "host:devices=two",
		"host:devices=-1",  "host:pin=2",	 "host:describe=x",	 "host:memory=0",
		"host:memory=1X",   "host:memory=1KK",	 "host:memory=",
		"host:memory=99999999999T",
	};
	size_t i;

	for (i = 0; i < TAP_COUNT(bad); i++) {
		OK_THAT(open_bench(1, bad[i]) < 0, "%s", bad[i]);
		HAS_STR(bench.error.text, "host");
	}
}

static void pinned(void)
{
	plait_status status = open_bench(2, "host:pin=1");

#ifdef HAVE_HWLOC
	if (IS_INT(status, PLAIT_OK))
		close_bench();
#else
	IS_INT(status, PLAIT_E_UNAVAILABLE);
	HAS_STR(bench.error.text, "without hwloc");
#endif
}

static void memory(void)
{
	static const uint64_t alignments[] = { 0, 1, 64, 128, 4096, 1 << 16 };
	plait_backend_memory *one;
	plait_backend_memory *two;
	char mine[8] = "mine";
	size_t i;

	if (!IS_INT(open_bench(1, "host:memory=200K"), PLAIT_OK))
		return;
	for (i = 0; i < TAP_COUNT(alignments); i++) {
		uint64_t wanted = alignments[i] > 64 ? alignments[i] : 64;

		one = create_memory(100, alignments[i], NULL);
		OK(one != NULL && (uintptr_t)map(one, 0) % wanted == 0);
		memset(map(one, 0), 1, 100);
		bench.table->memory_destroy(bench.self, one);
	}
	IS_PTR(create_memory(100, 3, NULL), NULL);
	IS_INT(bench.error.status, PLAIT_E_INVALID);
	IS_PTR(create_memory(UINT64_MAX, 0, NULL), NULL);
	IS_INT(bench.error.status, PLAIT_E_NOMEM);
	IS_PTR(create_memory(100, (uint64_t)1 << 63, NULL), NULL);
	IS_INT(bench.error.status, PLAIT_E_NOMEM);
	/* The remaining budget, to the last byte; released bytes return to it. */
	one = create_memory(200 * 1024 - 10, 0, NULL);
	two = create_memory(10, 0, NULL);
	OK(one != NULL && two != NULL);
	IS_PTR(create_memory(1, 0, NULL), NULL);
	IS_STR(bench.error.text, "host:0: 1 bytes asked, 0 of its 204800 left");
	bench.table->memory_destroy(bench.self, two);
	two = create_memory(10, 0, NULL);
	OK(two != NULL);
	bench.table->memory_destroy(bench.self, one);
	bench.table->memory_destroy(bench.self, two);
	/* Wrapped memory stays the user's. */
	one = create_memory(sizeof(mine), 0, mine);
	IS_PTR(map(one, 1), mine + 1);
	bench.table->memory_destroy(bench.self, one);
	one = create_memory(0, 0, NULL);
	OK(one != NULL);
	bench.table->memory_destroy(bench.self, one);
	close_bench();
}

/* --- queues --------------------------------------------------------------- */

struct moves {
	plait_backend_memory *a;
	plait_backend_memory *b;
	plait_backend_queue *queue;
	plait_backend_signal *done;
	plait_work fills[MANY];
	plait_work others[4];
	plait_backend_point emits[2];
	plait_submission two[2];
	char out[MANY + 1];
	at_u32 count;
};

static void fill_works(struct moves *m)
{
	int i;

	for (i = 0; i < MANY; i++)
		m->fills[i] = (plait_work){ .size = sizeof(plait_work),
					    .kind = PLAIT_WORK_FILL,
					    .bytes = 1,
					    .pattern_bytes = 1,
					    .pattern = (uint64_t)('A' + i),
					    .target = m->a,
					    .target_offset = (uint64_t)i };
	m->others[0] = (plait_work){ .size = sizeof(plait_work),
				     .kind = PLAIT_WORK_COPY, .bytes = MANY,
				     .target = m->b, .source = m->a };
	m->others[1] = (plait_work){ .size = sizeof(plait_work),
				     .kind = PLAIT_WORK_WRITE, .bytes = 3,
				     .target = m->b, .target_offset = 1,
				     .host = (void *)(uintptr_t)"xyz" };
	m->others[2] = (plait_work){ .size = sizeof(plait_work),
				     .kind = PLAIT_WORK_READ, .bytes = MANY,
				     .source = m->b, .host = m->out };
	m->others[3] = call(count_up, &m->count);
}

static void create_moves(struct moves *m)
{
	plait_queue_request request = { .size = sizeof(request) };
	int i;

	memset(m, 0, sizeof(*m));
	m->a = create_memory(MANY, 0, NULL);
	m->b = create_memory(MANY, 0, NULL);
	bench.table->queue_create(bench.self, 0, &request, &m->queue,
				  &bench.error);
	bench.table->signal_create(bench.self, 0, 0, &m->done, &bench.error);
	fill_works(m);
	for (i = 0; i < 2; i++) {
		m->emits[i] = (plait_backend_point){ m->done,
						     (uint64_t)(i + 1) };
		m->two[i] = (plait_submission){
			.size = sizeof(plait_submission),
			.work = i == 0 ? m->fills : m->others,
			.work_count = i == 0 ? MANY : 4,
			.emits = &m->emits[i],
			.emit_count = 1
		};
	}
}

static void destroy_moves(struct moves *m)
{
	bench.table->queue_destroy(bench.self, m->queue);
	bench.table->signal_destroy(bench.self, m->done);
	bench.table->memory_destroy(bench.self, m->a);
	bench.table->memory_destroy(bench.self, m->b);
}

static plait_status submit_moves(struct moves *m, uint32_t count)
{
	return bench.table->queue_submit(bench.self, m->queue, m->two, count,
					 &bench.error);
}

static plait_status await_moves(const plait_backend_point *wanted)
{
	return bench.table->signal_wait(bench.self, wanted, 1, 0,
					PLAIT_FOREVER, &bench.error);
}

/* Memory handles become pointers, for few commands and for many. */
static void moves(void)
{
	static struct moves m;

	if (!IS_INT(open_bench(1, NULL), PLAIT_OK))
		return;
	create_moves(&m);
	IS_INT(submit_moves(&m, 2), PLAIT_OK);
	IS_INT(await_moves(&m.emits[1]), PLAIT_OK);
	IS_STR(m.out, "AxyzEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr");
	IS_INT(at_load_relaxed_u32(&m.count), 1);
	/* No memory for the copy: the submission is refused as a whole. */
	m.emits[0].sequence = 3;
	at_store_relaxed_u32(&bench.left, 0);
	IS_INT(submit_moves(&m, 1), PLAIT_E_NOMEM);
	at_store_relaxed_u32(&bench.left, UINT32_MAX);
	IS_INT(submit_moves(&m, 1), PLAIT_OK);
	IS_INT(await_moves(&m.emits[0]), PLAIT_OK);
	destroy_moves(&m);
	close_bench();
}

static const struct tap_scenario all[] = {
	{ "devices", devices }, { "settings", settings },
	{ "pinned", pinned },	{ "memory", memory },
	{ "moves", moves },
};

TAP_MAIN(all)
