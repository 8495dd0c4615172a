/* SPDX-License-Identifier: MIT */
/* The name mpi, which stands for the transport of the MPI that launched a process. */
#include "lib/tap.h"

#include "lib/plugin_rig.h"
#include "lib/unwrapped.h"

#include "plugin/transport.h"
#include "plugin/transport_alias.h"

static plait__list parse(const char *text)
{
	plait_error error = { .size = sizeof(error) };
	plait__list list;

	IS_INT(plait__list_parse(&list, text, "LIST", false, &error),
	       PLAIT_OK);
	return list;
}

static void expands(void)
{
	plait__list names = parse("shm,mpi,mpich"), out;

	plait__transport_alias_expand(&names, &out);
	IS_UINT(out.count, 3);
	IS_STR(out.names[0], "shm");
	IS_STR(out.names[1], "openmpi");
	IS_STR(out.names[2], "mpich");
	OK(plait__transport_alias("shm") == NULL);
}

static void finds(void)
{
	plait__list names = parse("shm,mpi");

	IS_STR(plait__transport_alias_find(&names, "shm"), "shm");
	IS_STR(plait__transport_alias_find(&names, "openmpi"), "mpi");
	IS_STR(plait__transport_alias_find(&names, "mpich"), "mpi");
	OK(plait__transport_alias_find(&names, "loopback") == NULL);
}

/* Neither is there: the error has both reasons. */
static void refuses(void)
{
	const char *folder = rig_folder();
	plait__transport *transport = NULL;
	plait_error error = { .size = sizeof(error) };
	plait__registry *registry;

	OK(rig_copy("good", folder, "good"));
	registry = rig_open(folder, NULL, NULL, NULL);
	OK(registry != NULL);
	if (registry == NULL)
		return;
	IS_INT(plait__transport_open(registry, "mpi", &transport, &error),
	       PLAIT_E_UNAVAILABLE);
	OK(transport == NULL);
	HAS_STR(error.text, "mpi: ");
	HAS_STR(error.text, "openmpi");
	HAS_STR(error.text, "; ");
	HAS_STR(error.text, "mpich");
	plait__registry_close(registry);
}

static const struct tap_scenario scenarios[] = {
	{ "expands", expands },
	{ "finds", finds },
	{ "refuses", refuses },
};

TAP_MAIN(scenarios)
