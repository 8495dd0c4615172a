/* SPDX-License-Identifier: MIT */
/*
 * Launches over ranks that repeat, so that the flow takes their accesses from a memo:
 * each kind of launch behind each other one that differs in one field, and reductions
 * whose partial results are replaced.  All values are those of a model.
 */
#include "lib/objects.h"
#include "world/threads.h"

#include <stdatomic.h>

enum { SIDE = 12, N = SIDE * SIDE, RANKS = 3, SUMS = 9, REPEATS = 4 };
enum { PART = 6 }; /* rows of a part of data */

struct variant {
	const char *name;
	uint64_t group[3];
	uint64_t columns, rows; /* items */
	uint32_t split, pieces, kind, dimension, flags;
	uint64_t reach;
	uint64_t part;	/* first row of a part of both data; 0: the whole */
	bool keeps_part; /* each launch names the same part */
	uint64_t low, high; /* rows of a box that all pieces read; 0: by a mapper */
	bool overwrites; /* by another kernel, with the same arguments */
};

#define USUAL .columns = SIDE, .rows = SIDE, .split = 1, .pieces = 3, \
	      .kind = PLAIT_MAPPER_NEIGHBORHOOD, .reach = 1

static const struct variant variants[] = {
	{ "usual", USUAL },
	{ "a group", USUAL, .group = { 0, 5, 0 } },
	{ "another group", USUAL, .group = { 3, 2, 0 } },
	{ "less items", { 0 }, SIDE, 7, 1, 3, PLAIT_MAPPER_NEIGHBORHOOD,
	  .reach = 1 },
	{ "no neighbours", { 0 }, SIDE, SIDE, 1, 3,
	  .kind = PLAIT_MAPPER_NEIGHBORHOOD },
	{ "far neighbours", { 0 }, SIDE, SIDE, 1, 3, PLAIT_MAPPER_NEIGHBORHOOD,
	  .reach = 4 },
	{ "all", { 0 }, SIDE, SIDE, 1, 3, PLAIT_MAPPER_ALL, .reach = SIDE },
	{ "a slice", { 0 }, SIDE, SIDE, 2, 4,
	  .kind = PLAIT_MAPPER_SLICE },
	{ "another slice", { 0 }, SIDE, SIDE, 2, 4, PLAIT_MAPPER_SLICE,
	  .dimension = 1 },
	{ "a grid", { 0 }, SIDE, 4, 2, 4, PLAIT_MAPPER_NEIGHBORHOOD,
	  .reach = 1 },
	{ "a line of as many pieces", { 0 }, SIDE, 4, 2, 5,
	  PLAIT_MAPPER_NEIGHBORHOOD, .reach = 1 },
	{ "a line by one dimension", { 0 }, SIDE, 4, 1, 4,
	  PLAIT_MAPPER_NEIGHBORHOOD, .reach = 1 },
	{ "a function", { 0 }, SIDE, SIDE, 1, 3,
	  .kind = PLAIT_MAPPER_FUNCTION },
	{ "another answer", { 0 }, SIDE, SIDE, 1, 3, PLAIT_MAPPER_FUNCTION,
	  .reach = 3 },
	{ "a part", { 0 }, SIDE, PART, 1, 3, PLAIT_MAPPER_NEIGHBORHOOD,
	  .reach = 1, .part = 3 },
	{ "a part that stays", { 0 }, SIDE, PART, 1, 3,
	  PLAIT_MAPPER_NEIGHBORHOOD, .reach = 1, .part = 3,
	  .keeps_part = true },
	{ "another part that stays", { 0 }, SIDE, PART, 1, 3,
	  PLAIT_MAPPER_NEIGHBORHOOD, .reach = 1, .part = 6,
	  .keeps_part = true },
	{ "a box", { 0 }, SIDE, SIDE, 1, 3, .reach = SIDE, .high = 4 },
	{ "a longer box", { 0 }, SIDE, SIDE, 1, 3, .reach = SIDE, .high = 8 },
	{ "the end of that box", { 0 }, SIDE, SIDE, 1, 3, .reach = SIDE,
	  .low = 4, .high = 8 },
	{ "another kernel", USUAL, .overwrites = true },
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

struct program {
	plait_flow *flow;
	plait_data *data[2];
	plait_data *parts[SIDE][2]; /* that stay, by first row; or null */
	plait_kernel *update, *overwrite, *sum, *join;
	uint64_t model[2][N];
	uint64_t reach; /* of the mapper function */
	uint64_t host[N];
	char wrong[200];
};

static struct rank ranks[THREADS_MAX];
static struct program programs[THREADS_MAX];

/* ---- kernels ---- */

static uint64_t sum_near(const uint64_t *a, uint64_t x, uint64_t y,
			 uint64_t reach, uint64_t rows)
{
	uint64_t sum = 1;

	for (uint64_t v = y > reach ? y - reach : 0;
	     v < rows && v <= y + reach; v++)
		for (uint64_t u = x > reach ? x - reach : 0;
		     u < SIDE && u <= x + reach; u++)
			sum = sum * 5 + a[v * SIDE + u];
	return sum;
}

static void compute(const uint64_t *a, uint64_t *b, const plait_box *chunk,
		    uint64_t reach, uint64_t rows, uint64_t keeps)
{
	for (uint64_t y = chunk->low[1]; y < chunk->high[1]; y++)
		for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
			b[y * SIDE + x] = keeps * b[y * SIDE + x] +
					  sum_near(a, x, y, reach, rows);
}

static int32_t run_update(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	const uint64_t *keeps = user_data;

	(void)launch;
	compute(*(const uint64_t *const *)arguments[0] +
			SIDE * *(const uint64_t *)arguments[4],
		*(uint64_t *const *)arguments[1], arguments[5],
		*(const uint64_t *)arguments[2],
		*(const uint64_t *)arguments[3], *keeps);
	return 0;
}

/* A plait_mapper_function: the rows of the chunk, and those near. */
static plait_status map_rows(void *user_data, const plait_box *chunk,
			     const plait_box *data, plait_box *out,
			     uint32_t room, uint32_t *out_count)
{
	uint64_t reach = *(const uint64_t *)user_data;

	(void)room;
	*out = *data;
	out->low[1] = chunk->low[1] > reach ? chunk->low[1] - reach : 0;
	if (chunk->high[1] + reach < out->high[1])
		out->high[1] = chunk->high[1] + reach;
	*out_count = 1;
	return PLAIT_OK;
}

/* ---- launches ---- */

static void note(struct program *program, const char *before, const char *what)
{
	if (program->wrong[0] == '\0')
		snprintf(program->wrong, sizeof(program->wrong), "%s behind %s",
			 what, before);
}

static plait_data *make_part(struct rank *rank, plait_data *data, uint64_t row)
{
	const plait_box box = { { 0, row, 0 }, { SIDE, row + PART, 1 } };
	plait_data *part = NULL;

	(void)rank_did(rank, plait_data_part(data, &box, &part, &rank->error));
	return part;
}

/* Rows that are read: of the whole data, a part or a box. */
static uint64_t rows_of(const struct variant *variant)
{
	return variant->part > 0 ? PART : variant->high > 0 ?
	       variant->high - variant->low : SIDE;
}

static void submit(struct rank *rank, const struct variant *variant,
		   plait_data *from, plait_data *to)
{
	static const plait_mapper own = { .size = sizeof(own),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };
	struct program *program = rank->arg;
	const bool is_function = variant->kind == PLAIT_MAPPER_FUNCTION;
	const bool has_box = variant->high > 0;
	const uint64_t rows = rows_of(variant);
	const plait_box box = { { 0, variant->low, 0 },
				{ SIDE, variant->high, 1 } };
	const plait_mapper near = {
		.size = sizeof(near), .kind = variant->kind,
		.dimension = variant->dimension, .flags = variant->flags,
		.extent = { variant->reach, variant->reach, 0 },
		.function = is_function ? map_rows : NULL,
		.user_data = is_function ? &program->reach : NULL };
	const plait_access reads = { .size = sizeof(reads), .data = from,
				     .box = has_box ? &box : NULL,
				     .mapper = has_box ? NULL : &near };
	const plait_access writes = { .size = sizeof(writes), .data = to,
				      .mapper = &own };
	const plait_argument arguments[] = {
		PLAIT_ACCESS(&reads), PLAIT_ACCESS(&writes),
		PLAIT_VALUE(variant->reach), PLAIT_VALUE(rows),
		PLAIT_VALUE(variant->low), PLAIT_CHUNK() };
	const plait_launch launch = {
		.size = sizeof(launch), .dimensions = 2,
		.items = { variant->columns, variant->rows },
		.group = { variant->group[0], variant->group[1] } };
	const plait_task_desc desc = {
		.size = sizeof(desc), .label = variant->name,
		.kernel = variant->overwrites ? program->overwrite :
						program->update,
		.launch = &launch, .split = variant->split,
		.pieces = variant->pieces, .arguments = arguments,
		.argument_count = 6 };

	program->reach = variant->reach;
	(void)rank_did(rank, plait_flow_submit(program->flow, &desc, NULL,
					       &rank->error));
}

static plait_data *find_part(struct rank *rank, const struct variant *variant,
			     int i)
{
	struct program *program = rank->arg;
	plait_data **kept = &program->parts[variant->part][i];

	if (!variant->keeps_part)
		return make_part(rank, program->data[i], variant->part);
	if (*kept == NULL)
		*kept = make_part(rank, program->data[i], variant->part);
	return *kept;
}

/* Data `from` of the program updates the other one. */
static void launch(struct rank *rank, const struct variant *variant, int from)
{
	struct program *program = rank->arg;
	const uint64_t first = variant->part * SIDE;
	const plait_box all = { { 0 }, { variant->columns, variant->rows, 1 } };
	plait_data *used[2] = { program->data[0], program->data[1] };

	compute(program->model[from] + first + variant->low * SIDE,
		program->model[1 - from] + first, &all, variant->reach,
		rows_of(variant), variant->overwrites ? 0 : 3);
	for (int i = 0; i < 2 && variant->part > 0; i++)
		used[i] = find_part(rank, variant, i);
	submit(rank, variant, used[from], used[1 - from]);
	for (int i = 0; i < 2 && variant->part > 0 && !variant->keeps_part; i++)
		plait_data_release(used[i]);
}

static void check(struct rank *rank, const char *before, const char *what)
{
	struct program *program = rank->arg;

	for (int i = 0; i < 2; i++) {
		(void)rank_did(rank, plait_data_read(program->data[i], NULL,
						     program->host,
						     &rank->error));
		if (memcmp(program->host, program->model[i],
			   sizeof(program->host)) != 0)
			note(program, before, what);
	}
}

/* ---- programs ---- */

static plait_kernel *make_kernel(struct rank *rank,
				 plait_kernel_function function,
				 const char *signature, const void *user_data)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature,
					 .user_data = (void *)(uintptr_t)user_data };
	plait_kernel *kernel = NULL;

	(void)rank_did(rank, plait_kernel_create(rank->context, &desc, &kernel,
						 &rank->error));
	return kernel;
}

