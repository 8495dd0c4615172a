/* SPDX-License-Identifier: MIT */
/* Warnings of flows on devices: many small copies for a task, evictions in many
 * horizons; just too few for a warning; what a strict flow refuses. */
#include "flows.h"

enum { N = 1024, BYTES = 4 * N, MOST_COPIES = 256, HORIZON = 64 };

static plait_data *data[2];
static plait_kernel *axpy;
static float host[N];
static char text[1 << 20];

static bool open_on(uint32_t window, uint64_t bytes)
{
	const struct flow_setting setting = { 1, 0 };

	flow_backends = "host,chaos";
	flow_devices = 1;
	flow_options = "chaos:devices=1";
	flow_memory_bytes = bytes;
	if (!open_flow(&setting, window))
		return false;
	axpy = new_axpy();
	for (int i = 0; i < 2; i++) {
		data[i] = new_data(1, N, 0, 0, 4, i == 0 ? "u" : "v");
		OK(plait_data_write(data[i], NULL, host, NULL) == PLAIT_OK);
	}
	return true;
}

static void close_all(void)
{
	for (int i = 0; i < 2; i++)
		plait_data_release(data[i]);
	plait_kernel_release(axpy);
	close_flow();
	flow_flags = 0;
	flow_memory_bytes = 0;
}

/* Add a box of data to itself. */
static plait_status add(int i, const plait_box *box)
{
	float a = 1;
	plait_access reads = access_of(data[i], PLAIT_ACCESS_READ, box);
	plait_access writes = access_of(data[i], PLAIT_ACCESS_READ_WRITE, box);

	return plait_flow_launch(
		flow, axpy, PLAIT_ITEMS(box->high[0] - box->low[0]),
		PLAIT_ARGUMENTS(PLAIT_VALUE(a), PLAIT_ACCESS(&reads),
				PLAIT_ACCESS(&writes)),
		NULL, &flow_rig.error);
}

/* Returns what the flow prints. */
static const char *print(plait_flow_format format)
{
	uint64_t bytes = 0;

	OK_THAT(plait_flow_write(flow, format, text, sizeof(text) - 1, &bytes,
				 &flow_rig.error) == PLAIT_OK, "write: %s",
		flow_rig.error.text);
	text[bytes] = '\0';
	return text;
}

static void has(const char *part, bool wanted)
{
	const bool found = strstr(text, part) != NULL;

	OK_THAT(found == wanted, "%s: %s", found ? "it says" : "nothing says",
		part);
}

static void has_warnings(uint64_t count)
{
	plait_flow_info info = { .size = sizeof(info) };

	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	IS_UINT(info.warnings, count);
}

/* ---- copies ---- */

/* Let the device have the newest values of so many elements, none beside another. */
static void scatter(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const plait_box box = { { 2 * i, 0, 0 }, { 2 * i + 1, 1, 1 } };

		OK_THAT(add(0, &box) == PLAIT_OK, "launch: %s",
			flow_rig.error.text);
	}
}

static void check_copies(uint32_t window, uint64_t count, bool warns)
{
	char line[128];

	flow_flags = PLAIT_FLOW_RECORD;
	if (!open_on(window, 0))
		return;
	scatter(count);
	OK_THAT(plait_data_read(data[0], NULL, host, &flow_rig.error) ==
		PLAIT_OK, "read: %s", flow_rig.error.text);
	/* Nothing is missing: no second warning. */
	OK(plait_data_read(data[0], NULL, host, NULL) == PLAIT_OK);
	(void)snprintf(line, sizeof(line),
		       " \"read\" needs %llu copies of u of less than 4096 "
		       "bytes to memory 0\n", (unsigned long long)count);
	(void)print(PLAIT_FLOW_TEXT);
	has(line, warns);
	has(warns ? ", 1 warning\n" : ", 0 warnings\n", true);
	(void)snprintf(line, sizeof(line), "{\"warning\":\"copies\","
		       "\"memory\":0,\"count\":%llu,\"task\":",
		       (unsigned long long)count);
	(void)print(PLAIT_FLOW_JSON);
	has(line, warns);
	has_warnings(warns);
	close_all();
}

