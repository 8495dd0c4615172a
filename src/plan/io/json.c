/* SPDX-License-Identifier: MIT */
/*
 * JSON form of plans.  Regions may nest deeply, so the writer keeps an explicit
 * stack instead of recursing.
 */
#include "plan/io/json.h"

#include "plan/io/escape.h"
#include "plan/simulate/simulate.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/vector.h"

#include <stddef.h>

/* Writer position: body `body`, and its next region in `order`. */
struct region_entry {
	uint32_t region;	/* its bodies are being written; none at the
				 * top */
	uint32_t body;
	uint32_t next;		/* in `order`: the next region of this body */
};

struct writer {
	const plait__plan *plan;
	plait__text *out;
	uint32_t *order;	/* regions, sorted by the body that holds
				 * them */
	uint32_t *first;	/* by body: its first region in `order` */
	uint32_t *local;	/* by lane: its number in the current body */
	plait__vector stack;	/* struct region_entry */
};

static const char *const region_kinds[] = { "while", "do", "case", "repeat" };

static void write_commands(struct writer *writer,
			   const plait__plan_track *track)
{
	for (uint32_t i = 0; track != NULL && i < track->count; i++) {
		const plait__plan_command *command =
			&writer->plan->commands[track->first + i];

		plait__text_add(writer->out, "%s", i > 0 ? ", " : "");
		plait__escape_json_node(writer->plan, command->node,
					writer->out);
	}
}

static void write_lane(struct writer *writer, uint32_t lane,
		       const plait__plan_track *track)
{
	const plait__plan *plan = writer->plan;

	plait__text_add(writer->out, "{\"number\": %u, \"device\": ", lane);
	plait__escape_json_string(
		plait__escape_string_at(plan, plan->devices[
					plan->lanes[lane].device].name),
		writer->out);
	plait__text_add(writer->out, ", \"commands\": [");
	write_commands(writer, track);
	plait__text_add(writer->out, "]}");
}

/* The plan lists every lane, used or not: lane numbers are indices. */
static void write_all_lanes(struct writer *writer)
{
	const plait__plan *plan = writer->plan;
	uint32_t at = plan->bodies[0].track_first;
	uint32_t end = at + plan->bodies[0].track_count;

	for (uint32_t lane = 0; lane < plan->lanes_count; lane++) {
		bool used = at < end && plan->tracks[at].lane == lane;

		plait__text_add(writer->out, "%s", lane > 0 ? ", " : "");
		write_lane(writer, lane, used ? &plan->tracks[at] : NULL);
		writer->local[lane] = lane;
		at += used;
	}
}

/* A body lists only the lanes that it uses. */
static void write_tracks(struct writer *writer,
			 const plait__plan_body *body)
{
	const plait__plan *plan = writer->plan;

	for (uint32_t i = 0; i < body->track_count; i++) {
		const plait__plan_track *track =
			&plan->tracks[body->track_first + i];

		plait__text_add(writer->out, "%s", i > 0 ? ", " : "");
		write_lane(writer, track->lane, track);
		writer->local[track->lane] = i;
	}
}

static void write_lanes(struct writer *writer, uint32_t number)
{
	plait__text_add(writer->out, "\"lanes\": [");
	if (number == 0)
		write_all_lanes(writer);
	else
		write_tracks(writer, &writer->plan->bodies[number]);
	plait__text_add(writer->out, "]");
}

/* A node on several devices has a command on each: `by_` tells which one waits.
 * write_lanes of this body has filled `local`. */
static void write_waits_of(struct writer *writer, uint32_t number,
			   uint32_t *written)
{
	const plait__plan *plan = writer->plan;
	const plait__plan_command *command = &plan->commands[number];
	uint32_t end = plan->commands[number + 1].wait_first;

	for (uint32_t i = command->wait_first; i < end; i++) {
		plait__text_add(writer->out, "%s{\"node\": ",
				(*written)++ > 0 ? ", " : "");
		plait__escape_json_node(plan, command->node, writer->out);
		plait__text_add(writer->out,
				", \"lane\": %u, \"position\": %u, "
				"\"by_lane\": %u, \"by_position\": %u}",
				writer->local[plan->waits[i].lane],
				plan->waits[i].position,
				writer->local[command->lane],
				command->position);
	}
}

static void write_waits(struct writer *writer, uint32_t number)
{
	const plait__plan_body *body = &writer->plan->bodies[number];
	uint32_t written = 0;

	plait__text_add(writer->out, ", \"waits\": [");
	for (uint32_t i = 0; i < body->command_count; i++)
		write_waits_of(writer, body->command_first + i, &written);
	plait__text_add(writer->out, "], \"signals\": %u, \"makespan\": %llu",
			body->signal_count,
			(unsigned long long)body->makespan);
}

/* Write the part of a body before its regions. */
static void open_body(struct writer *writer, uint32_t body)
{
	write_lanes(writer, body);
	write_waits(writer, body);
	plait__text_add(writer->out, ", \"regions\": [");
}

