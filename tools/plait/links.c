/* SPDX-License-Identifier: MIT */
/*
 * Memories and links of the devices of a context: a line for each memory, and
 * one for all links that are equal.
 */
#include "links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_DEVICES = 16,
	MOST_LINKS = (MOST_DEVICES + 1) * MOST_DEVICES,
	CLOSE_NS = 1000000000
};

/* Ends are numbers of memories; 0: the program's. */
struct link {
	uint32_t from, to;
	bool printed;
	plait_link_info info;
};

struct links {
	FILE *out;
	plait_error error;
	/* The first device of each memory; [0]: null. */
	plait_device *first[MOST_DEVICES + 1];
	char names[MOST_DEVICES + 1][400]; /* devices of each memory */
	uint32_t memory_count;
	struct link all[MOST_LINKS];
	uint32_t count;
};

/* --- memories */

static void add_name(char *names, size_t room, const char *name)
{
	size_t used = strlen(names);

	snprintf(names + used, room - used, "%s%s", used > 0 ? ", " : "",
		 name);
}

/* Numbers of memories begin at 0 and have no gaps. */
static void add_device(struct links *links, plait_device *device)
{
	plait_device_info info = { .size = sizeof(info) };

	if (plait_device_query(device, &info, &links->error) != PLAIT_OK ||
	    info.memory > MOST_DEVICES)
		return;
	add_name(links->names[info.memory], sizeof(links->names[0]),
		 info.name);
	if (info.memory < links->memory_count)
		return;
	links->first[info.memory] = device;
	links->memory_count = info.memory + 1;
}

static void print_memories(const struct links *links)
{
	uint32_t i;

	for (i = 0; i < links->memory_count; i++)
		fprintf(links->out, "  memory %u: %s%s%s\n", i,
			i == 0 ? "the program" : "",
			i == 0 && links->names[0][0] != '\0' ? ", " : "",
			links->names[i]);
}

/* --- links */

static plait_status add_link(struct links *links, uint32_t from, uint32_t to)
{
	struct link *link = &links->all[links->count];

	*link = (struct link){ .from = from, .to = to };
	link->info.size = sizeof(link->info);
	links->count++;
	return plait_device_query_link(links->first[from], links->first[to],
				       &link->info, &links->error);
}

static bool are_equal(const plait_link_info *one, const plait_link_info *other)
{
	return memcmp(one, other, sizeof(*one)) == 0;
}

static void print_figures(const struct links *links,
			  const plait_link_info *info)
{
	fprintf(links->out, ": %s, %llu ns%s, %llu bytes/us%s\n",
		info->flags & PLAIT_LINK_DIRECT ? "direct" :
						  "through the host",
		(unsigned long long)info->latency_ns,
		info->flags & PLAIT_LINK_LATENCY_ASSUMED ? " (assumed)" : "",
		(unsigned long long)info->bytes_per_us,
		info->flags & PLAIT_LINK_BANDWIDTH_ASSUMED ? " (assumed)" :
							     "");
}

/* Print the link, and those behind it that are equal. */
static void print_group(struct links *links, struct link *first)
{
	struct link *link;

	fprintf(links->out, "  ");
	for (link = first; link < links->all + links->count; link++)
		if (!link->printed && are_equal(&link->info, &first->info)) {
			fprintf(links->out, "%s%u>%u",
				link == first ? "" : " ", link->from,
				link->to);
			link->printed = true;
		}
	print_figures(links, &first->info);
}

static plait_status find_links(struct links *links)
{
	plait_status status = PLAIT_OK;
	uint32_t from, to;

	for (from = 0; from < links->memory_count; from++)
		for (to = 0; status == PLAIT_OK && to < links->memory_count;
		     to++)
			if (from != to)
				status = add_link(links, from, to);
	return status;
}

static void print_links(struct links *links)
{
	uint32_t i;

	if (find_links(links) != PLAIT_OK) {
		fprintf(links->out, "  %s\n", links->error.text);
		return;
	}
	for (i = 0; i < links->count; i++)
		if (!links->all[i].printed)
			print_group(links, &links->all[i]);
}

/* --- all of it */

static void print_context(struct links *links, plait_context *context)
{
	plait_device *device;
	uint32_t count = 0, i;

	links->memory_count = 1;
	(void)plait_context_device_count(context, &count, &links->error);
	for (i = 0; i < count && i < MOST_DEVICES; i++)
		if (plait_context_device(context, i, &device, &links->error) ==
		    PLAIT_OK)
			add_device(links, device);
	print_memories(links);
	print_links(links);
	if (count > MOST_DEVICES)
		fprintf(links->out, "  and those of %u devices more\n",
			count - MOST_DEVICES);
	(void)plait_context_close(context, CLOSE_NS, NULL);
}

survey links_make(const plait_context_desc *desc)
{
	struct links *links = calloc(1, sizeof(*links));
	plait_context *context = NULL;
	survey made = { .complete = true };
	size_t bytes = 0;

	if (links == NULL)
		return made;
	links->error.size = sizeof(links->error);
	links->out = open_memstream(&made.text, &bytes);
	if (links->out != NULL &&
	    plait_context_open(desc, &context, &links->error) == PLAIT_OK)
		print_context(links, context);
	if (links->out != NULL)
		(void)fclose(links->out);
	free(links);
	return made;
}