static void make_data(struct rank *rank, int i)
{
	struct program *program = rank->arg;
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
				       .element_bytes = 8,
				       .extent = { SIDE, SIDE } };

	for (uint64_t k = 0; k < N; k++)
		program->model[i][k] = k * k + (uint64_t)i;
	(void)(rank_did(rank, plait_data_create(program->flow, &desc,
						&program->data[i],
						&rank->error)) &&
	       rank_did(rank, plait_data_write(program->data[i], NULL,
					       program->model[i],
					       &rank->error)));
}

static void release_data(struct program *program, int i)
{
	for (int row = 0; row < SIDE; row++) {
		plait_data_release(program->parts[row][i]);
		program->parts[row][i] = NULL;
	}
	plait_data_release(program->data[i]);
}

static struct program *begin(struct rank *rank)
{
	static const uint64_t keeps[] = { 3, 0 };
	struct program *program = &programs[rank->rank];
	const plait_flow_desc desc = { .size = sizeof(desc),
				       .world = rank->world };

	rank->arg = program;
	(void)rank_did(rank, plait_flow_create(rank->context, &desc,
					       &program->flow, &rank->error));
	program->update = make_kernel(
		rank, run_update,
		"update(a: in pointer u64, b: inout pointer u64, reach: u64, "
		"rows: u64, low: u64, c: struct chunk 48)", &keeps[0]);
	program->overwrite = make_kernel(
		rank, run_update,
		"update(a: in pointer u64, b: out pointer u64, reach: u64, "
		"rows: u64, low: u64, c: struct chunk 48)", &keeps[1]);
	make_data(rank, 0);
	make_data(rank, 1);
	return program;
}

