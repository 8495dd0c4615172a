/* SPDX-License-Identifier: MIT */
/* Arrays of tasks that repeat, in which one field of one task changes: status and calls
 * are those of a flow without PLAIT_FLOW_REPEATS. */
#include "counted_stretches.h"

enum { KNOWN = 6, CHANGED = 11 };

/* A stretch, with what its tasks point to. */
static struct set {
	plait_box boxes[STRETCH];
	plait_access accesses[STRETCH][2];
	plait_task_desc descs[STRETCH];
} sets[2];

static plait_data *other_line;
static struct counter other;
static plait_mapper mapper;

static int32_t count_other(void *user_data)
{
	(void)user_data;
	other.calls++;
	return 0;
}

/* Task i changes element i, and reads the one before it; each third has no box. */
static void make_set(struct set *set)
{
	memset(set, 0, sizeof(*set));
	for (uint32_t i = 0; i < STRETCH; i++) {
		uint32_t before = i > 0 ? i - 1 : 0;

		set->boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
		set->accesses[i][0] = access_of(line, PLAIT_ACCESS_WRITE,
						&set->boxes[i]);
		set->accesses[i][1] = access_of(i % 3 == 0 ? other_line : line,
						PLAIT_ACCESS_READ,
						i % 3 == 0 ? NULL :
						&set->boxes[before]);
		set->descs[i] = (plait_task_desc){
			.size = sizeof(set->descs[i]), .kind = PLAIT_TASK_CALL,
			.function = count_call, .user_data = &counters[i],
			.accesses = set->accesses[i], .access_count = 2,
		};
	}
}

static plait_status submit_set(const struct set *set)
{
	return plait_flow_submit_many(flow, set->descs, STRETCH, numbers,
				      &flow_rig.error);
}

/* ---- changes ---- */

#define CHANGE(name, statement) \
	static void change_##name(struct set *set) \
	{ \
		plait_task_desc *desc = &set->descs[CHANGED]; \
		plait_access *access = set->accesses[CHANGED]; \
		plait_box *box = &set->boxes[CHANGED]; \
\
		(void)desc, (void)access, (void)box; \
		statement; \
	}

CHANGE(size, desc->size = 8)
CHANGE(kind, desc->kind = PLAIT_TASK_FILL)
CHANGE(flags, desc->flags = PLAIT_TASK_BARRIER)
CHANGE(unknown_flags, desc->flags = 1u << 20)
CHANGE(priority, desc->priority = 1)
CHANGE(function, desc->function = count_other)
CHANGE(user_data, desc->user_data = &other)
CHANGE(count, desc->access_count = 1)
CHANGE(accesses, desc->accesses = NULL)
CHANGE(arguments, desc->argument_count = 1)
CHANGE(target, desc->target = line)
CHANGE(host, desc->host = &other)
CHANGE(sequence, desc->sequence = 1)
CHANGE(pieces, desc->pieces = 2)
CHANGE(run, desc->run = (const plait_run_desc *)(const void *)&other)
CHANGE(access_size, access->size = 8)
CHANGE(mode, access->mode = PLAIT_ACCESS_READ_WRITE)
CHANGE(data, access->data = other_line)
CHANGE(no_box, access->box = NULL)
CHANGE(new_box, access[1].box = box)
CHANGE(mapper, access->mapper = &mapper)
CHANGE(access_flags, access->flags = 1u << 20)
CHANGE(reserved, access->reserved0 = 1)
CHANGE(low, box->low[0]--)
CHANGE(high, box->high[0]++)
CHANGE(bad_box, box->high[2] = 2)
CHANGE(none, (void)set)

static const struct change {
	const char *name;
	void (*make)(struct set *set);
} changes[] = {
	{ "none", change_none },
	{ "size", change_size },
	{ "kind", change_kind },
	{ "flags", change_flags },
	{ "unknown flags", change_unknown_flags },
	{ "priority", change_priority },
	{ "function", change_function },
	{ "user_data", change_user_data },
	{ "access_count", change_count },
	{ "accesses", change_accesses },
	{ "argument_count", change_arguments },
	{ "target", change_target },
	{ "host", change_host },
	{ "sequence", change_sequence },
	{ "pieces", change_pieces },
	{ "run", change_run },
	{ "size of an access", change_access_size },
	{ "mode", change_mode },
	{ "data", change_data },
	{ "no box", change_no_box },
	{ "box instead of none", change_new_box },
	{ "mapper", change_mapper },
	{ "flags of an access", change_access_flags },
	{ "reserved", change_reserved },
	{ "low", change_low },
	{ "high", change_high },
	{ "box outside", change_bad_box },
};

