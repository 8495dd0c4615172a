/* SPDX-License-Identifier: MIT */
/*
 * Random programs against a sequential interpreter, bit by bit: functions,
 * copies, fills, reads and writes of boxes, failures, barriers, mappings and
 * host access.  The interpreter runs each task when it is submitted, on memory
 * of its own, and knows which elements are poisoned.
 */
#include "flows.h"

enum {
	DATA = 5, ELEMENTS = 512, ACCESSES = 4, TASKS = 60, PARTS = 4,
	ROUNDS = 30
};

/* ---- random numbers ---- */

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t below(uint64_t limit)
{
	return next_random() % limit;
}

static bool one_in(uint64_t count)
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
	uint64_t real[ELEMENTS];
	uint64_t model[ELEMENTS];
	bool poisoned[ELEMENTS];
};

static struct array arrays[DATA];
static const plait_box unit = { { 0, 0, 0 }, { 1, 1, 1 } };

static plait_box random_box(const struct array *array)
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

static uint64_t count_of(const plait_box *box)
{
	return (box->high[0] - box->low[0]) * (box->high[1] - box->low[1]) *
	       (box->high[2] - box->low[2]);
}

/* The place of element i of a box. */
static uint64_t place(const struct array *array, const plait_box *box,
		      uint64_t i)
{
	uint64_t wide = box->high[0] - box->low[0];
	uint64_t tall = box->high[1] - box->low[1];
	uint64_t x = box->low[0] + i % wide;
	uint64_t y = box->low[1] + i / wide % tall;
	uint64_t z = box->low[2] + i / wide / tall;

	return x + array->extent[0] * (y + array->extent[1] * z);
}

static void make_array(struct array *array, uint32_t dimensions)
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

static void release_array(struct array *array)
{
	for (int i = 0; i < PARTS; i++)
		plait_data_release(array->parts[i]);
	plait_data_release(array->data);
}

static bool has_poison(const struct array *array, const plait_box *box)
{
	for (uint64_t i = 0; i < count_of(box); i++)
		if (array->poisoned[place(array, box, i)])
			return true;
	return false;
}

static void set_poison(struct array *array, const plait_box *box, bool value)
{
	for (uint64_t i = 0; i < count_of(box); i++)
		array->poisoned[place(array, box, i)] = value;
}

/* ---- tasks ---- */

struct use {
	struct array *array;
	plait_box box;
	uint32_t mode;
};

struct work {
	struct use uses[ACCESSES];
	uint32_t count;
	uint64_t seed;
	int32_t result;
	plait_task number;
	bool spoiled; /* it fails, or is not run */
	bool is_read; /* of `host` */
	uint64_t host[ELEMENTS];
	uint64_t expected[ELEMENTS];
};

static struct work works[TASKS];

static uint64_t mix(uint64_t one, uint64_t other)
{
	return (one ^ other) * UINT64_C(0x9e3779b97f4a7c15) + (one >> 29);
}

/* Read what is read, then write what is written, in one memory or the other. */
static void execute(const struct work *work, bool in_model)
{
	uint64_t sum = work->seed;

	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		uint64_t *memory = in_model ? use->array->model :
					      use->array->real;

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_READ) != 0 &&
		     i < count_of(&use->box); i++)
			sum = mix(sum, memory[place(use->array, &use->box, i)]);
	}
	for (uint32_t u = 0; u < work->count; u++) {
		const struct use *use = &work->uses[u];
		uint64_t *memory = in_model ? use->array->model :
					      use->array->real;

		for (uint64_t i = 0; (use->mode & PLAIT_ACCESS_WRITE) != 0 &&
		     i < count_of(&use->box); i++)
			memory[place(use->array, &use->box, i)] = mix(sum, i);
	}
}

static int32_t run_work(void *user_data)
{
	const struct work *work = user_data;

	if (work->result == 0)
		execute(work, false);
	return work->result;
}

/* The interpreter's turn: poison and cures; returns true if it runs. */
static bool predict(struct work *work)
{
	work->spoiled = work->result != 0;
	for (uint32_t u = 0; u < work->count; u++)
		if ((work->uses[u].mode & PLAIT_ACCESS_READ) != 0 &&
		    has_poison(work->uses[u].array, &work->uses[u].box))
			work->spoiled = true;
	for (uint32_t u = 0; u < work->count; u++)
		if ((work->uses[u].mode & PLAIT_ACCESS_WRITE) != 0)
			set_poison(work->uses[u].array, &work->uses[u].box,
				   work->spoiled);
	return !work->spoiled;
}

