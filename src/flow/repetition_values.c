/* SPDX-License-Identifier: MIT */
/* Values of a repetition; see repetition_values.h. */
#include "flow/repetition_values.h"

/* ---- accesses ---- */

static bool append(plait__repetition *again, plait__data *whole,
		   const plait_box *box, uint32_t memory, uint32_t mode)
{
	const plait__flow_access access = {
		.whole = whole, .box = *box, .mode = mode,
		.map = memory == PLAIT__MEMORY_HOST ? &whole->map :
		       &plait__data_copies_at(whole->copies, memory)->map,
	};

	if (PLAIT__VECTOR_ADD(&again->accesses, &access) == NULL)
		return false;
	plait__object_hold(&whole->object);
	return true;
}

/* Boxes that tasks write, as plait__version. */
struct written {
	plait__vector *boxes;
	bool failed;
};

static void visit_front(void *arg, plait__front *front, const plait_box *piece)
{
	struct written *written = arg;
	const plait__version version = { .box = *piece };

	if (front->writer != 0 &&
	    PLAIT__VECTOR_ADD(written->boxes, &version) == NULL)
		written->failed = true;
}

/* Append the writes of a data in a memory, the i-th of the record. */
static bool take_writes(plait__repetition *again,
			const plait__flow_capture *capture, uint32_t i,
			plait__vector *boxes)
{
	const plait__captured_data *at = plait__capture_state_at(capture, i);
	struct written written = { boxes, false };
	bool done;

	plait__vector_truncate(boxes, 0);
	plait__front_map_visit_box(
		&plait__record_data_at(&capture->record, i)->map,
		&at->whole->box, visit_front, &written);
	plait__coherence_join(boxes);
	done = !written.failed;
	if (boxes->count > 0)
		again->memories |= UINT64_C(1) << at->memory;
	for (uint32_t k = 0; done && k < boxes->count; k++) {
		const plait__version *version = plait__vector_at(boxes, k);

		done = append(again, at->whole, &version->box, at->memory,
			      PLAIT__ACCESS_WRITES);
	}
	return done;
}

static bool take_all_writes(plait__repetition *again,
			    const plait__flow_capture *capture)
{
	plait__vector boxes;
	bool done = true;

	plait__vector_init(&boxes, capture->record.allocator,
			   sizeof(plait__version));
	for (uint32_t i = 0; done && i < capture->data.count; i++) {
		const plait__data *whole =
			plait__capture_state_at(capture, i)->whole;

		if (whole != NULL && whole->copies != NULL)
			done = take_writes(again, capture, i, &boxes);
	}
	plait__vector_fini(&boxes);
	return done;
}

/* ---- needs and results ---- */

/* Append the needs of a memory, and their accesses. */
static bool take_needs(plait__repetition *again, const plait__vector *captured,
		       uint32_t memory)
{
	bool done = true;

	for (uint32_t i = 0; done && i < captured->count; i++) {
		const plait__repetition_need *at = plait__vector_at(captured, i);

		if (at->memory != memory)
			continue;
		again->memories |= UINT64_C(1) << memory;
		done = PLAIT__VECTOR_ADD(&again->needs, at) != NULL &&
		       append(again, at->whole, &at->box, memory,
			      PLAIT__ACCESS_READS);
	}
	return done;
}

/* The writer of all results is the run. */
static void join_writers(plait__vector *versions)
{
	for (uint32_t i = 0; i < versions->count; i++)
		((plait__version *)plait__vector_at(versions, i))->writer = 0;
	plait__coherence_join(versions);
}

/* Append what the tasks have written of a data. */
static bool take_results(plait__repetition *again,
			 plait__captured_values *values)
{
	plait__vector *versions = &values->written.versions;
	plait__repetition_result result = { .whole = values->whole };
	uint32_t first = again->results.count;

	join_writers(versions);
	for (uint32_t i = 0; i < versions->count; i++) {
		result.version = *(plait__version *)plait__vector_at(versions,
								     i);
		if (result.version.valid != 0 &&
		    PLAIT__VECTOR_ADD(&again->results, &result) == NULL)
			return false;
	}
	if (again->results.count > first)
		((plait__repetition_result *)plait__vector_at(&again->results,
							      first))
			->count = again->results.count - first;
	return true;
}

bool plait__repetition_values_take(plait__repetition *again,
				   const plait__flow_capture *capture)
{
	const plait__capture_devices *devices = &capture->devices;
	bool done = take_all_writes(again, capture);

	for (uint32_t m = 0; done && m < capture->memories; m++)
		done = take_needs(again, &devices->needs, m);
	for (uint32_t i = 0; done && i < devices->values.count; i++)
		done = take_results(again,
				    plait__vector_at(&devices->values, i));
	again->mapped = devices->mapped;
	return done;
}

void plait__repetition_values_leave(const plait__repetition *again,
				    uint64_t number)
{
	for (uint32_t i = 0; i < again->results.count; i++) {
		const plait__repetition_result *at =
			plait__vector_at(&again->results, i);
		plait__version version = at->version;

		version.writer = (uint32_t)number;
		plait__coherence_set(&at->whole->copies->coherence, &version);
	}
}
