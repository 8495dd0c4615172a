/* SPDX-License-Identifier: MIT */
/*
 * Transports of a registry: opened by name through options and interposers,
 * shared, refused with reasons, reported.
 */
#include "lib/tap.h"

#include "lib/plugin_rig.h"
#include "lib/unwrapped.h"

#include "plugin/candidate.h"
#include "plugin/transport.h"

#include <stdlib.h>
#include <string.h>

static void a_transport_is_shared(void)
{
	plait__registry *registry =
		rig_open(rig_plugin_folder(), "host", NULL,
			 "loopback:rank=0,ranks=1");
	const plait_port_request request = { .size = sizeof(request) };
	plait__transport *first, *second;
	plait_error error = { .size = sizeof(error) };
	plait_backend_port *port;

	if (!OK(registry != NULL))
		return;
	IS_UINT(plait__registry_count(registry), 1);
	IS_INT(plait__transport_open(registry, "loopback", &first, &error),
	       PLAIT_OK);
	IS_INT(plait__transport_open(registry, "loopback", &second, &error),
	       PLAIT_OK);
	IS_PTR(first, second);
	IS_STR(first->backend.name, "loopback");
	IS_UINT(first->backend.device_count, 0);
	IS_INT(first->backend.table.port_open(first->backend.self, &request,
					      &port, &error), PLAIT_OK);
	first->backend.table.port_close(first->backend.self, port);
	IS_UINT(first->backend.table.device_count(first->backend.self), 0);
	plait__transport_close(registry, first);
	plait__transport_close(registry, second);
	plait__transport_close(registry, NULL);
	IS_INT(plait__transport_open(registry, "loopback", &first, &error),
	       PLAIT_OK);
	plait__transport_close(registry, first);
	plait__registry_close(registry);
}

/* The interposer fails the first call of port_open. */
static void interposers_wrap_it(void)
{
	plait__registry *registry =
		rig_open(rig_plugin_folder(), "host", "fault",
			 "loopback:rank=0,ranks=1;fault:fail=1,slot=port_open");
	const plait_port_request request = { .size = sizeof(request) };
	plait_error error = { .size = sizeof(error) };
	plait__transport *transport;
	plait_backend_port *port;

	if (!OK(registry != NULL))
		return;
	if (IS_INT(plait__transport_open(registry, "loopback", &transport,
					 &error), PLAIT_OK)) {
		IS_INT(transport->backend.table.port_open(
			transport->backend.self, &request, &port, &error),
			PLAIT_E_NOMEM);
		HAS_STR(error.text, "fault: call 1, port_open");
		IS_INT(transport->backend.table.port_open(
			transport->backend.self, &request, &port, &error),
			PLAIT_OK);
		transport->backend.table.port_close(transport->backend.self,
						    port);
		plait__transport_close(registry, transport);
	}
	plait__registry_close(registry);
}

/* check and trace have no devices to read there. */
static void all_interposers_pass_ports(void)
{
	plait__registry *registry =
		rig_open(rig_plugin_folder(), "host", "check,trace,fault", NULL);
	const plait_port_request request = { .size = sizeof(request),
					     .ranks = 1 };
	plait_error error = { .size = sizeof(error) };
	plait__transport *transport;
	plait_backend_port *port;
	char mail[8192] = "";
	uint32_t peer;
	uint64_t bytes;

	if (!OK(registry != NULL))
		return;
	if (IS_INT(plait__transport_open(registry, "shm", &transport, &error),
		   PLAIT_OK)) {
		const plait_backend_table *table = &transport->backend.table;
		plait_backend *self = transport->backend.self;

		IS_INT(table->port_open(self, &request, &port, &error),
		       PLAIT_OK);
		IS_INT(table->mail_next(self, port, &peer, mail, sizeof(mail),
					&bytes, &error), PLAIT_PENDING);
		IS_INT(table->mail_send(self, port, 0, "x", 0, &error),
		       PLAIT_E_INTERNAL);
		HAS_STR(error.text, "check: the core broke a rule, mail_send");
		table->port_close(self, port);
		plait__transport_close(registry, transport);
	} else {
		NOTE("%s", error.text);
	}
	plait__registry_close(registry);
}

