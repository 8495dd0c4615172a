/* SPDX-License-Identifier: MIT */
/*
 * Random programs over ranks that are threads, bit by bit against a sequential
 * interpreter on each of them: functions that fail or not, copies, fills, reads
 * and writes of boxes, split launches, reductions, mappings and host access; with
 * devices of the simulator, whose memories are each rank's own.
 */
#include "rank_access.h"

/* Devices of each rank; 0: the host. */
static struct machine {
	uint32_t devices;
	const char *options;
	uint64_t memory_bytes;
} machine;

static void add_call(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;
	plait_access accesses[USES];
	plait_task task;
	plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = run_work, .user_data = work, .label = "work",
		.accesses = accesses,
	};

	work->count = (uint32_t)below(program, USES + 1);
	work->seed = below(program, UINT64_MAX);
	work->result = below(program, 12) == 0 ? 7 : 0;
	for (uint32_t u = 0; u < work->count; u++) {
		work->uses[u] = random_use(
			program, 1 + (uint32_t)below(program, 3));
		accesses[u] = (plait_access){
			.size = sizeof(plait_access),
			.mode = work->uses[u].mode,
			.data = work->uses[u].array->data,
			.box = &work->uses[u].box };
	}
	desc.access_count = work->count;
	if (predict(work))
		execute(work, true);
	(void)did(rank, "call", plait_flow_submit(
		program->flow, &desc,
		below(program, 2) == 0 ? &task : NULL, &rank->error));
}

static void add_fill(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;
	const struct use *use = &work->uses[0];
	plait_task_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_TASK_FILL, .label = "fill" };

	work->uses[0] = random_use(program, PLAIT_ACCESS_WRITE);
	work->count = 1;
	desc.pattern = below(program, 1000);
	desc.target = use->array->data;
	desc.target_box = &use->box;
	(void)predict(work);
	for (uint64_t i = 0; i < count_of(&use->box); i++)
		use->array->model[place(use->array, &use->box, i)] =
			desc.pattern;
	(void)did(rank, "fill", plait_flow_submit(program->flow, &desc, NULL,
						  &rank->error));
}

/* Between two arrays, a box that both have. */
static void add_copy(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;
	struct use *from = &work->uses[0], *to = &work->uses[1];
	uint64_t first = below(program, ARRAYS);
	plait_task_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_TASK_COPY, .label = "copy" };

	*from = (struct use){ &program->arrays[first], { { 0 }, { 1, 1, 1 } },
			      PLAIT_ACCESS_READ };
	*to = *from;
	to->mode = PLAIT_ACCESS_WRITE;
	to->array = &program->arrays[(first + 1) % ARRAYS];
	work->count = 2;
	for (int d = 0; d < 3; d++) {
		uint64_t a = from->array->extent[d], b = to->array->extent[d];
		uint64_t size = 1 + below(program, a < b ? a : b);

		from->box.low[d] = below(program, a - size + 1);
		from->box.high[d] = from->box.low[d] + size;
		to->box.low[d] = below(program, b - size + 1);
		to->box.high[d] = to->box.low[d] + size;
	}
	desc.source = from->array->data;
	desc.source_box = &from->box;
	desc.target = to->array->data;
	desc.target_box = &to->box;
	if (predict(work))
		for (uint64_t i = 0; i < count_of(&to->box); i++)
			to->array->model[place(to->array, &to->box, i)] =
				from->array->model[place(from->array,
							 &from->box, i)];
	(void)did(rank, "copy", plait_flow_submit(program->flow, &desc, NULL,
						  &rank->error));
}

