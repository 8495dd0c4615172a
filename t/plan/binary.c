/* SPDX-License-Identifier: MIT */
/* The binary form of plans: a round trip is the same bytes, every damaged
 * byte, every prefix and every wrong reference is refused. */
#include "plan/io/binary.h"
#include "plan/io/json.h"
#include "graph/store/planner_view.h"

#include "base/alloc.h"
#include "graph/text/parser.h"
#include "plan/schedule/planner.h"
#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

static const char *const sample =
	"device g lanes=2\ndevice h lanes=1\nnode a kernel=k scratch=64\n"
	"node b after=a\nnode c after=a scratch=32\n"
	"while w times=2 after=b,c\nnode x\nnode y\ncase i take=0 after=x,y\n"
	"node d\nbranch\nnode e\nend\nend\n"
	"node z after=w,a device=g+h barrier\n";

static plait__plan *make_plan(void)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__input_options options = { .lanes = 2 };
	plait_error error = { .size = sizeof(error) };
	plait__plan *plan = NULL;
	plait__store *store;
	plait__input input;

	if (plait__store_create(allocator, &store, &error) != PLAIT_OK)
		return NULL;
	if (plait__parser_read(store, sample, strlen(sample), "s", &error) ==
	    PLAIT_OK && plait__planner_view_init(store, &input, &error) ==
	    PLAIT_OK) {
		(void)plait__planner_run(&input, &options, allocator, NULL,
					 &plan, &error);
		plait__planner_view_fini(store, &input);
	}
	plait__store_destroy(store);
	if (plan == NULL)
		NOTE("%s", error.text);
	return plan;
}

static plait_status load(const void *bytes, uint64_t count,
			 plait__plan **out, plait_error *error)
{
	*error = (plait_error){ .size = sizeof(*error) };
	return plait__binary_load(bytes, count, plait__alloc_default(), out,
				  error);
}

static void save(const plait__plan *plan, plait__text *text)
{
	plait__text_init(text, plait__alloc_default());
	plait__binary_save(plan, text);
}

static void round_trip(void)
{
	plait__plan *plan = make_plan(), *again;
	plait__text first, second, json, json_again;
	plait_error error;

	if (!OK(plan != NULL))
		return;
	save(plan, &first);
	if (!IS_INT(load(first.bytes, first.length, &again, &error),
		    PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	save(again, &second);
	OK(first.length == second.length &&
	   memcmp(first.bytes, second.bytes, first.length) == 0);
	plait__text_init(&json, plait__alloc_default());
	plait__text_init(&json_again, plait__alloc_default());
	IS_INT(plait__json_plan(plan, &json, &error), PLAIT_OK);
	IS_INT(plait__json_plan(again, &json_again, &error), PLAIT_OK);
	IS_STR(json.bytes, json_again.bytes);
	plait__text_fini(&json_again);
	plait__text_fini(&json);
	plait__text_fini(&second);
	plait__text_fini(&first);
	plait__plan_release(again);
	plait__plan_release(plan);
}

static void every_damage_is_seen(void)
{
	plait__plan *plan = make_plan(), *loaded;
	unsigned accepted = 0;
	plait_error error;
	plait__text text;

	if (!OK(plan != NULL))
		return;
	save(plan, &text);
	for (uint64_t i = 0; i < text.length; i++) {
		text.bytes[i] = (char)(text.bytes[i] ^ 0x41);
		accepted += load(text.bytes, text.length, &loaded, &error) ==
			    PLAIT_OK;
		text.bytes[i] = (char)(text.bytes[i] ^ 0x41);
	}
	IS_INT(accepted, 0);
	for (uint64_t i = 0; i < text.length; i++) {
		char *cut = malloc(i + 1);

		memcpy(cut, text.bytes, i);
		accepted += load(cut, i, &loaded, &error) == PLAIT_OK;
		free(cut);
	}
	IS_INT(accepted, 0);
	plait__text_fini(&text);
	plait__plan_release(plan);
}

/* With a good checksum: the error must be found by the wrong reference
 * itself. */
static void wrong_references(void)
{
	uint64_t seed = tap_seed();
	unsigned refused = 0, accepted = 0;

	for (int round = 0; round < 20000; round++) {
		plait__plan *plan = make_plan(), *loaded;
		plait_error error;
		plait__text text;
		uint32_t *words;
		uint32_t arrays = 6 + (uint32_t)(seed >> 60) % 4;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		switch (arrays) {
		case 6: words = (uint32_t *)plan->commands; break;
		case 7: words = (uint32_t *)plan->waits; break;
		case 8: words = (uint32_t *)plan->bodies; break;
		default: words = (uint32_t *)plan->nodes; break;
		}
		if (words != NULL)
			words[(seed >> 40) % 3] ^= (uint32_t)(seed >> 8) %
						   (seed & 1 ? 4 : UINT32_MAX);
		save(plan, &text);
		if (load(text.bytes, text.length, &loaded, &error) ==
		    PLAIT_OK) {
			accepted++;
			plait__plan_release(loaded);
		} else {
			refused++;
		}
		plait__text_fini(&text);
		plait__plan_release(plan);
	}
	OK_THAT(refused > 5000, "%u refused, %u accepted", refused, accepted);
}

static void other_versions(void)
{
	plait__plan *plan = make_plan(), *loaded;
	plait_error error;
	plait__text text;

	if (!OK(plan != NULL))
		return;
	save(plan, &text);
	text.bytes[8] = 1;
	IS_INT(load(text.bytes, text.length, &loaded, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "version 1; this library reads 5");
	text.bytes[8] = 2;
	memcpy(text.bytes + 12, "\1\2\3\4", 4);
	IS_INT(load(text.bytes, text.length, &loaded, &error),
	       PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "byte order");
	text.bytes[0] = 'q';
	IS_INT(load(text.bytes, text.length, &loaded, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "not a plan");
	plait__text_fini(&text);
	plait__plan_release(plan);
}

static const struct tap_scenario scenarios[] = {
	{ "round trip", round_trip },
	{ "every damage is seen", every_damage_is_seen },
	{ "wrong references", wrong_references },
	{ "other versions", other_versions },
};
TAP_MAIN(scenarios)