/* Name a use: by its box, or as a box of a part. */
static plait_access name_use(struct use *use, plait_box *box)
{
	struct array *array = use->array;
	plait_access access = access_of(array->data, use->mode, &use->box);

	for (int p = 0; p < PARTS; p++) {
		const plait_box *part = &array->part_boxes[p];
		bool inside = true;

		for (int d = 0; d < 3; d++)
			inside &= use->box.low[d] >= part->low[d] &&
				  use->box.high[d] <= part->high[d];
		if (!inside || one_in(2))
			continue;
		for (int d = 0; d < 3; d++) {
			box->low[d] = use->box.low[d] - part->low[d];
			box->high[d] = use->box.high[d] - part->low[d];
		}
		return access_of(array->parts[p], use->mode, box);
	}
	return access;
}

static void submit(const plait_task_desc *desc, struct work *work)
{
	OK_THAT(plait_flow_submit(flow, desc, &work->number,
				  &flow_rig.error) == PLAIT_OK,
		"submit: %s", flow_rig.error.text);
}

static void add_call(struct work *work)
{
	plait_access accesses[ACCESSES];
	plait_box boxes[ACCESSES];
	plait_task_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_TASK_CALL,
		.function = run_work, .user_data = work, .label = "work",
		.accesses = accesses, .priority = (int32_t)below(3) - 1,
		.flags = one_in(20) ? PLAIT_TASK_BARRIER : 0,
	};

	work->count = (uint32_t)below(ACCESSES + 1);
	work->seed = next_random();
	work->result = one_in(12) ? 7 : 0;
	for (uint32_t u = 0; u < work->count; u++) {
		struct use *use = &work->uses[u];

		use->array = &arrays[below(DATA)];
		use->box = random_box(use->array);
		use->mode = 1 + (uint32_t)below(3);
		accesses[u] = name_use(use, &boxes[u]);
	}
	desc.access_count = work->count;
	if (predict(work))
		execute(work, true);
	submit(&desc, work);
}

static void add_fill(struct work *work)
{
	struct use *use = &work->uses[0];
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_FILL,
				 .pattern = next_random() };

	*use = (struct use){ &arrays[below(DATA)], unit, PLAIT_ACCESS_WRITE };
	use->box = random_box(use->array);
	work->count = 1;
	desc.target = use->array->data;
	desc.target_box = &use->box;
	if (predict(work))
		for (uint64_t i = 0; i < count_of(&use->box); i++)
			use->array->model[place(use->array, &use->box, i)] =
				desc.pattern;
	submit(&desc, work);
}

/* Copy between two arrays, a box that both have. */
static void add_copy(struct work *work)
{
	struct use *from = &work->uses[0], *to = &work->uses[1];
	plait_task_desc desc = { .size = sizeof(desc),
				 .kind = PLAIT_TASK_COPY };
	uint64_t source = below(DATA);

	*from = (struct use){ &arrays[source], unit, PLAIT_ACCESS_READ };
	*to = (struct use){ &arrays[(source + 1) % DATA], unit,
			    PLAIT_ACCESS_WRITE };
	for (int d = 0; d < 3; d++) {
		uint64_t a = from->array->extent[d], b = to->array->extent[d];
		uint64_t size = 1 + below(a < b ? a : b);

		from->box.low[d] = below(a - size + 1);
		from->box.high[d] = from->box.low[d] + size;
		to->box.low[d] = below(b - size + 1);
		to->box.high[d] = to->box.low[d] + size;
	}
	work->count = 2;
	desc.source = from->array->data;
	desc.source_box = &from->box;
	desc.target = to->array->data;
	desc.target_box = &to->box;
	if (predict(work))
		for (uint64_t i = 0; i < count_of(&from->box); i++)
			to->array->model[place(to->array, &to->box, i)] =
				from->array->model[place(from->array,
							 &from->box, i)];
	submit(&desc, work);
}

static void add_transfer(struct work *work, bool reads)
{
	struct use *use = &work->uses[0];
	plait_task_desc desc = {
		.size = sizeof(desc), .host = work->host,
		.kind = reads ? PLAIT_TASK_READ : PLAIT_TASK_WRITE,
	};

	*use = (struct use){ &arrays[below(DATA)], unit,
			     reads ? PLAIT_ACCESS_READ : PLAIT_ACCESS_WRITE };
	use->box = random_box(use->array);
	work->count = 1;
	work->is_read = reads;
	if (reads) {
		desc.source = use->array->data;
		desc.source_box = &use->box;
	} else {
		desc.target = use->array->data;
		desc.target_box = &use->box;
	}
	if (predict(work))
		for (uint64_t i = 0; i < count_of(&use->box); i++) {
			uint64_t *at = &use->array->model[place(
				use->array, &use->box, i)];

			if (reads)
				work->expected[i] = *at;
			else
				*at = work->host[i] = next_random();
		}
	submit(&desc, work);
}

/* ---- the host ---- */

