/* SPDX-License-Identifier: MIT */
/*
 * The backends of one context: found, loaded, checked, opened, wrapped, and
 * the report of how that went.  Contexts own one registry each and call the
 * tables; nobody else loads plugins.
 */
#ifndef PLAIT_SRC_PLUGIN_REGISTRY_H
#define PLAIT_SRC_PLUGIN_REGISTRY_H

#include "plait/plugin.h"

#include "base/log.h"
#include "base/text.h"

typedef struct plait__pool plait__pool;
typedef struct plait__registry plait__registry;

enum {
	/* More devices in one backend than this is taken for garbage. */
	PLAIT__BACKEND_MAX_DEVICES = 4096
};

/*
 * One open backend, with its interposers around it.
 *
 * `table` is complete: optional slots that the plugin left out answer
 * PLAIT_E_UNSUPPORTED (flush: PLAIT_OK), so no caller tests for null.  It is
 * the outermost interposer's when there are any; `name` is the backend's.
 * Nothing in here changes between open and close.
 */
typedef struct plait__backend {
	plait_backend_table table;
	plait_backend *self;
	plait_host *host;
	/* device_count records, all checked: texts end, parallel >= 1,
	 * alignment is a power of two, capability bits have their slots. */
	plait_backend_device *devices;
	uint32_t device_count;
	char name[32];
	struct plait__layer *layers; /* the registry's */
} plait__backend;

/* The four texts are copied.  Null or "": the environment, then the default. */
typedef struct plait__registry_config {
	const char *backends;    /* PLAIT_BACKEND */
	const char *plugin_path; /* PLAIT_PLUGIN_PATH */
	const char *wrap;        /* PLAIT_WRAP */
	const char *options;     /* PLAIT_OPTIONS */
	const plait_allocator *allocator; /* lives as long as the registry */
	const plait__log *log;            /* likewise; nullable */
	plait__pool *pool; /* likewise; null: services say UNSUPPORTED */
} plait__registry_config;

/*
 * Find and open backends, best (or first named) first.  On failure `error`
 * names the first reason and its detail has the whole report.
 * PLAIT_E_INVALID (a malformed list, path or option), PLAIT_E_UNAVAILABLE,
 * PLAIT_E_NOMEM.
 */
plait_status plait__registry_open(const plait__registry_config *config,
				  plait__registry **out, plait_error *error);

/* Close every backend, last opened first.  Null is fine. */
void plait__registry_close(plait__registry *registry);

/* How many are open, at least 1. */
uint32_t plait__registry_count(const plait__registry *registry);

/* Number `index`, below the count. */
plait__backend *plait__registry_backend(plait__registry *registry,
					uint32_t index);

/* The report as text; lives as long as the registry. */
const char *plait__registry_report(const plait__registry *registry);

/*
 * Try what open would try, append the report to `out`, and close again.
 * PLAIT_OK also when nothing is usable; PLAIT_E_INVALID, PLAIT_E_NOMEM.
 */
plait_status plait__registry_survey(const plait__registry_config *config,
				    plait__text *out, plait_error *error);

#endif
