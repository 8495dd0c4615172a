/* SPDX-License-Identifier: MIT */
/* The plugin search path; see search.h. */
#include "plugin/search.h"

#include "plugin/elf_check.h"
#include "plugin/load.h"

#include "base/alloc.h"
#include "base/spelling_hint.h"
#include "base/error.h"
#include "sys/dl.h"
#include "sys/file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char file_prefix[] = "plait_";
static const char file_suffix[] = ".so";

bool plait__search_parse_file(const char *file, char out[PLAIT__NAME_BYTES])
{
	size_t prefix = sizeof(file_prefix) - 1;
	size_t suffix = sizeof(file_suffix) - 1;
	size_t length = strlen(file);

	if (length <= prefix + suffix ||
	    memcmp(file, file_prefix, prefix) != 0 ||
	    memcmp(file + length - suffix, file_suffix, suffix) != 0)
		return false;
	length -= prefix + suffix;
	if (!plait__list_is_name(file + prefix, length))
		return false;
	memcpy(out, file + prefix, length);
	out[length] = '\0';
	return true;
}

/* --- places */

static bool has_place(const plait__search *search, const char *path,
		      size_t length)
{
	uint32_t i;

	for (i = 0; i < search->count; i++)
		if (strlen(search->places[i].path) == length &&
		    memcmp(search->places[i].path, path, length) == 0)
			return true;
	return false;
}

/* Add a place unless it is there already. */
static plait_status add_place(plait__search *search, const char *path,
			      size_t length, plait_error *error)
{
	plait__search_place *place = &search->places[search->count];

	while (length > 1 && path[length - 1] == '/')
		length--;
	if (has_place(search, path, length))
		return PLAIT_OK;
	place->path_bytes = length + 1;
	place->path = plait__alloc(search->allocator, place->path_bytes);
	if (place->path == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a path of %zu bytes",
				   length);
	memcpy(place->path, path, length);
	place->is_file = plait__search_parse_file(
		strrchr(place->path, '/') + 1, place->name);
	search->count++;
	return PLAIT_OK;
}

