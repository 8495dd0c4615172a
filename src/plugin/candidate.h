/* SPDX-License-Identifier: MIT */
/*
 * The contents of a registry: candidates, settings and open backends. Only the
 * files of src/plugin that build a registry (choose.c), open its instances
 * (instance.c) and describe it (report.c, none_chosen.c) use this header.
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
	PLAIT__CANDIDATE_NOT_LOADED, /* no file could be loaded; see reason */
	PLAIT__CANDIDATE_EXCLUDED,   /* by the user, with ^ */
	PLAIT__CANDIDATE_INTERPOSER, /* not a backend */
	PLAIT__CANDIDATE_EXPLICIT,   /* a backend that must be named */
	PLAIT__CANDIDATE_TRANSPORT,  /* it has no devices; worlds use it */
	PLAIT__CANDIDATE_WRAPS,      /* an interposer that is used */
	PLAIT__CANDIDATE_NOT_OPENED, /* loaded, but an interposer is unusable */
	PLAIT__CANDIDATE_NOT_USABLE, /* loaded, but did not open; see reason */
	PLAIT__CANDIDATE_CHOSEN
};

/* A plugin that was considered. */
typedef struct plait__candidate {
	char name[PLAIT__NAME_BYTES];
	enum plait__candidate_verdict verdict;
	bool loaded;
	bool probed; /* opened as a transport; `reason` has the failure */
	uint32_t backend; /* its number, if chosen */
	plait_backend_table table; /* complete, if loaded */
	plait_error reason;
	plait__text tried;
} plait__candidate;

/* A copy of one of the user's settings. */
typedef struct plait__setting {
	char *text; /* null: not set */
	uint64_t bytes;
	/* "PLAIT_BACKEND", or the descriptor's field "backends". */
	const char *name;
} plait__setting;

struct plait__registry {
	const plait_allocator *allocator;
	const plait__log *log;
	plait__pool *pool;
	plait__setting backends_setting;
	plait__setting path_setting;
	plait__setting wrap_setting;
	plait__setting options_setting;
	plait__setting transport_setting;
	plait__list wanted;
	plait__list wraps;
	plait__list transports;
	plait__search search;
	plait__options options;

	/* Named ones in the order of the list, then by name. */
	plait__candidate *candidates;
	uint32_t candidate_count;
	uint32_t candidate_capacity;
	/* Chosen ones, in order, with room for every candidate. */
	plait__backend *backends;
	uint32_t backend_count;
	uint32_t backend_capacity;

	/* Guards open_transports and no_memory once the registry is built. */
	struct plait__mutex transports_lock;
	struct plait__transport *open_transports;
	bool probes; /* a survey: transports are opened, and closed again */

	bool no_memory;     /* an allocation of the host failed meanwhile */
	plait_error failure; /* why a context cannot open; status 0: it can */
	plait__text places; /* one line per place that was listed */
	plait__text report;
};

/* Returns the candidate of this name, or null. */
plait__candidate *plait__candidate_find(const plait__registry *registry,
					 const char *name);

/* Returns true if the user lists backends to use, rather than all or all but
 * some. */
static inline bool plait__candidate_names_are_given(
	const plait__registry *registry)
{
	return registry->wanted.count > 0 && !registry->wanted.excludes;
}

#endif
