/* SPDX-License-Identifier: MIT */
/*
 * Pipelines of doc/pipelines.md: random stages, serial and parallel, a bound of
 * tokens in flight; a stage that fails; a first stage that ends the stream.
 */
#include "flow/flows.h"

#include "lib/tap.h"

#include <stdatomic.h>
#include <string.h>

enum { STAGES = 5, SLOTS = 8, TOKENS = 60 };

/* One stage of one token: user data of a task, so it lives as long. */
struct work {
	uint32_t stage, token;
};

static struct work works[TOKENS][STAGES];
static bool serial[STAGES];
static uint32_t stages, slots, failing;
static plait_data *slot_data[SLOTS], *stage_data[STAGES];
static uint64_t values[SLOTS];		/* the token that a slot has */
static uint64_t results[TOKENS];
static uint32_t next_token[STAGES];	/* of serial stages */
static _Atomic uint32_t in_flight, most, out_of_order, calls[STAGES];

static uint64_t mix(uint64_t value, uint32_t stage)
{
	return (value ^ (value >> 7)) * 0x9e3779b97f4a7c15u + stage;
}

/* A token counts as in flight from its first stage to its last. */
static void enter(uint32_t token)
{
	uint32_t now = atomic_fetch_add(&in_flight, 1) + 1;
	uint32_t old = atomic_load(&most);

	values[token % slots] = token;
	while (old < now && !atomic_compare_exchange_weak(&most, &old, now))
		;
}

static int32_t run_stage(void *user_data)
{
	const struct work *work = user_data;
	uint64_t *value = &values[work->token % slots];

	atomic_fetch_add(&calls[work->stage], 1);
	if (work->stage == 0)
		enter(work->token);
	if (serial[work->stage] && next_token[work->stage]++ != work->token)
		atomic_fetch_add(&out_of_order, 1);
	*value = mix(*value, work->stage);
	if (work->stage == stages - 1) {
		results[work->token] = *value;
		atomic_fetch_sub(&in_flight, 1);
	}
	return work->token == failing && work->stage == stages - 1;
}

/* The whole of a pipeline: a task per stage, which writes the token's slot and,
 * if it is serial, its stage. */
static void submit_token(uint32_t token)
{
	for (uint32_t s = 0; s < stages; s++) {
		const plait_access accesses[2] = {
			{ .size = sizeof(plait_access),
			  .mode = PLAIT_ACCESS_READ_WRITE,
			  .data = slot_data[token % slots] },
			{ .size = sizeof(plait_access),
			  .mode = PLAIT_ACCESS_READ_WRITE,
			  .data = stage_data[s] },
		};
		const plait_task_desc task = {
			.size = sizeof(task), .kind = PLAIT_TASK_CALL,
			.function = run_stage, .user_data = &works[token][s],
			.label = "stage", .accesses = accesses,
			.access_count = serial[s] ? 2 : 1
		};

		works[token][s] = (struct work){ s, token };
		OK_THAT(plait_flow_submit(flow, &task, NULL,
					  &flow_rig.error) == PLAIT_OK,
			"stage %u of token %u: %s", s, token,
			flow_rig.error.text);
	}
}

static void open_pipeline(void)
{
	for (uint32_t i = 0; i < slots; i++)
		slot_data[i] = new_data(0, 0, 0, 0, 0, "slot");
	for (uint32_t s = 0; s < stages; s++) {
		stage_data[s] = new_data(0, 0, 0, 0, 0, "stage");
		next_token[s] = 0;
		atomic_store(&calls[s], 0);
	}
	atomic_store(&in_flight, 0);
	atomic_store(&most, 0);
	atomic_store(&out_of_order, 0);
	memset(results, 0, sizeof(results));
}

static void close_pipeline(void)
{
	for (uint32_t i = 0; i < slots; i++)
		plait_data_release(slot_data[i]);
	for (uint32_t s = 0; s < stages; s++)
		plait_data_release(stage_data[s]);
}

static uint64_t expected(uint32_t token)
{
	uint64_t value = token;

	for (uint32_t s = 0; s < stages; s++)
		value = mix(value, s);
	return value;
}

static uint32_t below(uint64_t *random, uint32_t bound)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return (uint32_t)((*random * 0x2545f4914f6cdd1du) >> 33) % bound;
}

static void draw_pipeline(uint64_t *random)
{
	stages = 1 + below(random, STAGES);
	slots = 1 + below(random, SLOTS);
	failing = TOKENS;
	for (uint32_t s = 0; s < stages; s++)
		serial[s] = below(random, 2);
}

static void run_pipeline(uint64_t *random)
{
	uint32_t wrong = 0;

	draw_pipeline(random);
	open_pipeline();
	for (uint32_t t = 0; t < TOKENS; t++)
		submit_token(t);
	IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER, &flow_rig.error),
	       PLAIT_OK);
	for (uint32_t t = 0; t < TOKENS; t++)
		wrong += results[t] != expected(t);
	IS_INT(wrong, 0);
	IS_INT(out_of_order, 0);
	OK(most >= 1 && most <= slots);
	close_pipeline();
}

static void random_stages(void)
{
	uint64_t random = tap_seed() + 1;

	for (size_t i = 0; i < FLOW_SETTINGS; i++) {
		if (!open_flow(&flow_settings[i], 64))
			continue;
		for (uint32_t k = 0; k < 12; k++)
			run_pipeline(&random);
		close_flow();
	}
}

/* A serial stage that fails runs for no later token; stages before it go on,
 * but for the token's own slot. */
static void failure(void)
{
	for (size_t i = 0; i < FLOW_SETTINGS; i++) {
		if (!open_flow(&flow_settings[i], 0))
			continue;
		stages = 2;
		slots = SLOTS;
		serial[0] = serial[1] = true;
		failing = 7;
		open_pipeline();
		for (uint32_t t = 0; t < SLOTS + 4; t++)
			submit_token(t);
		IS_INT(plait_flow_wait(flow, 0, PLAIT_FOREVER,
				       &flow_rig.error), PLAIT_E_FAILED);
		HAS_STR(flow_rig.error.text, "stage");
		IS_INT(calls[1], failing + 1);
		OK(calls[0] >= SLOTS);
		IS_INT(out_of_order, 0);
		close_pipeline();
		close_flow();
	}
}

static const struct tap_scenario scenarios[] = {
	{ "random stages", random_stages },
	{ "failure", failure },
};
TAP_MAIN(scenarios)
