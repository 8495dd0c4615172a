/* SPDX-License-Identifier: MIT */
/*
 * The plugin search path: absolute folders and files, in order. Never the
 * current folder, never the linker's own search.
 */
#ifndef PLAIT_SRC_PLUGIN_SEARCH_H
#define PLAIT_SRC_PLUGIN_SEARCH_H

#include "plait/plugin.h"

#include "plugin/list.h"

#include "base/text.h"

typedef struct plait__search_place {
	char *path;
	uint64_t path_bytes;
	bool is_file;
	char name[PLAIT__NAME_BYTES]; /* of a file: plait_<name>.so */
} plait__search_place;

/* Room for places in an error's text. */
enum { PLAIT__SEARCH_PLACES_BYTES = PLAIT_ERROR_TEXT_BYTES };

typedef struct plait__search {
	const plait_allocator *allocator;
	plait__search_place *places;
	uint32_t count;
	uint32_t capacity;
} plait__search;

/*
 * Initialize the search path. Null or "": the folder of libplait, its subfolder
 * "plait", and the folder that plugins were installed to. Otherwise absolute
 * paths separated by colons; a path that ends in plait_<name>.so is a file.
 * `setting` names the source in errors. PLAIT_E_INVALID, PLAIT_E_NOMEM.
 */
plait_status plait__search_init(plait__search *search,
				const plait_allocator *allocator,
				const char *text, const char *setting,
				plait_error *error);
void plait__search_fini(plait__search *search);

/* Returns true if the file name is plait_<name>.so; `out` receives the name. */
bool plait__search_parse_file(const char *file, char out[PLAIT__NAME_BYTES]);

/* Add the names of all plugins to `names`, alphabetically, and one line per
 * place to `notes`. Files are not opened. */
void plait__search_scan(const plait__search *search, plait__list *names,
			plait__text *notes);

/* Load the first plait_<name>.so that loads; `tried` receives one line per
 * path, with the reason. The error is that of the first file that exists. */
plait_status plait__search_load(const plait__search *search, const char *name,
				const plait_host_services *services,
				plait_backend_table *out, plait__text *tried,
				plait_error *error);

/* Describe the places in a few words, with the faults of the first ones. */
void plait__search_describe(const plait__search *search,
			    char out[PLAIT__SEARCH_PLACES_BYTES]);

#endif
