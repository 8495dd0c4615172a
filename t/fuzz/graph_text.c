/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the text form of graphs.  A text that can be read is planned
 * in each way, and every plan is proved, simulated, written in each form, and
 * read back as the same bytes.  A graph whose edges do not order the uses of its
 * temporaries has no right plan.
 */
#include "fuzz.h"
#include "graph/store/planner_view.h"

#include "base/alloc.h"
#include "graph/text/parser.h"
#include "plan/check/check.h"
#include "plan/check/graph_check.h"
#include "render/render.h"
#include "plan/schedule/planner.h"
#include "plan/io/binary.h"
#include "plan/io/json.h"

#include <string.h>

/* Longer texts are slower and tell no more. */
enum { MOST_BYTES = 4096 };

static void write_all(const plait__plan *plan)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__timeline *timeline;
	plait__text text;

	FUZZ_NEED(plait__simulate_plan(plan, NULL, allocator, &timeline,
				       &error) == PLAIT_OK, error.text);
	plait__text_init(&text, allocator);
	plait__graphviz_plan(plan, &text);
	plait__schedule_svg(plan, timeline, &text);
	FUZZ_NEED(plait__json_plan(plan, &text, &error) == PLAIT_OK,
		  error.text);
	FUZZ_NEED(!text.failed, "writing");
	plait__text_fini(&text);
	plait__simulate_release(timeline);
}

static void read_back(const plait__plan *plan)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__text first, second;
	plait__plan *again;

	plait__text_init(&first, allocator);
	plait__text_init(&second, allocator);
	plait__binary_save(plan, &first);
	FUZZ_NEED(plait__binary_load(first.bytes, first.length, allocator,
				     &again, &error) == PLAIT_OK, error.text);
	plait__binary_save(again, &second);
	FUZZ_NEED(first.length == second.length &&
		  memcmp(first.bytes, second.bytes, first.length) == 0,
		  "another plan");
	plait__plan_release(again);
	plait__text_fini(&second);
	plait__text_fini(&first);
}

static void plan_input(const plait__input *input, uint32_t way)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__input_options options = { .policy = way & 1,
					 .mode = way >> 1 & 1,
					 .lanes = 1 + (way & 3),
					 .hop_cost = way & 2 };
	plait_error error = { .size = sizeof(error) };
	plait__plan *plan;
	plait_status status = plait__planner_run(input, &options, allocator,
						 NULL, &plan, &error);

	if (status != PLAIT_OK) {
		FUZZ_NEED(status == PLAIT_E_INVALID && plan == NULL,
			  error.text);
		return;
	}
	write_all(plan);
	if (plait__check_graph(input, plan, allocator, &error) == PLAIT_OK) {
		FUZZ_NEED(plait__check_plan(plan, input, 0, allocator, NULL,
					    &error) == PLAIT_OK, error.text);
		read_back(plan);
	}
	plait__plan_release(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__store *store;
	plait__input input;
	plait_status status;

	if (size > MOST_BYTES ||
	    plait__store_create(allocator, &store, &error) != PLAIT_OK)
		return 0;
	status = plait__parser_read(store, (const char *)data, size, "f",
				    &error);
	if (status == PLAIT_OK &&
	    plait__planner_view_init(store, &input, &error) == PLAIT_OK) {
		for (uint32_t way = 0; way < 4 && input.device_count > 0;
		     way++)
			plan_input(&input, way);
		plait__planner_view_fini(store, &input);
	}
	FUZZ_NEED(status == PLAIT_OK || (status == PLAIT_E_INVALID &&
					 strncmp(error.text, "f:", 2) == 0),
		  error.text);
	plait__store_destroy(store);
	return 0;
}
