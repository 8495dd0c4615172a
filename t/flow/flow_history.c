/* SPDX-License-Identifier: MIT */
/*
 * Flows with a history of measured times: times on devices of unlike speed, which
 * are virtual, and on the host; the choices that follow; the file.
 */
#include "flows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1024, TEXT_BYTES = 1 << 18 };

static char path[64];
static char text[TEXT_BYTES];
static plait_data *u;
static plait_kernel *kernel;

static const char source_text[] =
	"struct chunk { u64 low[3], high[3]; };\n"
	"KERNEL(count) {\n"
	"	EACH(i, c.high[0] - c.low[0])\n"
	"		v[c.low[0] + i] += 1;\n"
	"}\n";

static void choose_path(const char *name)
{
	snprintf(path, sizeof(path), "/tmp/plait-history-%d-%s", (int)getpid(),
		 name);
	(void)unlink(path);
}

static void put_file(const char *contents)
{
	FILE *file = fopen(path, "w");

	if (!OK(file != NULL))
		return;
	OK(fputs(contents, file) >= 0);
	OK(fclose(file) == 0);
}

static const char *get_file(void)
{
	static char got[TEXT_BYTES];
	FILE *file = fopen(path, "r");
	size_t bytes = file != NULL ? fread(got, 1, sizeof(got) - 1, file) : 0;

	got[bytes] = '\0';
	if (file != NULL)
		(void)fclose(file);
	return got;
}

static plait_status create(const char *history, plait_flow_flags flags,
			   plait_flow **out)
{
	plait_device *devices[8];
	plait_flow_desc desc = { .size = sizeof(desc), .flags = flags,
				 .lanes = 2, .label = "flow",
				 .history = history, .devices = devices,
				 .device_count = flow_devices };

	if (!open_devices(devices))
		return PLAIT_E_FAILED;
	return plait_flow_create(flow_rig.context, &desc, out,
				 &flow_rig.error);
}

static bool open_system(const char *backends, const char *options,
			 uint32_t devices)
{
	flow_rig = settings[0];
	flow_rig.backend = backends;
	flow_rig.options = options;
	flow_rig.workers = 2;
	flow_rig.flags = 0;
	flow_devices = devices;
	return open_rig(&flow_rig);
}

static bool open_all(const char *backends, const char *options,
		     uint32_t devices)
{
	const plait_source source = { .size = sizeof(source),
				      .form = PLAIT_SOURCE_PORTABLE,
				      .code = source_text };
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "count(v: pointer u64, c: struct chunk 48)" };

	if (!open_system(backends, options, devices) ||
	    !OK_THAT(create(path, PLAIT_FLOW_RECORD, &flow) == PLAIT_OK, "%s",
		     flow_rig.error.text) ||
	    !OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
					 &flow_rig.error) == PLAIT_OK,
		     "%s", flow_rig.error.text))
		return false;
	u = new_data(1, N, 0, 0, 8, "u");
	return true;
}

static void close_all(void)
{
	plait_data_release(u);
	plait_kernel_release(kernel);
	close_flow();
}

/* In `pieces` pieces; 0: one per device. */
static void count_mapped(uint32_t mapper, uint32_t split, uint32_t pieces)
{
	const plait_mapper own = { .size = sizeof(own), .kind = mapper };
	const plait_access to = { .size = sizeof(to), .data = u,
				  .mapper = &own };
	const plait_argument arguments[] = { PLAIT_ACCESS(&to),
					     PLAIT_CHUNK() };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(N), .arguments = arguments,
		.argument_count = 2, .split = split, .pieces = pieces };

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "%s", flow_rig.error.text);
}

static void count(uint32_t split, uint32_t pieces)
{
	count_mapped(PLAIT_MAPPER_ONE_TO_ONE, split, pieces);
}

