/* SPDX-License-Identifier: MIT */
/* See program.h. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

plait_error error = { .size = sizeof(error) };
plait_context *context;
plait_device *device;

void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "%s: %s\n", plait_status_name(status), error.text);
	exit(1);
}

/* ---- objects ---- */

enum { MOST = 64 };

/* One of each is set. */
static struct object {
	plait_kernel *kernel;
	plait_buffer *buffer;
	plait_graph *graph;
	plait_plan *plan;
} objects[MOST];
static int object_count;

static struct object *new_object(void)
{
	if (object_count == MOST) {
		fprintf(stderr, "more than %d objects\n", MOST);
		exit(1);
	}
	return &objects[object_count++];
}

void open_system(void)
{
	must(plait_context_open(NULL, &context, &error));
	must(plait_context_device(context, 0, &device, &error));
}

void close_system(void)
{
	for (int i = 0; i < object_count; i++) {
		plait_plan_release(objects[i].plan);
		plait_graph_release(objects[i].graph);
		plait_buffer_release(objects[i].buffer);
		plait_kernel_release(objects[i].kernel);
	}
	/* Waits: other ranks may still take what this one has sent. */
	must(plait_context_close(context, PLAIT_FOREVER, &error));
}

/* ---- kernels ---- */

/* The folder of kernels/, for programs that the build makes; others look for
 * it: see open_text. */
#ifndef EXAMPLES
#define EXAMPLES "examples"
#endif

/* Open a file of kernels/, in the folder that the variable EXAMPLES names, that
 * of the build, or the current one. */
static FILE *open_text(const char *folder, const char *name)
{
	const char *places[] = { getenv("EXAMPLES"), EXAMPLES, "." };
	char path[1000];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		FILE *file = NULL;

		if (places[i] != NULL &&
		    snprintf(path, sizeof(path), "%s/kernels/%s/%s.plk",
			     places[i], folder, name) < (int)sizeof(path))
			file = fopen(path, "rb");
		if (file != NULL)
			return file;
	}
	fprintf(stderr, "kernels/%s/%s.plk is not in " EXAMPLES " and not "
		"here: start this program in plait's folder, or set the "
		"variable EXAMPLES to its folder examples\n", folder, name);
	exit(1);
}

static char *read_text(const char *folder, const char *name)
{
	FILE *file = open_text(folder, name);
	char *text;
	long bytes;

	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)bytes + 1);
	if (text == NULL || fread(text, 1, (size_t)bytes, file) !=
			    (size_t)bytes) {
		perror(name);
		exit(1);
	}
	fclose(file);
	return text;
}

/* Copy the signature from the comment that begins with "NAME(". */
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

plait_kernel *read_kernel(const char *folder, const char *name)
{
	struct object *object = new_object();
	char *text = read_text(folder, name);
	char signature[500];

	find_signature(text, name, signature);
	must(plait_kernel_compile(context, signature, text, &object->kernel,
				  &error));
	free(text);
	return object->kernel;
}

/* ---- memory ---- */

void *map_buffer(plait_buffer *buffer, uint64_t bytes)
{
	void *memory;

	must(plait_buffer_map(buffer, 0, bytes,
			      PLAIT_MAP_READ | PLAIT_MAP_WRITE, &memory,
			      &error));
	return memory;
}

plait_buffer *new_buffer(const void *data, uint64_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	struct object *object = new_object();
	void *memory;

	must(plait_buffer_create(device, &desc, &object->buffer, &error));
	memory = map_buffer(object->buffer, bytes);
	if (data != NULL)
		memcpy(memory, data, bytes);
	else
		memset(memory, 0, bytes);
	must(plait_buffer_unmap(object->buffer, memory, &error));
	return object->buffer;
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

plait_graph *new_graph(void)
{
	struct object *object = new_object();

	must(plait_graph_create(context, &object->graph, &error));
	return object->graph;
}

plait_plan *freeze(plait_graph *graph)
{
	struct object *object = new_object();

	must(plait_graph_freeze(graph, NULL, &object->plan, &error));
	return object->plan;
}
