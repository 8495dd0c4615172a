/* SPDX-License-Identifier: MIT */
/*
 * The registry of a context: its backends, found, loaded, checked, opened and
 * wrapped, and a report about that. Each context owns one registry and calls
 * its tables; no other code loads plugins.
 */
#ifndef PLAIT_SRC_PLUGIN_REGISTRY_H
#define PLAIT_SRC_PLUGIN_REGISTRY_H

#include "plait/plugin.h"

#include "base/log.h"
#include "base/text.h"

typedef struct plait__pool plait__pool;
typedef struct plait__registry plait__registry;

enum {
	/* A backend that reports more devices is rejected. */
	PLAIT__BACKEND_MAX_DEVICES = 4096
};

/*
 * An open backend with the interposers around it.
 *
 * `table` is complete: an optional slot that the plugin left null returns
 * PLAIT_E_UNSUPPORTED (flush: PLAIT_OK), so callers do not test for null. With
 * interposers it is the outermost one's; `name` is the backend's. All fields
 * are constant between open and close.
 */
typedef struct plait__backend {
	plait_backend_table table;
	plait_backend *self;
	plait_host *host;
	/*
	 * device_count records, all checked: texts are terminated, parallel >=
	 * 1, alignment is a power of two, capability bits have their slots.
	 */
	plait_backend_device *devices;
	uint32_t device_count;
	char name[32];
	struct plait__layer *layers; /* the registry's */
} plait__backend;

/* The four texts are copied. Null or "": the environment's value, then the
 * default. */
typedef struct plait__registry_config {
	const char *backends;    /* PLAIT_BACKEND */
	const char *plugin_path; /* PLAIT_PLUGIN_PATH */
	const char *wrap;        /* PLAIT_WRAP */
	const char *options;     /* PLAIT_OPTIONS */
	const plait_allocator *allocator; /* outlives the registry */
	const plait__log *log;            /* outlives the registry; nullable */
	/* Outlives the registry; null: pool services return UNSUPPORTED. */
	plait__pool *pool;
} plait__registry_config;

/*
 * Find and open backends, best (or first named) first. On failure `error` has
 * the first reason and its detail the whole report. PLAIT_E_INVALID (a
 * malformed list, path or option), PLAIT_E_UNAVAILABLE, PLAIT_E_NOMEM.
 */
plait_status plait__registry_open(const plait__registry_config *config,
				  plait__registry **out, plait_error *error);

/* Close every backend, in reverse order. Null is allowed. */
void plait__registry_close(plait__registry *registry);

/* Returns the number of open backends, at least 1. */
uint32_t plait__registry_count(const plait__registry *registry);

/* Returns true if the interposer wraps the backends. */
bool plait__registry_wraps_in(const plait__registry *registry,
			      const char *name);

/* Returns backend `index`, which is below the count. */
plait__backend *plait__registry_backend(plait__registry *registry,
					uint32_t index);

/* Returns the report's text, valid as long as the registry. */
const char *plait__registry_report(const plait__registry *registry);

/* Do what open does, append the report to `out`, and close again. Returns
 * PLAIT_OK even if no backend is usable; PLAIT_E_INVALID, PLAIT_E_NOMEM. */
plait_status plait__registry_survey(const plait__registry_config *config,
				    plait__text *out, plait_error *error);

#endif