static plait_status reserve(plait__search *search, uint32_t capacity,
			    plait_error *error)
{
	search->places = plait__alloc_array(search->allocator, capacity,
					    sizeof(*search->places));
	if (search->places == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u plugin paths", capacity);
	search->capacity = capacity;
	return PLAIT_OK;
}

static plait_status check_path(const char *path, size_t length,
			       const char *setting, uint32_t number,
			       plait_error *error)
{
	if (length == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: path %u is empty", setting, number);
	if (path[0] != '/')
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: path %u, '%.*s', is not absolute",
				   setting, number,
				   length < 80 ? (int)length : 80, path);
	if (length >= PATH_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: path %u has %zu bytes, more than %d",
				   setting, number, length, PATH_MAX - 1);
	return PLAIT_OK;
}

static plait_status add_list(plait__search *search, const char *text,
			     const char *setting, plait_error *error)
{
	uint32_t number = 1;
	plait_status status;
	const char *c;
	size_t length;

	for (c = text; *c != '\0'; c++)
		number += *c == ':';
	status = reserve(search, number, error);
	for (number = 1; status == PLAIT_OK; number++) {
		length = strcspn(text, ":");
		status = check_path(text, length, setting, number, error);
		if (status == PLAIT_OK)
			status = add_place(search, text, length, error);
		if (text[length] == '\0')
			return status;
		text += length + 1;
	}
	return status;
}

static plait_status add_defaults(plait__search *search, plait_error *error)
{
	char path[PATH_MAX + sizeof("/plait")];
	plait_status status = reserve(search, 3, error);
	size_t length;
	char *slash;

	if (status != PLAIT_OK)
		return status;
	if (plait__dl_query_path(NULL, path, PATH_MAX) == 0) {
		slash = strrchr(path, '/');
		slash[slash == path] = '\0';
		status = add_place(search, path, strlen(path), error);
		if (status != PLAIT_OK)
			return status;
		length = strlen(path);
		(void)snprintf(path + length, sizeof(path) - length, "%s",
			       slash == path ? "plait" : "/plait");
		status = add_place(search, path, strlen(path), error);
		if (status != PLAIT_OK)
			return status;
	}
	return add_place(search, PLAIT_PLUGINDIR, strlen(PLAIT_PLUGINDIR),
			 error);
}

plait_status plait__search_init(plait__search *search,
				const plait_allocator *allocator,
				const char *text, const char *setting,
				plait_error *error)
{
	plait_status status;

	memset(search, 0, sizeof(*search));
	search->allocator = allocator;
	if (text == NULL || *text == '\0')
		status = add_defaults(search, error);
	else
		status = add_list(search, text, setting, error);
	if (status != PLAIT_OK)
		plait__search_fini(search);
	return status;
}

void plait__search_fini(plait__search *search)
{
	uint32_t i;

	for (i = 0; i < search->count; i++)
		plait__free(search->allocator, search->places[i].path,
			    search->places[i].path_bytes);
	plait__free(search->allocator, search->places,
		    (uint64_t)search->capacity * sizeof(*search->places));
	search->places = NULL;
	search->count = 0;
	search->capacity = 0;
}

/* --- listing */

/* Insert a name in order; a full list drops its last name. */
static void add_name(plait__list *names, const char *name)
{
	uint32_t i = 0;

	if (plait__list_has(names, name))
		return;
	while (i < names->count && strcmp(names->names[i], name) < 0)
		i++;
	if (i == PLAIT__LIST_MAX)
		return;
	if (names->count == PLAIT__LIST_MAX)
		names->count--;
	memmove(names->names[i + 1], names->names[i],
		(names->count - i) * sizeof(names->names[0]));
	memcpy(names->names[i], name, strlen(name) + 1);
	names->count++;
}

struct scan {
	plait__list *names;
	plait__text *notes;
	const char *folder;
	uint32_t found;
};

static bool visit_file(void *user_data, const char *file)
{
	size_t prefix = sizeof(file_prefix) - 1;
	struct scan *scan = user_data;
	char name[PLAIT__NAME_BYTES];
	size_t length = strlen(file);

	if (plait__search_parse_file(file, name)) {
		add_name(scan->names, name);
		scan->found++;
	} else if (strncmp(file, file_prefix, prefix) == 0 && length > 3 &&
		   strcmp(file + length - 3, file_suffix) == 0) {
		plait__text_add(scan->notes,
				"  %s/%s: ignored, a plugin's name has 1 to "
				"%d of a-z, 0-9 and _\n", scan->folder, file,
				PLAIT__NAME_BYTES - 1);
	}
	return true;
}

static void scan_folder(const char *folder, plait__list *names,
			plait__text *notes)
{
	struct scan scan = { names, notes, folder, 0 };
	char reason[96];
	int result = plait__file_list(folder, visit_file, &scan);

	if (result != 0)
		plait__text_add(notes, "  %s: %s\n", folder,
				plait__file_reason(result, reason,
						   sizeof(reason)));
	else
		plait__text_add(notes, "  %s: %u %s\n", folder, scan.found,
				scan.found == 1 ? "plugin" : "plugins");
}

void plait__search_scan(const plait__search *search, plait__list *names,
			plait__text *notes)
{
	uint32_t i;

	for (i = 0; i < search->count; i++) {
		const plait__search_place *place = &search->places[i];

		if (!place->is_file) {
			scan_folder(place->path, names, notes);
			continue;
		}
		add_name(names, place->name);
		plait__text_add(notes, "  %s: a file\n", place->path);
	}
	if (names->count == PLAIT__LIST_MAX)
		plait__text_add(notes, "  (%d plugins at most; others "
				"are ignored)\n", PLAIT__LIST_MAX);
}

/* --- loading */

/* Build the path of a plugin in this place; returns false if it cannot be
 * there. */
static bool build_file_path(const plait__search_place *place, const char *name,
		    char path[PATH_MAX])
{
	int length;

	if (place->is_file && strcmp(place->name, name) != 0)
		return false;
	if (place->is_file)
		length = snprintf(path, PATH_MAX, "%s", place->path);
	else
		length = snprintf(path, PATH_MAX, "%s/%s%s%s",
				  place->path[1] != '\0' ? place->path : "",
				  file_prefix, name, file_suffix);
	return length > 0 && length < PATH_MAX;
}

/* Copy an error with the prefix "plugin NAME: ", unless it has that already. */
static void report_reason(plait_error *error, const plait_error *reason,
			const char *name)
{
	char begin[PLAIT__NAME_BYTES + 16];
	int length = snprintf(begin, sizeof(begin), "plugin %s: ", name);

	if (strncmp(reason->text, begin, (size_t)length) == 0)
		begin[0] = '\0';
	plait__fail_origin(error, reason->status, reason->origin, "%s%s",
			   begin, reason->text);
}

/* Describe an obvious fault of a place: missing, or not a folder. */
static const char *describe_place(const plait__search_place *place, char *out,
			    size_t out_bytes)
{
	struct plait__file_info info = { .kind = PLAIT__FILE_DIRECTORY };
	char reason[96];
	int result = plait__file_query(place->path, &info);

	if (result != 0)
		(void)snprintf(out, out_bytes, " (%s)",
			       plait__file_reason(result, reason,
						  sizeof(reason)));
	else if (!place->is_file && info.kind != PLAIT__FILE_DIRECTORY)
		(void)snprintf(out, out_bytes, " (not a folder)");
	else
		out[0] = '\0';
	return out;
}

void plait__search_describe(const plait__search *search,
			    char out[PLAIT__SEARCH_PLACES_BYTES])
{
	const plait__search_place *places = search->places;
	char first[104], second[104];

	(void)describe_place(&places[0], first, sizeof(first));
	if (search->count == 1)
		(void)snprintf(out, PLAIT__SEARCH_PLACES_BYTES, "%s%s",
			       places[0].path, first);
	else if (search->count == 2)
		(void)snprintf(
			out, PLAIT__SEARCH_PLACES_BYTES, "%s%s or %s%s",
			places[0].path, first, places[1].path,
			describe_place(&places[1], second, sizeof(second)));
	else
		(void)snprintf(out, PLAIT__SEARCH_PLACES_BYTES,
			       "%s%s or %u other places", places[0].path,
			       first, search->count - 1);
}

/* Leaves room for the rest of the text. */
enum { MAX_PLACES_TEXT = 130 };

static plait_status fail_absent(const plait__search *search, const char *name,
				plait_error *error)
{
	char places[PLAIT__SEARCH_PLACES_BYTES];
	plait__spelling_hint hint;
	plait__list found;
	plait__text notes;

	memset(&found, 0, sizeof(found));
	plait__text_init(&notes, search->allocator);
	plait__search_scan(search, &found, &notes);
	plait__text_fini(&notes);
	plait__spelling_hint_init(&hint, name);
	for (uint32_t i = 0; i < found.count; i++)
		plait__spelling_hint_add(&hint, found.names[i]);
	plait__search_describe(search, places);
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "plugin %s: no plait_%s.so in %.*s%s", name, name,
			   PLAIT__TEXT_FIT(places, MAX_PLACES_TEXT),
			   plait__spelling_hint_text(&hint));
}

