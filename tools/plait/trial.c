/* SPDX-License-Identifier: MIT */
/*
 * Trial of device graphs: what the driver makes of small plans.  The backend counts
 * its graphs, and logs the counts when the context closes.
 */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64, CLOSE_NS = 1000000000 };

struct trial {
	FILE *out;
	plait_error error;
	plait_device *device;
	plait_buffer *word, *data;
	char last[512]; /* line of the log */
};

/* Counts of graphs, and reasons why the driver refused one. */
static void listen(void *user_data, plait_log_level level, const char *line)
{
	struct trial *t = user_data;

	if ((level > PLAIT_LOG_WARNING && strstr(line, ": graphs: ") == NULL) ||
	    strcmp(line, t->last) == 0)
		return;
	snprintf(t->last, sizeof(t->last), "%s", line);
	fprintf(t->out, "  %s\n", line);
}

/* --- plans */

static plait_status add(struct trial *t, plait_graph *graph,
			plait_node_desc desc, plait_node *node)
{
	uint64_t behind = *node != 0;

	desc.size = sizeof(desc);
	desc.device = t->device;
	return plait_graph_add(graph, &desc, node, behind, node, &t->error);
}

static plait_status add_fill(struct trial *t, plait_graph *graph,
			     plait_buffer *target, plait_node *node)
{
	return add(t, graph, (plait_node_desc){ .kind = PLAIT_NODE_FILL,
						.target = target,
						.bytes = BYTES,
						.pattern_bytes = 4 }, node);
}

static plait_status fill_graph(struct trial *t, plait_graph *graph)
{
	const plait_node_desc copy = { .kind = PLAIT_NODE_COPY,
				       .target = t->data, .source = t->word,
				       .bytes = BYTES };
	plait_node node = 0;
	plait_status status = add_fill(t, graph, t->word, &node);

	if (status == PLAIT_OK)
		status = add(t, graph, copy, &node);
	return status == PLAIT_OK ? add_fill(t, graph, t->data, &node) : status;
}

/* The word is 0: a loop ends after one iteration, body 0 of a branch runs. */
static plait_status fill_region(struct trial *t, plait_graph *graph,
				plait_node_kind kind)
{
	const plait_node_desc region = {
		.kind = kind, .predicate = t->word,
		.branch_count = kind == PLAIT_NODE_CASE
	};
	plait_node node = 0, inner = 0;
	plait_graph *body = NULL;
	plait_status status = add_fill(t, graph, t->word, &node);

	if (status == PLAIT_OK)
		status = add(t, graph, region, &node);
	if (status == PLAIT_OK)
		status = plait_graph_body(graph, node, 0, &body, &t->error);
	if (status == PLAIT_OK)
		status = add_fill(t, body, t->data, &inner);
	plait_graph_release(body);
	return status;
}

/* `kind`: of a region, or PLAIT_NODE_FILL. */
static plait_status run_plan(struct trial *t, plait_context *context,
			     plait_node_kind kind)
{
	const plait_freeze_desc desc = { .size = sizeof(desc),
					 .instances = 1 };
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_status status = plait_graph_create(context, &graph, &t->error);

	if (status == PLAIT_OK)
		status = kind == PLAIT_NODE_FILL ? fill_graph(t, graph) :
						   fill_region(t, graph, kind);
	if (status == PLAIT_OK)
		status = plait_graph_freeze(graph, &desc, &plan, &t->error);
	if (status == PLAIT_OK)
		status = plait_plan_call(plan, NULL, NULL, &t->error);
	plait_plan_release(plan);
	plait_graph_release(graph);
	return status;
}

/* --- devices */

static const plait_node_kind kinds[] = { PLAIT_NODE_FILL, PLAIT_NODE_DO,
					 PLAIT_NODE_CASE };

static plait_status try_device(struct trial *t, plait_context *context)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_status status = plait_buffer_create(t->device, &desc, &t->word,
						  &t->error);

	if (status == PLAIT_OK)
		status = plait_buffer_create(t->device, &desc, &t->data,
					     &t->error);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) &&
	     status == PLAIT_OK; i++)
		status = run_plan(t, context, kinds[i]);
	plait_buffer_release(t->data);
	plait_buffer_release(t->word);
	t->data = t->word = NULL;
	return status;
}

/* Returns true for a device that takes segments. */
static bool try_number(struct trial *t, plait_context *context, uint32_t number)
{
	plait_device_info info = { .size = sizeof(info) };

	if (plait_context_device(context, number, &t->device, &t->error) !=
		    PLAIT_OK ||
	    plait_device_query(t->device, &info, &t->error) != PLAIT_OK ||
	    (info.capabilities & PLAIT_DEVICE_SEGMENT) == 0)
		return false;
	if (try_device(t, context) != PLAIT_OK)
		fprintf(t->out, "  %s\n", t->error.text);
	return true;
}

static void try_all(struct trial *t, plait_context *context)
{
	uint32_t count = 0, tried = 0;

	(void)plait_context_device_count(context, &count, &t->error);
	for (uint32_t i = 0; i < count; i++)
		tried += try_number(t, context, i);
	if (tried == 0)
		fprintf(t->out, "  no device takes graphs\n");
	(void)plait_context_close(context, CLOSE_NS, NULL);
}

survey trial_make(const plait_context_desc *desc)
{
	struct trial t = { .error = { .size = sizeof(plait_error) } };
	plait_context_desc mine = *desc;
	plait_context *context = NULL;
	survey made = { .complete = true };
	size_t bytes = 0;

	t.out = open_memstream(&made.text, &bytes);
	if (t.out == NULL)
		return (survey){ .text = NULL };
	mine.log = listen;
	mine.log_user_data = &t;
	mine.log_level = PLAIT_LOG_INFO;
	/* A plan of any size. */
	(void)setenv("PLAIT_SEGMENTS", "1", 1);
	if (plait_context_open(&mine, &context, &t.error) == PLAIT_OK)
		try_all(&t, context);
	else
		fprintf(t.out, "  %s\n", t.error.text);
	(void)fclose(t.out);
	return made;
}
