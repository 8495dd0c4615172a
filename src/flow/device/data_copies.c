/* SPDX-License-Identifier: MIT */
/* Copies of data in memories of devices; see data_copies.h. */
#include "flow/device/data_copies.h"

#include "base/alloc.h"

static uint64_t bytes_of(uint32_t count)
{
	return sizeof(plait__data_copies) + count * sizeof(plait__data_copy);
}

plait__data_copies *plait__data_copies_make(const plait_allocator *allocator,
					    const plait_box *whole,
					    uint32_t count)
{
	plait__data_copies *copies = plait__alloc(allocator, bytes_of(count));

	if (copies == NULL)
		return NULL;
	copies->count = count;
	for (uint32_t i = 0; i < count; i++)
		plait__front_map_init(&copies->items[i].map, allocator, whole);
	plait__coherence_init(&copies->coherence, allocator, whole, 1);
	if (!copies->coherence.failed)
		return copies;
	plait__data_copies_free(copies, allocator);
	return NULL;
}

void plait__data_copies_free(plait__data_copies *copies,
			     const plait_allocator *allocator)
{
	if (copies == NULL)
		return;
	for (uint32_t i = 0; i < copies->count; i++) {
		plait__data_copy *copy = &copies->items[i];

		if (copy->buffer != NULL)
			plait__object_release(
				plait__object_handle(&copy->buffer->object),
				PLAIT_OBJECT_BUFFER);
		plait__front_map_fini(&copy->map);
	}
	plait__coherence_fini(&copies->coherence);
	plait__free(allocator, copies, bytes_of(copies->count));
}

bool plait__data_copies_reserve(plait__data_copies *copies)
{
	plait__vector *versions = &copies->coherence.versions;
	const uint32_t most = (PLAIT__BOX_LIST_PARTS + 1) * versions->count + 1;

	return !copies->coherence.failed &&
	       (versions->capacity >= most ||
		plait__vector_reserve(versions, most - versions->count) == 0);
}

enum { MANY = 16 };

void plait__data_copies_forget(plait__data_copies *copies,
			       bool (*has_succeeded)(void *arg,
						     uint32_t writer),
			       void *arg)
{
	plait__vector *versions = &copies->coherence.versions;

	if (versions->count < MANY || versions->count < copies->forget_at)
		return;
	for (uint32_t i = 0; i < versions->count; i++) {
		plait__version *version = plait__vector_at(versions, i);

		if (version->writer != 0 &&
		    has_succeeded(arg, version->writer))
			version->writer = 0;
	}
	plait__coherence_join(versions);
	copies->forget_at = 2 * versions->count;
}

/* ---- losses ---- */

struct losing {
	plait__data_copies *copies;
	uint32_t memory;
	uint64_t number;
};

static void lose_piece(void *arg, plait__front *front, const plait_box *piece)
{
	const struct losing *by = arg;

	if (front->writer == by->number)
		plait__coherence_drop(&by->copies->coherence, piece,
				      by->memory);
}

void plait__data_copies_lose(plait__data_copies *copies, const plait_box *box,
			     uint32_t memory, uint64_t number)
{
	struct losing by = { copies, memory, number };

	plait__front_map_visit_box(&plait__data_copies_at(copies, memory)->map,
				   box, lose_piece, &by);
}

void plait__data_copies_visit(plait__data_copies *copies,
			      plait__front_visit visit, void *arg)
{
	for (uint32_t i = 0; copies != NULL && i < copies->count; i++)
		plait__front_map_visit_all(&copies->items[i].map, visit, arg);
}