static void end(struct program *program)
{
	(void)plait_flow_wait(program->flow, 0, PLAIT_FOREVER, NULL);
	release_data(program, 0);
	release_data(program, 1);
	plait_kernel_release(program->update);
	plait_kernel_release(program->overwrite);
	plait_flow_release(program->flow);
}

/* Each variant between two of each other one, of both data, new ones in turn. */
static void run_variants(struct rank *rank)
{
	struct program *program = begin(rank);

	for (int i = 0; i < VARIANTS * VARIANTS && rank->status == PLAIT_OK;
	     i++) {
		const struct variant *one = &variants[i / VARIANTS];
		const struct variant *other = &variants[i % VARIANTS];

		for (int k = 0; k < 2 * REPEATS; k++) {
			launch(rank, one, k % 2);
			launch(rank, other, k % 2);
		}
		check(rank, one->name, other->name);
		if (i % 5 != 0)
			continue;
		release_data(program, i % 2);
		make_data(rank, i % 2);
	}
	end(program);
}

static void run_ranks(uint32_t workers, void (*run)(struct rank *rank))
{
	memset(ranks, 0, sizeof(ranks));
	memset(programs, 0, sizeof(programs));
	for (uint32_t i = 0; i < RANKS; i++)
		ranks[i].workers = workers;
	IS_UINT(ranks_run(ranks, RANKS, "loopback", run), RANKS);
	for (uint32_t i = 0; i < RANKS; i++) {
		IS_STR(ranks[i].error.text, "");
		IS_STR(programs[i].wrong, "");
	}
}