static void add_host(struct rank *rank, struct work *work, bool reads)
{
	struct program *program = rank->arg;
	struct use *use = &work->uses[0];
	plait_task_desc desc = {
		.size = sizeof(desc), .host = work->host, .label = "host",
		.kind = reads ? PLAIT_TASK_READ : PLAIT_TASK_WRITE };

	*use = random_use(program, reads ? PLAIT_ACCESS_READ :
					   PLAIT_ACCESS_WRITE);
	work->count = 1;
	*(reads ? &desc.source : &desc.target) = use->array->data;
	*(reads ? &desc.source_box : &desc.target_box) = &use->box;
	work->is_read = reads && !has_poison(use);
	if (!reads)
		(void)predict(work);
	for (uint64_t i = 0; i < count_of(&use->box); i++) {
		uint64_t *at = &use->array->model[place(use->array, &use->box,
							i)];

		if (reads)
			work->expected[i] = *at;
		else
			*at = work->host[i] = below(program, UINT64_MAX);
	}
	(void)did(rank, "host", plait_flow_submit(program->flow, &desc, NULL,
						  &rank->error));
}

/* ---- split launches, of the array of one dimension ---- */

/* b = 3 b + left neighbour of a. */
static int32_t run_stencil(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	const uint64_t *a = *(const uint64_t *const *)arguments[0];
	uint64_t *b = *(uint64_t *const *)arguments[1];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	for (uint64_t x = chunk->low[0]; x < chunk->high[0]; x++)
		b[x] = 3 * b[x] + a[x > 0 ? x - 1 : x];
	return 0;
}

/* In the order of pieces, as if each were a task: poison goes by pieces. */
static void predict_pieces(struct program *program, plait_task_desc *desc,
			   struct array *a, struct array *b)
{
	plait_box chunks[64];
	uint64_t count = 0;

	if (plait_flow_split(program->flow, desc, chunks, 64, &count, NULL) !=
	    PLAIT_OK)
		note(program, "split", "failed");
	for (uint64_t i = 0; i < count; i++) {
		struct work work = { .count = 2 };
		uint64_t low = chunks[i].low[0], high = chunks[i].high[0];

		work.uses[0] = (struct use){ a, chunks[i], PLAIT_ACCESS_READ };
		work.uses[0].box.low[0] = low > 0 ? low - 1 : 0;
		work.uses[0].box.high[0] = high < N ? high + 1 : N;
		work.uses[1] = (struct use){ b, chunks[i],
					     PLAIT_ACCESS_READ_WRITE };
		for (uint64_t x = low; predict(&work) && x < high; x++)
			b->model[x] = 3 * b->model[x] +
				      a->model[x > 0 ? x - 1 : x];
	}
}

static void add_launch(struct rank *rank)
{
	static const plait_mapper near = { .size = sizeof(near),
					   .kind = PLAIT_MAPPER_NEIGHBORHOOD,
					   .extent = { 1 } };
	static const plait_mapper own = { .size = sizeof(own),
					  .kind = PLAIT_MAPPER_ONE_TO_ONE };
	struct program *program = rank->arg;
	uint64_t first = below(program, 2);
	struct array *a = &program->arrays[first];
	struct array *b = &program->arrays[1 - first];
	plait_access from = { .size = sizeof(from), .data = a->data,
			      .mapper = &near };
	plait_access to = { .size = sizeof(to), .data = b->data,
			    .mapper = &own };
	plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
				       PLAIT_CHUNK() };
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { N } };
	plait_task_desc desc = {
		.size = sizeof(desc), .kernel = program->stencil,
		.launch = &launch, .split = 1, .label = "stencil",
		.pieces = (uint32_t)below(program, 9),
		.arguments = arguments, .argument_count = 3 };

	predict_pieces(program, &desc, a, b);
	(void)did(rank, "launch", plait_flow_submit(program->flow, &desc, NULL,
						    &rank->error));
}

/* ---- reductions, of an operation whose order matters ---- */

static uint64_t join(uint64_t into, uint64_t from)
{
	return into * 3 + (from ^ into >> 7);
}

static void add_part(const struct work *work, uint64_t *into, uint64_t count,
		     uint64_t low, uint64_t high)
{
	for (uint64_t i = 0; i < count; i++)
		into[i] = mix(into[i] + work->seed, low * 64 + high + i);
}

