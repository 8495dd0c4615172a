/* SPDX-License-Identifier: MIT */
/*
 * Expected results of a backend: a file with lines
 *
 *	unsupported ID reason		can never work there
 *	failing ID reason		known to fail, to be fixed
 *
 * The report separates the two, and neither hides a check: a listed check runs,
 * and if it passes, the list is wrong and the run fails.
 */
#include "conform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *path, unsigned line, const char *why)
{
	fprintf(stderr, "plait conform: %s:%u: %s\n", path, line, why);
	return -1;
}

/* Parse a line; return null, or the error. */
static const char *parse(const char *line, struct conform_expected *out)
{
	char kind[16];
	int at = 0;

	if (sscanf(line, "%15s %15s %n", kind, out->id, &at) < 2 || at == 0)
		return "a line is: unsupported|failing ID reason";
	if (strcmp(kind, "unsupported") == 0)
		out->kind = EXPECTS_UNSUPPORTED;
	else if (strcmp(kind, "failing") == 0)
		out->kind = EXPECTS_FAILING;
	else
		return "a line starts with unsupported or failing";
	snprintf(out->reason, sizeof(out->reason), "%s", line + at);
	out->reason[strcspn(out->reason, "\n")] = 0;
	return out->reason[0] ? NULL : "a reason is missing";
}

static int append(struct conform_expectations *all,
		  const struct conform_expected *one)
{
	struct conform_expected *list;

	list = realloc(all->list, (all->count + 1) * sizeof(*list));
	if (list == NULL)
		return -1;
	list[all->count++] = *one;
	all->list = list;
	return 0;
}

int conform_expectations_read(struct conform_expectations *out,
			      const char *path)
{
	struct conform_expected one;
	const char *wrong = NULL;
	char line[512];
	unsigned number = 0;
	FILE *file = fopen(path, "r");

	if (file == NULL)
		return refuse(path, 0, strerror(errno));
	while (wrong == NULL && fgets(line, sizeof(line), file) != NULL) {
		number++;
		if (line[0] == '#' || line[strspn(line, " \t\n")] == 0)
			continue;
		wrong = parse(line, &one);
		if (wrong == NULL && conform_expectations_find(out, one.id))
			wrong = "this check is listed already";
		if (wrong == NULL && append(out, &one) != 0)
			wrong = "no memory";
	}
	fclose(file);
	return wrong ? refuse(path, number, wrong) : 0;
}

const struct conform_expected *
conform_expectations_find(const struct conform_expectations *all,
			  const char *id)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].id, id) == 0)
			return &all->list[i];
	return NULL;
}
