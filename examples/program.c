/* SPDX-License-Identifier: MIT */
/* See program.h. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plait_error error = { .size = sizeof(error) };

void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "%s: %s\n", plait_status_name(status), error.text);
	exit(1);
}

/* ---- kernels ---- */

/* Where the folder kernels/ is; from the top of the tree, if nobody says so. */
#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif

static char *read_text(const char *folder, const char *name)
{
	char path[1000];
	char *text;
	long bytes;
	FILE *file;

	snprintf(path, sizeof(path), EXAMPLES "/kernels/%s/%s.plk", folder,
		 name);
	file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)bytes + 1);
	if (text == NULL || fread(text, 1, (size_t)bytes, file) !=
			    (size_t)bytes) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return text;
}

/* What stands in the comment that begins with "NAME(". */
static void find_signature(const char *text, const char *name, char room[500])
{
	char start[100];
	const char *found;
	size_t length;

	snprintf(start, sizeof(start), "/* %s(", name);
	found = strstr(text, start);
	if (found == NULL || strchr(found, ')') == NULL) {
		fprintf(stderr, "no comment with the signature %s(...)\n",
			name);
		exit(1);
	}
	length = (size_t)(strchr(found, ')') + 1 - (found + 3));
	snprintf(room, 500, "%.*s", (int)length, found + 3);
}

plait_kernel *read_kernel(plait_context *context, const char *folder,
			  const char *name)
{
	char *text = read_text(folder, name);
	char signature[500];
	plait_source source = { .size = sizeof(source), .code = text };
	plait_kernel_desc desc = { .size = sizeof(desc), .sources = &source,
				   .source_count = 1,
				   .signature = signature };
	plait_kernel *kernel;

	find_signature(text, name, signature);
	must(plait_kernel_create(context, &desc, &kernel, &error));
	free(text);
	return kernel;
}

/* ---- memory ---- */

plait_buffer *new_buffer(plait_device *device, const void *data,
			 uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	plait_buffer *buffer;
	void *memory;

	must(plait_buffer_create(device, &desc, &buffer, &error));
	must(plait_buffer_map(buffer, 0, bytes, PLAIT_MAP_WRITE, &memory,
			      &error));
	if (data != NULL)
		memcpy(memory, data, bytes);
	else
		memset(memory, 0, bytes);
	must(plait_buffer_unmap(buffer, memory, &error));
	return buffer;
}

void read_buffer(plait_buffer *buffer, void *data, uint64_t bytes)
{
	void *memory;

	must(plait_buffer_map(buffer, 0, bytes, PLAIT_MAP_READ, &memory,
			      &error));
	memcpy(data, memory, bytes);
	must(plait_buffer_unmap(buffer, memory, &error));
}

/* ---- graphs ---- */

plait_launch items(uint64_t x, uint64_t y)
{
	plait_launch launch = { .size = sizeof(launch), .dimensions = 2,
				.items = { x, y } };

	return launch;
}

plait_node add_launch(plait_graph *graph, plait_kernel *kernel,
		      const plait_argument *arguments, uint64_t count,
		      plait_launch launch, plait_node after, const char *file,
		      int line)
{
	plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .launch = &launch, .arguments = arguments,
		.argument_count = count, .file = file, .line = (uint32_t)line,
	};
	plait_node node;

	must(plait_graph_add(graph, &desc, &after, after != 0, &node, &error));
	return node;
}

plait_graph *add_loop(plait_graph *graph, plait_buffer *go, uint64_t times)
{
	plait_node_desc desc = { .size = sizeof(desc), .predicate = go,
				 .kind = PLAIT_NODE_WHILE, .times = times };
	plait_graph *body;
	plait_node node;

	must(plait_graph_add(graph, &desc, NULL, 0, &node, &error));
	must(plait_graph_body(graph, node, 0, &body, &error));
	return body;
}

void run_graph(plait_graph *graph)
{
	plait_plan *plan;

	must(plait_graph_freeze(graph, NULL, &plan, &error));
	must(plait_plan_call(plan, NULL, NULL, &error));
	plait_plan_release(plan);
}
