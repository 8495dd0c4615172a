/* SPDX-License-Identifier: MIT */
/* Sizes of --bytes, for the actions of plait coll. */
#include "coll.h"
#include "command.h"

#include <stdlib.h>
#include <string.h>

/* A number with a suffix K, M or G; *out_end is behind it. */
static int read_size(const char *text, char **out_end, uint64_t *out)
{
	uint64_t number = strtoull(text, out_end, 10);
	const char *unit = strchr("KMG", **out_end);

	if (*text < '0' || *text > '9' || number > UINT32_MAX)
		return command_usage("coll", "--bytes: '%s' is no size", text);
	*out = number;
	if (**out_end == '\0' || unit == NULL)
		return COMMAND_DONE;
	*out = number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : 30);
	++*out_end;
	return COMMAND_DONE;
}

static int add_size(struct coll_sizes *sizes, uint64_t size)
{
	if (sizes->count == COLL_MOST_SIZES)
		return command_usage("coll", "--bytes: more than %d sizes",
				     COLL_MOST_SIZES);
	sizes->items[sizes->count++] = size;
	return COMMAND_DONE;
}

/* One size, or a range. */
static int take_part(struct coll_sizes *sizes, const char *text)
{
	uint64_t first, last;
	char *end;
	int code = read_size(text, &end, &first);

	last = first;
	if (code == COMMAND_DONE && *end == ':')
		code = read_size(end + 1, &end, &last);
	if (code == COMMAND_DONE && (*end != '\0' || first > last ||
				     (first == 0 && last > 0)))
		code = command_usage("coll", "--bytes: '%s' is no size", text);
	do {
		if (code == COMMAND_DONE)
			code = add_size(sizes, first);
		first *= 2;
	} while (code == COMMAND_DONE && first <= last && first > 0);
	return code;
}

int coll_sizes_read(const char *value, struct coll_sizes *out)
{
	char *list = strdup(value), *rest = list, *part;
	int code = list == NULL ? command_fail("coll", "no memory") :
				  COMMAND_DONE;

	out->count = 0;
	while (code == COMMAND_DONE && (part = strsep(&rest, ",")) != NULL)
		code = take_part(out, part);
	free(list);
	return code;
}
