/* SPDX-License-Identifier: MIT */
/*
 * Places of temporaries against a slow oracle: two that share bytes, or share
 * them with scratch, are used one after the other, by the transitive closure of
 * the plan's edges.  The check of places must agree with the oracle on right
 * places, and on places where one temporary was moved to another one's.
 */
#include "graph/plan/temporary_places.h"
#include "graph/store/planner_view.h"
#include "graph/text/parser.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "lib/shapes.h"
#include "lib/tap.h"
#include "plan/check/check.h"
#include "plan/schedule/planner.h"

enum { MOST = 64, TEMPORARIES = 8, TEXT = 1 << 14 };

static char text[TEXT];
static plait__plan *plan;
static uint64_t offsets[TEMPORARIES], arenas[4];
static bool reaches[MOST][MOST];
static void *no_devices[4];

static void make_plan(uint32_t mode, uint32_t lanes)
{
	const plait_allocator *allocator = plait__alloc_default();
	const plait__input_options options = { .mode = mode, .lanes = lanes };
	plait_error error = { .size = sizeof(error) };
	plait__store *store = NULL;
	plait__input input;

	plan = NULL;
	OK_THAT(plait__store_create(allocator, &store, &error) == PLAIT_OK &&
		plait__parser_read(store, text, strlen(text), "t", &error) ==
			PLAIT_OK &&
		plait__planner_view_init(store, &input, &error) == PLAIT_OK,
		"%s", error.text);
	OK_THAT(plait__planner_run(&input, &options, allocator, NULL, &plan,
				   &error) == PLAIT_OK, "%s", error.text);
	plait__planner_view_fini(store, &input);
	plait__store_destroy(store);
}

static void find_places(void)
{
	plait__plan_object object = { .plan = plan, .devices = no_devices };
	plait_error error = { .size = sizeof(error) };

	for (uint32_t i = 0; i < plan->devices_count; i++)
		arenas[i] = plan->devices[i].scratch_bytes;
	OK_THAT(plait__temporary_places_find(&object, plait__alloc_default(),
					     offsets, arenas, &error) ==
		PLAIT_OK, "%s", error.text);
}

/* ---- random texts ---- */

static size_t write_node(struct shape_random *random, size_t at, uint32_t i)
{
	at += (size_t)snprintf(text + at, TEXT - at, " cost=%u device=d%u",
			       shape_below(random, 5), shape_below(random, 2));
	if (shape_below(random, 3) == 0)
		at += (size_t)snprintf(text + at, TEXT - at, " scratch=%u",
				       1 + shape_below(random, 2000));
	if (shape_below(random, 2) == 0)
		at += (size_t)snprintf(text + at, TEXT - at,
				       " %s=t%u,t%u",
				       i % 2 == 0 ? "reads" : "writes",
				       shape_below(random, TEMPORARIES),
				       shape_below(random, TEMPORARIES));
	return at;
}

static void write_text(uint64_t seed)
{
	struct shape_random random;
	uint32_t nodes;
	size_t at;

	shape_seed(&random, seed);
	nodes = 2 + shape_below(&random, 24);
	at = (size_t)snprintf(text, TEXT, "device d0 lanes=2\n"
			      "device d1 lanes=3\n");
	for (uint32_t i = 0; i < TEMPORARIES; i++)
		at += (size_t)snprintf(text + at, TEXT - at, "temporary t%u "
				       "bytes=%u device=d%u\n", i,
				       shape_below(&random, 3000), i % 2);
	for (uint32_t i = 0; i < nodes; i++) {
		bool loop = shape_below(&random, 6) == 0;

		at += (size_t)snprintf(text + at, TEXT - at, "%s n%u",
				       loop ? "while" : "node", i);
		if (loop)
			at += (size_t)snprintf(text + at, TEXT - at,
					       " times=3");
		else
			at = write_node(&random, at, i);
		for (uint32_t k = i > 6 ? i - 6 : 0; k < i; k++)
			if (shape_below(&random, 3) == 0)
				at += (size_t)snprintf(text + at, TEXT - at,
						       " after=n%u", k);
		for (uint32_t k = 0; loop && k < 2; k++) {
			at += (size_t)snprintf(text + at, TEXT - at,
					       "\n node x%u", k);
			at = write_node(&random, at, k);
		}
		at += (size_t)snprintf(text + at, TEXT - at,
				       loop ? "\nend\n" : "\n");
	}
}

