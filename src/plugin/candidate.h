/* SPDX-License-Identifier: MIT */
/*
 * What a registry is made of.  Only the files of src/plugin that build one
 * (choose.c), open its instances (instance.c) and tell about it (report.c,
 * none_chosen.c) look in here.
 */
#ifndef PLAIT_SRC_PLUGIN_CANDIDATE_H
#define PLAIT_SRC_PLUGIN_CANDIDATE_H

#include "plait/plugin.h"

#include "plugin/list.h"
#include "plugin/options.h"
#include "plugin/registry.h"
#include "plugin/search.h"

#include "base/text.h"

enum plait__candidate_verdict {
	PLAIT__CANDIDATE_NOT_LOADED, /* no file that could be loaded; see reason */
	PLAIT__CANDIDATE_EXCLUDED,   /* by the user, with ^ */
	PLAIT__CANDIDATE_INTERPOSER, /* not a backend */
	PLAIT__CANDIDATE_EXPLICIT,   /* a backend that wants to be named */
	PLAIT__CANDIDATE_WRAPS,      /* an interposer that is used */
	PLAIT__CANDIDATE_NOT_OPENED, /* loaded, but what is to wrap it is not there */
	PLAIT__CANDIDATE_NOT_USABLE, /* loaded, but did not open; see reason */
	PLAIT__CANDIDATE_CHOSEN
};

/* One plugin that was thought of. */
typedef struct plait__candidate {
	char name[PLAIT__NAME_BYTES];
	enum plait__candidate_verdict verdict;
	bool loaded;
	uint32_t backend; /* when chosen: its number */
	plait_backend_table table; /* when loaded: complete */
	plait_error reason;
	plait__text tried;
} plait__candidate;

/* One setting of the user's, kept. */
typedef struct plait__setting {
	char *text; /* null: not set */
	uint64_t bytes;
	const char *name; /* "PLAIT_BACKEND", or "backends" of the descriptor */
} plait__setting;

struct plait__registry {
	const plait_allocator *allocator;
	const plait__log *log;
	plait__pool *pool;
	plait__setting backends_setting;
	plait__setting path_setting;
	plait__setting wrap_setting;
	plait__setting options_setting;
	plait__list wanted;
	plait__list wraps;
	plait__search search;
	plait__options options;

	/* Named ones in the order of their list, then by name. */
	plait__candidate *candidates;
	uint32_t candidate_count;
	uint32_t candidate_capacity;
	/* Chosen ones, in order.  Room for every candidate. */
	plait__backend *backends;
	uint32_t backend_count;
	uint32_t backend_capacity;

	bool no_memory;     /* the host's memory ran out on the way */
	plait_error failure; /* why it cannot be opened; status 0: it can */
	plait__text places; /* lines about the places that were listed */
	plait__text report;
};

/* The candidate of this name, or null. */
plait__candidate *plait__candidate_find(const plait__registry *registry,
					 const char *name);

/* Does the user name backends, instead of taking what there is? */
static inline bool plait__candidate_names_are_given(const plait__registry *registry)
{
	return registry->wanted.count > 0 && !registry->wanted.excludes;
}

#endif
