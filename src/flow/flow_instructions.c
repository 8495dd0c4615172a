/* SPDX-License-Identifier: MIT */
/* plait_flow_write_instructions: a flow's record on a system of memories. */
#include "plait/record.h"

#include "flow/flow.h"
#include "flow/flow_write.h"
#include "flow/memory/instruction_forms.h"

#include "base/error.h"
#include "base/sized_struct.h"

_Static_assert((int)PLAIT_PEERS_NONE == (int)PLAIT__MEMORY_PEERS_NONE,
	       "peers are numbered as in the generator");

static plait_status check_system(const plait_memories_desc *desc,
				 plait_error *error)
{
	const uint32_t known = PLAIT_MEMORIES_SHARED |
			       PLAIT_MEMORIES_NO_LOOKAHEAD;

	if (desc->devices == 0 || desc->devices > PLAIT__MEMORY_DEVICES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "devices is %u, but has to be 1 to %d",
				   desc->devices, PLAIT__MEMORY_DEVICES);
	if (desc->peers > PLAIT_PEERS_NONE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "peers %u is not one of PLAIT_PEERS_ALL, "
				   "_RING and _NONE", desc->peers);
	if ((desc->flags & ~known) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "flags 0x%x has bits that are not of "
				   "PLAIT_MEMORIES_...", desc->flags);
	return PLAIT_OK;
}

static plait_status check(const plait_memories_desc *memories,
			  plait_flow_format format, plait_memories_desc *known,
			  plait_error *error)
{
	plait_status status = PLAIT__STRUCT_READ(plait_memories_desc, known,
						 memories, error);

	if (status == PLAIT_OK)
		status = check_system(known, error);
	if (status != PLAIT_OK ||
	    (format >= PLAIT_FLOW_TEXT && format <= PLAIT_FLOW_JSON))
		return status;
	return plait__fail(error, PLAIT_E_INVALID,
			   "format %d is not one of PLAIT_FLOW_TEXT and _JSON",
			   format);
}

/* Caller holds the lock. */
static void write_form(const plait__record *record,
		       const plait_memories_desc *desc,
		       plait_flow_format format, plait__text *out)
{
	const plait__placer_options options = { .lanes = 1, .explains = true };
	plait__memory_system system;
	plait__generator generator;

	plait__memory_system_make(&system, desc->devices,
				  (plait__memory_peers)desc->peers,
				  (desc->flags & PLAIT_MEMORIES_SHARED) != 0);
	plait__generator_init(&generator, record, &system, &options);
	plait__generator_run(&generator,
			     (desc->flags & PLAIT_MEMORIES_NO_LOOKAHEAD) == 0);
	if (plait__generator_has_failed(&generator))
		out->failed = true;
	else if (format == PLAIT_FLOW_TEXT)
		plait__instruction_forms_text(record, &generator, out);
	else
		plait__instruction_forms_json(record, &generator, out);
	plait__generator_fini(&generator);
}

static plait_status write_flow(plait__flow *flow,
			       const plait_memories_desc *desc,
			       plait_flow_format format, plait__text *out,
			       plait_error *error)
{
	plait_status status;

	plait__flow_lock(flow);
	status = plait__flow_write_check(flow, error);
	if (status == PLAIT_OK)
		write_form(flow->record, desc, format, out);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK && out->failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to write instructions");
	return status;
}

PLAIT_API plait_status plait_flow_write_instructions(
	plait_flow *flow, const plait_memories_desc *memories,
	plait_flow_format format, void *buffer, uint64_t capacity_bytes,
	uint64_t *out_bytes, plait_error *error)
{
	plait_memories_desc desc;
	plait__flow *self;
	plait__text text;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	status = plait__flow_enter(flow, &self, error);
	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__flow_allocator(self));
	status = check(memories, format, &desc, error);
	if (status == PLAIT_OK)
		status = write_flow(self, &desc, format, &text, error);
	if (status == PLAIT_OK)
		status = plait__flow_write_return(&text, buffer, capacity_bytes,
						  out_bytes, error);
	plait__text_fini(&text);
	plait__object_leave(&self->object);
	return status;
}
