/* SPDX-License-Identifier: MIT */
/* DOT form of a plan's graph: lanes are colours, bodies are clusters. */
#include "render/render.h"
#include "plan/access.h"
#include "plan/io/escape.h"
#include "plan/io/limit_text.h"

/* Palette that stays distinct in print and for colour-blind readers; lanes
 * beyond it repeat colours. */
static const char *const colours[] = {
	"#99ddff", "#eedd88", "#44bb99", "#ffaabb", "#77aadd", "#bbcc33",
	"#dddddd", "#ee8866", "#ccddaa", "#cc99bb", "#aaaa00", "#e0c9a6",
};

enum { COLOUR_COUNT = sizeof(colours) / sizeof(colours[0]) };

static const char *shape_of(uint8_t kind)
{
	switch (kind) {
	case PLAIT__CMD_JOIN:
	case PLAIT__CMD_BARRIER_STUB:
		return "diamond";
	case PLAIT__CMD_REGION:
	case PLAIT__CMD_ENTER:
		return "octagon";
	case PLAIT__CMD_COPY:
	case PLAIT__CMD_FILL:
		return "parallelogram";
	case PLAIT__CMD_HOST:
	case PLAIT__CMD_CALLBACK:
		return "ellipse";
	default:
		return "box";
	}
}

/* Label: "name", and below it lane and position. */
static void draw_command(const plait__plan *plan, uint32_t number,
			 plait__text *out)
{
	const plait__plan_command *command = &plan->commands[number];
	const char *device = plait__escape_string_at(
		plan, plan->devices[plan->lanes[command->lane].device].name);
	char name[256], limits[PLAIT__LIMIT_TEXT_BYTES];

	plait__text_add(out, "    c%u [label=\"", number);
	plait__escape_json(plait__escape_node_name(plan, command->node, name),
			   out);
	plait__text_add(out, "\\n%u.%u\", shape=%s, fillcolor=\"%s\", "
			"tooltip=\"", command->lane, command->position,
			shape_of(command->kind),
			colours[command->lane % COLOUR_COUNT]);
	plait__escape_json(device, out);
	plait__escape_json(plait__limit_text_of(plan, number, limits), out);
	plait__text_add(out, "\"];\n");
}

/* Label: "name x10" for a loop, "name: 1" for a branch. */
static void open_cluster(const plait__plan *plan, uint32_t number,
			 plait__text *out)
{
	const plait__plan_region *region =
		&plan->regions[plan->bodies[number].region];
	bool is_case = region->kind == PLAIT__REGION_CASE;
	char name[256];

	plait__text_add(out, "  subgraph cluster_%u {\n    label=\"", number);
	plait__escape_json(plait__escape_node_name(
				    plan, plan->commands[region->command].node,
				    name), out);
	plait__text_add(out, "%s%u\";\n", is_case ? ": " : " x",
			is_case ? number - region->body_first :
			region->times);
}

static void draw_body(const plait__plan *plan, uint32_t number,
		      plait__text *out)
{
	const plait__plan_body *body = &plan->bodies[number];

	if (number > 0)
		open_cluster(plan, number, out);
	for (uint32_t i = 0; i < body->command_count; i++)
		draw_command(plan, body->command_first + i, out);
	if (number > 0)
		plait__text_add(out, "  }\n");
}

/* Joins with more waits are not searched for each edge. */
enum { WAITS_MAX = 4096 };

static bool waits_for(const plait__plan *plan, uint32_t number,
		      uint32_t before)
{
	const plait__plan_command *from = &plan->commands[before];
	uint32_t end = plan->commands[number + 1].wait_first;

	if (end - plan->commands[number].wait_first > WAITS_MAX)
		return false;
	for (uint32_t i = plan->commands[number].wait_first; i < end; i++)
		if (plan->waits[i].lane == from->lane &&
		    plan->waits[i].position == from->position)
			return true;
	return false;
}

