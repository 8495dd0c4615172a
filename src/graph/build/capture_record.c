/* SPDX-License-Identifier: MIT */
/*
 * Commands of a captured queue as nodes.  A submission is recorded as a whole
 * or not at all: a mistake cuts the graph and the capture back.
 *
 * A lane's next node comes after its last one and after the emissions that the
 * queue has waited for since.
 */
#include "graph/build/capture.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "base/text.h"
#include "object/queue/validate_command.h"
#include "object/signal/signal.h"

#include <stdio.h>
#include <string.h>

/* One submission: where it is, and what the capture had before. */
struct recording {
	plait__capture *capture;
	plait__capture_lane *lane;
	plait__capture_lane old_lane;
	plait__store_mark mark;
	uint32_t nodes, edges, emissions, hosts;
	uint64_t sequence;	/* of the last EMIT, or 0 */
	plait_error *error;
};

/* ---- nodes ---- */

static plait_status add_node(struct recording *r, plait_node_desc *desc,
			     plait_node *out)
{
	plait__capture_lane *lane = r->lane;
	plait_node node = 0;
	plait_status status;

	desc->size = sizeof(*desc);
	desc->device = plait__object_handle(&lane->queue->device->object);
	status = plait__add_node(r->capture->graph, desc, lane->after,
				 lane->count, &node, r->error);
	if (status != PLAIT_OK)
		return status;
	lane->after[0] = node;
	lane->count = 1;
	if (out != NULL)
		*out = node;
	return PLAIT_OK;
}

/* Make one predecessor of several; 0: the lane has none. */
static plait_status settle(struct recording *r, plait_node *out)
{
	plait_node_desc join = { .kind = PLAIT_NODE_JOIN };
	plait_status status = PLAIT_OK;

	*out = r->lane->count > 0 ? r->lane->after[0] : 0;
	if (r->lane->count > 1)
		status = add_node(r, &join, out);
	return status;
}

/* Let the lane's next node come after a node of another lane. */
static plait_status add_pending(struct recording *r, plait_node node)
{
	plait__capture_lane *lane = r->lane;
	plait_node ignored;
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < lane->count; i++)
		if (lane->after[i] == node)
			return PLAIT_OK;
	if (lane->count == PLAIT__CAPTURE_PENDING)
		status = settle(r, &ignored);
	if (status == PLAIT_OK)
		lane->after[lane->count++] = node;
	return status;
}

/* ---- signals ---- */

static plait__capture_emission *emission_at(const plait__capture *capture,
					    uint32_t index)
{
	return plait__vector_at(&capture->emissions, index);
}

static plait__capture_signal *signal_at(const plait__capture *capture,
					uint32_t index)
{
	return plait__vector_at(&capture->signals, index);
}

/* Return the newest captured emission of a signal that is not above `sequence`,
 * or null. */
static const plait__capture_emission *
find_emission(const plait__capture *capture, const plait_signal *signal,
	      uint64_t sequence)
{
	uint32_t found = plait__capture_index_find(capture, PLAIT__CAPTURE_SIGNALS,
					     signal);
	uint32_t at = found == PLAIT__NONE ? PLAIT__NONE :
		      signal_at(capture, found)->newest;

	while (at != PLAIT__NONE &&
	       emission_at(capture, at)->sequence > sequence) {
		const plait__capture_emission *from = emission_at(capture, at);

		at = emission_at(capture, from->jump)->sequence > sequence ?
		     from->jump : from->previous;
		if (at == from->jump && from->previous == PLAIT__NONE)
			at = PLAIT__NONE;
	}
	return at == PLAIT__NONE ? NULL : emission_at(capture, at);
}

/* Returns the index of a signal, which is added if it is new; PLAIT__NONE
 * without memory. */
static uint32_t find_signal(plait__capture *capture,
			    const plait_signal *handle)
{
	const plait__capture_signal signal = { handle, PLAIT__NONE };
	uint32_t at = plait__capture_index_find(capture, PLAIT__CAPTURE_SIGNALS,
					  handle);

	if (at != PLAIT__NONE)
		return at;
	at = capture->signals.count;
	if (plait__vector_push(&capture->signals, &signal, 1) == NULL)
		return PLAIT__NONE;
	if (plait__capture_index_add(capture, PLAIT__CAPTURE_SIGNALS, handle,
			       at) == 0)
		return at;
	plait__vector_truncate(&capture->signals, at);
	return PLAIT__NONE;
}

