/* SPDX-License-Identifier: MIT */
/* Error text for two nodes of a graph that conflict and that no edge orders;
 * see missing_edge.h. */
#include "plan/check/missing_edge.h"

#include "plan/check/shared_memory.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

enum { TEXT = PLAIT__CHECK_TEXT_BYTES };

struct missing {
	const plait__graph_order *order;
	uint32_t nodes[2];
	uint32_t joined[2];	/* nodes of one scope that are or hold them */
	uint32_t limit;		/* bytes of each label and path */
};

static const char *string_at(const plait__input *input, uint32_t offset)
{
	return offset < input->tables.strings_count ?
	       input->tables.strings + offset : "";
}

static const char *node_text(const struct missing *m, uint32_t node,
			     char text[TEXT])
{
	const plait__input_node *n = &m->order->input->nodes[node];
	const char *label = string_at(m->order->input, n->label);

	if (*label == '\0')
		label = plait__plan_kernel_name(&m->order->tables, n->kind,
						n->link);
	return plait__check_node_name(node, label,
				      string_at(m->order->input, n->file),
				      n->line, m->limit, text);
}

/* Returns " in the body of node 2 'loop'", or "" for nodes of no region. */
static const char *body_text(const struct missing *m, char text[TEXT])
{
	const plait__input *input = m->order->input;
	uint32_t scope = m->order->scope_of[m->joined[0]], node;
	char room[PLAIT__TEXT_CUT_BYTES];
	const char *label;

	text[0] = '\0';
	if (scope == 0)
		return text;
	node = input->regions[input->scopes[scope].region].node;
	label = string_at(input, input->nodes[node].label);
	if (*label == '\0')
		(void)snprintf(text, TEXT, " in the body of node %u", node);
	else
		(void)snprintf(text, TEXT, " in the body of node %u '%s'", node,
			       plait__text_start(label, m->limit, room));
	return text;
}

static const char *remedy(const struct missing *m, char text[TEXT])
{
	if (m->joined[0] == m->nodes[0] && m->joined[1] == m->nodes[1])
		(void)snprintf(text, TEXT, "add an edge (after)");
	else
		(void)snprintf(text, TEXT,
			       "add an edge between nodes %u and %u (after)",
			       m->joined[0], m->joined[1]);
	return text;
}

static plait__check_accesses accesses(const struct missing *m, uint32_t node)
{
	const plait__input_node *n = &m->order->input->nodes[node];

	return (plait__check_accesses){ n->access_first, n->access_count };
}

/* Returns the length of the whole text. */
static int write_text(const struct missing *m, char *text, size_t bytes)
{
	char memory[PLAIT__SHARED_MEMORY_TEXT_BYTES], where[TEXT];
	char one[TEXT], two[TEXT], what[TEXT];
	bool both;

	(void)plait__shared_memory_text(&m->order->tables,
					accesses(m, m->nodes[0]),
					accesses(m, m->nodes[1]), &both,
					memory);
	return snprintf(text, bytes,
			"no edge orders %s and %s%s; both use %s, and %s: %s, "
			"or freeze in program order",
			node_text(m, m->nodes[0], one),
			node_text(m, m->nodes[1], two),
			body_text(m, where), memory,
			both ? "both write" : "one writes", remedy(m, what));
}

plait_status plait__missing_edge_fail(const plait__graph_order *order,
				      uint32_t one, uint32_t other,
				      plait_error *error)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	struct missing m = { .order = order, .limit = 28 };

	m.nodes[0] = m.joined[0] = order->node_at[one];
	m.nodes[1] = m.joined[1] = order->node_at[other];
	plait__graph_order_meet(order, &m.joined[0], &m.joined[1]);
	/* The remedy is last: shorten names until the text holds it. */
	while (write_text(&m, text, sizeof(text)) >= (int)sizeof(text) &&
	       m.limit > 4)
		m.limit -= 4;
	return plait__fail(error, PLAIT_E_INVALID, "%s", text);
}