/* ---- outcomes ---- */

/* Of an array with a change, behind as many stretches as are known. */
struct outcome {
	plait_status status;
	uint64_t calls[STRETCH + 1]; /* of the last function, other ones */
	uint64_t numbered;	     /* tasks with a number */
	uint64_t repeated;
};

static void open_lines(const struct flow_setting *setting)
{
	memset(counters, 0, sizeof(counters));
	other = (struct counter){ .calls = 0 };
	OK(open_flow(setting, 256));
	line = new_data(1, STRETCH, 0, 0, 8, "line");
	other_line = new_data(1, STRETCH, 0, 0, 8, "other");
}

static void close_lines(void)
{
	plait_data_release(line);
	plait_data_release(other_line);
	close_flow();
}

/* The changed tasks are in the arrays that were known, or elsewhere. */
static struct outcome try_change(const struct flow_setting *setting,
				 const struct change *change, bool elsewhere)
{
	struct set *set = &sets[elsewhere];
	struct outcome out = { .status = PLAIT_OK };

	open_lines(setting);
	make_set(&sets[0]);
	make_set(&sets[1]);
	for (uint32_t loop = 0; loop < KNOWN; loop++) {
		OK(submit_set(&sets[0]) == PLAIT_OK);
		OK(wait_task(0) == PLAIT_OK);
	}
	out.repeated = count_repeated();
	change->make(set);
	out.status = submit_set(set);
	OK(wait_task(0) == PLAIT_OK);
	out.repeated = count_repeated() - out.repeated;
	for (uint32_t i = 0; i < STRETCH; i++) {
		out.calls[i] = counters[i].calls;
		out.numbered += numbers[i] != 0;
	}
	out.calls[STRETCH] = other.calls;
	make_set(set);
	OK(submit_set(set) == PLAIT_OK && wait_task(0) == PLAIT_OK);
	close_lines();
	return out;
}

static void compare(const struct flow_setting *setting,
		    const struct change *change, bool elsewhere)
{
	bool changes_nothing = change->make == change_none;
	struct outcome plain, found;

	flow_flags = 0;
	plain = try_change(setting, change, elsewhere);
	flow_flags = PLAIT_FLOW_REPEATS;
	found = try_change(setting, change, elsewhere);
	flow_flags = 0;
	OK_THAT(found.status == plain.status, "%s: %d, without repeats %d",
		change->name, found.status, plain.status);
	OK_THAT(memcmp(found.calls, plain.calls, sizeof(found.calls)) == 0,
		"%s: other calls", change->name);
	OK_THAT(found.numbered == plain.numbered, "%s: other numbers",
		change->name);
	OK_THAT(found.repeated == (changes_nothing ? STRETCH : CHANGED),
		"%s: %llu tasks of the array were repeated", change->name,
		(unsigned long long)found.repeated);
}

static void compare_all(bool elsewhere)
{
	for (size_t s = 0; s < FLOW_SETTINGS; s++)
		for (size_t i = 0; i < TAP_COUNT(changes); i++)
			compare(&flow_settings[s], &changes[i], elsewhere);
}

static void same_arrays(void)
{
	compare_all(false);
}

static void other_arrays(void)
{
	compare_all(true);
}

/* ---- accesses of another size ---- */

enum { READS = 4 };

/* The fields of an access that each size has. */
struct small_access {
	uint32_t size, mode;
	plait_data *data;
	const plait_box *box;
};