static void read_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	static uint64_t host[ELEMENTS];
	uint64_t wrong = 0;
	plait_status status = plait_data_read(array->data, &box, host,
					      &flow_rig.error);

	if (has_poison(array, &box)) {
		IS_INT(status, PLAIT_E_FAILED);
		return;
	}
	OK_THAT(status == PLAIT_OK, "read: %s", flow_rig.error.text);
	for (uint64_t i = 0; i < count_of(&box); i++)
		wrong += host[i] != array->model[place(array, &box, i)];
	IS_UINT(wrong, 0);
}

static void write_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	static uint64_t host[ELEMENTS];

	for (uint64_t i = 0; i < count_of(&box); i++)
		array->model[place(array, &box, i)] = host[i] = next_random();
	set_poison(array, &box, false);
	OK_THAT(plait_data_write(array->data, &box, host, &flow_rig.error) ==
		PLAIT_OK, "write: %s", flow_rig.error.text);
}

/* Map a box, change it in both memories, unmap it. */
static void map_now(void)
{
	struct array *array = &arrays[below(DATA)];
	plait_box box = random_box(array);
	uint32_t flags = 1 + (uint32_t)below(3);
	void *pointer = NULL;
	plait_status status = plait_data_map(array->data, &box, flags,
					     &pointer, &flow_rig.error);

	if ((flags & PLAIT_MAP_READ) != 0 && has_poison(array, &box)) {
		IS_INT(status, PLAIT_E_FAILED);
		return;
	}
	if (!OK_THAT(status == PLAIT_OK, "map: %s", flow_rig.error.text))
		return;
	IS_PTR(pointer, &array->real[place(array, &box, 0)]);
	for (uint64_t i = 0; i < count_of(&box); i++) {
		uint64_t at = place(array, &box, i);

		if ((flags & PLAIT_MAP_WRITE) != 0)
			array->real[at] = array->model[at] = next_random();
		else
			OK(array->real[at] == array->model[at]);
	}
	if ((flags & PLAIT_MAP_WRITE) != 0)
		set_poison(array, &box, false);
	IS_INT(plait_data_unmap(array->data, pointer, NULL), PLAIT_OK);
}

/* ---- programs ---- */

static void check_work(struct work *work)
{
	plait_flow_info info = { .size = sizeof(info) };
	uint64_t wrong = 0;
	plait_status status;

	if (work->number == 0)
		return;
	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	status = plait_flow_wait(flow, work->number, PLAIT_FOREVER,
				 &flow_rig.error);
	/* Failures that are older than the window may be forgotten. */
	if (status != PLAIT_OK || work->number + info.window > info.newest)
		OK_THAT(status == (work->spoiled ? PLAIT_E_FAILED : PLAIT_OK),
			"task %llu of %llu, window %u, %s ends with %d",
			(unsigned long long)work->number,
			(unsigned long long)info.newest, info.window,
			work->spoiled ? "spoiled," : "", status);
	if (!work->is_read || work->spoiled)
		return;
	for (uint64_t i = 0; i < count_of(&work->uses[0].box); i++)
		wrong += work->host[i] != work->expected[i];
	IS_UINT(wrong, 0);
}

static void step(struct work *work)
{
	memset(work, 0, offsetof(struct work, host));
	switch (below(12)) {
	case 0: add_fill(work); break;
	case 1: add_copy(work); break;
	case 2: add_transfer(work, true); break;
	case 3: add_transfer(work, false); break;
	case 4: read_now(); break;
	case 5: one_in(2) ? write_now() : map_now(); break;
	default: add_call(work); break;
	}
}

static void run_program(const struct flow_setting *setting)
{
	static const uint32_t windows[] = { 16, 16, 32, 64, 1024 };

	if (!open_flow(setting, windows[below(TAP_COUNT(windows))]))
		return;
	for (int i = 0; i < DATA; i++)
		make_array(&arrays[i], (uint32_t)below(4));
	for (int part = 0; part < 3; part++) {
		for (int t = 0; t < TASKS; t++)
			step(&works[t]);
		if (one_in(3))
			(void)wait_task(0);
		for (int t = 0; t < TASKS; t++)
			check_work(&works[t]);
		for (int i = 0; i < DATA; i++) {
			read_now();
			map_now();
		}
	}
	for (int i = 0; i < DATA; i++)
		release_array(&arrays[i]);
	close_flow();
}

static void programs(void)
{
	uint64_t seed = tap_seed();
	const char *asked = tap_argument("rounds");
	uint64_t rounds = asked != NULL ? strtoull(asked, NULL, 10) :
			  tap_soak() ? 100 * ROUNDS : ROUNDS;

	for (uint64_t r = 0; r < rounds && tap_failed() == 0; r++) {
		state = (seed + r) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		NOTE("seed=%llu", (unsigned long long)(seed + r));
		run_program(&flow_settings[r % FLOW_SETTINGS]);
	}
}

static const struct tap_scenario all[] = {
	{ "programs", programs },
};

TAP_MAIN(all)
