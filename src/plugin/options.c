/* SPDX-License-Identifier: MIT */
/* Options of backends; see options.h. */
#include "plugin/options.h"

#include "plugin/list.h"

#include "base/alloc.h"
#include "base/spelling_hint.h"
#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The parser's context, for error texts. */
struct reader {
	plait__options *options;
	const char *setting;
	plait_error *error;
};

static uint32_t count_parts(const char *text)
{
	uint32_t count = 1;

	for (; *text != '\0'; text++)
		if (*text == ',' || *text == ';')
			count++;
	return count;
}

static bool is_printable(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return false;
	return true;
}

static plait__option *find(plait__options *options, const char *backend,
			   const char *key)
{
	uint32_t i;

	for (i = 0; i < options->count; i++)
		if (strcmp(options->items[i].backend, backend) == 0 &&
		    strcmp(options->items[i].key, key) == 0)
			return &options->items[i];
	return NULL;
}

/* Parse "key=value", split at the first '='. */
static plait_status add_pair(struct reader *reader, const char *backend,
			     char *pair)
{
	plait__options *options = reader->options;
	char *equals = strchr(pair, '=');
	plait__option *item;

	if (equals == NULL)
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: '%.60s' of '%s' is not key=value",
				   reader->setting, pair, backend);
	*equals = '\0';
	if (!plait__list_is_name(pair, strlen(pair)))
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: '%.60s' is not a key of '%s'; 1 to "
				   "%d of a-z, 0-9 and _ are",
				   reader->setting, pair, backend,
				   PLAIT__NAME_BYTES - 1);
	if (!is_printable(equals + 1))
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: the value of %s:%s has a control "
				   "character", reader->setting, backend, pair);
	if (find(options, backend, pair) != NULL)
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: %s:%s is listed twice",
				   reader->setting, backend, pair);
	item = &options->items[options->count++];
	item->backend = backend;
	item->key = pair;
	item->value = equals + 1;
	at_init_u32(&item->queried, 0);
	item->distance = UINT_MAX;
	return PLAIT_OK;
}

/* Parse "backend:key=value,key=value", split at the first ':'. */
static plait_status add_group(struct reader *reader, char *group)
{
	char *colon = strchr(group, ':');
	plait_status status;
	char *pair, *next;

	if (colon == NULL)
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: '%.60s' has no backend; write "
				   "backend:key=value", reader->setting,
				   group);
	*colon = '\0';
	if (!plait__list_is_name(group, strlen(group)))
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: '%.60s' is not a backend's name",
				   reader->setting, group);
	for (pair = colon + 1; pair != NULL; pair = next) {
		next = strchr(pair, ',');
		if (next != NULL)
			*next++ = '\0';
		status = add_pair(reader, group, pair);
		if (status != PLAIT_OK)
			return status;
	}
	return PLAIT_OK;
}

static plait_status parse(struct reader *reader)
{
	plait_status status;
	char *group, *next;

	for (group = reader->options->bytes; group != NULL; group = next) {
		next = strchr(group, ';');
		if (next != NULL)
			*next++ = '\0';
		status = add_group(reader, group);
		if (status != PLAIT_OK)
			return status;
	}
	return PLAIT_OK;
}

static bool reserve(plait__options *options, const char *text)
{
	options->bytes_size = strlen(text) + 1;
	options->bytes = plait__alloc(options->allocator, options->bytes_size);
	if (options->bytes == NULL)
		return false;
	memcpy(options->bytes, text, options->bytes_size);
	options->capacity = count_parts(text);
	options->items = plait__alloc_array(options->allocator,
					    options->capacity,
					    sizeof(*options->items));
	return options->items != NULL;
}

plait_status plait__options_init(plait__options *options,
				 const plait_allocator *allocator,
				 const char *text, const char *setting,
				 plait_error *error)
{
	struct reader reader = { options, setting, error };
	plait_status status;

	memset(options, 0, sizeof(*options));
	options->allocator = allocator;
	if (text == NULL || *text == '\0')
		return PLAIT_OK;
	if (strlen(text) >= PLAIT__OPTIONS_MAX_BYTES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: longer than %d bytes", setting,
				   PLAIT__OPTIONS_MAX_BYTES - 1);
	if (reserve(options, text))
		status = parse(&reader);
	else
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "%s: no memory for its %zu bytes",
				     setting, strlen(text));
	if (status != PLAIT_OK)
		plait__options_fini(options);
	return status;
}

void plait__options_fini(plait__options *options)
{
	plait__free(options->allocator, options->bytes, options->bytes_size);
	plait__free(options->allocator, options->items,
		    (uint64_t)options->capacity * sizeof(*options->items));
	options->bytes = NULL;
	options->items = NULL;
	options->count = 0;
}

/* Remember for each unread option the most similar key that its backend
 * queried. */
static void note_missing(plait__options *options, const char *backend,
			 const char *key)
{
	for (uint32_t i = 0; i < options->count; i++) {
		plait__option *item = &options->items[i];
		unsigned distance;

		if (strcmp(item->backend, backend) != 0)
			continue;
		distance = plait__spelling_hint_distance(item->key, key);
		plait__mutex_lock(&options->lock);
		if (distance < item->distance) {
			item->distance = distance;
			(void)snprintf(item->nearest, sizeof(item->nearest),
				       "%s", key);
		}
		plait__mutex_unlock(&options->lock);
	}
}

const char *plait__options_find(plait__options *options, const char *backend,
				const char *key)
{
	plait__option *item = find(options, backend, key);

	if (item == NULL) {
		note_missing(options, backend, key);
		return NULL;
	}
	at_store_relaxed_u32(&item->queried, 1);
	return item->value;
}

void plait__options_hint(plait__options *options, const plait__option *item,
			 char out[PLAIT__OPTION_HINT_BYTES])
{
	out[0] = '\0';
	plait__mutex_lock(&options->lock);
	if (item->nearest[0] != '\0')
		(void)snprintf(out, PLAIT__OPTION_HINT_BYTES,
			       ", perhaps \"%s\"", item->nearest);
	plait__mutex_unlock(&options->lock);
}