/* The accesses of one task lie closer together than those that are known. */
static void small_accesses(void)
{
	static plait_access reads[READS];
	static struct small_access small[4 * READS];
	static plait_box box = { { 0, 0, 0 }, { 1, 1, 1 } };
	static plait_task_desc descs[STRETCH];

	flow_flags = PLAIT_FLOW_REPEATS;
	open_lines(&flow_settings[0]);
	flow_flags = 0;
	for (uint32_t i = 0; i < READS; i++) {
		reads[i] = access_of(line, PLAIT_ACCESS_READ, &box);
		small[i] = (struct small_access){ sizeof(*small),
						  PLAIT_ACCESS_READ, line,
						  &box };
	}
	for (uint32_t i = 0; i < STRETCH; i++)
		descs[i] = (plait_task_desc){
			.size = sizeof(descs[i]), .kind = PLAIT_TASK_CALL,
			.function = count_call, .user_data = &counters[i],
			.accesses = reads, .access_count = READS,
		};
	for (uint32_t loop = 0; loop <= KNOWN; loop++) {
		if (loop == KNOWN)
			descs[CHANGED].accesses = (const plait_access *)small;
		OK_THAT(plait_flow_submit_many(flow, descs, STRETCH, numbers,
					       &flow_rig.error) == PLAIT_OK,
			"%s", flow_rig.error.text);
		OK(wait_task(0) == PLAIT_OK);
	}
	IS_UINT(count_repeated(), CHANGED);
	check_calls(KNOWN + 1, 0);
	close_lines();
}

/* ---- arrays and stretches of other lengths ---- */

/* An array of several stretches, of which the last one is cut, and one with a task that
 * is compared with its copy. */
static void long_arrays(void)
{
	enum { TIMES = 4 };
	static plait_task_desc descs[TIMES * STRETCH];
	static plait_task out[TIMES * STRETCH];

	for (uint32_t length = 1; length <= TIMES * STRETCH; length += 7) {
		uint64_t repeated, wrong = 0;

		flow_flags = PLAIT_FLOW_REPEATS;
		open_lines(&flow_settings[1]);
		make_set(&sets[0]);
		if (length % 2 == 0)
			sets[0].descs[CHANGED].kind = PLAIT_TASK_FILL,
			sets[0].descs[CHANGED].function = NULL,
			sets[0].descs[CHANGED].user_data = NULL,
			sets[0].descs[CHANGED].target = line,
			sets[0].descs[CHANGED].access_count = 0;
		for (uint32_t i = 0; i < TIMES; i++)
			memcpy(&descs[i * STRETCH], sets[0].descs,
			       sizeof(sets[0].descs));
		for (uint32_t loop = 0; loop < KNOWN; loop++) {
			OK(submit_set(&sets[0]) == PLAIT_OK);
			OK(wait_task(0) == PLAIT_OK);
		}
		repeated = count_repeated();
		OK(plait_flow_submit_many(flow, descs, length, out,
					  &flow_rig.error) == PLAIT_OK);
		OK(wait_task(0) == PLAIT_OK);
		IS_UINT(count_repeated() - repeated, length);
		for (uint32_t i = 1; i < length; i++)
			wrong += out[i] <= out[i - 1];
		for (uint32_t i = 0; i < STRETCH; i++)
			if (i != CHANGED || length % 2 != 0)
				wrong += counters[i].calls !=
					 KNOWN + length / STRETCH +
						 (i < length % STRETCH);
		IS_UINT(wrong, 0);
		close_lines();
		flow_flags = 0;
	}
}

/* ---- launches on devices ---- */

enum { LINES = 3, N = 16, HALF = STRETCH / 2, LONG = STRETCH + HALF, ARRAYS = 7 };

/* A stretch of launches, and what they point to; the descriptors of several. */
static struct {
	uint64_t added[STRETCH];
	plait_argument arguments[STRETCH][LINES];
	plait_launch launch;
	plait_task_desc descs[STRETCH + LONG];
} mixes;

struct mixed {
	uint64_t values[LINES][N];
	uint64_t repeated; /* of the long arrays */
};

static const struct {
	uint32_t devices;
	const char *options;
} systems[] = {
	{ 1, "chaos:devices=1" },
	{ 2, "chaos:devices=2,peers=none" },
	{ 3, "chaos:devices=2,quirks=late_notify" }, /* and the host */
};

static int32_t run_mix(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	const uint64_t *x = *(const uint64_t *const *)arguments[0];
	uint64_t *y = *(uint64_t *const *)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; i < launch->items[0]; i++)
		y[i] = 3 * y[i] + x[i] + *(const uint64_t *)arguments[2];
	return 0;
}

static plait_kernel *new_mix(void)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .function = run_mix,
		.signature = "mix(x: in pointer u64, y: inout pointer u64, "
			     "added: u64)" };
	plait_kernel *kernel = NULL;

	OK_THAT(plait_kernel_create(flow_rig.context, &desc, &kernel,
				    &flow_rig.error) == PLAIT_OK, "kernel: %s",
		flow_rig.error.text);
	return kernel;
}