/* ---- oracle ---- */

static uint32_t outer(uint32_t command)
{
	uint32_t body;

	while ((body = plan->nodes[plan->commands[command].node].body) != 0)
		command = plan->regions[plan->bodies[body].region].command;
	return command;
}

static void close_preds(void)
{
	uint32_t count = plan->command_count;

	memset(reaches, 0, sizeof(reaches));
	for (uint32_t c = 0; c < count; c++)
		for (uint32_t k = plan->commands[c].pred_first;
		     k < plan->commands[c + 1].pred_first; k++)
			reaches[plan->preds[k]][c] = true;
	for (uint32_t k = 0; k < count; k++)
		for (uint32_t a = 0; a < count; a++)
			for (uint32_t b = 0; b < count; b++)
				reaches[a][b] |= reaches[a][k] &&
						 reaches[k][b];
}

/* Returns true if a command of body 0 uses the item: slots, then scratch. */
static bool uses(uint32_t item, uint32_t command)
{
	for (uint32_t c = 0; c < plan->command_count; c++) {
		const plait__plan_node *node =
			&plan->nodes[plan->commands[c].node];

		if (outer(c) != command)
			continue;
		if (item >= plan->slots_count &&
		    plan->scratch[item - plan->slots_count].command == c)
			return true;
		for (uint32_t i = node[0].access_first;
		     i < node[1].access_first &&
		     plan->commands[c].kind != PLAIT__CMD_ENTER; i++)
			if (plan->accesses[i].object == item)
				return true;
	}
	return false;
}

static bool is_before(uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < plan->command_count; i++)
		for (uint32_t k = 0; uses(a, i) && k < plan->command_count; k++)
			if (uses(b, k) && !reaches[i][k])
				return false;
	return true;
}

static plait__plan_scratch range_of(uint32_t item)
{
	if (item >= plan->slots_count)
		return plan->scratch[item - plan->slots_count];
	return (plait__plan_scratch){
		.device = plan->slots[item].device, .offset = offsets[item],
		.bytes = offsets[item] == UINT64_MAX ? 0 :
			 plan->slots[item].bytes
	};
}

static bool overlap(uint32_t a, uint32_t b)
{
	plait__plan_scratch one = range_of(a), other = range_of(b);

	return one.device == other.device && one.bytes > 0 &&
	       other.bytes > 0 && one.offset < other.offset + other.bytes &&
	       other.offset < one.offset + one.bytes;
}

static bool is_right(uint32_t temporary)
{
	uint32_t count = plan->slots_count + plan->scratch_count;

	for (uint32_t k = 0; k < count; k++)
		if (k != temporary && overlap(temporary, k) &&
		    !is_before(temporary, k) && !is_before(k, temporary))
			return false;
	return true;
}

static bool is_proved(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status = plait__check_places(plan, offsets, NULL, &error);

	OK_THAT(status == PLAIT_OK ||
		strstr(error.text, "share bytes") != NULL, "%s", error.text);
	return status == PLAIT_OK;
}

/* ---- scenarios ---- */

/* Move each temporary to each other place that is in use. */
static void count_mutants(uint32_t *wrong, uint32_t *caught, uint32_t *agreed,
			  uint32_t *tried)
{
	uint32_t count = plan->slots_count + plan->scratch_count;

	for (uint32_t i = 0; i < TEMPORARIES; i++) {
		uint64_t offset = offsets[i];

		for (uint32_t k = 0; k < count && offset != UINT64_MAX; k++) {
			bool right, proved;

			if (k == i || range_of(k).bytes == 0)
				continue;
			offsets[i] = range_of(k).offset;
			right = is_right(i);
			proved = is_proved();
			(*tried)++;
			*wrong += !right;
			*caught += !right && !proved;
			*agreed += right == proved;
			offsets[i] = offset;
		}
	}
}