static void check_values(uint64_t times)
{
	uint64_t values[N], wrong = 0;

	OK_THAT(plait_data_read(u, NULL, values, &flow_rig.error) == PLAIT_OK,
		"%s", flow_rig.error.text);
	for (int i = 0; i < N; i++)
		wrong += values[i] != times;
	IS_UINT(wrong, 0);
	/* Copies may be seen to end before the launch that they follow. */
	OK(wait_task(0) == PLAIT_OK);
}

static const char *print(void)
{
	uint64_t bytes = 0;

	OK_THAT(plait_flow_write(flow, PLAIT_FLOW_TEXT, text, TEXT_BYTES - 1,
				 &bytes, &flow_rig.error) == PLAIT_OK, "%s",
		flow_rig.error.text);
	text[bytes] = '\0';
	return text;
}

static void has(const char *where, const char *part)
{
	OK_THAT(strstr(where, part) != NULL, "no \"%s\" in: %s", part, where);
}

/* ---- scenarios ---- */

/* A split launch measures both devices; then single launches go to the faster
 * one, also in the next flow. */
static void speeds(void)
{
	choose_path("speeds");
	if (!open_all("host,chaos", "chaos:devices=2,item_ns=400+100", 2))
		return;
	count(1, 2);
	check_values(1);
	has(print(), "time 10000 ns: given");
	close_all();
	OK(strstr(get_file(), " 36 204800 ") != NULL);
	OK(strstr(get_file(), " 36 51200 ") != NULL);
	if (!open_all("host,chaos", "chaos:devices=2,item_ns=400+100", 2))
		return;
	count(0, 0);
	check_values(1);
	has(print(), "device 1: finishes first (0: ");
	has(text, "cost 102400 ns; time 102400 ns: scaled from size class 36, "
		  "mean of 1");
	count(0, 0);
	check_values(2);
	has(print(), "time 102400 ns: mean of 1");
	close_all();
	(void)unlink(path);
}

/* Returns how often a part is in what the flow printed. */
static uint32_t times_in_text(const char *part)
{
	uint32_t times = 0;

	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		times++;
	return times;
}

/* Split launches without a number of pieces follow the speeds, 1 to 4, and then
 * stay; also from the first launch of the next flow. */
static void shares(void)
{
	choose_path("shares");
	if (!open_all("host,chaos", "chaos:devices=2,item_ns=400+100", 2))
		return;
	for (uint64_t i = 1; i <= 6; i++) {
		count(1, 0);
		check_values(i);
	}
	has(print(), "piece 0 of 2; time 10000 ns: given\n"
		     "\tupdates u [0, 512)\n");
	has(text, "piece 0 of 2 by weights: a new split, 82000 ns; the last "
		  "one 204800 ns; 307 units move in ");
	IS_UINT(times_in_text("by weights: a new split, "), 2);
	IS_UINT(times_in_text("by weights: the last split, 82000 ns; "), 8);
	IS_UINT(times_in_text("updates u [0, 205)\n"), 5);
	IS_UINT(times_in_text("updates u [205, 1024)\n"), 5);
	close_all();
	if (!open_all("host,chaos", "chaos:devices=2,item_ns=400+100", 2))
		return;
	count(1, 0);
	check_values(1);
	has(print(), "piece 0 of 2 by weights: a new split, ");
	count(1, 2);
	check_values(2);
	has(print(), "updates u [512, 1024)\n");
	/* The parts of this mapper stay equal, so the items do. */
	count_mapped(PLAIT_MAPPER_EVEN_SPLIT, 1, 0);
	check_values(3);
	(void)print();
	IS_UINT(times_in_text("updates u [512, 1024)\n"), 2);
	IS_UINT(times_in_text("by weights: "), 2);
	close_all();
	(void)unlink(path);
}

/* Each device has an item at least, so its time stays known. */
static void few_rows(void)
{
	choose_path("rows");
	if (!open_all("host,chaos",
		      "chaos:devices=3,item_ns=1000000+100+1000000", 3))
		return;
	for (uint64_t i = 1; i <= 4; i++) {
		count(1, 0);
		check_values(i);
	}
	has(print(), "updates u [0, 1)\n");
	has(text, "updates u [1, 1023)\n");
	has(text, "updates u [1023, 1024)\n");
	close_all();
	(void)unlink(path);
}