/* Launch i reads one line and changes the next one. */
static void make_mixes(plait_kernel *kernel, plait_data *const *lines)
{
	mixes.launch = (plait_launch){ .size = sizeof(mixes.launch),
				       .dimensions = 1, .items = { N } };
	for (uint32_t i = 0; i < STRETCH + LONG; i++) {
		const uint32_t k = i % STRETCH;
		plait_argument *at = mixes.arguments[k];

		mixes.added[k] = k;
		at[0] = (plait_argument)PLAIT_DATA(lines[k % LINES]);
		at[1] = (plait_argument)PLAIT_DATA(lines[(k + 1) % LINES]);
		at[2] = (plait_argument)PLAIT_VALUE(mixes.added[k]);
		mixes.descs[i] = (plait_task_desc){
			.size = sizeof(mixes.descs[i]), .kernel = kernel,
			.launch = &mixes.launch, .arguments = at,
			.argument_count = LINES };
	}
}

/* An array from launch `first` of the stretch on. */
static void submit_mixes(uint32_t first, uint32_t count)
{
	OK_THAT(plait_flow_submit_many(flow, &mixes.descs[first % STRETCH],
				       count, NULL, &flow_rig.error) == PLAIT_OK,
		"submit: %s", flow_rig.error.text);
}

/* Arrays of one stretch, then those of one and a half, which begin at either half.  In the
 * last of them one value is another one. */
static void submit_all_mixes(struct mixed *out)
{
	for (uint32_t loop = 0; loop < KNOWN; loop++)
		submit_mixes(0, STRETCH);
	OK(wait_task(0) == PLAIT_OK);
	out->repeated = count_repeated();
	for (uint32_t i = 0; i < ARRAYS; i++) {
		mixes.added[CHANGED] += i + 1 == ARRAYS;
		submit_mixes(i * LONG, LONG);
	}
	OK(wait_task(0) == PLAIT_OK);
	out->repeated = count_repeated() - out->repeated;
}

static void mix(const struct flow_setting *setting, plait_flow_flags flags,
		struct mixed *out)
{
	plait_data *lines[LINES];
	plait_kernel *kernel;

	memset(out, 0, sizeof(*out));
	flow_flags = flags;
	OK(open_flow(setting, 256));
	flow_flags = 0;
	for (uint32_t i = 0; i < LINES; i++) {
		lines[i] = new_data(1, N, 0, 0, 8, "line");
		OK(plait_data_write(lines[i], NULL, out->values[i], NULL) ==
		   PLAIT_OK);
	}
	kernel = new_mix();
	make_mixes(kernel, lines);
	submit_all_mixes(out);
	for (uint32_t i = 0; i < LINES; i++) {
		OK(plait_data_read(lines[i], NULL, out->values[i], NULL) ==
		   PLAIT_OK);
		plait_data_release(lines[i]);
	}
	plait_kernel_release(kernel);
	close_flow();
}

static void launches_on_devices(void)
{
	struct mixed plain, found;

	flow_backends = "host,chaos";
	for (size_t i = 0; i < FLOW_SETTINGS * TAP_COUNT(systems); i++) {
		const size_t s = i / FLOW_SETTINGS;

		flow_devices = systems[s].devices;
		flow_options = systems[s].options;
		mix(&flow_settings[i % FLOW_SETTINGS], 0, &plain);
		mix(&flow_settings[i % FLOW_SETTINGS], PLAIT_FLOW_REPEATS,
		    &found);
		OK_THAT(memcmp(plain.values, found.values,
			       sizeof(plain.values)) == 0,
			"%s: other values", flow_options);
		IS_UINT(plain.repeated, 0);
		OK_THAT(found.repeated > 0, "%s: none repeated", flow_options);
		NOTE("%llu repeated", (unsigned long long)found.repeated);
	}
	flow_backends = flow_options = NULL;
	flow_devices = 0;
}

static const struct tap_scenario all[] = {
	{ "smaller accesses", small_accesses },
	{ "same arrays", same_arrays },
	{ "other arrays", other_arrays },
	{ "long arrays", long_arrays },
	{ "launches on devices", launches_on_devices },
};

TAP_MAIN(all)
