/* SPDX-License-Identifier: MIT */
/*
 * Limits of flows on devices, for bench/flow --gate B: the cost of a piece of a
 * stencil over four simulated devices; its instructions and bytes beside those by
 * hand; tasks of 10 us beside the frozen plan; data of four times the memory.
 * launches of 10 us on halves of an OpenCL device, and beside StarPU on all of it.
 * Rows of other programs run these, from the same build.
 */
#include "flow_gate.h"

#include "plait/plait.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 20, DATA = 64, ROOM = 16, BYTES = 4096, SWEEPS = 10 };

static plait_error error = { .size = sizeof(error) };
static char text[TEXT];
static char folder[300]; /* of the build's benchmarks */
static int misses;

enum { TURNS = 3 };

static void must(plait_status status)
{
	if (status >= PLAIT_OK)
		return;
	fprintf(stderr, "flow: %s\n", error.text);
	exit(1);
}

static void row(const char *what, double value, double most)
{
	printf("%-6s %-52s %9.2f, at most %.2f\n",
	       value <= most ? "held" : "MISSED", what, value, most);
	misses += value > most;
}

static void skip(const char *what, const char *why)
{
	printf("%-6s %-52s %s\n", "-", what, why);
}

/* ---- other programs ---- */

static void find_folder(const char *self)
{
	const char *end = strstr(self, "/.libs/");

	if (end == NULL)
		end = strrchr(self, '/');
	snprintf(folder, sizeof(folder), "%.*s",
		 end != NULL ? (int)(end - self) : 1, end != NULL ? self : ".");
}

/* Run a command below the folder, and keep what it prints.  Returns false if it
 * fails. */
static bool run(const char *before, const char *command)
{
	char line[800];
	size_t bytes;
	FILE *pipe;

	snprintf(line, sizeof(line), "%s%s/%s 2>/dev/null", before, folder,
		 command);
	pipe = popen(line, "r");
	if (pipe == NULL)
		return false;
	bytes = fread(text, 1, sizeof(text) - 1, pipe);
	text[bytes] = '\0';
	return pclose(pipe) == 0;
}

static void measure_pieces(void)
{
	const char *what = "piece of a stencil on 4 devices, submitted, ns";
	const char *at;

	if (!run("", "flow_devices 4 101") ||
	    (at = strstr(text, "submitted ")) == NULL)
		skip(what, "bench/flow_devices failed");
	else
		row(what, atof(at + strlen("submitted ")), 3000);
}

/* ---- instructions ---- */

struct counts {
	unsigned long long copies, bytes, tasks, waits;
};

/* So many steps of a stencil of 1024 x 1024 on four devices. */
static bool count(int steps, struct counts *out)
{
	char before[400];
	unsigned long long instructions, allocs, alloc_bytes;
	const char *line;

	snprintf(before, sizeof(before),
		 "printf 'data u 1024x1024 bytes=4\\ndata v 1024x1024 bytes=4\\n"
		 "task init writes=u\\nrepeat %d\\n"
		 "\\ttask step items=1024x1024 split=1 reads=u:near(0,1) "
		 "writes=v:own\\n\\tswap u v\\nend\\n' | ", steps);
	if (!run(before, "../tools/plait/plait flow /dev/stdin --memories 4"))
		return false;
	line = strchr(text, '\n');
	return line != NULL &&
	       sscanf(line,
		      " %llu instructions, %llu allocs of %llu bytes, %llu "
		      "copies of %llu bytes, %llu tasks, %llu waits",
		      &instructions, &allocs, &alloc_bytes, &out->copies,
		      &out->bytes, &out->tasks, &out->waits) == 7;
}

/* By hand: 4 launches and 6 rows of 4 KiB, and a wait for each. */
static void compare_instructions(void)
{
	struct counts one, two;

	if (!count(4, &one) || !count(5, &two)) {
		skip("instructions of a step", "plait flow failed");
		return;
	}
	row("operations of a step, by hand 10",
	    (double)(two.copies + two.tasks - one.copies - one.tasks), 10);
	row("bytes of a step, of those by hand",
	    (double)(two.bytes - one.bytes) / (6 * 4096), 1);
	row("waits of a step, of those by hand",
	    (double)(two.waits - one.waits) / 10, 1.1);
}

/* ---- the plan ---- */

static void compare_plan(void)
{
	const char *at = NULL;
	char name[40], what[80];
	double ratio;
	int used;

	if (run("", "flow_grain"))
		at = strstr(text, "tasks of 10 us");
	at = at != NULL ? strchr(at, '\n') : NULL;
	if (at == NULL)
		skip("tasks of 10 us beside the plan",
		     "bench/flow_grain failed");
	/* Six times; the ratios to the plan, of which the first is of tasks one
	 * by one. */
	while (at != NULL &&
	       sscanf(at, " %39s %*f %*f %*f %*f %*f %*f %*f %lf %*f %*f %*f %*f %*f%n",
		      name, &ratio, &used) == 2) {
		snprintf(what, sizeof(what),
			 "tasks of 10 us on the host, of the plan: %s", name);
		row(what, ratio, 1.05);
		at += used;
	}
}

/* ---- an OpenCL device ---- */

/* A row of bench/flow_halves: without the flag independent launches miss the limit
 * (doc/measurements/flow-devices.md), and are for the flow that has it. */
