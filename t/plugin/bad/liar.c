/* SPDX-License-Identifier: MIT */
/*
 * Sins of a backend that works: the host backend, with false results of one
 * slot.  T_LIAR names the slot and the result, when the backend is opened:
 * SLOT=STATUS, a number, which is returned without a text.  `poll` is returned
 * instead of PLAIT_PENDING; `told` is the status of notifications of odd
 * points, sent at once; with `never` none come, and with `early` all come at
 * once.
 */
#include "plait/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static plait_backend_table truth;
static char slot[16];
static int lie;

static int is(const char *name)
{
	return strcmp(slot, name) == 0;
}

static plait_status open_liar(plait_host *host,
			      const plait_host_services *services,
			      plait_backend **out, plait_error *error)
{
	const char *text = getenv("T_LIAR");

	if (text == NULL || sscanf(text, "%15[a-z]=%d", slot, &lie) != 2)
		return services->fail(error, PLAIT_E_INVALID, 0,
				      "liar: T_LIAR is to be SLOT=STATUS");
	return truth.open(host, services, out, error);
}

static plait_status poll_liar(plait_backend *self,
			      const plait_backend_point *point,
			      uint64_t *out_reached, plait_error *error)
{
	plait_status status = truth.signal_poll(self, point, out_reached,
						error);

	return is("poll") && status == PLAIT_PENDING ? lie : status;
}

static plait_status recover_liar(plait_backend *self,
				 plait_backend_queue *queue,
				 plait_error *error)
{
	return is("recover") ? lie : truth.queue_recover(self, queue, error);
}

static plait_status notify_liar(plait_backend *self,
				const plait_backend_point *point,
				plait_notify_function function,
				void *user_data, plait_error *error)
{
	if (is("notify"))
		return lie;
	if (is("never"))
		return PLAIT_OK;
	if (is("early")) {
		function(user_data, PLAIT_OK);
		return PLAIT_OK;
	}
	/* Calls are at odd points, each followed by the end of its batch, of
	 * which a thread that waits has to be told in truth. */
	if (!is("told") || point->sequence % 2 == 0)
		return truth.signal_notify(self, point, function, user_data,
					   error);
	function(user_data, lie);
	return PLAIT_OK;
}

static plait_plugin_entry_function find_host(void)
{
	const char *build = getenv("abs_top_builddir");
	plait_plugin_entry_function entry = NULL;
	char path[4096];
	void *address;
	void *object;

	snprintf(path, sizeof(path), "%s/plugins/.libs/plait_host.so",
		 build ? build : ".");
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	address = object ? dlsym(object, PLAIT_PLUGIN_ENTRY_NAME) : NULL;
	memcpy(&entry, &address, sizeof(entry));
	return entry;
}

PLAIT_PLUGIN_EXPORT plait_status
plait_plugin_entry(const plait_host_services *services,
		   plait_backend_table *table, plait_error *error)
{
	plait_plugin_entry_function entry = find_host();
	plait_status status;

	if (entry == NULL)
		return services->fail(error, PLAIT_E_UNAVAILABLE, 0,
				      "liar: the host plugin is not there");
	status = entry(services, table, error);
	if (status != PLAIT_OK)
		return status;
	truth = *table;
	memcpy(table->name, "liar", sizeof("liar"));
	table->open = open_liar;
	table->signal_poll = poll_liar;
	table->queue_recover = recover_liar;
	table->signal_notify = notify_liar;
	return PLAIT_OK;
}