/* Short functions of the host are measured at times; a flow without devices has a
 * history, too. */
static void host(void)
{
	choose_path("host");
	if (!open_all("host", NULL, 0))
		return;
	for (int i = 0; i < 300; i++)
		count(0, 0);
	check_values(300);
	has(print(), "history /tmp/plait-history-");
	has(text, ": 1 mean times\n");
	has(text, ", size class 40: ");
	close_all();
	has(get_file(), "plait history 1\ndevice 0 ");
	has(get_file(), " 0 40 ");
	(void)unlink(path);
}

/* The host is one of the devices. */
static void mixed(void)
{
	choose_path("mixed");
	if (!open_all("chaos,host", "chaos:devices=1,item_ns=400", 2))
		return;
	count(1, 2);
	check_values(1);
	has(print(), ": 2 mean times\n");
	close_all();
	(void)unlink(path);
}

static void refuse(const char *contents, plait_flow_flags flags,
		   plait_status status, const char *part)
{
	struct rig *rig = &flow_rig;
	plait_flow *out = NULL;

	put_file(contents);
	REFUSED(create(path, flags, &out), status, part);
	OK(out == NULL);
	OK(strcmp(get_file(), contents) == 0);
}

static void refusals(void)
{
	struct rig *rig = &flow_rig;
	plait_flow *out = NULL;

	choose_path("refusals");
	if (!open_system("host,chaos", NULL, 2))
		return;
	refuse("#!/bin/sh\n", 0, PLAIT_E_INVALID,
	       "-refusals:1: expected \"plait history 1\"; a history of another "
	       "version, or no history; remove the file to begin a new one");
	refuse("plait history 2\n", 0, PLAIT_E_INVALID, "history: /tmp/");
	refuse("", 0, PLAIT_E_INVALID, "-refusals:1: ");
	flow_devices = 0;
	refuse("plait history 1\n", PLAIT_FLOW_FIXED, PLAIT_E_UNSUPPORTED,
	       "a history with PLAIT_FLOW_FIXED");
	REFUSED(create("/tmp", 0, &out), PLAIT_E_INVALID, "/tmp");
	REFUSED(create("/tmp/plait-no-such-folder/x", 0, &out),
		PLAIT_E_UNAVAILABLE, "the folder of /tmp/plait-no-such-folder/x: "
		"No such file");
	(void)unlink(path);
	close_rig(&flow_rig);
}

/* Times of other processes stay; a damaged line goes. */
static void merged(void)
{
	static const char other[] =
		"plait history 1\ndevice 0 another machine\n"
		"time 00112233445566778899aabbccddeeff 0 40 1000 500 17\n";

	choose_path("merged");
	if (!open_all("host", NULL, 0))
		return;
	put_file(other);
	count(0, 0);
	check_values(1);
	close_all();
	has(get_file(), "00112233445566778899aabbccddeeff");
	has(get_file(), " 40 1000 500 17\n");
	OK(strstr(get_file(), " 0 40 1000") == NULL ||
	   strstr(get_file(), " 1 40 1000") == NULL);
	put_file("plait history 1\nlamage\n");
	if (!open_all("host", NULL, 0))
		return;
	count(0, 0);
	check_values(1);
	close_all();
	OK(strstr(get_file(), "lamage") == NULL);
	/* A file that became another one meanwhile stays. */
	if (!open_all("host", NULL, 0))
		return;
	count(0, 0);
	check_values(1);
	put_file("a letter\n");
	close_all();
	OK(strcmp(get_file(), "a letter\n") == 0);
	(void)unlink(path);
}

enum { PROCESSES = 4, FLOWS = 8 };