plait_status plait__search_load(const plait__search *search, const char *name,
				const plait_host_services *services,
				plait_backend_table *out, plait__text *tried,
				plait_error *error)
{
	plait_status first = PLAIT_OK;
	char path[PATH_MAX];
	plait__text absent;
	uint32_t i;

	plait__text_init(&absent, search->allocator);
	for (i = 0; i < search->count; i++) {
		plait_error reason = { .size = sizeof(reason) };
		plait_status status;

		if (!build_file_path(&search->places[i], name, path))
			continue;
		status = plait__load(path, name, services, out, &reason);
		if (status == PLAIT_OK) {
			plait__text_add(tried, "  %s: loaded\n", path);
			plait__text_fini(&absent);
			return PLAIT_OK;
		}
		if (status == PLAIT__ELF_CHECK_ABSENT) {
			plait__text_add(&absent, "  %s: not there\n", path);
			continue;
		}
		plait__text_add(tried, "  %s: %s\n", path, reason.text);
		if (first == PLAIT_OK) {
			first = status;
			report_reason(error, &reason, name);
		}
	}
	/* Of a plugin that was loaded, other places do not matter. */
	plait__text_add(tried, "%s", plait__text_get(&absent));
	tried->failed |= absent.failed;
	plait__text_fini(&absent);
	return first != PLAIT_OK ? first : fail_absent(search, name, error);
}
