/* SPDX-License-Identifier: MIT */
/*
 * Random split launches of compiled code, fills and host access against a
 * sequential model, on the devices of flow_backends.
 */
#ifndef T_RANDOM_SPLITS_H
#define T_RANDOM_SPLITS_H

#include "flows.h"

enum { ARRAYS = 4, N = 300, STEPS = 60 };

static const char source_text[] =
	"struct chunk { u64 low[3], high[3]; };\n"
	"KERNEL(mix) {\n"
	"	EACH(i, c.high[0] - c.low[0]) {\n"
	"		u64 x = c.low[0] + i;\n"
	"		b[x] = b[x] * 3 + a[x] + a[x + 1 < n ? x + 1 : x] + s;\n"
	"	}\n"
	"}\n";

/* The same in coordinates of the whole. */
static const char array_text[] =
	"KERNEL(mix) {\n"
	"	CHUNK1(x)\n"
	"		AT1(b, x) = AT1(b, x) * 3 + AT1(a, x) +\n"
	"			AT1(a, (u64)x + 1 < n ? x + 1 : x) + s;\n"
	"}\n";

/* A kernel with pointers, and one with arrays. */
struct mixes {
	plait_kernel *pointers;
	plait_kernel *arrays;
};

static struct {
	plait_data *data;
	uint64_t model[N];
} arrays[ARRAYS];

static uint64_t state;
static uint64_t host[N];

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static plait_kernel *new_mix(const char *text, const char *signature)
{
	const plait_source source = { .size = sizeof(source),
				      .form = PLAIT_SOURCE_PORTABLE,
				      .code = text };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = signature,
	};
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "kernel: %s",
		flow_rig.error.text);
	return kernel;
}

/* Memories for less than two data have room for arrays, in as many pieces as it
 * takes. */
static void launch(const struct mixes *mixes)
{
	const bool is_narrow = flow_memory_bytes != 0 &&
			       flow_memory_bytes < 2 * sizeof(host);
	const plait_mapper near = { .size = sizeof(near),
				    .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				    .extent = { 1 } };
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	uint64_t a = below(ARRAYS), b = (a + 1 + below(ARRAYS - 1)) % ARRAYS;
	uint64_t n = N, seed = below(1000);
	plait_access from = { .size = sizeof(from), .data = arrays[a].data,
			      .mapper = &near };
	plait_access to = { .size = sizeof(to), .data = arrays[b].data,
			    .mapper = &own };
	plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&to),
				       PLAIT_VALUE(n), PLAIT_VALUE(seed),
				       PLAIT_CHUNK() };
	plait_task_desc desc = { .size = sizeof(desc),
				 .kernel = is_narrow || below(2) == 0 ?
						   mixes->arrays :
						   mixes->pointers,
				 .launch = PLAIT_ITEMS(N), .split = 1,
				 .pieces = is_narrow ? 0 : (uint32_t)below(5),
				 .arguments = arguments,
				 .argument_count = 5 };
	const uint64_t *u = arrays[a].model;
	uint64_t *v = arrays[b].model;

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	for (uint64_t x = 0; x < N; x++)
		v[x] = v[x] * 3 + u[x] + u[x + 1 < N ? x + 1 : x] + seed;
}

static plait_box random_box(void)
{
	uint64_t one = below(N), other = below(N);
	plait_box box = { { 0, 0, 0 }, { 0, 1, 1 } };

	box.low[0] = one < other ? one : other;
	box.high[0] = (one < other ? other : one) + 1;
	return box;
}

static void fill(void)
{
	uint64_t a = below(ARRAYS);
	plait_box box = random_box();
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_FILL,
				 .target = arrays[a].data, .target_box = &box,
				 .pattern = below(100) };

	OK(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) == PLAIT_OK);
	for (uint64_t x = box.low[0]; x < box.high[0]; x++)
		arrays[a].model[x] = desc.pattern;
}

static void read_back(uint64_t a, const plait_box *box)
{
	int wrong = 0;

	OK_THAT(plait_data_read(arrays[a].data, box, host, &flow_rig.error) ==
		PLAIT_OK, "read: %s", flow_rig.error.text);
	for (uint64_t x = box->low[0]; x < box->high[0]; x++)
		wrong += host[x - box->low[0]] != arrays[a].model[x];
	IS_INT(wrong, 0);
}

static void step(const struct mixes *mixes)
{
	const plait_box box = random_box();

	switch (below(8)) {
	case 0: read_back(below(ARRAYS), &box); break;
	case 1: fill(); break;
	default: launch(mixes); break;
	}
}

/* ---- programs that repeat ---- */

/* Steps come again and again, with others at random places. */
static bool steps_repeat;
/* Tasks that came as parts of runs. */
static uint64_t repeated;

/* The same for the same random numbers, without host access. */
static void step_again(const struct mixes *mixes)
{
	if (below(8) == 0)
		fill();
	else
		launch(mixes);
}

/* Random numbers of its own. */
static void interrupt(const struct mixes *mixes, uint64_t *others)
{
	const uint64_t kept = state;

	state = *others;
	step(mixes);
	*others = state;
	state = kept;
}

static void repeat_steps(const struct mixes *mixes)
{
	const uint64_t first = state, length = 16 + first % 24;
	const uint64_t calm = 1 + first % 3 * 4 * length;
	uint64_t loops = 6 + first % 20, others = first ^ 0x5555;
	plait_flow_info info = { .size = sizeof(info) };

	for (uint64_t loop = 0; loop < loops; loop++) {
		state = first;
		for (uint64_t i = 0; i < length; i++) {
			if (loop > 4 && (others + loop * i) % calm == 1)
				interrupt(mixes, &others);
			step_again(mixes);
		}
		if (loop > 4 && (first >> 8) % 3 == loop % 3)
			OK(wait_task(0) == PLAIT_OK);
	}
	IS_INT(plait_flow_query(flow, &info, NULL), PLAIT_OK);
	repeated += info.repeated;
}

static void run_steps(const struct mixes *mixes)
{
	for (int i = 0; i < STEPS; i++)
		step(mixes);
}

static void run_program(void)
{
	static const plait_box all = { { 0, 0, 0 }, { N, 1, 1 } };
	const struct flow_setting setting = { (uint32_t)below(3), 0 };
	struct mixes mixes;

	if (!open_flow(&setting, 256))
		return;
	mixes.pointers = new_mix(source_text, "mix(a: in pointer u64, b: pointer "
				 "u64, n: u64, s: u64, c: struct chunk 48)");
	mixes.arrays = new_mix(array_text, "mix(a: in array1 u64, b: array1 "
			       "u64, n: u64, s: u64, c: chunk)");
	for (int i = 0; i < ARRAYS; i++) {
		arrays[i].data = new_data(1, N, 0, 0, 8, "a");
		memset(arrays[i].model, 0, sizeof(arrays[i].model));
	}
	steps_repeat ? repeat_steps(&mixes) : run_steps(&mixes);
	for (uint64_t i = 0; i < ARRAYS; i++) {
		read_back(i, &all);
		plait_data_release(arrays[i].data);
	}
	OK(wait_task(0) == PLAIT_OK);
	plait_kernel_release(mixes.pointers);
	plait_kernel_release(mixes.arrays);
	close_flow();
}

static void run_rounds(uint64_t rounds)
{
	uint64_t seed = tap_seed();

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		run_program();
	}
}

#endif
