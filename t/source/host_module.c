/* SPDX-License-Identifier: MIT */
/*
 * Launches of portable kernels in parts: for every division into boxes each
 * element and each group is in one part, once.
 */
#include "lib/suite.h"

#include "base/alloc.h"
#include "kernel/signature.h"
#include "source/build.h"

#include <stdio.h>

enum { MOST = 4096 };

static uint32_t counts[MOST];
static plait__module *module;
static uint32_t *counters = counts;
static uint32_t zero;
static void *arguments[4] = { &counters, &zero, &zero, &zero };
static plait_launch launch;
static unsigned parts;

static bool load(const char *text)
{
	plait_error error = { .size = sizeof(error) };
	plait_source source = { .size = sizeof(source), .code = text }, read;
	plait__signature *signature;
	plait__text words;
	bool fine;

	suite_folder();
	plait__text_init(&words, plait__alloc_default());
	fine = plait__signature_parse("f(y: inout pointer u32, a: u32, b: u32, "
				      "c: u32)", plait__alloc_default(),
				      &signature, &error) == PLAIT_OK;
	if (!OK(fine))
		return false;
	fine = plait__compose_read_source(&source, "f", &read, &error) == PLAIT_OK &&
	       plait__build_from_source(&read, signature, plait__alloc_default(),
					NULL, &words, &module,
					&error) == PLAIT_OK;
	plait__text_fini(&words);
	plait__signature_destroy(plait__alloc_default(), signature);
	return OK_THAT(fine, "%s", error.text);
}

/* Run the box, or cut it in two somewhere and run those. */
static void run_box(plait_range box)
{
	uint32_t axis = suite_random() % 3;
	uint64_t length = box.end[axis] - box.begin[axis];
	plait_range half = box;

	if (length < 2 || suite_random() % 8 == 0) {
		parts++;
		if (plait__module_range(&box, arguments, &launch, module) != 0)
			OK_THAT(false, "a part failed");
		return;
	}
	half.end[axis] = box.begin[axis] + 1 + suite_random() % (length - 1);
	box.begin[axis] = half.end[axis];
	run_box(box);
	run_box(half);
}

/* All ways to run `elements` counters, which have to be 1. */
static void run_launches(uint32_t a, uint32_t b, uint32_t c)
{
	static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 100, 1, 1 },
		{ 7, 9, 1 }, { 13, 2, 5 }, { 1, 30, 2 }, { 400, 3, 1 } };
	arguments[1] = &a;
	arguments[2] = &b;
	arguments[3] = &c;
	for (size_t i = 0; i < TAP_COUNT(shapes) * 5; i++) {
		const uint64_t *items = shapes[i % TAP_COUNT(shapes)];
		plait_range all = { .size = sizeof(all), .dimensions = 3 };
		unsigned wrong = 0;

		memset(counts, 0, sizeof(counts));
		launch = (plait_launch){ .size = sizeof(launch),
					 .dimensions = 3 };
		memcpy(launch.items, items, sizeof(launch.items));
		memcpy(all.end, items, sizeof(all.end));
		run_box(all);
		for (uint32_t k = 0; k < MOST; k++)
			wrong += counts[k] != (k < a * b * c);
		OK_THAT(wrong == 0, "%u wrong of %u in a launch of %d x %d x "
			"%d", wrong, a * b * c, (int)items[0], (int)items[1],
			(int)items[2]);
	}
	for (int i = 1; i < 4; i++)
		arguments[i] = &zero;
	plait__module_destroy(module);
}

static void one_dimension(void)
{
	if (load("KERNEL(f) { EACH(i, (u64)a * b * c) y[i] += 1; }"))
		run_launches(1000, 1, 1);
}

static void two_dimensions(void)
{
	if (load("KERNEL(f) { EACH2(i, a, j, (u64)b * c)\n"
		 "\ty[j * a + i] += 1; }"))
		run_launches(37, 41, 1);
}

static void three_dimensions(void)
{
	if (load("KERNEL(f) { EACH3(i, a, j, b, k, c)\n"
		 "\ty[(k * b + j) * a + i] += 1; }"))
		run_launches(17, 11, 9);
}

static void fewer_elements_than_items(void)
{
	if (load("KERNEL(f) { EACH(i, (u64)a * b * c) y[i] += 1; }"))
		run_launches(3, 1, 1);
	if (load("KERNEL(f) { EACH3(i, a, j, b, k, c)\n"
		 "\ty[(k * b + j) * a + i] += 1; }"))
		run_launches(2, 1, 2);
}

/* The groups are counted, wherever the boxes were cut. */
static void groups(void)
{
	static const uint64_t shapes[][3] = { { 1, 1, 1 }, { 16, 8, 2 },
		{ 61, 9, 3 }, { 5, 40, 1 } };

	if (!load("GROUP_KERNEL(f, 8, 4, 2) { ITEMS ATOMIC_ADD(&y[GLOBAL_ID(0) "
		  "+ GLOBAL_SIZE(0) *\n(GLOBAL_ID(1) + GLOBAL_SIZE(1) * "
		  "GLOBAL_ID(2))], 1u); }"))
		return;
	for (size_t i = 0; i < TAP_COUNT(shapes) * 10; i++) {
		const uint64_t *items = shapes[i % TAP_COUNT(shapes)];
		uint64_t all_items = (items[0] + 7) / 8 * 8 *
				     ((items[1] + 3) / 4 * 4) *
				     ((items[2] + 1) / 2 * 2);
		plait_range all = { .size = sizeof(all), .dimensions = 3 };
		unsigned wrong = 0;

		memset(counts, 0, sizeof(counts));
		memcpy(launch.items, items, sizeof(launch.items));
		memcpy(all.end, items, sizeof(all.end));
		run_box(all);
		for (uint32_t k = 0; k < MOST; k++)
			wrong += counts[k] != (k < all_items);
		OK_THAT(wrong == 0, "%u wrong in groups of %d x %d x %d",
			wrong, (int)items[0], (int)items[1], (int)items[2]);
	}
	plait__module_destroy(module);
}

static void parameters_of_a_launch(void)
{
	plait_error error = { .size = sizeof(error) };

	if (!load("GROUP_KERNEL(f, 8, 4, 2) { ITEMS y[0] = 1; }"))
		return;
	launch = (plait_launch){ .size = sizeof(launch), .dimensions = 3,
				 .items = { 9, 9, 9 } };
	IS_INT(plait__module_settle(module, &launch, &error), PLAIT_OK);
	IS_UINT(launch.group[0], 8);
	IS_UINT(launch.group[2], 2);
	IS_INT(plait__module_settle(module, &launch, &error), PLAIT_OK);
	launch.group[1] = 5;
	IS_INT(plait__module_settle(module, &launch, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "group[1] is 5");
	launch.group[1] = 0;
	launch.dimensions = 2;
	IS_INT(plait__module_settle(module, &launch, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "2 dimensions");
	launch.dimensions = 3;
	launch.items[0] = UINT64_MAX;
	IS_INT(plait__module_settle(module, &launch, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "items[0]");
	plait__module_destroy(module);
}

static void cut_they_were(void)
{
	OK_THAT(parts == 0 || parts > 200, "%u parts", parts);
}

static const struct tap_scenario all[] = {
	{ "one dimension", one_dimension },
	{ "two dimensions", two_dimensions },
	{ "three dimensions", three_dimensions },
	{ "fewer elements than items", fewer_elements_than_items },
	{ "groups", groups },
	{ "parameters of a launch", parameters_of_a_launch },
	{ "cut", cut_they_were },
};

TAP_MAIN(all)