static void open_region(struct writer *writer, uint32_t number)
{
	const plait__plan_region *region = &writer->plan->regions[number];
	const plait__plan_command *home =
		&writer->plan->commands[region->command];

	plait__text_add(writer->out, "{\"name\": ");
	plait__escape_json_node(writer->plan, home->node, writer->out);
	plait__text_add(writer->out, ", \"kind\": \"%s\", "
			"\"home\": %u, \"%s\": ",
			region_kinds[region->kind], home->lane,
			region->kind == PLAIT__REGION_CASE ? "take" : "times");
	if (region->times == PLAIT__NONE)
		plait__text_add(writer->out, "null");
	else
		plait__text_add(writer->out, "%u", region->times);
	plait__text_add(writer->out, ", \"bodies\": [{");
}

/* The body's regions are sorted. */
static bool push(struct writer *writer, uint32_t region, uint32_t body)
{
	struct region_entry region_entry = { region, body, writer->first[body] };

	return plait__vector_push(&writer->stack, &region_entry, 1) != NULL;
}

/* All regions of the body are written: close it; go to its next sibling or
 * close the region too. */
static void close_body(struct writer *writer, struct region_entry *region_entry)
{
	const plait__plan_region *region;

	plait__text_add(writer->out, "]}");
	if (region_entry->region != PLAIT__NONE) {
		region = &writer->plan->regions[region_entry->region];
		if (region_entry->body + 1 < region->body_first +
		    region->body_count) {
			region_entry->body++;
			region_entry->next = writer->first[region_entry->body];
			plait__text_add(writer->out, ", {");
			open_body(writer, region_entry->body);
			return;
		}
		plait__text_add(writer->out, "]}");
	}
	plait__vector_truncate(&writer->stack, writer->stack.count - 1);
}

/* Advance into the next region of the body on top, or out of that body. */
static bool step(struct writer *writer)
{
	struct region_entry *region_entry = plait__vector_at(&writer->stack,
							     writer->stack.count - 1);
	uint32_t region;

	if (region_entry->next == writer->first[region_entry->body + 1]) {
		close_body(writer, region_entry);
		return true;
	}
	if (region_entry->next > writer->first[region_entry->body])
		plait__text_add(writer->out, ", ");
	region = writer->order[region_entry->next++];
	open_region(writer, region);
	open_body(writer, writer->plan->regions[region].body_first);
	return push(writer, region, writer->plan->regions[region].body_first);
}

static uint32_t body_of(const plait__plan *plan, uint32_t region)
{
	uint32_t node = plan->commands[plan->regions[region].command].node;

	return plan->nodes[node].body;
}

/* Sort the regions by the body that holds them (counting sort). */
static void sort_regions(struct writer *writer)
{
	const plait__plan *plan = writer->plan;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < plan->regions_count; i++)
		writer->first[body_of(plan, i)]++;
	for (uint32_t i = 0; i <= plan->bodies_count; i++) {
		uint32_t count = writer->first[i];

		writer->first[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < plan->regions_count; i++)
		writer->order[writer->first[body_of(plan, i)]++] = i;
	for (uint32_t i = plan->bodies_count; i > 0; i--)
		writer->first[i] = writer->first[i - 1];
	writer->first[0] = 0;
}

/* Write the names on the critical path; a node that continues on another of its
 * lanes appears once. */
static plait_status write_critical(struct writer *writer, plait_error *error)
{
	const plait__simulate_system system = {
		.hop_cost = writer->plan->hop_cost
	};
	uint32_t last = PLAIT__NONE;
	plait__timeline *timeline;
	plait_status status = plait__simulate_plan(writer->plan, &system,
						   writer->out->allocator,
						   &timeline, error);

	if (status != PLAIT_OK)
		return status;
	plait__text_add(writer->out, "\"critical\": [");
	for (uint32_t i = 0; i < timeline->critical_count; i++) {
		const plait__plan_command *command =
			&writer->plan->commands[timeline->critical[i]];

		if (command->node == last)
			continue;
		last = command->node;
		plait__text_add(writer->out, "%s", i > 0 ? ", " : "");
		plait__escape_json_node(writer->plan, command->node,
					writer->out);
	}
	plait__text_add(writer->out, "], ");
	plait__simulate_release(timeline);
	return PLAIT_OK;
}

static void write_temporary(const struct writer *writer,
			    const plait__plan_slot *slot)
{
	const plait__plan *plan = writer->plan;

	plait__text_add(writer->out, "{\"name\": ");
	plait__escape_json_string(plait__escape_string_at(plan, slot->name),
				  writer->out);
	plait__text_add(writer->out, ", \"device\": ");
	plait__escape_json_string(
		plait__escape_string_at(plan,
					plan->devices[slot->device].name),
		writer->out);
	plait__text_add(writer->out, ", \"bytes\": %llu}",
			(unsigned long long)slot->bytes);
}