static void others_are_refused(void)
{
	static const struct {
		const char *name, *text;
		plait_status status;
	} cases[] = {
		{ "host", "plugin host is no transport", PLAIT_E_UNAVAILABLE },
		{ "nowhere", "nowhere", PLAIT_E_UNAVAILABLE },
		{ "No/name", "a name has 1 to 31 letters", PLAIT_E_INVALID },
		{ "shm", "shm: option rank=9x: expected", PLAIT_E_INVALID },
	};
	plait__registry *registry = rig_open(rig_plugin_folder(), "host", NULL,
					     "shm:rank=9x,ranks=2");
	plait__transport *transport;

	if (!OK(registry != NULL))
		return;
	for (size_t i = 0; i < TAP_COUNT(cases); i++) {
		plait_error error = { .size = sizeof(error) };

		IS_INT(plait__transport_open(registry, cases[i].name,
					     &transport, &error),
		       cases[i].status);
		HAS_STR(error.text, cases[i].text);
		IS_PTR(transport, NULL);
	}
	plait__registry_close(registry);
}

static void a_transport_is_no_backend(void)
{
	plait__registry *registry = rig_open(rig_plugin_folder(), "loopback",
					     NULL, NULL);

	IS_PTR(registry, NULL);
	HAS_STR(rig_error.text, "plugin loopback is a transport, not a "
		"backend; set PLAIT_TRANSPORT=loopback");
	registry = rig_open(rig_plugin_folder(), "loopback?,host", NULL, NULL);
	IS_PTR(registry, NULL);
}

/* A survey opens transports; the report of a context only names them. */
static void surveys_tell(void)
{
	plait__registry *registry;
	const char *report;

	setenv("PLAIT_TRANSPORT", "shm,nowhere", 1);
	report = rig_survey(rig_plugin_folder(), "host", NULL, NULL);
	HAS_STR(report, "transports: shm,nowhere (PLAIT_TRANSPORT)");
	HAS_STR(report, "shm: transport of worlds, number 1");
	HAS_STR(report, "nowhere: rejected: could not be loaded");
	report = rig_survey(rig_plugin_folder(), "host", NULL, "shm:rank=1");
	HAS_STR(report, "shm: a transport that cannot be used: shm: options "
		"rank, ranks and name");
	setenv("PLAIT_TRANSPORT", "host", 1);
	registry = rig_open(rig_plugin_folder(), "host", NULL, "shm:rank=1");
	if (OK(registry != NULL)) {
		HAS_STR(plait__registry_report(registry),
			"host: chosen, number 1");
		OK(strstr(plait__registry_report(registry),
			  "has no effect") == NULL);
		IS_UINT(plait__transport_names(registry)->count, 1);
		plait__registry_close(registry);
	}
	setenv("PLAIT_TRANSPORT", "a b", 1);
	IS_PTR(rig_open(rig_plugin_folder(), "host", NULL, NULL), NULL);
	IS_INT(rig_error.status, PLAIT_E_INVALID);
	HAS_STR(rig_error.text, "PLAIT_TRANSPORT");
	unsetenv("PLAIT_TRANSPORT");
	report = rig_survey(rig_plugin_folder(), NULL, NULL, NULL);
	HAS_STR(report, "transports: none");
	HAS_STR(report, "loopback: a transport, used when named: "
		"PLAIT_TRANSPORT=loopback");
}

static const struct tap_scenario all[] = {
	{ "a transport is shared", a_transport_is_shared },
	{ "interposers wrap it", interposers_wrap_it },
	{ "all interposers pass ports", all_interposers_pass_ports },
	{ "others are refused", others_are_refused },
	{ "a transport is no backend", a_transport_is_no_backend },
	{ "surveys tell", surveys_tell },
};

TAP_MAIN(all)
