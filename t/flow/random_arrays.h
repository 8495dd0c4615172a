/* SPDX-License-Identifier: MIT */
/* Arrays of random programs: data of a flow, and the interpreter's copy. */
#ifndef T_RANDOM_ARRAYS_H
#define T_RANDOM_ARRAYS_H

#include "flows.h"

enum { DATA = 5, ELEMENTS = 512, PARTS = 4 };

/* ---- random numbers ---- */

static uint64_t state;

static inline uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static inline uint64_t below(uint64_t limit)
{
	return next_random() % limit;
}

static inline bool one_in(uint64_t count)
{
	return below(count) == 0;
}

/* ---- data ---- */

/* Memory that tasks use, and that of the interpreter. */
struct array {
	plait_data *data;
	plait_data *parts[PARTS];
	plait_box part_boxes[PARTS];
	uint64_t extent[3];
	uint32_t dimensions;
	bool is_array; /* launches get it as an array only */
	uint64_t real[ELEMENTS];
	uint64_t model[ELEMENTS];
	bool poisoned[ELEMENTS];
};

static struct array arrays[DATA];
static const plait_box unit = { { 0, 0, 0 }, { 1, 1, 1 } };

static inline plait_box random_box(const struct array *array)
{
	plait_box box = unit;

	for (uint32_t d = 0; d < array->dimensions; d++) {
		uint64_t a = below(array->extent[d]);
		uint64_t b = below(array->extent[d]);

		box.low[d] = a < b ? a : b;
		box.high[d] = (a < b ? b : a) + 1;
	}
	return box;
}

static inline uint64_t count_of(const plait_box *box)
{
	return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]) *
	       (box->high[2] - box->low[2]);
}

/* The place of element i of a box. */
static inline uint64_t place(const struct array *array, const plait_box *box,
		      uint64_t i)
{
	uint64_t wide = box->high[0] - box->low[0];
	uint64_t tall = box->high[1] - box->low[1];
	uint64_t x = box->low[0] + i % wide;
	uint64_t y = box->low[1] + i / wide % tall;
	uint64_t z = box->low[2] + i / wide / tall;

	return x + array->extent[0] * (y + array->extent[1] * z);
}

static inline void make_array(struct array *array, uint32_t dimensions)
{
	static const uint64_t most[4][3] = {
		{ 1, 1, 1 }, { 200, 1, 1 }, { 20, 20, 1 }, { 8, 8, 8 }
	};
	const plait_wrap_desc wrap = { .size = sizeof(wrap),
				       .pointer = array->real,
				       .bytes = sizeof(array->real) };
	plait_data_desc desc = { .size = sizeof(desc), .element_bytes = 8,
				 .dimensions = dimensions };

	*array = (struct array){ .dimensions = dimensions };
	array->is_array = !one_in(4);
	for (uint32_t d = 0; d < 3; d++)
		array->extent[d] = 1 + below(most[dimensions][d]);
	for (uint32_t d = 0; d < dimensions; d++)
		desc.extent[d] = array->extent[d];
	OK(plait_buffer_wrap(flow_rig.device, &wrap, &desc.buffer,
			     &flow_rig.error) == PLAIT_OK);
	OK_THAT(plait_data_create(flow, &desc, &array->data,
				  &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	plait_buffer_release(desc.buffer);
	for (int i = 0; i < PARTS; i++) {
		array->part_boxes[i] = random_box(array);
		OK(plait_data_part(array->data, &array->part_boxes[i],
				   &array->parts[i], NULL) == PLAIT_OK);
	}
}

static inline void release_array(struct array *array)
{
	for (int i = 0; i < PARTS; i++)
		plait_data_release(array->parts[i]);
	plait_data_release(array->data);
}

static inline bool has_poison(const struct array *array, const plait_box *box)
{
	for (uint64_t i = 0; i < count_of(box); i++)
		if (array->poisoned[place(array, box, i)])
			return true;
	return false;
}

static inline void set_poison(struct array *array, const plait_box *box, bool value)
{
	for (uint64_t i = 0; i < count_of(box); i++)
		array->poisoned[place(array, box, i)] = value;
}

#endif
