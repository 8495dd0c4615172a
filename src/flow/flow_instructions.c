/* SPDX-License-Identifier: MIT */
/* plait_flow_write_instructions: a flow's record on a system of memories. */
#include "plait/record.h"

#include "flow/flow.h"
#include "flow/flow_write.h"
#include "flow/memory/instruction_forms.h"
#include "flow/memory/instruction_warnings.h"
#include "flow/show/explain.h"
#include "flow/policy/links_read.h"

#include "base/error.h"
#include "base/sized_struct.h"

#include <string.h>

_Static_assert((int)PLAIT_PEERS_NONE == (int)PLAIT__MEMORY_PEERS_NONE &&
		       (int)PLAIT_CHOOSE_MINMAX_TIME ==
			       (int)PLAIT__CHOOSE_MINMAX_TIME &&
		       (int)PLAIT_PARENT_DEVICE_DISJOINT ==
			       (int)PLAIT__PARENT_DEVICE_DISJOINT &&
		       (int)PLAIT_LANE_ALWAYS_NEW ==
			       (int)PLAIT__LANE_ALWAYS_NEW,
	       "peers and policies are numbered as in the generator");

static plait_status check_policies(const plait_memories_desc *desc,
				   plait_error *error)
{
	if (desc->choose > PLAIT_CHOOSE_MINMAX_TIME)
		return plait__fail(error, PLAIT_E_INVALID,
				   "choose %u is not one of PLAIT_CHOOSE_...",
				   desc->choose);
	if (desc->parent > PLAIT_PARENT_DEVICE_DISJOINT)
		return plait__fail(error, PLAIT_E_INVALID,
				   "parent %u is not one of PLAIT_PARENT_...",
				   desc->parent);
	if (desc->lane > PLAIT_LANE_ALWAYS_NEW)
		return plait__fail(error, PLAIT_E_INVALID,
				   "lane %u is not one of PLAIT_LANE_REUSE and "
				   "_ALWAYS_NEW", desc->lane);
	return PLAIT_OK;
}

static plait_status check_system(const plait_memories_desc *desc,
				 plait_error *error)
{
	const uint32_t known = PLAIT_MEMORIES_SHARED |
			       PLAIT_MEMORIES_NO_LOOKAHEAD |
			       PLAIT_MEMORIES_STRICT;

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
				   "flags 0x%x are unknown; known are "
				   "PLAIT_MEMORIES_SHARED, _NO_LOOKAHEAD and "
				   "_STRICT", desc->flags & ~known);
	return check_policies(desc, error);
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

/* A request: the form, and the system with its policies and links. */
struct request {
	const plait_memories_desc *desc;
	plait_flow_format format;
	plait__memory_system system;
	plait__placer_options options;
	plait__links links;
};

static plait_status refuse(const plait__record *record,
			   const plait__generator *generator,
			   plait_error *error)
{
	const plait__refusal *refusal = &generator->state.refusal;
	const plait__record_task *task = plait__record_task_at(record,
							       refusal->task);

	return plait__fail(error, PLAIT_E_NOMEM,
			   "task %llu \"%s\", piece %u of %u, needs %llu bytes "
			   "of memory %u, which has %llu: cut it into more "
			   "pieces, or give the memory more",
			   (unsigned long long)task->number,
			   plait__record_name(record, task->label), task->piece,
			   task->piece_count > 1 ? task->piece_count : 1,
			   (unsigned long long)refusal->bytes, refusal->memory,
			   (unsigned long long)generator->system.capacity);
}

/* `text` has a line for each. */
static plait_status fail_warnings(const char *text, uint32_t count,
				  plait_error *error)
{
	const char *first = text + strlen("warning: ");

	return plait__fail(error, PLAIT_E_INVALID,
			   "%u warning%s; the first: %.*s", count,
			   count == 1 ? "" : "s",
			   (int)(strchr(first, '\n') - first), first);
}