static bool comes_after(const plait__plan *plan, uint32_t number,
			uint32_t before)
{
	uint32_t end = plan->commands[number + 1].pred_first;

	if (end - plan->commands[number].pred_first > WAITS_MAX)
		return false;
	for (uint32_t i = plan->commands[number].pred_first; i < end; i++)
		if (plan->preds[i] == before)
			return true;
	return false;
}

/* Edges of the reduced graph: orange if the lane waits, black along a lane,
 * grey if other waits imply them. */
static void draw_preds(const plait__plan *plan, uint32_t number,
		       plait__text *out)
{
	uint32_t end = plan->commands[number + 1].pred_first;

	for (uint32_t i = plan->commands[number].pred_first; i < end; i++) {
		uint32_t before = plan->preds[i];
		const char *look = " [color=\"#aaaaaa\"]";

		if (plan->commands[before].lane ==
		    plan->commands[number].lane)
			look = "";
		else if (waits_for(plan, number, before))
			look = " [color=\"#d55e00\", penwidth=1.8]";
		plait__text_add(out, "  c%u -> c%u%s;\n", before, number,
				look);
	}
}

/* Waits for a command that is no predecessor but later on its lane. */
static void draw_waits(const plait__plan *plan, uint32_t body,
		       uint32_t number, plait__text *out)
{
	uint32_t end = plan->commands[number + 1].wait_first;

	for (uint32_t i = plan->commands[number].wait_first; i < end; i++) {
		uint32_t from = plait__plan_find_command(
			plan, body, plan->waits[i].lane,
			plan->waits[i].position);

		if (!comes_after(plan, number, from))
			plait__text_add(out, "  c%u -> c%u [style=dashed, "
					"color=\"#d55e00\", "
					"constraint=false];\n", from, number);
	}
}

/* Edges from a region to the first commands of its bodies. */
static void draw_entries(const plait__plan *plan, uint32_t region,
			 plait__text *out)
{
	const plait__plan_region *which = &plan->regions[region];

	for (uint32_t i = 0; i < which->body_count; i++) {
		const plait__plan_body *body =
			&plan->bodies[which->body_first + i];

		if (body->command_count > 0)
			plait__text_add(out, "  c%u -> c%u [style=dotted, "
					"lhead=cluster_%u];\n",
					which->command,
					plan->order[body->command_first],
					which->body_first + i);
	}
}

/* ---- temporaries ---- */

static void draw_access(const plait__plan *plan, uint32_t command,
			uint32_t slot, uint32_t mode, plait__text *out)
{
	/* A plan that was read may name what it does not have. */
	if (slot >= plan->slots_count ||
	    plan->slots[slot].kind != PLAIT__SLOT_ARENA)
		return;
	if (mode != PLAIT__ACCESS_WRITE)
		plait__text_add(out, "  t%u -> c%u [style=dotted, "
				"constraint=false];\n", slot, command);
	if (mode != PLAIT__ACCESS_READ)
		plait__text_add(out, "  c%u -> t%u [style=dotted];\n", command,
				slot);
}

/* Edges from a node's first command to the temporaries that it writes, and
 * from those that it reads. */
static void draw_accesses(const plait__plan *plan, uint32_t node,
			  plait__text *out)
{
	const plait__plan_node *at = &plan->nodes[node];

	for (uint32_t i = at[0].access_first; i < at[1].access_first; i++) {
		const plait__plan_access *access = &plan->accesses[i];
		uint32_t number = plait__access_number(access->object);
		const plait__plan_rotation *rotation;

		if (at->command == PLAIT__NONE ||
		    plait__access_is_param(access->object))
			continue;
		if (!plait__access_is_rotation(access->object)) {
			draw_access(plan, at->command, number, access->mode,
				    out);
			continue;
		}
		if (number >= plan->rotations_count)
			continue;
		rotation = &plan->rotations[number];
		for (uint32_t k = 0; k < rotation->slot_count; k++)
			draw_access(plan, at->command, plan->rotation_slots[
					    rotation->slot_first + k],
				    access->mode, out);
	}
}

