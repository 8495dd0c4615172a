/* SPDX-License-Identifier: MIT */
/*
 * The `plait` command: table of subcommands, dispatch and help.  Each subcommand
 * is in its own file and uses the public API only.
 */
#include "command.h"

#include "plait/plait.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

/* Options shared by several subcommands. */
#define HOW								\
	"  --policy P   bounded (default): at most the permitted number of "	\
	"lanes;\n"							\
	"               widest: as many lanes as the graph is wide, within "	\
	"the limits of\n"						\
	"               --lanes and of the file\n"			\
	"  --lanes N    most lanes per device; a smaller limit in the "	\
	"file takes precedence\n"					\
	"               (default 0: the file's limit; without one 1, or "	\
	"any number with\n"						\
	"               --policy widest)\n"				\
	"  --mode M     strict (default), helped or auto\n"
#define HOP								\
	"  --hop N      cost of observing another lane's progress\n"
#define FILES								\
	"  FILE         a graph, see plait-graph(5), or a plan; -: "	\
	"standard input\n"

static const struct command commands[] = {
	{ "check", "PLAN|FILE [--policy P] [--lanes N] [--mode M] [--hop N]",
	  "verify a plan", FILES HOW HOP, command_check },
	{ "coll", "compile NAME|FILE [--ranks N] [-o FILE | --xml DIALECT] "
	  "[...]\n"
	  "       plait coll check FILE [--depth D] [--slot BYTES] [--target T] "
	  "[--as KIND [--root R]]\n"
	  "                  [--promise FILE] [--json]\n"
	  "       plait coll run FILE [--bytes LIST] [--type T] [--op OP] "
	  "[--verify] [...]\n"
	  "       plait coll simulate FILE --cluster FILE [--bytes LIST] "
	  "[--json]\n"
	  "       plait coll tune KIND|FILE [--ranks N] [--cluster FILE] [--measure] "
	  "[--bytes LIST] [...]\n"
	  "       plait coll draw FILE [--svg] [--cluster FILE] [--bytes N]",
	  "compile, prove, run and simulate schedules of collectives",
	  "compile: make a proved schedule\n"
	  "  NAME|FILE    a known algorithm (ring, allpairs, halving, tree, ...), "
	  "or a text; a file's\n"
	  "               name has a dot or a slash\n"
	  "  --ranks N    number of ranks; of a text: instead of its own\n"
	  "  --kind KIND  collective of the algorithm (default: allreduce, if it "
	  "has one)\n"
	  "  --chunks K   chunks of a rank's share; --root R; --in-place\n"
	  "  --instances N  parallel ways (default 1)\n"
	  "  --protocol P simple, ll or ll128\n"
	  "  --depth D    slots per connection that suffice\n"
	  "  --lanes N    lanes of a rank above which sends and receipts share "
	  "lanes\n"
	  "  --no-fusion  each send, receipt and reduction is a step\n"
	  "  --aggregate[=K]  join messages of neighbouring chunks that are "
	  "ready at about one\n"
	  "               time, up to K chunks\n"
	  "  --target T   executor: plait, msccl, executor (Azure) or rccl\n"
	  "  -o FILE      write the schedule, in binary form\n"
	  "  --xml DIALECT  write XML (msccl, executor, rccl), to stdout or FILE\n"
	  "check: prove a schedule, or name the reason against it\n"
	  "  FILE         MSCCL XML or binary form; -: standard input\n"
	  "  --depth D    slots per connection (default: the protocol's)\n"
	  "  --slot BYTES bytes per slot (default: the protocol's)\n"
	  "  --as KIND    prove another collective than the file says: allreduce, "
	  "allgather,\n"
	  "               reduce_scatter, alltoall, broadcast, reduce, gather, "
	  "scatter, alltonext\n"
	  "  --root R     root of that collective (default 0)\n"
	  "  --promise FILE  prove these results: lines like 1.0 = 0.0 + 2.1, "
	  "each number\n"
	  "               RANK.CHUNK, of output on the left and input on the "
	  "right\n"
	  "  --json       print verdict, reason, depth_min, safe_bytes, lanes, "
	  "channels, steps\n"
	  "simulate: predict the time on a cluster; tune: choose by such times "
	  "among algorithms, or\n"
	  "how to compile a text: protocol, instances, messages that are joined\n"
	  "  --cluster FILE  latencies and rates, like examples/a100.cluster\n"
	  "  --measure    tune: measure N processes of this machine, or ranks of a "
	  "launcher; a cluster\n"
	  "               leaves out what is hopeless\n"
	  "  --seconds S  tune: time limit (--measure: 30); results so far count\n"
	  "  -v, --verbose  tune: show progress on stderr, as on a terminal\n"
	  "  --bytes LIST sizes, like 4,64K or 1K:1G, its doubles (tune: "
	  "1K:1G, measured\n"
	  "               1K:64M)\n"
	  "  -o FOLDER    tune: write the chosen schedules; --xml DIALECT: as "
	  "XML\n"
	  "  --all        tune: print all candidates; --root R; --in-place\n"
	  "draw: the first tile of a schedule; without a cluster each step takes "
	  "1 us\n"
	  "  --svg        the form of the picture, the only one\n"
	  "run: execute a schedule, all ranks in this process, on the devices in "
	  "turn;\n"
	  "     with PLAIT_TRANSPORT in the environment this process is one rank\n"
	  "  --processes N  start N processes, a rank each, over shm; the mean "
	  "time counts\n"
	  "  --shared     their memory is read by the others in place\n"
	  "  --bytes LIST sizes of the larger buffer of a rank, like 4,64K,1M "
	  "(default 1M)\n"
	  "  --type T     f32 (default), f64, f16, bf16, i8 to i64, u8 to u64\n"
	  "  --op OP      sum (default), prod, min or max\n"
	  "  --verify     compare the outputs with the promise; --as KIND: with "
	  "another one;\n"
	  "               --promise FILE: with these results, as of check\n"
	  "  --times N    runs of each size, of which the fastest counts "
	  "(default 10)\n"
	  "  --parameters bind the buffers at each run\n", command_coll },
	{ "conform", "BACKEND [--only IDS] [--seed N] [--expect FILE] | --list",
	  "test the conformance of a backend", NULL, conform_main },
	{ "flow", "FILE [--lanes N] [--window N] [--strict] [--history FILE] "
	  "[--text | --json | --dot | --svg]\n"
	  "       plait flow FILE --memories N [OPTION]...",
	  "order the tasks of a flow, and say why",
	  "  FILE         a program of tasks, see doc/flow-text.md; -: standard "
	  "input\n"
	  "  --lanes N    lanes of the flow (default 4)\n"
	  "  --window N   tasks that may be not done at a time: a power of two "
	  "(default 4096)\n"
	  "  --strict     fail if there are warnings\n"
	  "  --history FILE  print the measured times of a file, too; or alone\n"
	  "  --text       print tasks, accesses, and the reason of each edge "
	  "(default)\n"
	  "  --json       print the same as one JSON object\n"
	  "  --dot        print the graph for Graphviz\n"
	  "  --svg        print a drawing of a schedule\n"
	  "  --memories N  print the instructions for N devices, as --text or "
	  "--json;\n"
	  "               see doc/flow-memories.md for it and its options:\n"
	  "    --peers all | ring | none  memories that copy to each other "
	  "directly\n"
	  "    --shared   the devices have one memory in all\n"
	  "    --lookahead all | none     blocks as large as any task needs; "
	  "or let grow\n"
	  "    --bytes N  bytes of each memory (default 0: no limit)\n"
	  "    --links FILE     bandwidths of the links\n"
	  "    --weights LIST   share of each device, like 3,1\n"
	  "    --choose POLICY  device of a task: earliest, single, "
	  "round-robin,\n"
	  "               stream-aware, min-size, minmin-time or minmax-time\n"
	  "    --parent POLICY  lane of a task by those that it follows: best, "
	  "same,\n"
	  "               disjoint, early-disjoint or device-disjoint\n"
	  "    --lane reuse | always-new  lane of a task without such a one\n"
	  "    --device-lanes N           lanes of each device (default 1; 0: no "
	  "limit)\n", command_flow },
	{ "info", "[-b LIST] [-p PATH] [-w LIST] [-o OPTIONS] [--graphs]",
	  "list backends: found, chosen, rejected and why",
	  "  -b, --backends LIST    as if PLAIT_BACKEND were set\n"
	  "  -p, --path PATH        as if PLAIT_PLUGIN_PATH were set\n"
	  "  -w, --wrap LIST        as if PLAIT_WRAP were set\n"
	  "  -o, --options OPTIONS  as if PLAIT_OPTIONS were set\n"
	  "  -g, --graphs           run small plans, and count the device "
	  "graphs\n",
	  command_info },
	{ "plan", "FILE [--policy widest|bounded] [--lanes N] "
	  "[--mode strict|helped|auto] [--hop N]\n"
	  "                  [--text | --stats | --json | --dot | --svg] "
	  "[-o PLAN]",
	  "schedule a graph, print or save the plan",
	  FILES HOW HOP
	  "  --text       print a summary (default)\n"
	  "  --stats      print times, bytes and counts, one per line\n"
	  "  --json       print the plan as one JSON object\n"
	  "  --dot        print the graph for Graphviz\n"
	  "  --svg        print a drawing of the schedule\n"
	  "  -o PLAN      save the plan to a file\n", command_plan },
	{ "run", "PLAN|FILE [--times N] [--unit NS] [--serial | --parallel] "
	  "[--trace JSON] [--svg SVG]\n"
	  "                 [--tune PLAN] [--watch] [--hop N] [--policy P] [--lanes N] "
	  "[--mode M]",
	  "dry-run a plan, print its times and trace",
	  FILES HOW HOP
	  "  --times N    number of runs (default 1000)\n"
	  "  --unit NS    duration of a unit of cost in ns (default 0: "
	  "commands do nothing)\n"
	  "  --serial     one lane at a time, on one thread\n"
	  "  --parallel   all lanes, with worker threads\n"
	  "  --trace JSON write the trace of the fastest of some further "
	  "runs, for chrome://tracing\n"
	  "               and Perfetto\n"
	  "  --svg SVG    write that trace as a drawing\n"
	  "  --tune PLAN  replan with the measured command durations, and "
	  "save that plan\n"
	  "  --watch      report progress on stderr\n",
	  command_run },
	{ "simulate", "PLAN|FILE [--hop N] [--submit N] [--copy ALPHA,BETA] "
	  "[--policy P] [--lanes N] [--mode M]",
	  "predict a run of a plan from costs",
	  FILES HOW HOP
	  "  --submit N   cost of submitting a command to a device other than "
	  "the host\n"
	  "  --copy A,B   added cost of a copy of b bytes: A + b * B / 1024\n",
	  command_simulate },
	{ "version", "", "print the version", "", command_version },
	{ "help", "[COMMAND]", "print help", "", command_help },
};

