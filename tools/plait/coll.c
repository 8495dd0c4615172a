/* SPDX-License-Identifier: MIT */
/* plait coll: schedules of collectives; a table of its own subcommands. */
#include "coll.h"

#include "command.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} actions[] = {
	{ "check", coll_check },
	{ "compile", coll_compile },
	{ "draw", coll_draw },
	{ "run", coll_run },
	{ "simulate", coll_simulate },
	{ "tune", coll_tune },
};

int command_coll(int argc, char **argv)
{
	if (argc < 2)
		return command_usage("coll", "expected an action: check, compile, "
				     "draw, run, simulate or tune");
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, argv[1]) == 0)
			return actions[i].run(argc - 1, argv + 1);
	return command_usage("coll", "unknown action '%s'; there are check, "
			     "compile, draw, run, simulate and tune", argv[1]);
}