static void judge_halves(const char *name, double plain, double repeats)
{
	char what[80];

	snprintf(what, sizeof(what),
		 "launches of 10 us on halves, of the plan: %s", name);
	if (strcmp(name, "independent") != 0)
		row(what, plain, 1.05);
	else
		printf("%-6s %-52s %9.2f\n", "-", what, plain);
	snprintf(what, sizeof(what), "the same, PLAIT_FLOW_REPEATS: %s", name);
	row(what, repeats, 1.05);
}

static void compare_halves(void)
{
	const char *at = NULL;
	char name[40];
	double plain, repeats;

	if (run("", "flow_halves 101 10 2"))
		at = strstr(text, "ns a launch");
	at = at != NULL ? strchr(at, '\n') : NULL;
	if (at == NULL)
		skip("launches of 10 us on halves of an OpenCL device",
		     "there is none with two parts");
	while (at != NULL &&
	       sscanf(at, " %39s %*f %*f %*f %*f %lf %*f %*f %*f %lf", name,
		      &plain, &repeats) == 3) {
		judge_halves(name, plain, repeats);
		at += strcspn(at + 1, "\n") + 1;
	}
}

/* Least time of a launch of a chain by the flow; *out_turns is the work of a launch,
 * *out_ns its time. */
static bool time_flow(int us, double *out, unsigned *out_turns, double *out_ns)
{
	char command[80];
	const char *at;
	double ns;

	snprintf(command, sizeof(command), "flow_halves 51 %d 1 chain", us);
	if (!run("", command) ||
	    sscanf(text, "%u turns, %lf", out_turns, &ns) != 2 ||
	    (at = strstr(text, "\nchain")) == NULL)
		return false;
	*out_ns = ns * *out_turns;
	return sscanf(at, " chain %lf", out) == 1;
}

static bool time_dmda(unsigned turns, double *out)
{
	char command[80];

	snprintf(command, sizeof(command), "flow_dmda chain 51 %u", turns);
	return run("", command) &&
	       sscanf(text, "%lf", out) == 1;
}

/* What a launch of a chain takes beside its work, of what it takes with StarPU. */
static void compare_dmda(int us)
{
	double flow = 0, dmda = 0, now, ns;
	char what[80];
	unsigned turns;

	snprintf(what, sizeof(what),
		 "overhead of a launch of %d us, of StarPU's dmda", us);
	for (int i = 0; i < TURNS; i++) {
		if (!time_flow(us, &now, &turns, &ns)) {
			skip(what, "there is no OpenCL device");
			return;
		}
		flow = i == 0 || now - ns < flow ? now - ns : flow;
		if (!time_dmda(turns, &now)) {
			skip(what, "no bench/flow_dmda, which needs StarPU "
				   "with OpenCL");
			return;
		}
		dmda = i == 0 || now - ns < dmda ? now - ns : dmda;
	}
	row(what, flow / dmda, 0.2);
}

/* ---- four times the memory ---- */

static int32_t no_work(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

/* Sweeps over all data, each forward. */
static void sweep(plait_flow *flow, plait_kernel *kernel)
{
	const plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
				       .element_bytes = 8,
				       .extent = { BYTES / 8 } };
	plait_data *data[DATA];

	for (int i = 0; i < DATA; i++)
		must(plait_data_create(flow, &desc, &data[i], &error));
	for (int i = 0; i < SWEEPS * DATA; i++)
		must(plait_flow_launch(flow, kernel, NULL,
				       PLAIT_ARGUMENTS(PLAIT_DATA(
					       data[i % DATA])),
				       NULL, &error));
	must(plait_flow_wait(flow, 0, PLAIT_FOREVER, &error));
	for (int i = 0; i < DATA; i++)
		plait_data_release(data[i]);
}

static uint64_t count_evictions(plait_flow *flow)
{
	uint64_t bytes = 0, evictions = 0;

	must(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, sizeof(text) - 1,
			      &bytes, &error));
	text[bytes < sizeof(text) ? bytes : sizeof(text) - 1] = '\0';
	for (const char *at = text; (at = strstr(at, "; evicts ")) != NULL;
	     at++)
		evictions++;
	return evictions;
}

/* By hand a sweep turns at its ends, and keeps what fits. */
static void overfill(void)
{
	const plait_context_desc system = { .size = sizeof(system),
					    .backends = "host,chaos",
					    .options = "chaos:devices=1" };
	const plait_kernel_desc code = { .size = sizeof(code),
					 .function = no_work,
					 .signature = "change(x: pointer u64)" };
	plait_device *device;
	const plait_flow_desc desc = {
		.size = sizeof(desc), .devices = &device, .device_count = 1,
		.memory_bytes = ROOM * BYTES, .flags = PLAIT_FLOW_RECORD };
	const double by_hand = SWEEPS * (DATA - ROOM);
	plait_context *context;
	plait_kernel *kernel;
	plait_flow *flow;

	must(plait_context_open(&system, &context, &error));
	must(plait_context_device(context, 1, &device, &error));
	must(plait_kernel_create(context, &code, &kernel, &error));
	must(plait_flow_create(context, &desc, &flow, &error));
	sweep(flow, kernel);
	row("bytes of data of four times the memory, of by hand",
	    (double)count_evictions(flow) / by_hand, 1.3);
	plait_kernel_release(kernel);
	plait_flow_release(flow);
	plait_context_release(context);
}

int flow_gate_devices(const char *self)
{
	find_folder(self);
	measure_pieces();
	compare_instructions();
	compare_plan();
	overfill();
	compare_halves();
	compare_dmda(0);
	compare_dmda(10);
	return misses;
}
