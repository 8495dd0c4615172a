/* SPDX-License-Identifier: MIT */
/* Buffers whose memory the peers of a machine read in place. */
#include "world/world_buffer.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "object/context/device.h"
#include "object/memory/buffer.h"

enum { ALIGNMENT = 4096 };	/* of shared memory */

struct plait__world_memory {
	plait__world *world;	/* held */
	struct plait__world_memory *next; /* guarded by world->memory_lock */
	plait__world_piece piece;
};

/* ---- pieces ---- */

static bool has_range(const plait__world_piece *piece, const void *memory,
		      uint64_t bytes)
{
	uintptr_t start = (uintptr_t)piece->start, at = (uintptr_t)memory;

	return at >= start && at - start <= piece->bytes &&
	       bytes <= piece->bytes - (at - start);
}

plait__world_piece plait__world_buffer_find(plait__world *world,
					    const void *memory, uint64_t bytes)
{
	plait__world_piece found = { .start = NULL };

	/* Relaxed: the caller has the memory, so its piece is counted. */
	if (memory == NULL || at_load_relaxed_u32(&world->memory_count) == 0)
		return found;
	plait__mutex_lock(&world->memory_lock);
	for (const struct plait__world_memory *at = world->memories;
	     at != NULL && found.start == NULL; at = at->next)
		if (has_range(&at->piece, memory, bytes))
			found = at->piece;
	plait__mutex_unlock(&world->memory_lock);
	return found;
}

bool plait__world_buffer_reaches(const plait__world *world, uint32_t peer)
{
	uint32_t port = world->routes[peer];

	return port == world->shared_port &&
	       (plait__world_end_at(world, peer, port)->flags &
		PLAIT_PORT_SHARES_MEMORY);
}

static void add_memory(struct plait__world_memory *memory)
{
	plait__world *world = memory->world;

	plait__mutex_lock(&world->memory_lock);
	memory->next = world->memories;
	world->memories = memory;
	(void)at_add_u32(&world->memory_count, 1);
	plait__mutex_unlock(&world->memory_lock);
}

static void remove_memory(struct plait__world_memory *memory)
{
	struct plait__world_memory **at;
	plait__world *world = memory->world;

	plait__mutex_lock(&world->memory_lock);
	for (at = &world->memories; *at != memory; at = &(*at)->next)
		;
	*at = memory->next;
	(void)at_sub_u32(&world->memory_count, 1);
	plait__mutex_unlock(&world->memory_lock);
}

static void free_memory(struct plait__world_memory *memory)
{
	plait__world *world = memory->world;

	if (memory->piece.start != NULL)
		plait__world_port_unshare(&world->ports[world->shared_port],
					  memory->piece.start,
					  memory->piece.place,
					  memory->piece.bytes);
	plait__free(plait__world_allocator(world), memory, sizeof(*memory));
	plait__object_drop(&world->object);
}

static plait_status make_memory(plait__world *world, uint64_t bytes,
				struct plait__world_memory **out,
				plait_error *error)
{
	struct plait__world_memory *memory =
		plait__alloc(plait__world_allocator(world), sizeof(*memory));
	plait_status status;
	void *start = NULL;

	*out = NULL;
	if (memory == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a buffer of the world");
	memory->world = world;
	plait__object_hold(&world->object);
	status = plait__world_port_share(&world->ports[world->shared_port],
					 bytes, &start, &memory->piece.place,
					 error);
	if (status != PLAIT_OK) {
		free_memory(memory);
		return status;
	}
	memory->piece.start = start;
	memory->piece.bytes = bytes;
	*out = memory;
	return PLAIT_OK;
}

/* The buffer has no holds any more.  In the thread that drops the last one, since
 * the world may end here, and a transport may need the thread that releases it. */
static void end_memory(void *arg)
{
	struct plait__world_memory *memory = arg;

	remove_memory(memory);
	free_memory(memory);
}

/* ---- buffers ---- */

static plait_status find_host(const plait__world *world, plait_device **out,
			      plait_error *error)
{
	plait__context *context = world->object.context;

	for (uint32_t i = 0; i < context->device_count; i++) {
		if (!plait__device_is_host(&context->devices[i]))
			continue;
		*out = plait__object_handle(&context->devices[i].object);
		return PLAIT_OK;
	}
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "the context has no host device");
}

/* Returns true if the memory of such a buffer can be shared. */
static bool is_plain(const plait__world *world, const plait_buffer_desc *desc)
{
	return world->shared_port != PLAIT__WORLD_NO_ROUTE &&
	       desc->bytes > 0 && desc->bytes <= INT64_MAX &&
	       desc->flags == 0 && desc->format == PLAIT_IMAGE_NONE &&
	       desc->width == 0 && desc->height == 0 && desc->reserved0 == 0 &&
	       desc->alignment_bytes <= ALIGNMENT &&
	       (desc->alignment_bytes & (desc->alignment_bytes - 1)) == 0;
}

/* Out of memory: reclaim buffers that finished work held, and try again. */
static plait_status make_memory_patiently(plait__world *world, uint64_t bytes,
					  struct plait__world_memory **out,
					  plait_error *error)
{
	plait_status status = make_memory(world, bytes, out, error);

	if (status != PLAIT_E_NOMEM)
		return status;
	plait__reclaim_now(world->object.context);
	return make_memory(world, bytes, out, error);
}

static plait_status share(plait__world *world, plait_device *device,
			  const plait_buffer_desc *desc, plait_buffer **out,
			  plait_error *error)
{
	struct plait__world_memory *memory;
	plait_wrap_desc wrap = {
		.size = sizeof(wrap), .bytes = desc->bytes,
		.label = desc->label,
	};
	plait_status status = make_memory_patiently(world, desc->bytes,
						    &memory, error);

	if (status != PLAIT_OK)
		return status;
	wrap.pointer = memory->piece.start;
	add_memory(memory);
	status = plait_buffer_wrap(device, &wrap, out, error);
	if (status == PLAIT_OK)
		plait__buffer_on_end(*out, end_memory, memory);
	else
		end_memory(memory);
	return status;
}

static plait_status check_device(plait__world *world, plait_device *device,
				 plait_error *error)
{
	plait__device *entered;
	plait_status status = plait__device_enter(device, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__context_check_same(&world->object, &entered->object,
					   error);
	plait__device_leave(entered);
	return status;
}

static plait_status make_buffer(plait__world *world, plait_device *device,
				const plait_buffer_desc *given,
				plait_buffer **out, plait_error *error)
{
	plait_buffer_desc desc;
	plait_status status = PLAIT__STRUCT_READ(plait_buffer_desc, &desc,
						 given, error);

	if (status != PLAIT_OK)
		return status;
	desc.size = sizeof(desc);
	status = device == NULL ? find_host(world, &device, error) :
				  check_device(world, device, error);
	if (status != PLAIT_OK)
		return status;
	if (is_plain(world, &desc)) {
		status = share(world, device, &desc, out, error);
		if (status != PLAIT_E_UNSUPPORTED)
			return status;
	}
	return plait_buffer_create(device, &desc, out, error);
}

PLAIT_API plait_status plait_world_buffer(plait_world *world,
					  plait_device *device,
					  const plait_buffer_desc *desc,
					  plait_buffer **out,
					  plait_error *error)
{
	plait__world *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__world_enter(world, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = make_buffer(entered, device, desc, out, error);
	plait__object_leave(&entered->object);
	return status;
}