/* Label: "name", and below it the size; a cylinder. */
static void draw_temporaries(const plait__plan *plan, plait__text *out)
{
	bool any = false;

	for (uint32_t i = 0; i < plan->slots_count; i++) {
		const plait__plan_slot *slot = &plan->slots[i];

		if (slot->kind != PLAIT__SLOT_ARENA)
			continue;
		any = true;
		plait__text_add(out, "    t%u [label=\"", i);
		plait__escape_json(plait__escape_string_at(plan, slot->name),
				   out);
		plait__text_add(out, "\\n%llu byte%s\", shape=cylinder, "
				"fillcolor=white, tooltip=",
				(unsigned long long)slot->bytes,
				plait__escape_plural(slot->bytes));
		plait__escape_json_string(
			plait__escape_string_at(
				plan, plan->devices[slot->device].name), out);
		plait__text_add(out, "];\n");
	}
	for (uint32_t i = 0; any && i < plan->node_count; i++)
		draw_accesses(plan, i, out);
}

/* ---- the picture ---- */

/* Without attributes on edges and clusters Graphviz uses a serif font. */
static const char head[] =
	"digraph plan {\n"
	"  compound=true;\n  nodesep=0.2;\n  ranksep=0.35;\n"
	"  fontname=\"sans-serif\";\n  fontsize=10;\n"
	"  style=\"rounded,filled\";\n  fillcolor=\"#f6f6f6\";\n"
	"  color=\"#bbbbbb\";\n  bgcolor=white;\n"
	"  node [style=filled, fontname=\"sans-serif\", fontsize=10, "
	"color=\"#777777\", margin=\"0.08,0.03\", height=0.3, width=0.4];\n"
	"  edge [arrowsize=0.6, color=\"#333333\"];\n";

/* Title and legend, above the graph. */
static void draw_label(const plait__plan *plan, plait__text *out)
{
	uint32_t nodes = plait__plan_nodes_in(plan);

	plait__text_add(out,
			"  labelloc=t;\n  label=<<table border=\"0\" "
			"cellspacing=\"1\"><tr><td><font point-size=\"14\">"
			"<b>%u node%s on %u lane%s, %u wait%s</b></font></td></tr>"
			"<tr><td>below a name: lane.position; one colour is one "
			"lane</td></tr><tr><td><font color=\"#d55e00\"><b>&#8594;"
			"</b></font> waits for another lane&#160;&#160; &#8594; "
			"same lane&#160;&#160; <font color=\"#aaaaaa\"><b>&#8594;"
			"</b></font> follows from the others%s</td></tr>"
			"</table>>;\n", nodes, plait__escape_plural(nodes),
			plan->lanes_count,
			plait__escape_plural(plan->lanes_count),
			plan->waits_count,
			plait__escape_plural(plan->waits_count),
			plan->regions_count > 0 ?
			"&#160;&#160; &#8674; into a body" : "");
}

void plait__graphviz_plan(const plait__plan *plan, plait__text *out)
{
	plait__text_add_bytes(out, head, sizeof(head) - 1);
	draw_label(plan, out);
	for (uint32_t i = 0; i < plan->bodies_count; i++)
		draw_body(plan, i, out);
	for (uint32_t i = 0; i < plan->bodies_count; i++) {
		const plait__plan_body *body = &plan->bodies[i];

		for (uint32_t k = 0; k < body->command_count; k++) {
			draw_preds(plan, body->command_first + k, out);
			draw_waits(plan, i, body->command_first + k, out);
		}
	}
	for (uint32_t i = 0; i < plan->regions_count; i++)
		draw_entries(plan, i, out);
	draw_temporaries(plan, out);
	plait__text_add(out, "}\n");
}