/* arguments: the work, the values, the chunk; the piece with the last item fails */
static int32_t run_sum(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const struct work *work = *(struct work *const *)arguments[0];
	const plait_box *chunk = arguments[2];

	(void)launch;
	(void)user_data;
	add_part(work, *(uint64_t *const *)arguments[1],
		 count_of(&work->uses[0].box), chunk->low[0], chunk->high[0]);
	return chunk->high[0] == SUM_ITEMS ? work->result : 0;
}

static int32_t run_join(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint64_t *into = *(uint64_t *const *)arguments[0];
	const uint64_t *from = *(const uint64_t *const *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		into[i] = join(into[i], from[i]);
	return 0;
}

/* Chunk after chunk. */
static void execute_sum(const struct work *work)
{
	struct array *array = work->uses[0].array;
	uint64_t count = count_of(&work->uses[0].box), part[N];

	for (uint64_t i = 0; i < count && !work->accumulates; i++)
		array->model[i] = work->identity;
	if (work->pieces == 1)
		add_part(work, array->model, count, 0, SUM_ITEMS);
	for (uint64_t p = 0; work->pieces > 1 && p < work->pieces; p++) {
		for (uint64_t i = 0; i < count; i++)
			part[i] = work->identity;
		add_part(work, part, count, p * SUM_ITEMS / work->pieces,
			 (p + 1) * SUM_ITEMS / work->pieces);
		for (uint64_t i = 0; i < count; i++)
			array->model[i] = join(array->model[i], part[i]);
	}
}

static void choose_sum(struct program *program, struct work *work)
{
	static const uint32_t pieces[] = { 1, 2, 3, 4, 6, 12 };
	struct use *use = &work->uses[0];

	work->accumulates = below(program, 2) == 0;
	*use = (struct use){ &program->arrays[below(program, ARRAYS)],
			     { { 0 }, { 0 } },
			     work->accumulates ? PLAIT_ACCESS_READ_WRITE :
						 PLAIT_ACCESS_WRITE };
	memcpy(use->box.high, use->array->extent, sizeof(use->box.high));
	work->count = 1;
	work->seed = below(program, UINT64_MAX);
	work->identity = below(program, UINT64_MAX);
	work->result = below(program, 12) == 0 ? 7 : 0;
	work->pieces = pieces[below(program, 6)];
}

static void add_sum(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;
	plait_access to = { .size = sizeof(to), .mode = PLAIT_ACCESS_REDUCE,
			    .combine = program->join };
	plait_argument arguments[] = { PLAIT_VALUE(work), PLAIT_ACCESS(&to),
				       PLAIT_CHUNK() };
	plait_task_desc desc = {
		.size = sizeof(desc), .kernel = program->sum, .label = "sum",
		.launch = PLAIT_ITEMS(SUM_ITEMS), .arguments = arguments,
		.argument_count = 3 };
	plait_task task;

	choose_sum(program, work);
	to.data = work->uses[0].array->data;
	to.identity = work->identity;
	to.flags = work->accumulates ? PLAIT_ACCESS_ACCUMULATE : 0;
	desc.split = work->pieces > 1;
	desc.pieces = desc.split ? (uint32_t)work->pieces : 0;
	if (predict(work))
		execute_sum(work);
	(void)did(rank, "sum", plait_flow_submit(
		program->flow, &desc,
		below(program, 2) == 0 ? &task : NULL, &rank->error));
}

/* ---- programs ---- */

static void step(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;

	switch (below(program, 14)) {
	case 12: case 13: add_sum(rank, work); break;
	case 0: add_fill(rank, work); break;
	case 1: case 2: add_copy(rank, work); break;
	case 3: add_host(rank, work, true); break;
	case 4: add_host(rank, work, false); break;
	case 5: case 6: case 7: add_launch(rank); break;
	case 8:
		switch (below(program, 3)) {
		case 0: map_now(rank); break;
		case 1: write_now(rank, work); break;
		default:
			read_now(rank, work, random_use(program,
							PLAIT_ACCESS_READ));
		}
		break;
	default: add_call(rank, work); break;
	}
}

static plait_kernel *make_kernel(struct rank *rank,
				 plait_kernel_function function,
				 const char *signature)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = function,
					 .signature = signature };
	plait_kernel *kernel = NULL;

	(void)did(rank, "kernel", plait_kernel_create(rank->context, &desc,
						      &kernel, &rank->error));
	return kernel;
}