/* Set how far back a new emission jumps: to the end of two jumps of one length,
 * or to the previous one. */
static void set_jump(const plait__capture *capture,
		     plait__capture_emission *emission, uint32_t own)
{
	const plait__capture_emission *previous, *near, *far;

	emission->jump = own;
	if (emission->previous == PLAIT__NONE)
		return;
	previous = emission_at(capture, emission->previous);
	near = emission_at(capture, previous->jump);
	far = emission_at(capture, near->jump);
	emission->depth = previous->depth + 1;
	emission->jump = previous->depth - near->depth ==
				 near->depth - far->depth ?
			 near->jump : emission->previous;
}

static plait_status submitted(const struct recording *r, plait_signal *signal,
			      bool emits, uint64_t *out)
{
	plait__signal *entered;
	plait_status status = plait__signal_enter(signal, &entered, r->error);

	if (status != PLAIT_OK)
		return status;
	if (emits && entered->is_gate)
		status = plait__fail(r->error, PLAIT_E_INVALID, "emit: the "
				     "signal is a gate; only the host raises "
				     "it");
	/* A gate can be awaited before it is raised. */
	*out = entered->is_gate ? UINT64_MAX : plait__signal_submitted(entered);
	plait__object_leave(&entered->object);
	return status;
}

static plait_status push_emission(struct recording *r, plait_signal *signal,
				  uint64_t sequence, plait_node node)
{
	plait__capture *capture = r->capture;
	plait__capture_emission emission = {
		.sequence = sequence, .node = node,
		.signal = find_signal(capture, signal),
	};
	uint32_t own = capture->emissions.count;

	if (emission.signal == PLAIT__NONE)
		goto no_memory;
	emission.previous = signal_at(capture, emission.signal)->newest;
	set_jump(capture, &emission, own);
	if (plait__vector_push(&capture->emissions, &emission, 1) == NULL)
		goto no_memory;
	signal_at(capture, emission.signal)->newest = own;
	r->sequence = sequence;
	return PLAIT_OK;
no_memory:
	return plait__fail(r->error, PLAIT_E_NOMEM, "no memory for a capture");
}

/* Record an emission: behind the last one of the signal, and as no node of its
 * own with PLAIT_CAPTURE_LOCAL_SIGNALS. */
static plait_status record_emit(struct recording *r,
				const plait_command *command)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_EMIT,
				 .label = command->label,
				 .signal = command->signal };
	const plait__capture_emission *last =
		find_emission(r->capture, command->signal, UINT64_MAX);
	uint64_t before = 0;
	plait_node node = 0;
	plait_status status = last != NULL ? PLAIT_OK :
			      submitted(r, command->signal, true, &before);

	if (last != NULL)
		before = last->sequence;
	/* Emissions of a signal have an order. */
	if (status == PLAIT_OK && last != NULL && last->node != 0)
		status = add_pending(r, last->node);
	if (status == PLAIT_OK)
		status = (r->capture->flags & PLAIT_CAPTURE_LOCAL_SIGNALS) ?
			 settle(r, &node) : add_node(r, &desc, &node);
	return status == PLAIT_OK ?
	       push_emission(r, command->signal, before + 1, node) : status;
}

static plait_status fail_wait(const struct recording *r, uint64_t sequence,
			      uint64_t newest)
{
	return plait__fail(r->error, PLAIT_E_INVALID,
			   "wait: emission %llu is neither submitted nor "
			   "captured; the newest is %llu",
			   (unsigned long long)sequence,
			   (unsigned long long)newest);
}

/* Record a wait: an edge if the emission was captured, else a WAIT node.
 * Nothing if the signal was never emitted and the newest emission is asked
 * for. */