static void tells_launches_by_each_field(void)
{
	run_ranks(2, run_variants);
}

static void tells_launches_without_workers(void)
{
	run_ranks(0, run_variants);
}

/* ---- reductions ---- */

static atomic_int submitted; /* ranks that have submitted all tasks */

static int32_t await_all(void *user_data)
{
	(void)user_data;
	while (atomic_load(&submitted) < RANKS)
		pause_a_little();
	return 0;
}

/* The order of the pieces matters. */
static uint64_t join(uint64_t into, uint64_t from)
{
	return into * 3 + from;
}

static int32_t run_join(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint64_t *into = *(uint64_t *const *)arguments[0];

	(void)launch;
	(void)user_data;
	*into = join(*into, **(const uint64_t *const *)arguments[1]);
	return 0;
}

static int32_t run_sum(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	**(uint64_t *const *)arguments[1] += chunk->low[0] +
					     *(const uint64_t *)arguments[0];
	return 0;
}

static void add_sum(struct rank *rank, plait_data *total, uint32_t pieces,
		    uint64_t value, uint64_t *model)
{
	struct program *program = rank->arg;
	const plait_access to = { .size = sizeof(to), .data = total,
				  .mode = PLAIT_ACCESS_REDUCE,
				  .combine = program->join,
				  .flags = PLAIT_ACCESS_ACCUMULATE };
	const plait_argument arguments[] = { PLAIT_VALUE(value),
					     PLAIT_ACCESS(&to), PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = program->sum, .label = "sum",
		.launch = PLAIT_ITEMS(pieces), .arguments = arguments,
		.split = 1, .pieces = pieces, .argument_count = 3 };

	for (uint64_t i = 0; i < pieces; i++)
		*model = join(*model, value + i);
	(void)rank_did(rank, plait_flow_submit(program->flow, &desc, NULL,
					       &rank->error));
}

/* Partial results get more rows, again and again, and none is done with. */
static void run_sums(struct rank *rank)
{
	struct program *program = begin(rank);
	const plait_data_desc one = { .size = sizeof(one), .dimensions = 1,
				      .element_bytes = 8, .extent = { 1 } };
	const plait_access writes = { .size = sizeof(writes),
				      .mode = PLAIT_ACCESS_WRITE };
	plait_access gate = writes;
	const plait_task_desc await = {
		.size = sizeof(await), .kind = PLAIT_TASK_CALL,
		.function = await_all, .accesses = &gate, .access_count = 1 };
	uint64_t total = 0, model = 0;

	program->sum = make_kernel(rank, run_sum,
				   "sum(v: u64, to: inout pointer u64, "
				   "c: struct chunk 48)", NULL);
	program->join = make_kernel(rank, run_join,
				    "join(into: inout pointer u64, "
				    "from: in pointer u64, n: u64)", NULL);
	(void)rank_did(rank, plait_data_create(program->flow, &one, &gate.data,
					       &rank->error));
	(void)rank_did(rank, plait_data_write(gate.data, NULL, &total,
					      &rank->error));
	(void)rank_did(rank, plait_flow_submit(program->flow, &await, NULL,
					       &rank->error));
	for (uint32_t most = 3; most < SUMS; most += 2) {
		add_sum(rank, gate.data, most, 100 * most, &model);
		add_sum(rank, gate.data, most + 1, 50 * most, &model);
		for (uint64_t i = 0; i < 4; i++)
			add_sum(rank, gate.data, 3, 10 * most + i, &model);
	}
	atomic_fetch_add(&submitted, 1);
	(void)rank_did(rank, plait_data_read(gate.data, NULL, &total,
					     &rank->error));
	if (total != model)
		note(program, "others", "sums");
	plait_data_release(gate.data);
	plait_kernel_release(program->sum);
	plait_kernel_release(program->join);
	end(program);
}

static void reduces_with_partial_results_that_grow(void)
{
	atomic_store(&submitted, 0);
	run_ranks(2, run_sums);
}

static const struct tap_scenario all[] = {
	{ "tells launches by each field", tells_launches_by_each_field },
	{ "tells launches without workers", tells_launches_without_workers },
	{ "reduces with partial results that grow",
	  reduces_with_partial_results_that_grow },
};

TAP_MAIN(all)