static void make_kernels(struct rank *rank)
{
	struct program *program = rank->arg;

	program->stencil = make_kernel(
		rank, run_stencil, "stencil(a: in pointer u64, b: pointer u64, "
				   "c: struct chunk 48)");
	program->sum = make_kernel(
		rank, run_sum, "sum(work: u64, to: inout pointer u64, "
			       "c: struct chunk 48)");
	program->join = make_kernel(
		rank, run_join, "join(into: inout pointer u64, "
				"from: in pointer u64, n: u64)");
}

static void make_arrays(struct rank *rank)
{
	static const uint64_t extents[ARRAYS][3] = {
		{ N, 1, 1 }, { N, 1, 1 }, { 16, 13, 1 }, { 5, 6, 7 } };
	static const uint32_t dimensions[ARRAYS] = { 1, 1, 2, 3 };
	struct program *program = rank->arg;

	for (int i = 0; i < ARRAYS; i++) {
		struct array *array = &program->arrays[i];
		plait_data_info info = { .size = sizeof(info) };
		plait_data_desc desc = { .size = sizeof(desc),
					 .element_bytes = 8,
					 .dimensions = dimensions[i] };

		memcpy(array->extent, extents[i], sizeof(extents[i]));
		memcpy(desc.extent, extents[i], sizeof(extents[i]));
		array->dimensions = dimensions[i];
		(void)did(rank, "data", plait_data_create(
			program->flow, &desc, &array->data, &rank->error));
		(void)plait_data_query(array->data, &info, NULL);
		array->real = info.pointer;
	}
}

static void end_program(struct rank *rank)
{
	struct program *program = rank->arg;

	for (int i = 0; i < ARRAYS; i++) {
		struct use use = { &program->arrays[i],
				   { { 0, 0, 0 }, { 1, 1, 1 } },
				   PLAIT_ACCESS_READ };

		memcpy(use.box.high, use.array->extent, sizeof(use.box.high));
		read_now(rank, &program->works[0], use);
	}
	while (plait_flow_wait(program->flow, 0, PLAIT_FOREVER, NULL) !=
	       PLAIT_OK)
		;
	for (int w = 1; w < STEPS; w++) {
		struct work *work = &program->works[w];

		if (work->is_read &&
		    memcmp(work->host, work->expected,
			   count_of(&work->uses[0].box) * 8) != 0)
			note(program, "task read", "other values");
	}
	for (int i = 0; i < ARRAYS; i++)
		plait_data_release(program->arrays[i].data);
}

/* The last devices of the context; the first one is the host. */
static uint32_t open_devices(struct rank *rank, plait_device **out)
{
	uint32_t count = 0;

	(void)did(rank, "devices", plait_context_device_count(
		rank->context, &count, &rank->error));
	for (uint32_t i = 0; i < machine.devices && i < count; i++)
		(void)did(rank, "device", plait_context_device(
			rank->context,
			count - machine.devices + i, &out[i],
			&rank->error));
	return machine.devices;
}