static plait_status record_wait(struct recording *r,
				const plait_command *command)
{
	plait_node_desc desc = { .kind = PLAIT_NODE_WAIT,
				 .label = command->label,
				 .signal = command->signal,
				 .sequence = command->sequence };
	uint64_t wanted = command->sequence > 0 ? command->sequence :
						  UINT64_MAX;
	const plait__capture_emission *emission =
		find_emission(r->capture, command->signal, wanted);
	uint64_t newest = 0;
	plait_status status;

	if (emission != NULL && command->sequence > emission->sequence)
		return fail_wait(r, command->sequence, emission->sequence);
	if (emission != NULL)
		return emission->node != 0 ? add_pending(r, emission->node) :
					     PLAIT_OK;
	status = submitted(r, command->signal, false, &newest);
	if (status != PLAIT_OK || (command->sequence == 0 && newest == 0))
		return status;
	return command->sequence <= newest ? add_node(r, &desc, NULL) :
	       fail_wait(r, command->sequence, newest);
}

/* ---- memory of the program ---- */

enum { NAME_BYTES = 24 };

static plait_status name_host(struct recording *r, void *host,
			      char name[NAME_BYTES])
{
	plait__vector *hosts = &r->capture->hosts;
	uint32_t i;

	if (host == NULL)
		return plait__fail(r->error, PLAIT_E_INVALID, "host is null");
	i = plait__capture_index_find(r->capture, PLAIT__CAPTURE_HOSTS, host);
	if (i == PLAIT__NONE) {
		i = hosts->count;
		/* A failure rolls the list back. */
		if (plait__vector_push(hosts, &host, 1) == NULL ||
		    plait__capture_index_add(r->capture, PLAIT__CAPTURE_HOSTS, host,
				       i) != 0)
			return plait__fail(r->error, PLAIT_E_NOMEM,
					   "no memory for a capture");
	}
	(void)snprintf(name, NAME_BYTES, "host%u", i);
	return PLAIT_OK;
}

/* ---- commands ---- */

/* Record other commands as nodes; memory of the program becomes a parameter. */
static plait_status record_work(struct recording *r,
				const plait_command *command)
{
	static const plait_node_kind kinds[] = {
		[PLAIT_COMMAND_CALL] = PLAIT_NODE_CALL,
		[PLAIT_COMMAND_COPY] = PLAIT_NODE_COPY,
		[PLAIT_COMMAND_FILL] = PLAIT_NODE_FILL,
		[PLAIT_COMMAND_READ] = PLAIT_NODE_READ,
		[PLAIT_COMMAND_WRITE] = PLAIT_NODE_WRITE,
		[PLAIT_COMMAND_LAUNCH] = PLAIT_NODE_LAUNCH,
	};
	plait_node_desc desc = {
		.kind = kinds[command->kind], .flags = command->flags,
		.label = command->label, .function = command->function,
		.user_data = command->user_data, .inbox = command->inbox,
		.target = command->target,
		.target_offset = command->target_offset,
		.source = command->source,
		.source_offset = command->source_offset,
		.bytes = command->bytes, .pattern = command->pattern,
		.pattern_bytes = command->pattern_bytes,
		.rows = command->rows, .kernel = command->kernel,
		.launch = command->launch, .arguments = command->arguments,
		.argument_count = command->argument_count
	};
	char name[NAME_BYTES];
	plait_status status = PLAIT_OK;

	if (command->kind == PLAIT_COMMAND_CALL &&
	    (r->capture->flags & PLAIT_CAPTURE_NO_CALLS) != 0)
		return plait__fail(r->error, PLAIT_E_UNSUPPORTED,
				   "a function that is called once cannot be "
				   "captured; add a call to the graph");
	if (command->kind == PLAIT_COMMAND_READ ||
	    command->kind == PLAIT_COMMAND_WRITE) {
		status = name_host(r, command->host, name);
		desc.host_parameter = name;
	}
	return status == PLAIT_OK ? add_node(r, &desc, NULL) : status;
}