/* Refuse a system with warnings; the error has the first one. */
static plait_status check_warnings(const plait__record *record,
				   const plait__generator *generator,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__vector warnings;
	plait__text text;
	uint32_t count;

	plait__vector_init(&warnings, record->allocator,
			   sizeof(plait__instruction_warning));
	plait__text_init(&text, record->allocator);
	if (!plait__instruction_warnings_find(generator, &warnings))
		text.failed = true;
	plait__explain_warnings(record, &text);
	plait__instruction_warnings_text(record, &warnings, &text);
	count = record->warnings.count + warnings.count;
	if (text.failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for warnings");
	else if (count > 0)
		status = fail_warnings(text.bytes, count, error);
	plait__text_fini(&text);
	plait__vector_fini(&warnings);
	return status;
}

static void write_list(const plait__record *record,
		       const struct request *request,
		       const plait__generator *generator, plait__text *out)
{
	if (request->format == PLAIT_FLOW_TEXT)
		plait__instruction_forms_text(record, generator, out);
	else
		plait__instruction_forms_json(record, generator, out);
}

/* Caller holds the lock. */
static plait_status write_form(const plait__record *record,
			       const struct request *request, plait__text *out,
			       plait_error *error)
{
	plait__generator generator;
	plait_status status = PLAIT_OK;

	plait__generator_init(&generator, record, &request->system,
			      &request->options);
	plait__generator_run(&generator, (request->desc->flags &
					  PLAIT_MEMORIES_NO_LOOKAHEAD) == 0);
	if (plait__generator_has_failed(&generator))
		out->failed = true;
	else if (generator.state.refusal.task != PLAIT__INSTRUCTION_NONE)
		status = refuse(record, &generator, error);
	else if ((request->desc->flags & PLAIT_MEMORIES_STRICT) != 0)
		status = check_warnings(record, &generator, error);
	if (status == PLAIT_OK && !out->failed)
		write_list(record, request, &generator, out);
	plait__generator_fini(&generator);
	return status;
}

static plait_status write_flow(plait__flow *flow,
			       const struct request *request, plait__text *out,
			       plait_error *error)
{
	plait_status status;

	plait__flow_lock(flow);
	status = plait__flow_write_check(flow, error);
	if (status == PLAIT_OK)
		status = write_form(flow->record, request, out, error);
	plait__flow_unlock(flow);
	if (status == PLAIT_OK && out->failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to write instructions");
	return status;
}

static plait_status read_links(struct request *request, plait_error *error)
{
	const char *text = request->desc->links;

	return text == NULL ? PLAIT_OK :
	       plait__links_read(&request->links, text, strlen(text), "links",
				 error);
}

/* Make the system, with the links that it has. */
static plait_status write_system(plait__flow *flow, struct request *request,
				 plait__text *out, plait_error *error)
{
	const plait_memories_desc *desc = request->desc;
	uint32_t lanes = desc->lanes == 0 ? 1 : desc->lanes;
	plait_status status;

	plait__memory_system_make(&request->system, desc->devices,
				  (plait__memory_peers)desc->peers,
				  (desc->flags & PLAIT_MEMORIES_SHARED) != 0);
	request->system.capacity = desc->memory_bytes;
	request->options = (plait__placer_options){
		.choose = desc->choose, .parent = desc->parent,
		.lane = desc->lane, .explains = true,
		.lanes = lanes == UINT32_MAX ? 0 : lanes,
		.links = desc->links != NULL ? &request->links : NULL,
		.weights = desc->weights,
	};
	status = plait__links_init(&request->links,
				   plait__flow_allocator(flow),
				   request->system.memories,
				   PLAIT__MEMORY_HOST);
	if (status != PLAIT_OK)
		return plait__fail(error, status, "no memory for links");
	status = read_links(request, error);
	if (status == PLAIT_OK)
		status = write_flow(flow, request, out, error);
	plait__links_fini(&request->links);
	return status;
}

PLAIT_API plait_status plait_flow_write_instructions(
	plait_flow *flow, const plait_memories_desc *memories,
	plait_flow_format format, void *buffer, uint64_t capacity_bytes,
	uint64_t *out_bytes, plait_error *error)
{
	plait_memories_desc desc;
	struct request request = { .desc = &desc, .format = format };
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
		status = write_system(self, &request, &text, error);
	if (status == PLAIT_OK)
		status = plait__flow_write_return(&text, buffer, capacity_bytes,
						  out_bytes, error);
	plait__text_fini(&text);
	plait__object_leave(&self->object);
	return status;
}