static void run_program(struct rank *rank)
{
	struct program *program = &programs[rank->rank];
	plait_device *devices[8];
	plait_flow_desc desc = {
		.size = sizeof(desc), .world = rank->world, .horizon = 16,
		.window = seed_of_round % 2 == 0 ? 64 : 0,
		.lanes = 1 + rank->rank % 2, .devices = devices,
		.memory_bytes = machine.memory_bytes };

	rank->arg = program;
	desc.device_count = open_devices(rank, devices);
	program->state = seed_of_round * UINT64_C(0x9e3779b97f4a7c15) | 1;
	if (!did(rank, "flow", plait_flow_create(rank->context, &desc,
						 &program->flow,
						 &rank->error)))
		return;
	make_kernels(rank);
	make_arrays(rank);
	/* The first work is that of the end. */
	for (program->step = 1; program->step < STEPS && program->wrong == 0;
	     program->step++)
		step(rank, &program->works[program->step]);
	end_program(rank);
	plait_kernel_release(program->stencil);
	plait_kernel_release(program->sum);
	plait_kernel_release(program->join);
	plait_flow_release(program->flow);
}

static void run_round(uint64_t seed, uint32_t count, const char *transport)
{
	memset(ranks, 0, sizeof(ranks));
	memset(programs, 0, sizeof(programs));
	seed_of_round = seed;
	for (uint32_t i = 0; i < count && machine.devices > 0; i++) {
		ranks[i].backends = "host,chaos";
		ranks[i].devices = machine.options;
	}
	(void)ranks_run(ranks, count, transport, run_program);
	for (uint32_t i = 0; i < count; i++)
		OK_THAT(programs[i].wrong == 0 && ranks[i].context != NULL,
			"seed=%llu, rank %u of %u: %s",
			(unsigned long long)seed, i, count, programs[i].text);
}

static void run_rounds(const char *transport, uint64_t few)
{
	const char *asked = tap_argument("rounds");
	uint64_t rounds = asked != NULL ? strtoull(asked, NULL, 10) : few;
	uint64_t seed = tap_seed();

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++)
		run_round(seed + r, 2 + (uint32_t)((seed + r) % (RANKS - 1)),
			  transport);
}

static void over_loopback(void)
{
	run_rounds("loopback", 12);
}

static void over_shm(void)
{
	run_rounds("shm", 4);
}

/* ---- devices ---- */

static void run_on(uint32_t devices, const char *options, uint64_t memory_bytes)
{
	machine = (struct machine){ devices, options, memory_bytes };
	NOTE("%u devices, %s, %llu bytes", devices, options,
	     (unsigned long long)memory_bytes);
	run_rounds("loopback", 4);
	machine = (struct machine){ .devices = 0 };
}

static void one_device(void)
{
	run_on(1, "chaos:devices=1", 0);
	run_on(1, "chaos:devices=1,quirks=all", 0);
}

static void several_devices(void)
{
	run_on(2, "chaos:devices=2", 0);
	run_on(3, "chaos:devices=3,peers=none", 0);
	run_on(4, "chaos:devices=4,peers=ring,quirks=shuffle", 0);
	run_on(3, "chaos:devices=3,shared=1", 0);
}

/* The host is one of the devices. */
static void mixed_devices(void)
{
	run_on(2, "chaos:devices=1", 0);
	run_on(3, "chaos:devices=2,quirks=late_notify+slow_host", 0);
}

/* Memories that hold the data of few tasks: others are evicted. */
static void narrow_devices(void)
{
	run_on(1, "chaos:devices=1", 56000);
	run_on(2, "chaos:devices=2,quirks=all", 60000);
}

static void devices_over_shm(void)
{
	machine = (struct machine){ 2, "chaos:devices=2", 0 };
	run_rounds("shm", 4);
	machine = (struct machine){ .devices = 0 };
}

static const struct tap_scenario all[] = {
	{ "over loopback", over_loopback },
	{ "over shm", over_shm },
	{ "one device a rank", one_device },
	{ "several devices a rank", several_devices },
	{ "the host and devices", mixed_devices },
	{ "memories of few data", narrow_devices },
	{ "devices over shm", devices_over_shm },
};

TAP_MAIN(all)