static plait_status record(struct recording *r, const plait_command *command)
{
	switch (command->kind) {
	case PLAIT_COMMAND_NOP:
		return PLAIT_OK;
	case PLAIT_COMMAND_WAIT:
		return record_wait(r, command);
	case PLAIT_COMMAND_EMIT:
		return record_emit(r, command);
	case PLAIT_COMMAND_CALL:
	case PLAIT_COMMAND_COPY:
	case PLAIT_COMMAND_FILL:
	case PLAIT_COMMAND_READ:
	case PLAIT_COMMAND_WRITE:
	case PLAIT_COMMAND_LAUNCH:
		return record_work(r, command);
	default:
		return plait__fail(r->error, PLAIT_E_INVALID,
				   "command of unknown kind %u",
				   command->kind);
	}
}

/* ---- submissions ---- */

static plait__store_scope *scope_of(const plait__capture *capture)
{
	return plait__store_scope_at(capture->graph->store, 0);
}

static void begin(struct recording *r)
{
	plait__capture *capture = r->capture;

	r->old_lane = *r->lane;
	plait__store_take_mark(capture->graph->store, &r->mark);
	r->nodes = scope_of(capture)->nodes.count;
	r->edges = scope_of(capture)->edges.count;
	r->emissions = capture->emissions.count;
	r->hosts = capture->hosts.count;
}

static void roll_back(struct recording *r)
{
	plait__capture *capture = r->capture;

	*r->lane = r->old_lane;
	plait__vector_truncate(&scope_of(capture)->nodes, r->nodes);
	plait__vector_truncate(&scope_of(capture)->edges, r->edges);
	plait__graph_cut(capture->graph, &r->mark);
	for (uint32_t i = capture->emissions.count; i-- > r->emissions;) {
		const plait__capture_emission *gone = emission_at(capture, i);

		signal_at(capture, gone->signal)->newest = gone->previous;
	}
	plait__vector_truncate(&capture->emissions, r->emissions);
	if (capture->hosts.count > r->hosts)
		plait__index_cut(&capture->index, PLAIT__CAPTURE_HOSTS,
				 r->hosts);
	plait__vector_truncate(&capture->hosts, r->hosts);
}

static plait_status record_all(struct recording *r,
			       const plait_command *commands, uint64_t count)
{
	const char *at = (const char *)commands;
	plait_status status = PLAIT_OK;
	plait_command command;

	for (uint64_t i = 0; i < count && status == PLAIT_OK; i++) {
		status = plait__command_read(&command, at, commands->size,
					     r->error);
		if (status == PLAIT_OK)
			status = record(r, &command);
		if (status != PLAIT_OK)
			plait__error_prefix(r->error, "captured command "
					    "%llu: ", (unsigned long long)i);
		at += commands->size;
	}
	return status;
}

static plait__capture_lane *find_lane(const plait__capture *capture,
				      const plait__queue *queue)
{
	return plait__vector_at(&capture->lanes, plait__capture_index_find(
		capture, PLAIT__CAPTURE_QUEUES, queue));
}

static plait_status check_array(const plait_command *commands, uint64_t count,
				plait_error *error)
{
	plait_command first;

	if (commands == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "commands is null, count is %llu",
				   (unsigned long long)count);
	return PLAIT__STRUCT_READ(plait_command, &first, commands, error);
}

plait_status plait__capture_record(plait__queue_capture *base,
				   const plait__queue *queue,
				   const plait_command *commands,
				   uint64_t count, uint64_t *out_sequence,
				   plait_error *error)
{
	plait__capture *capture = (plait__capture *)(void *)base;
	plait_error own = { .size = sizeof(own) };
	struct recording r = { .capture = capture, .error = &own };
	plait_status status = count > 0 ? check_array(commands, count, error) :
					  PLAIT_OK;

	*out_sequence = 0;
	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&capture->lock);
	if (capture->has_ended) {
		plait__mutex_unlock(&capture->lock);
		return PLAIT_PENDING;
	}
	r.lane = find_lane(capture, queue);
	begin(&r);
	status = record_all(&r, commands, count);
	if (status != PLAIT_OK)
		roll_back(&r);
	plait__mutex_unlock(&capture->lock);
	*out_sequence = status == PLAIT_OK ? r.sequence : 0;
	return status == PLAIT_OK ? status : plait__error_copy(error, &own);
}