/* Also that of each of several processes, which are given the file. */
static void process(void)
{
	const char *given = getenv("T_HISTORY");

	choose_path("process");
	if (given != NULL)
		snprintf(path, sizeof(path), "%s", given);
	for (int i = 0; i < FLOWS; i++) {
		if (!open_all("host", NULL, 0))
			return;
		count(0, 0);
		check_values(1);
		close_all();
	}
	has(get_file(), "plait history 1\n");
	if (given == NULL)
		(void)unlink(path);
}

/* Each reads whole files, of any of them. */
static void processes(void)
{
	pid_t children[PROCESSES];
	int status;

	choose_path("processes");
	OK(setenv("T_HISTORY", path, 1) == 0);
	for (int i = 0; i < PROCESSES; i++) {
		children[i] = fork();
		if (children[i] != 0)
			continue;
		if (freopen("/dev/null", "w", stdout) != NULL)
			execl("/proc/self/exe", "flow_history", "one process",
			      (char *)NULL);
		_exit(1);
	}
	for (int i = 0; i < PROCESSES; i++) {
		OK(waitpid(children[i], &status, 0) == children[i]);
		IS_INT(status, 0);
	}
	OK(unsetenv("T_HISTORY") == 0);
	has(get_file(), "plait history 1\n");
	if (!open_all("host", NULL, 0))
		return;
	has(print(), ": 1 mean times\n");
	close_all();
	(void)unlink(path);
}

/* ---- links ---- */

static plait_status create_linked(plait_flow **out)
{
	plait_device *devices[8];
	const plait_flow_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_FLOW_RECORD, .lanes = 2,
		.links = path, .devices = devices,
		.device_count = flow_devices };

	if (!open_devices(devices))
		return PLAIT_E_FAILED;
	return plait_flow_create(flow_rig.context, &desc, out,
				 &flow_rig.error);
}

/* Two copies of 8 KiB: each 2 us, and 8,192 bytes at 500 or 2,000 bytes per us. */
static void links(void)
{
	struct rig *rig = &flow_rig;
	plait_flow *out = NULL;

	choose_path("links");
	if (!open_system("host,chaos", "chaos:devices=2", 2))
		return;
	put_file("From,To,Bandwidth\n-1,0,0.5\n-1,1,2\n-1,2,3\n");
	REFUSED(create_linked(&out), PLAIT_E_INVALID,
		"plait_flow_desc: links: /tmp/");
	HAS_STR(rig->error.text, "-links:4: \"2\": devices are numbered 0 to 1");
	(void)unlink(path);
	REFUSED(create_linked(&out), PLAIT_E_UNAVAILABLE, path);
	flow_devices = 0;
	REFUSED(create_linked(&out), PLAIT_E_INVALID, "links without devices");
	flow_devices = 2;
	put_file("From,To,Bandwidth\n-1,0,0.5\n-1,1,2\n");
	OK_THAT(create_linked(&flow) == PLAIT_OK, "%s", rig->error.text);
	kernel = new_axpy();
	u = new_data(1, N, 0, 0, 8, "u");
	const float a = 2;
	const plait_argument arguments[] = { PLAIT_VALUE(a), PLAIT_DATA(u),
					     PLAIT_DATA(u) };

	OK(plait_flow_launch(flow, kernel, PLAIT_ITEMS(1), arguments, 3, NULL,
			     NULL) == PLAIT_OK);
	has(print(), "device 1: finishes first (0: 46768 ns, 1: 22192 ns)");
	close_all();
	(void)unlink(path);
}

static const struct tap_scenario all[] = {
	{ "devices of unlike speed", speeds },
	{ "shares of devices", shares },
	{ "shares of slow devices", few_rows },
	{ "the host", host },
	{ "the host among the devices", mixed },
	{ "refusals", refusals },
	{ "files that change", merged },
	{ "one process", process },
	{ "several processes", processes },
	{ "links from a file", links },
};

TAP_MAIN(all)
