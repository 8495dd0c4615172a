/* SPDX-License-Identifier: MIT */
/*
 * Transports of a registry: opened by name when a world asks, shared by the
 * worlds of a context, and closed with the last of them.
 */
#ifndef PLAIT_SRC_PLUGIN_TRANSPORT_H
#define PLAIT_SRC_PLUGIN_TRANSPORT_H

#include "plugin/candidate.h"
#include "plugin/list.h"
#include "plugin/registry.h"
#include "sys/mutex.h"

typedef struct plait__transport plait__transport;

/* All fields but `lock` are constant while the transport is open. */
struct plait__transport {
	/* With its interposers; its slots of ports are the plugin's own. */
	plait__backend backend;
	/* Held by callers around each slot of ports and around `pump`. */
	struct plait__mutex lock;
	plait__transport *next; /* the rest is the registry's */
	uint32_t references;
};

/* Returns the names of PLAIT_TRANSPORT, in order. */
const plait__list *plait__transport_names(const plait__registry *registry);

/*
 * Open the transport `name`, or add a reference to the open one. Search, trust,
 * options and interposers are those of backends. A name may stand for several
 * (transport_alias.h). Any thread.
 * PLAIT_E_UNAVAILABLE: there is no such plugin, it is no transport, or it cannot
 * work here; the text has the reason. PLAIT_E_INVALID: a wrong name or option.
 */
plait_status plait__transport_open(plait__registry *registry, const char *name,
				   plait__transport **out, plait_error *error);

/* Drop a reference. Its caller has closed its ports. Null is allowed. */
void plait__transport_close(plait__registry *registry,
			    plait__transport *transport);

/* Open the candidate as a transport and close it again: can it work here? */
plait_status plait__transport_probe(plait__registry *registry,
				    const plait__candidate *candidate,
				    plait_error *error);

#endif