static void at_random(void)
{
	uint64_t seed = tap_seed();
	uint32_t wrong = 0, caught = 0, agreed = 0, tried = 0, shared = 0;

	for (uint32_t i = 0; i < 60; i++) {
		uint64_t apart = 0;

		write_text(seed + i);
		make_plan(i % 2 == 0 ? PLAIT__MODE_HELPED : PLAIT__MODE_STRICT,
			  3);
		if (plan == NULL || plan->command_count > MOST) {
			plait__plan_release(plan);
			continue;
		}
		find_places();
		close_preds();
		for (uint32_t k = 0; k < TEMPORARIES; k++) {
			if (!is_right(k))
				OK_THAT(false, "t%u shares bytes:\n%s", k,
					text);
			if (offsets[k] != UINT64_MAX)
				apart += plan->slots[k].bytes;
		}
		shared += plan->devices[0].scratch_bytes +
			  plan->devices[1].scratch_bytes + apart >
			  arenas[0] + arenas[1];
		OK_THAT(is_proved(), "right places are proved:\n%s", text);
		/* Lanes order more than edges do. */
		if (i % 2 == 0)
			count_mutants(&wrong, &caught, &agreed, &tried);
		plait__plan_release(plan);
	}
	OK_THAT(wrong > 100 && caught == wrong, "%u of %u wrong places are "
		"found", caught, wrong);
	OK_THAT(agreed == tried, "%u of %u as the oracle", agreed, tried);
	OK_THAT(shared > 20, "%u plans share", shared);
}

/* The two largest of a chain are enough, in whatever order they come. */
static void chains(void)
{
	struct shape_random random;

	shape_seed(&random, tap_seed());
	for (uint32_t round = 0; round < 50; round++) {
		uint64_t largest = 0, second = 0;
		size_t at = 0;

		for (uint32_t i = 0; i < TEMPORARIES; i++) {
			uint64_t bytes = 256 * (1 + shape_below(&random, 40));

			second = bytes > largest ? largest :
				 bytes > second ? bytes : second;
			largest = bytes > largest ? bytes : largest;
			at += (size_t)snprintf(text + at, TEXT - at,
					       "temporary t%u bytes=%llu\n",
					       (i * 5 + round) % TEMPORARIES,
					       (unsigned long long)bytes);
		}
		for (uint32_t i = 0; i < TEMPORARIES; i++) {
			at += (size_t)snprintf(text + at, TEXT - at,
					       "node n%u writes=t%u", i, i);
			if (i > 0)
				at += (size_t)snprintf(
					text + at, TEXT - at,
					" reads=t%u after=n%u", i - 1, i - 1);
			at += (size_t)snprintf(text + at, TEXT - at, "\n");
		}
		make_plan(PLAIT__MODE_STRICT, 1);
		if (plan == NULL)
			return;
		find_places();
		OK_THAT(arenas[0] <= largest + second, "%llu of at most %llu "
			"bytes", (unsigned long long)arenas[0],
			(unsigned long long)(largest + second));
		OK(is_proved());
		plait__plan_release(plan);
	}
}

static void with_scratch(void)
{
	(void)snprintf(text, TEXT,
		       "temporary t bytes=5000\n"
		       "node a scratch=6000\n"
		       "node b writes=t after=a\n"
		       "node c reads=t scratch=100 after=b\n"
		       "node d scratch=6000 after=c\n");
	make_plan(PLAIT__MODE_HELPED, 1);
	if (plan == NULL)
		return;
	find_places();
	/* One range per chain: only the scratch of `c` is in the way. */
	OK(offsets[0] >= 100);
	IS_UINT(arenas[0], 6144);
	OK(is_proved());
	offsets[0] = 0;
	OK(!is_proved());
	plait__plan_release(plan);
}

static const struct tap_scenario scenarios[] = {
	{ "at random", at_random },
	{ "chains", chains },
	{ "with scratch", with_scratch },
};
TAP_MAIN(scenarios)
