/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of plans as bytes: refused, or a plan that can be proved,
 * simulated, drawn and saved.  The mutator starts from plans of its own and
 * makes size and checksum right again, so that its changes reach the reader.
 * Without a fuzzer an input "seed N" stands for plans that are changed in that
 * way.
 */
#include "fuzz.h"
#include "plan_words.h"
#include "graph/store/planner_view.h"

#include "base/alloc.h"
#include "graph/text/parser.h"
#include "plan/check/check.h"
#include "render/render.h"
#include "plan/schedule/planner.h"
#include "plan/io/binary.h"
#include "plan/io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BYTES = 512 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);

/* False when it is refused. */
static bool try_bytes(const uint8_t *data, size_t size)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__timeline *timeline;
	plait__plan *plan;
	plait__text text;
	plait_status status = plait__binary_load(data, size, allocator, &plan,
						 &error);

	if (status != PLAIT_OK) {
		FUZZ_NEED((status == PLAIT_E_INVALID ||
			   status == PLAIT_E_UNSUPPORTED) && plan == NULL &&
			  error.text[0] != '\0', error.text);
		return false;
	}
	FUZZ_NEED(plait__check_plan(plan, NULL, 0, allocator, NULL, &error) ==
		  PLAIT_OK, error.text);
	plait__text_init(&text, allocator);
	FUZZ_NEED(plait__simulate_plan(plan, NULL, allocator, &timeline,
				       &error) == PLAIT_OK, error.text);
	plait__graphviz_plan(plan, &text);
	plait__schedule_svg(plan, timeline, &text);
	FUZZ_NEED(plait__json_plan(plan, &text, &error) == PLAIT_OK,
		  error.text);
	plait__binary_save(plan, &text);
	plait__simulate_release(timeline);
	plait__text_fini(&text);
	plait__plan_release(plan);
	return true;
}

static const char *const graphs[] = {
	"node a\nnode b after=a\n",
	"device g lanes=2\ndevice h lanes=1\nnode a kernel=k scratch=64\n"
	"node b after=a\nnode c after=a scratch=32\n"
	"while w times=2 after=b,c\nnode x scratch=8\nnode y\n"
	"case i take=0 after=x,y\nnode d\nbranch\nnode e\nend\nend\n"
	"node z after=w,a device=g+h barrier\n"
	"node q after=c device=g+h group\n",
	"device a lanes=3\nnode s\nnode b after=s\nnode c after=s\n"
	"node d after=s scratch=9\nnode e after=b,c,d\ndo l times=3 after=b\n"
	"node m\nnode n\nend\n",
};

static size_t fresh_plan(uint8_t *data, size_t most, uint64_t random)
{
	const char *graph = graphs[random % 3];
	const plait_allocator *allocator = plait__alloc_default();
	plait__input_options options = { .lanes = 3,
					 .policy = random >> 8 & 1,
					 .mode = random >> 9 & 1 };
	plait__plan *plan = NULL;
	plait__store *store;
	plait__input input;
	plait__text text;
	size_t size = 0;

	if (plait__store_create(allocator, &store, NULL) != PLAIT_OK)
		return 0;
	if (plait__parser_read(store, graph, strlen(graph), "g", NULL) ==
	    PLAIT_OK && plait__planner_view_init(store, &input, NULL) == PLAIT_OK) {
		(void)plait__planner_run(&input, &options, allocator, NULL,
					 &plan, NULL);
		plait__planner_view_fini(store, &input);
	}
	plait__store_destroy(store);
	if (plan == NULL)
		return 0;
	plait__text_init(&text, allocator);
	plait__binary_save(plan, &text);
	if (text.length <= most) {
		memcpy(data, text.bytes, text.length);
		size = text.length;
	}
	plait__text_fini(&text);
	plait__plan_release(plan);
	return size;
}

/* Most of a plan is indices and counts of four bytes. */
static void change_word(uint8_t *data, size_t size, uint64_t *state)
{
	static const uint32_t usual[] = { 0, 1, 2, 3, UINT32_MAX, 1u << 31,
					  UINT32_MAX - 1, 65536 };
	size_t words = (size - SUMMED_FROM) / 4;
	size_t at = SUMMED_FROM + next(state) % words * 4;
	size_t from = SUMMED_FROM + next(state) % words * 4;
	uint32_t word;

	memcpy(&word, data + at, sizeof(word));
	switch (next(state) % 4) {
	case 0:
		word = usual[next(state) % 8];
		break;
	case 1:
		word += (uint32_t)(next(state) % 7) - 3;
		break;
	case 2:
		memcpy(&word, data + from, sizeof(word));
		break;
	default:
		word ^= 1u << (next(state) % 32);
	}
	memcpy(data + at, &word, sizeof(word));
}

#ifdef PLAIT_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)try_bytes(data, size);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;

	if (size < LEAST_BYTES || next(&state) % 64 == 0)
		size = fresh_plan(data, most, next(&state));
	if (size < LEAST_BYTES)
		return LLVMFuzzerMutate(data, size, most);
	if (next(&state) % 8 == 0)
		size = LLVMFuzzerMutate(data, size, most);
	if (size < LEAST_BYTES)
		return size;
	for (uint64_t i = next(&state) % 4; i > 0; i--)
		change_word(data, size, &state);
	repair(data, size);
	return size;
}
#else
enum { PLAN_BYTES = 65536, CHANGED = 100 };

/* The plan with other words of it changed each time. */
static void change(const uint8_t *plan, size_t size, uint64_t *state)
{
	uint8_t *exact = malloc(size);

	FUZZ_NEED(exact != NULL, "memory");
	for (uint32_t i = 0; i < CHANGED; i++) {
		memcpy(exact, plan, size);
		for (uint64_t k = 1 + next(state) % 3; k > 0; k--)
			change_word(exact, size, state);
		repair(exact, size);
		(void)try_bytes(exact, size);
	}
	free(exact);
}

/* A plan as it was saved, then with some of its words changed. */
static void try_changed(uint64_t seed)
{
	uint64_t state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint8_t *room = malloc(PLAN_BYTES), *exact;
	size_t size;

	FUZZ_NEED(room != NULL, "memory");
	size = fresh_plan(room, PLAN_BYTES, next(&state));
	FUZZ_NEED(size >= LEAST_BYTES && (exact = malloc(size)) != NULL,
		  "a plan");
	memcpy(exact, room, size);
	repair(exact, size);
	FUZZ_NEED(memcmp(exact, room, size) == 0 && try_bytes(exact, size),
		  "a plan as it was saved");
	free(exact);
	change(room, size, &state);
	free(room);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[32] = "";
	unsigned long long seed;
	uint64_t state = 1;

	if (size > 0 && size < sizeof(text)) {
		memcpy(text, data, size);
		if (sscanf(text, "seed %llu", &seed) == 1)
			try_changed(seed);
	}
	if (try_bytes(data, size))
		change(data, size, &state);
	return 0;
}
#endif
