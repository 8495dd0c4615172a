/* SPDX-License-Identifier: MIT */
/*
 * The arguments that most launches have: values, and all of a buffer that the
 * graph has had before and that may be written.  They are checked as
 * argument.c does, and pushed with no more than one look at each table.
 * Whatever else there is, or is wrong, argument.c does and says.
 */
#include "graph/graph.h"
#include "kernel/argument.h"

#include <string.h>

enum { VALUE_BYTES = 8 };

/* Where the next argument and the next access go; there is room for one of
 * each for every parameter. */
struct quick {
	plait__store *store;
	plait__plan_arg *arg;
	plait__plan_access *access;
	uint32_t device;	/* of the first buffer, or none */
};

static const uint8_t access_modes[] = {
	[PLAIT__MODE_VALUE] = PLAIT__ACCESS_READ_WRITE,
	[PLAIT__MODE_IN] = PLAIT__ACCESS_READ,
	[PLAIT__MODE_OUT] = PLAIT__ACCESS_WRITE,
	[PLAIT__MODE_INOUT] = PLAIT__ACCESS_READ_WRITE,
};

static inline bool take_buffer(struct quick *quick,
			       const plait__parameter *parameter,
			       const plait_argument *given)
{
	const plait__store_range *range;
	uint32_t at;

	if (parameter->type != PLAIT__TYPE_POINTER || given->offset_bytes != 0)
		return false;
	at = plait__store_find_handle(quick->store, PLAIT__STORE_BUFFER_HANDLES,
				      given->buffer);
	if (at == PLAIT__NONE ||
	    !plait__handle_lives(given->buffer, PLAIT_OBJECT_BUFFER))
		return false;
	range = (const plait__store_range *)quick->store->ranges.items + at;
	if (!range->is_plain)
		return false;
	*quick->arg++ = (plait__plan_arg){ .kind = PLAIT__ARG_MEMORY,
					   .index = range->slot };
	*quick->access++ = (plait__plan_access){
		.object = range->slot, .mode = access_modes[parameter->mode],
		.box = PLAIT__NONE
	};
	if (quick->device == PLAIT__NONE)
		quick->device = range->device;
	return true;
}

/* Values lie at multiples of their most bytes. */
static inline bool take_value(struct quick *quick,
			      const plait__parameter *parameter,
			      const plait_argument *given)
{
	plait__vector *blob = &quick->store->blob;
	uint32_t padding = -blob->count % VALUE_BYTES;
	char *place;

	if (plait__argument_judge_value(parameter, given->value,
					given->bytes) != NULL)
		return false;
	place = plait__vector_extend(blob, padding + (uint32_t)given->bytes);
	if (place == NULL)
		return false;
	memset(place, 0, padding);
	memcpy(place + padding, given->value, given->bytes);
	*quick->arg++ = (plait__plan_arg){
		.kind = PLAIT__ARG_VALUE, .bytes = (uint32_t)given->bytes,
		.blob = blob->count - (uint32_t)given->bytes
	};
	return true;
}

static bool take_all(struct quick *quick, const plait__signature *signature,
		     const plait_argument *given)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];
		bool taken = false;

		if (given[i].kind == PLAIT_ARGUMENT_BUFFER)
			taken = take_buffer(quick, parameter, &given[i]);
		else if (given[i].kind == PLAIT_ARGUMENT_VALUE)
			taken = take_value(quick, parameter, &given[i]);
		if (!taken)
			return false;
	}
	return true;
}

bool plait__graph_quick(plait__adding *adding,
			const plait__signature *signature)
{
	plait__store *store = adding->graph->store;
	const plait_argument *given = adding->desc->arguments;
	uint32_t args = store->args.count, accesses = store->accesses.count;
	uint32_t blob = store->blob.count, count = signature->count;
	struct quick quick = { .store = store,
			       .device = adding->first_buffer_device };

	if (count == 0)
		return true;
	if (given->size != sizeof(*given))
		return false;
	quick.arg = plait__vector_extend(&store->args, count);
	quick.access = plait__vector_extend(&store->accesses, count);
	if (quick.arg == NULL || quick.access == NULL ||
	    !take_all(&quick, signature, given)) {
		plait__vector_cut(&store->args, args);
		plait__vector_cut(&store->accesses, accesses);
		plait__vector_cut(&store->blob, blob);
		return false;
	}
	adding->payload.arg_count = count;
	adding->first_buffer_device = quick.device;
	adding->node.access_count = (uint32_t)(
		quick.access - (plait__plan_access *)store->accesses.items) -
		accesses;
	plait__vector_cut(&store->accesses,
			  accesses + adding->node.access_count);
	return true;
}