static void write_temporaries(struct writer *writer)
{
	const plait__plan *plan = writer->plan;
	uint32_t written = 0;

	plait__text_add(writer->out, "\"temporaries\": [");
	for (uint32_t i = 0; i < plan->slots_count; i++) {
		if (plan->slots[i].kind != PLAIT__SLOT_ARENA)
			continue;
		plait__text_add(writer->out, "%s", written++ > 0 ? ", " : "");
		write_temporary(writer, &plan->slots[i]);
	}
	plait__text_add(writer->out, "], ");
}

/* Neighbouring units of a node as one element. */
static void write_holders(const struct writer *writer, uint32_t resource)
{
	const plait__plan *plan = writer->plan;
	uint32_t written = 0;

	for (uint32_t i = 0; i < plan->holds_count; i++) {
		if (plan->holds[i].resource != resource)
			continue;
		plait__text_add(writer->out, "%s{\"node\": ",
				written++ > 0 ? ", " : "");
		plait__escape_json_node(plan, plan->holds[i].node, writer->out);
		plait__text_add(writer->out, ", \"first\": %u, \"units\": %u}",
				plan->holds[i].first, plan->holds[i].count);
	}
}

static void write_resources(const struct writer *writer)
{
	const plait__plan *plan = writer->plan;

	plait__text_add(writer->out, "\"resources\": [");
	for (uint32_t i = 0; i < plan->resources_count; i++) {
		plait__text_add(writer->out, "%s{\"name\": ",
				i > 0 ? ", " : "");
		plait__escape_json_string(
			plait__escape_string_at(plan, plan->resources[i].name),
			writer->out);
		plait__text_add(writer->out, ", \"units\": %u, "
				"\"holders\": [", plan->resources[i].units);
		write_holders(writer, i);
		plait__text_add(writer->out, "]}");
	}
	plait__text_add(writer->out, "], ");
}

/* Of each node whose priority is not 0. */
static void write_priorities(const struct writer *writer)
{
	const plait__plan *plan = writer->plan;
	uint32_t written = 0;

	plait__text_add(writer->out, "\"priorities\": [");
	for (uint32_t i = 0; i < plan->node_count; i++) {
		uint32_t command = plan->nodes[i].command;

		if (command == PLAIT__NONE ||
		    plan->commands[command].priority == 0)
			continue;
		plait__text_add(writer->out, "%s{\"node\": ",
				written++ > 0 ? ", " : "");
		plait__escape_json_node(plan, i, writer->out);
		plait__text_add(writer->out, ", \"priority\": %d}",
				plan->commands[command].priority);
	}
	plait__text_add(writer->out, "], ");
}

static plait_status write_plan(struct writer *writer, plait_error *error)
{
	const plait__plan *plan = writer->plan;
	plait_status status;
	bool good;

	sort_regions(writer);
	plait__text_add(writer->out,
			"{\"nodes\": %u, \"edges\": %u, \"policy\": \"%s\", "
			"\"mode\": \"%s\", \"wait_count\": %u, "
			"\"signal_count\": %u, ",
			plait__plan_nodes_in(plan), plan->edge_count,
			plan->policy == PLAIT__POLICY_WIDEST ? "widest" :
			"bounded",
			plan->mode == PLAIT__MODE_HELPED ? "helped" :
			"strict", plan->waits_count, plan->signal_count);
	status = write_critical(writer, error);
	if (status != PLAIT_OK)
		return status;
	write_temporaries(writer);
	write_resources(writer);
	write_priorities(writer);
	open_body(writer, 0);
	good = push(writer, PLAIT__NONE, 0);
	while (good && writer->stack.count > 0)
		good = step(writer);
	if (!good)
		writer->out->failed = true;
	plait__text_add(writer->out, "\n");
	return PLAIT_OK;
}

plait_status plait__json_plan(const plait__plan *plan, plait__text *out,
			      plait_error *error)
{
	struct writer writer = { .plan = plan, .out = out };
	const plait_allocator *allocator = out->allocator;
	uint64_t regions = (uint64_t)plan->regions_count + 1;
	uint64_t bodies = (uint64_t)plan->bodies_count + 2;
	uint64_t lanes = (uint64_t)plan->lanes_count + 1;
	plait_status status = PLAIT_OK;

	plait__vector_init(&writer.stack, allocator,
			   sizeof(struct region_entry));
	writer.order = plait__alloc_array(allocator, regions, 4);
	writer.first = plait__alloc_array(allocator, bodies, 4);
	writer.local = plait__alloc_array(allocator, lanes, 4);
	if (writer.order != NULL && writer.first != NULL &&
	    writer.local != NULL)
		status = write_plan(&writer, error);
	else
		out->failed = true;
	plait__vector_fini(&writer.stack);
	plait__free(allocator, writer.local, lanes * 4);
	plait__free(allocator, writer.first, bodies * 4);
	plait__free(allocator, writer.order, regions * 4);
	if (status == PLAIT_OK && out->failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory to write a plan");
	return status;
}