static void copies(void)
{
	check_copies(1024, MOST_COPIES + 1, true);
	/* In several attempts: the window has less room. */
	check_copies(64, MOST_COPIES + 40, true);
	check_copies(1024, MOST_COPIES, false);
}

/* ---- evictions ---- */

/* Launches of u and v in turn, of which the memory has room for one: in each of so
 * many horizons in a row, of which the first may be too short. */
static void alternate(int horizons)
{
	static const plait_box all = { { 0, 0, 0 }, { N, 1, 1 } };

	for (int i = 0; i < horizons * HORIZON - 8; i++)
		OK_THAT(add(i % 2, &all) == PLAIT_OK, "launch: %s",
			flow_rig.error.text);
}

static void check_evictions(int horizons, bool warns)
{
	char line[128];

	flow_flags = PLAIT_FLOW_RECORD;
	if (!open_on(64, BYTES))
		return;
	alternate(horizons);
	(void)snprintf(line, sizeof(line), "warning: memory 1 evicts buffers "
		       "in %d horizons of 64 tasks in a row\n", horizons);
	(void)print(PLAIT_FLOW_TEXT);
	has(line, warns);
	(void)snprintf(line, sizeof(line), "{\"warning\":\"evictions\","
		       "\"memory\":1,\"count\":%d}", horizons);
	(void)print(PLAIT_FLOW_JSON);
	has(line, warns);
	has_warnings(warns);
	close_all();
}

static void evictions(void)
{
	check_evictions(3, false);
	check_evictions(4, true);
	check_evictions(6, true);
}

/* Horizons that are not in a row. */
static void apart(void)
{
	static const plait_box all = { { 0, 0, 0 }, { N, 1, 1 } };

	flow_flags = PLAIT_FLOW_RECORD;
	if (!open_on(64, BYTES))
		return;
	for (int i = 0; i < 5; i++) {
		alternate(1);
		for (int k = 0; k < 2 * HORIZON; k++)
			OK(add(0, &all) == PLAIT_OK);
	}
	(void)print(PLAIT_FLOW_TEXT);
	has("warning: ", false);
	has_warnings(0);
	close_all();
}

/* ---- strict flows ---- */

static void strict(void)
{
	static const plait_box all = { { 0, 0, 0 }, { N, 1, 1 } };
	int done = 0;

	flow_flags = PLAIT_FLOW_STRICT;
	if (!open_on(1024, 0))
		return;
	scatter(MOST_COPIES + 1);
	IS_INT(plait_data_read(data[0], NULL, host, &flow_rig.error),
	       PLAIT_E_INVALID);
	OK_THAT(strstr(flow_rig.error.text, "257 copies of \"u\"") != NULL,
		"%s", flow_rig.error.text);
	close_all();
	flow_flags = PLAIT_FLOW_STRICT;
	if (!open_on(64, BYTES))
		return;
	while (done < 1000 && add(done % 2, &all) == PLAIT_OK)
		done++;
	OK_THAT(done > 2 * HORIZON && done <= 3 * HORIZON, "%d launches", done);
	OK_THAT(strstr(flow_rig.error.text,
		       "memory 1 evicts buffers in 4 horizons of 64") != NULL,
		"%s", flow_rig.error.text);
	OK(plait_data_read(data[0], NULL, host, NULL) == PLAIT_OK);
	has_warnings(0);
	close_all();
}

static const struct tap_scenario all_scenarios[] = {
	{ "small copies", copies },
	{ "evictions", evictions },
	{ "evictions that are apart", apart },
	{ "strict flows", strict },
};

TAP_MAIN(all_scenarios)