static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

/* ---- misspelt names ---- */

enum { MOST_LETTERS = 16 };

static unsigned least(unsigned one, unsigned other)
{
	return one < other ? one : other;
}

/* Returns the letters to insert, delete or replace. */
static unsigned distance(const char *one, const char *other)
{
	unsigned row[MOST_LETTERS + 1], before, above;
	size_t length = strlen(other), i;

	if (strlen(one) > MOST_LETTERS || length > MOST_LETTERS)
		return MOST_LETTERS;
	for (i = 0; i <= length; i++)
		row[i] = (unsigned)i;
	for (; *one != '\0'; one++) {
		before = row[0]++;
		for (i = 1; i <= length; i++) {
			above = row[i];
			before += *one != other[i - 1];
			row[i] = least(before, least(above, row[i - 1]) + 1);
			before = above;
		}
	}
	return row[length];
}

/* Returns the closest name, if one letter in three is wrong at most; or
 * null. */
static const char *find_hint(const char *name)
{
	unsigned limit = (unsigned)strlen(name) / 3 + 1;
	const char *hint = NULL;
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (distance(name, commands[i].name) < limit) {
			limit = distance(name, commands[i].name);
			hint = commands[i].name;
		}
	return hint;
}

/* ", did you mean 'check'?", or nothing. */
static const char *hint_text(const char *name)
{
	static char text[MOST_LETTERS + 24];
	const char *hint = find_hint(name);

	text[0] = '\0';
	if (hint != NULL)
		(void)snprintf(text, sizeof(text), ", did you mean '%s'?",
			       hint);
	return text;
}

