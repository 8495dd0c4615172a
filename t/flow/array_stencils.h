/* SPDX-License-Identifier: MIT */
/*
 * Stencils in coordinates of the whole, in one to three dimensions, against loops
 * of the host, on the devices of flow_backends: odd extents, parts of data, pieces
 * cut in one and two dimensions.
 */
#ifndef T_ARRAY_STENCILS_H
#define T_ARRAY_STENCILS_H

#include "flows.h"

#include <stdlib.h>

enum { STENCIL_ROOM = 4096, STENCIL_STEPS = 3, STENCIL_EDGE = 7 };

/* Sum of an element and its neighbours, of which those outside are 7. */
static const struct {
	const char *signature;
	const char *text;
} stencils[] = {
	{ "near1(u: in array1 u32, v: out array1 u32, n: struct size 24, "
	  "c: chunk)",
	  "struct size { u64 n[3]; };\n"
	  "KERNEL(near1)\n{\n"
	  "\tCHUNK1(x)\n"
	  "\t\tAT1(v, x) = 3 * AT1(u, x) +\n"
	  "\t\t\t(x > 0 ? AT1(u, x - 1) : 7) +\n"
	  "\t\t\t2 * (x + 1 < n.n[0] ? AT1(u, x + 1) : 7);\n"
	  "}\n" },
	{ "near2(u: in array2 u32, v: out array2 u32, n: struct size 24, "
	  "c: chunk)",
	  "struct size { u64 n[3]; };\n"
	  "KERNEL(near2)\n{\n"
	  "\tCHUNK2(x, y)\n"
	  "\t\tAT2(v, x, y) = 3 * AT2(u, x, y) +\n"
	  "\t\t\t(x > 0 ? AT2(u, x - 1, y) : 7) +\n"
	  "\t\t\t2 * (x + 1 < n.n[0] ? AT2(u, x + 1, y) : 7) +\n"
	  "\t\t\t5 * (y > 0 ? AT2(u, x, y - 1) : 7) +\n"
	  "\t\t\t9 * (y + 1 < n.n[1] ? AT2(u, x, y + 1) : 7);\n"
	  "}\n" },
	{ "near3(u: in array3 u32, v: out array3 u32, n: struct size 24, "
	  "c: chunk)",
	  "struct size { u64 n[3]; };\n"
	  "KERNEL(near3)\n{\n"
	  "\tCHUNK3(x, y, z)\n"
	  "\t\tAT3(v, x, y, z) = 3 * AT3(u, x, y, z) +\n"
	  "\t\t\t(x > 0 ? AT3(u, x - 1, y, z) : 7) +\n"
	  "\t\t\t2 * (x + 1 < n.n[0] ? AT3(u, x + 1, y, z) : 7) +\n"
	  "\t\t\t5 * (y > 0 ? AT3(u, x, y - 1, z) : 7) +\n"
	  "\t\t\t9 * (y + 1 < n.n[1] ? AT3(u, x, y + 1, z) : 7) +\n"
	  "\t\t\t4 * (z > 0 ? AT3(u, x, y, z - 1) : 7) +\n"
	  "\t\t\t6 * (z + 1 < n.n[2] ? AT3(u, x, y, z + 1) : 7);\n"
	  "}\n" },
};

static const uint64_t stencil_extents[][3] = {
	{ 1, 1, 1 }, { 257, 1, 1 }, { 33, 17, 1 }, { 7, 1, 1 }, { 9, 31, 1 },
	{ 5, 7, 11 }, { 1, 3, 9 }, { 13, 1, 5 },
};

static uint32_t stencil_at(const uint32_t *u, const uint64_t n[3],
			   const int64_t at[3])
{
	for (int d = 0; d < 3; d++)
		if (at[d] < 0 || at[d] >= (int64_t)n[d])
			return STENCIL_EDGE;
	return u[(uint64_t)at[0] +
		 n[0] * ((uint64_t)at[1] + n[1] * (uint64_t)at[2])];
}

/* One step of the model. */
static void stencil_step(const uint32_t *u, uint32_t *v, const uint64_t n[3],
			 uint32_t dimensions)
{
	static const uint32_t low[] = { 1, 5, 4 }, high[] = { 2, 9, 6 };

	for (uint64_t i = 0; i < n[0] * n[1] * n[2]; i++) {
		int64_t at[3] = { (int64_t)(i % n[0]),
				  (int64_t)(i / n[0] % n[1]),
				  (int64_t)(i / n[0] / n[1]) };

		v[i] = 3 * u[i];
		for (uint32_t d = 0; d < dimensions; d++) {
			at[d]--;
			v[i] += low[d] * stencil_at(u, n, at);
			at[d] += 2;
			v[i] += high[d] * stencil_at(u, n, at);
			at[d]--;
		}
	}
}

