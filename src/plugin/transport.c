/* SPDX-License-Identifier: MIT */
/*
 * Transports: loading and opening after the registry was built, and their
 * references; see transport.h.
 */
#include "plugin/transport.h"

#include "plugin/defaults.h"
#include "plugin/instance.h"
#include "plugin/services.h"
#include "plugin/transport_alias.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

const plait__list *plait__transport_names(const plait__registry *registry)
{
	return &registry->transports;
}

static plait__transport *find_open(const plait__registry *registry,
				   const char *name)
{
	plait__transport *transport = registry->open_transports;

	while (transport != NULL && strcmp(transport->backend.name, name) != 0)
		transport = transport->next;
	return transport;
}

/* Load the plugin's table again: the mapped object is shared, and a candidate
 * of the registry may be another kind of plugin, or absent. */
static plait_status load(plait__registry *registry, const char *name,
			 plait__candidate *out, plait_error *error)
{
	plait_status status;

	memset(out, 0, sizeof(*out));
	memcpy(out->name, name, strlen(name) + 1);
	plait__text_init(&out->tried, registry->allocator);
	status = plait__search_load(&registry->search, name,
				    plait__services_get(), &out->table,
				    &out->tried, error);
	plait__text_fini(&out->tried);
	if (status == PLAIT_OK && !plait__defaults_has_ports(&out->table))
		status = plait__fail(error, PLAIT_E_UNAVAILABLE,
				     "plugin %s is no transport: it has no "
				     "slots of ports", name);
	return status;
}

/* Caller holds transports_lock. */
static plait_status open_new(plait__registry *registry,
			     const plait__candidate *candidate,
			     plait__transport **out, plait_error *error)
{
	plait__transport *transport =
		plait__alloc(registry->allocator, sizeof(*transport));
	plait_status status;

	if (transport == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for transport %s",
				   candidate->name);
	status = plait__instance_open(registry, candidate, &transport->backend,
				      error);
	if (status != PLAIT_OK) {
		plait__free(registry->allocator, transport,
			    sizeof(*transport));
		return status;
	}
	plait__mutex_init(&transport->lock);
	transport->next = registry->open_transports;
	registry->open_transports = transport;
	plait__log_line(registry->log, PLAIT_LOG_INFO, "transport %s: open",
			candidate->name);
	*out = transport;
	return PLAIT_OK;
}

static plait_status open_plugin(plait__registry *registry, const char *name,
				plait__transport **out, plait_error *error)
{
	plait_error reason = { .size = sizeof(reason) };
	plait__candidate candidate;
	plait_status status = PLAIT_OK;

	*out = NULL;
	if (!plait__list_is_name(name, strlen(name)))
		return plait__fail(error, PLAIT_E_INVALID,
				   "transport \"%.64s\": a name has 1 to 31 "
				   "letters a to z, digits and underscores",
				   name);
	plait__mutex_lock(&registry->transports_lock);
	*out = find_open(registry, name);
	if (*out == NULL)
		status = load(registry, name, &candidate, &reason);
	if (*out == NULL && status == PLAIT_OK)
		status = open_new(registry, &candidate, out, &reason);
	if (status == PLAIT_OK)
		(*out)->references++;
	plait__mutex_unlock(&registry->transports_lock);
	if (status != PLAIT_OK)
		plait__error_copy(error, &reason);
	return status;
}

/* The error has the reason of each plugin. */
static plait_status open_first(plait__registry *registry, const char *name,
			       const char *const *plugins,
			       plait__transport **out, plait_error *error)
{
	plait_error reason = { .size = sizeof(reason) };
	char reasons[PLAIT_ERROR_TEXT_BYTES] = "";
	size_t used = 0;

	for (; *plugins != NULL; plugins++) {
		plait_status status = open_plugin(registry, *plugins, out,
						  &reason);

		if (status != PLAIT_E_UNAVAILABLE) {
			if (status != PLAIT_OK)
				plait__error_copy(error, &reason);
			return status;
		}
		used += (size_t)snprintf(reasons + used,
					 sizeof(reasons) - used, "%s%.108s",
					 used > 0 ? "; " : "", reason.text);
	}
	return plait__fail(error, PLAIT_E_UNAVAILABLE, "%s: %s", name,
			   reasons);
}

plait_status plait__transport_open(plait__registry *registry, const char *name,
				   plait__transport **out, plait_error *error)
{
	const char *const *plugins = plait__transport_alias(name);

	return plugins == NULL
		? open_plugin(registry, name, out, error)
		: open_first(registry, name, plugins, out, error);
}

static void unlink_transport(plait__registry *registry,
			     const plait__transport *transport)
{
	plait__transport **link = &registry->open_transports;

	while (*link != transport)
		link = &(*link)->next;
	*link = transport->next;
}

void plait__transport_close(plait__registry *registry,
			    plait__transport *transport)
{
	if (transport == NULL)
		return;
	plait__mutex_lock(&registry->transports_lock);
	if (--transport->references == 0) {
		unlink_transport(registry, transport);
		plait__instance_close(registry, &transport->backend);
		plait__free(registry->allocator, transport,
			    sizeof(*transport));
	}
	plait__mutex_unlock(&registry->transports_lock);
}

plait_status plait__transport_probe(plait__registry *registry,
				    const plait__candidate *candidate,
				    plait_error *error)
{
	plait__backend backend;
	plait_status status =
		plait__instance_open(registry, candidate, &backend, error);

	if (status == PLAIT_OK)
		plait__instance_close(registry, &backend);
	return status;
}