static void print_call(FILE *stream, const struct command *command)
{
	fprintf(stream, "usage: plait %s%s%s\n", command->name,
		command->arguments[0] != '\0' ? " " : "", command->arguments);
}

int command_usage(const char *name, const char *format, ...)
{
	const struct command *command = find(name);
	va_list args;

	fprintf(stderr, "plait %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (command != NULL)
		print_call(stderr, command);
	return COMMAND_USAGE;
}

int command_fail(const char *name, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "plait %s: ", name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return COMMAND_FAILED;
}

static void print_help(FILE *stream)
{
	size_t i;

	fprintf(stream, "usage: plait COMMAND [ARGUMENT...]\n\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name,
			commands[i].summary);
	fprintf(stream, "\nMore: plait help COMMAND, and plait(1).\n");
}

/* A subcommand without details prints its own help. */
static int help_of(const struct command *command)
{
	char option[] = "--help";
	char *arguments[] = { option, option, NULL };

	if (command->details == NULL)
		return command->run(2, arguments);
	print_call(stdout, command);
	printf("\n%s\n%s%s", command->summary,
	       command->details[0] != '\0' ? "\n" : "", command->details);
	return COMMAND_DONE;
}

static int command_help(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stdout);
		return COMMAND_DONE;
	}
	command = find(argv[1]);
	if (command == NULL)
		return command_usage("help", "unknown command '%s'%s", argv[1],
				     hint_text(argv[1]));
	return help_of(command);
}

static int command_version(int argc, char **argv)
{
	if (argc > 1)
		return command_usage("version", "unexpected argument '%s'",
				     argv[1]);
	printf("plait %s (ABI %u)\n", plait_version(),
	       (unsigned)plait_abi());
	return COMMAND_DONE;
}

/* Map common option spellings to subcommands. */
static const char *canonical(const char *name)
{
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		return "help";
	if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
		return "version";
	return name;
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return false;
}

int command_finish(int code)
{
	if ((fflush(stdout) != 0 || ferror(stdout)) && code == COMMAND_DONE) {
		fprintf(stderr, "plait: the output could not be written\n");
		return COMMAND_FAILED;
	}
	return code;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		print_help(stderr);
		return COMMAND_USAGE;
	}
	command = find(canonical(argv[1]));
	if (command == NULL) {
		fprintf(stderr, "plait: unknown command '%s'%s\n\n", argv[1],
			hint_text(argv[1]));
		print_help(stderr);
		return COMMAND_USAGE;
	}
	if (asks_for_help(argc, argv))
		return command_finish(help_of(command));
	return command_finish(command->run(argc - 1, argv + 1));
}
