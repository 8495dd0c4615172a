/* SPDX-License-Identifier: MIT */
/*
 * Devices and lanes of launches of flows on devices: random programs, of which
 * nothing is done before all is submitted.  The engine of devices places each
 * launch where plait_flow_write_instructions has it, for the same reason.
 */
#include "flows.h"

enum { DATA = 4, CELLS = 64, TASKS = 40, ROUNDS = 12, DEVICES = 3, ROOM = 1 << 18 };

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_opened = PTHREAD_COND_INITIALIZER;
static bool gate_is_open;

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

/* ---- the gate, which is before all tasks ---- */

static int32_t pass_gate(void *user_data)
{
	(void)user_data;
	pthread_mutex_lock(&gate_lock);
	while (!gate_is_open)
		pthread_cond_wait(&gate_opened, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
	return 0;
}

static void open_gate(bool opens)
{
	pthread_mutex_lock(&gate_lock);
	gate_is_open = opens;
	pthread_cond_broadcast(&gate_opened);
	pthread_mutex_unlock(&gate_lock);
}

/* ---- programs ---- */

static int32_t run_sum(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const int64_t *from = *(const int64_t *const *)arguments[0];
	int64_t *to = *(int64_t *const *)arguments[1];
	uint64_t first = *(const uint64_t *)arguments[2];

	(void)user_data;
	for (uint64_t i = first; i < first + launch->items[0]; i++)
		to[i] = 3 * to[i] + from[i] + 1;
	return 0;
}

static bool open_on(const plait_flow_desc *policies)
{
	plait_device *devices[DEVICES];
	plait_flow_desc desc = *policies;

	flow_rig = settings[0];
	flow_rig.backend = "host,chaos";
	flow_rig.options = "chaos:devices=3";
	flow_rig.workers = 2;
	flow_rig.flags = 0;
	flow_devices = DEVICES;
	if (!open_rig(&flow_rig) || !open_devices(devices))
		return false;
	desc.size = sizeof(desc);
	desc.flags = PLAIT_FLOW_RECORD;
	desc.devices = devices;
	desc.device_count = DEVICES;
	return OK_THAT(plait_flow_create(flow_rig.context, &desc, &flow,
					 &flow_rig.error) == PLAIT_OK,
		       "a flow: %s", flow_rig.error.text);
}

/* to = 3 to + from + 1, for the first or the second half of `to`. */
static void submit(plait_kernel *kernel, plait_data *const *data,
		   plait_data *token, int64_t model[DATA][CELLS])
{
	uint64_t from = below(DATA), to = below(DATA), half = below(3);
	const plait_box box = { { half == 1 ? CELLS / 2 : 0, 0, 0 },
				{ half == 0 ? CELLS / 2 : CELLS, 1, 1 } };
	plait_access reads = access_of(data[from], PLAIT_ACCESS_READ, &box);
	plait_access writes = access_of(data[to], PLAIT_ACCESS_READ_WRITE,
					&box);
	plait_access behind = access_of(token, PLAIT_ACCESS_READ, NULL);
	plait_argument arguments[] = { PLAIT_ACCESS(&reads),
				       PLAIT_ACCESS(&writes),
				       PLAIT_VALUE(box.low[0]) };
	const plait_task_desc desc = {
		.size = sizeof(desc), .kernel = kernel,
		.launch = PLAIT_ITEMS(box.high[0] - box.low[0]),
		.arguments = arguments, .argument_count = 3,
		.accesses = &behind, .access_count = 1,
		.cost = below(2) * 1000 * (1 + below(50)),
	};

	OK_THAT(plait_flow_submit(flow, &desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "submit: %s", flow_rig.error.text);
	for (uint64_t i = box.low[0]; i < box.high[0]; i++)
		model[to][i] = 3 * model[to][i] + model[from][i] + 1;
}

/* ---- comparison ---- */

/* The next line with the reason of a device, which ends there; or null. */
static char *next_reason(char **text)
{
	char *found = strstr(*text, "\tdevice ");
	char *end;

	if (found == NULL)
		return NULL;
	end = strchr(found, '\n');
	*end = '\0';
	*text = end + 1;
	return found;
}

static void compare(const plait_memories_desc *memories)
{
	static char ours[ROOM], theirs[ROOM];
	char *a = ours, *b = theirs;
	uint64_t bytes = 0;
	int count = 0;

	OK(plait_flow_write(flow, PLAIT_FLOW_TEXT, ours, ROOM - 1, &bytes,
			    NULL) == PLAIT_OK);
	ours[bytes] = '\0';
	OK_THAT(plait_flow_write_instructions(flow, memories, PLAIT_FLOW_TEXT,
					      theirs, ROOM - 1, &bytes,
					      &flow_rig.error) == PLAIT_OK,
		"%s", flow_rig.error.text);
	theirs[bytes] = '\0';
	for (; tap_failed() == 0; count++) {
		char *one = next_reason(&a), *other = next_reason(&b);

		if (one == NULL || other == NULL) {
			OK(one == other);
			break;
		}
		OK_THAT(strcmp(one, other) == 0, "launch %d: engine%s; "
			"generator%s", count, one, other);
	}
	IS_INT(count, TASKS);
}

static void check_values(plait_data *const *data, int64_t model[DATA][CELLS])
{
	int64_t found[CELLS];

	for (int d = 0; d < DATA; d++) {
		OK(plait_data_read(data[d], NULL, found, NULL) == PLAIT_OK);
		OK(memcmp(found, model[d], sizeof(found)) == 0);
	}
}

static void run_program(const plait_flow_desc *policies)
{
	const plait_kernel_desc sum = {
		.size = sizeof(sum), .function = run_sum,
		.signature = "sum(x: in pointer i64, y: inout pointer i64, "
			     "first: u64)" };
	const plait_memories_desc memories = {
		.size = sizeof(memories), .devices = DEVICES,
		.choose = policies->choose, .parent = policies->parent,
		.lane = policies->lane, .lanes = policies->device_lanes };
	int64_t model[DATA][CELLS] = { 0 };
	plait_data *data[DATA], *token;
	plait_kernel *kernel = NULL;
	plait_access writes;

	if (!open_on(policies))
		return;
	OK(plait_kernel_create(flow_rig.context, &sum, &kernel, NULL) ==
	   PLAIT_OK);
	token = new_data(0, 0, 0, 0, 0, "gate");
	for (int d = 0; d < DATA; d++) {
		plait_data_desc desc = { .size = sizeof(desc), .dimensions = 1,
					 .element_bytes = 8,
					 .extent = { CELLS } };

		OK(plait_data_create(flow, &desc, &data[d], NULL) == PLAIT_OK);
		OK(plait_data_write(data[d], NULL, model[d], NULL) == PLAIT_OK);
	}
	open_gate(false);
	writes = access_of(token, PLAIT_ACCESS_WRITE, NULL);
	call_task("gate", pass_gate, NULL, &writes, 1);
	for (int i = 0; i < TASKS; i++)
		submit(kernel, data, token, model);
	compare(&memories);
	open_gate(true);
	check_values(data, model);
	OK_THAT(wait_task(0) == PLAIT_OK, "%s", flow_rig.error.text);
	for (int d = 0; d < DATA; d++)
		plait_data_release(data[d]);
	plait_data_release(token);
	plait_kernel_release(kernel);
	close_flow();
}

static void run_policies(uint32_t parent)
{
	state = tap_seed() + 1 + parent;
	for (uint32_t choose = 0; choose <= PLAIT_CHOOSE_MINMAX_TIME; choose++)
		for (int round = 0; round < ROUNDS / 4; round++) {
			const plait_flow_desc policies = {
				.choose = choose, .parent = parent,
				.lane = (uint32_t)below(2),
				.device_lanes = 1 + (uint32_t)below(3) };

			if (tap_failed() == 0)
				run_program(&policies);
		}
}

static void best(void)
{
	run_policies(PLAIT_PARENT_BEST);
}

static void same(void)
{
	run_policies(PLAIT_PARENT_SAME);
}

static void disjoint(void)
{
	run_policies(PLAIT_PARENT_DISJOINT);
}

static void early_disjoint(void)
{
	run_policies(PLAIT_PARENT_EARLY_DISJOINT);
}

static void device_disjoint(void)
{
	run_policies(PLAIT_PARENT_DEVICE_DISJOINT);
}

/* ---- bad input ---- */

static void refuse(const plait_flow_desc *policies, const char *part)
{
	plait_device *devices[DEVICES];
	struct rig *rig = &flow_rig;
	plait_flow_desc desc = *policies;
	plait_flow *out = NULL;

	if (!open_devices(devices))
		return;
	desc.size = sizeof(desc);
	desc.devices = devices;
	desc.device_count = DEVICES;
	REFUSED(plait_flow_create(flow_rig.context, &desc, &out,
				  &rig->error), PLAIT_E_INVALID, part);
	OK(out == NULL);
}

static void refusals(void)
{
	const plait_flow_desc fine = { .choose = 0 };

	if (!open_on(&fine))
		return;
	refuse(&(plait_flow_desc){ .choose = 7 }, "choose is 7; at most 6");
	refuse(&(plait_flow_desc){ .parent = 5 }, "parent is 5; at most 4");
	refuse(&(plait_flow_desc){ .lane = 2 }, "lane is 2; at most 1");
	refuse(&(plait_flow_desc){ .device_lanes = 9 },
	       "device_lanes is 9; at most 8");
	refuse(&(plait_flow_desc){ .threshold = 1001 },
	       "threshold is 1001; at most 1000");
	close_flow();
}

static const struct tap_scenario all[] = {
	{ "best lanes", best },
	{ "lanes of the first parent", same },
	{ "lanes of parents", disjoint },
	{ "lanes of parents on the device", early_disjoint },
	{ "devices of parents", device_disjoint },
	{ "refusals", refusals },
};

TAP_MAIN(all)