static plait_kernel *new_stencil(uint32_t dimensions)
{
	const plait_source source = {
		.size = sizeof(source), .form = PLAIT_SOURCE_PORTABLE,
		.code = stencils[dimensions - 1].text };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = stencils[dimensions - 1].signature };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "kernel: %s",
		flow_rig.error.text);
	return kernel;
}

static void submit_stencil(plait_kernel *kernel, plait_data *u, plait_data *v,
			   const uint64_t n[3], uint32_t dimensions,
			   uint32_t split)
{
	const plait_mapper near = { .size = sizeof(near),
				    .kind = PLAIT_MAPPER_NEIGHBORHOOD,
				    .extent = { 1, dimensions > 1,
						dimensions > 2 } };
	const plait_mapper own = { .size = sizeof(own),
				   .kind = PLAIT_MAPPER_ONE_TO_ONE };
	const plait_access from = { .size = sizeof(from), .data = u,
				    .mapper = &near };
	const plait_access to = { .size = sizeof(to), .data = v,
				  .mapper = &own };
	const struct { uint64_t n[3]; } size = { { n[0], n[1], n[2] } };
	const plait_argument arguments[] = {
		PLAIT_ACCESS(&from), PLAIT_ACCESS(&to), PLAIT_VALUE(size),
		PLAIT_CHUNK() };
	const plait_launch items = { .size = sizeof(items),
				     .dimensions = dimensions,
				     .items = { n[0], n[1], n[2] } };
	/* The flow adds a chunk that is left out. */
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel, .launch = &items,
		.arguments = arguments, .argument_count = 3 + split % 2,
		.split = split < dimensions ? split : dimensions,
		.pieces = split == 2 ? 4 : 0 };

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
}

/* New data, or with `is_part` a part that begins behind its start. */
static plait_data *new_field(uint32_t dimensions, const uint64_t n[3],
			     bool is_part)
{
	plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	plait_data *whole, *part = NULL;

	if (!is_part)
		return new_data(dimensions, n[0], n[1], n[2], 4, "field");
	for (uint32_t d = 0; d < dimensions; d++) {
		box.low[d] = d + 1;
		box.high[d] = d + 1 + n[d];
	}
	whole = new_data(dimensions, n[0] + 3, dimensions > 1 ? n[1] + 4 : 0,
			 dimensions > 2 ? n[2] + 5 : 0, 4, "whole");
	OK_THAT(plait_data_part(whole, &box, &part, &flow_rig.error) ==
		PLAIT_OK, "part: %s", flow_rig.error.text);
	plait_data_release(whole);
	return part;
}

static uint64_t count_wrong(const uint32_t *a, const uint32_t *b,
			    uint64_t count)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < count; i++)
		wrong += a[i] != b[i];
	return wrong;
}

static void run_stencil(plait_kernel *kernel, const uint64_t n[3],
			uint32_t dimensions, uint32_t split, bool is_part)
{
	static uint32_t model[2][STENCIL_ROOM], got[STENCIL_ROOM];
	uint64_t count = n[0] * n[1] * n[2];
	plait_data *fields[2];

	for (uint64_t i = 0; i < count; i++)
		model[0][i] = (uint32_t)(i * 2654435761u);
	for (int i = 0; i < 2; i++)
		fields[i] = new_field(dimensions, n, is_part);
	OK(plait_data_write(fields[0], NULL, model[0], NULL) == PLAIT_OK);
	for (int i = 0; i < STENCIL_STEPS; i++) {
		submit_stencil(kernel, fields[i % 2], fields[(i + 1) % 2], n,
			       dimensions, split);
		stencil_step(model[i % 2], model[(i + 1) % 2], n, dimensions);
	}
	OK_THAT(plait_data_read(fields[STENCIL_STEPS % 2], NULL, got,
				&flow_rig.error) == PLAIT_OK, "read: %s",
		flow_rig.error.text);
	OK_THAT(count_wrong(got, model[STENCIL_STEPS % 2], count) == 0,
		"%u dimensions of %d x %d x %d, split %u%s", dimensions,
		(int)n[0], (int)n[1], (int)n[2], split,
		is_part ? ", a part" : "");
	for (int i = 0; i < 2; i++)
		plait_data_release(fields[i]);
}

/* All stencils, in a flow of the devices that were chosen. */
static inline void run_stencils(uint32_t workers)
{
	const struct flow_setting setting = { workers, 0 };

	if (!open_flow(&setting, 256))
		return;
	for (uint32_t d = 1; d <= TAP_COUNT(stencils); d++) {
		plait_kernel *kernel = new_stencil(d);

		for (uint32_t e = 0; e < TAP_COUNT(stencil_extents); e++) {
			const uint64_t *n = stencil_extents[e];

			if ((d < 2 && n[1] > 1) || (d < 3 && n[2] > 1))
				continue;
			for (uint32_t split = 0; split <= 2; split++)
				run_stencil(kernel, n, d, split, e % 2 == 1);
			run_stencil(kernel, n, d, 1, e % 2 == 0);
		}
		plait_kernel_release(kernel);
	}
	close_flow();
}

#endif
