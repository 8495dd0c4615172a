/* SPDX-License-Identifier: MIT */
/* Fields of a descriptor that the kind of its task does not use: each one that is set is
 * an error that names it, and nothing was submitted. */
#include "flows.h"

#include <stddef.h>

enum { KINDS = PLAIT_TASK_WAIT + 1, REPEATS = 400, TRIES = 50 };

#define ONLY(kind) (1u << PLAIT_TASK_##kind)

/* A field, the kinds that use it, and the error for all others. */
static const struct field {
	const char *name;
	size_t at, bytes;
	uint32_t kinds;
	const char *part;
} fields[] = {
#define FIELD(name, kinds, part) \
	{ #name, offsetof(plait_task_desc, name), \
	  sizeof(((plait_task_desc *)0)->name), kinds, part }
	FIELD(kernel, ONLY(LAUNCH), "kernel is set"),
	FIELD(launch, ONLY(LAUNCH), "launch is set"),
	FIELD(arguments, ONLY(LAUNCH), "arguments is set"),
	FIELD(argument_count, ONLY(LAUNCH), "argument_count is set"),
	FIELD(function, ONLY(CALL), "function is set"),
	FIELD(user_data, ONLY(CALL), "user_data is set"),
	FIELD(inbox, ONLY(CALL), "inbox is set"),
	FIELD(target, ONLY(COPY) | ONLY(FILL) | ONLY(WRITE), "target is set"),
	FIELD(source, ONLY(COPY) | ONLY(READ), "source is set"),
	FIELD(target_box, ONLY(COPY) | ONLY(FILL) | ONLY(WRITE),
	      "target_box is set"),
	FIELD(source_box, ONLY(COPY) | ONLY(READ), "source_box is set"),
	FIELD(host, ONLY(READ) | ONLY(WRITE), "host is set"),
	FIELD(pattern, ONLY(FILL), "pattern is set"),
	FIELD(signal, ONLY(EMIT) | ONLY(WAIT), "signal is set"),
	FIELD(sequence, ONLY(WAIT), "sequence is set"),
	FIELD(split, ONLY(LAUNCH), "only launches are split"),
	FIELD(pieces, ONLY(LAUNCH), "only launches are split"),
	FIELD(plan, ONLY(PLAN), "plan is set"),
	FIELD(run, ONLY(PLAN), "run is set"),
};

static const char *const kinds[KINDS] = { "LAUNCH", "CALL", "COPY", "FILL",
					  "READ", "WRITE", "PLAN", "EMIT",
					  "WAIT" };

/* All other fields are those of any kind. */
static void covers_all(void)
{
	const plait_task_desc any = { .size = 0 };
	size_t bytes = sizeof(any.size) + sizeof(any.kind) + sizeof(any.flags) +
		       sizeof(any.priority) + sizeof(any.label) +
		       sizeof(any.accesses) + sizeof(any.access_count) +
		       sizeof(any.cost);

	for (size_t i = 0; i < TAP_COUNT(fields); i++)
		bytes += fields[i].bytes;
	IS_UINT(bytes, sizeof(any));
}

static plait_kernel *kernel;
static plait_plan *plan;
static plait_data *from, *into, *token;
static uint64_t memory[4];
static const float factor = 1;

static plait_plan *new_plan(void)
{
	plait_graph *graph = NULL;
	plait_plan *made = NULL;

	OK(plait_graph_create(flow_rig.context, &graph, NULL) == PLAIT_OK);
	OK_THAT(plait_graph_freeze(graph, NULL, &made, &flow_rig.error) ==
		PLAIT_OK, "%s", flow_rig.error.text);
	plait_graph_release(graph);
	return made;
}

static bool open_all(plait_flow_flags flags)
{
	bool is_open;

	flow_flags = flags;
	is_open = open_flow(&flow_settings[3], 256);
	flow_flags = 0;
	if (!is_open)
		return false;
	kernel = new_axpy();
	plan = new_plan();
	from = new_data(1, 4, 0, 0, 8, "from");
	into = new_data(1, 4, 0, 0, 8, "into");
	token = new_data(1, 1, 0, 0, 8, "token");
	return true;
}

static void close_all(void)
{
	IS_INT(wait_task(0), PLAIT_OK);
	plait_data_release(from);
	plait_data_release(into);
	plait_data_release(token);
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	close_flow();
}

static void submit_well(const plait_task_desc *desc)
{
	OK_THAT(plait_flow_submit(flow, desc, NULL, &flow_rig.error) ==
		PLAIT_OK, "%s: %s", kinds[desc->kind], flow_rig.error.text);
}

/* A descriptor without any other mistake. */
static plait_task_desc good_task(plait_task_kind kind)
{
	static plait_argument arguments[3];
	static plait_access turn;
	plait_task_desc desc = { .size = sizeof(desc), .kind = kind };

	arguments[0] = (plait_argument)PLAIT_VALUE(factor);
	arguments[1] = (plait_argument)PLAIT_DATA(from);
	arguments[2] = (plait_argument)PLAIT_DATA(into);
	if (kind == PLAIT_TASK_LAUNCH) {
		desc.kernel = kernel;
		desc.arguments = arguments;
		desc.argument_count = 3;
	}
	if (kind == PLAIT_TASK_CALL)
		desc.function = return_it;
	for (size_t i = 0; i < TAP_COUNT(fields); i++) {
		if ((fields[i].kinds >> kind & 1) == 0)
			continue;
		if (strcmp(fields[i].name, "target") == 0)
			desc.target = into;
		if (strcmp(fields[i].name, "source") == 0)
			desc.source = from;
		if (strcmp(fields[i].name, "host") == 0)
			desc.host = memory;
	}
	if (kind == PLAIT_TASK_READ) {
		/* Reads of one data are not ordered, but all write `memory`. */
		turn = access_of(token, PLAIT_ACCESS_READ_WRITE, NULL);
		desc.accesses = &turn;
		desc.access_count = 1;
	}
	if (kind == PLAIT_TASK_PLAN)
		desc.plan = plan;
	if (kind == PLAIT_TASK_EMIT || kind == PLAIT_TASK_WAIT)
		desc.signal = flow_rig.signal;
	return desc;
}

static uint64_t newest(uint64_t *out_repeated)
{
	plait_flow_info info = { .size = sizeof(info) };

	OK(plait_flow_query(flow, &info, NULL) == PLAIT_OK);
	if (out_repeated != NULL)
		*out_repeated = info.repeated;
	return info.newest;
}

/* Submit a good task, and the same one with the field: alone and in an array. */
static void refuse(const plait_task_desc *good, const struct field *field)
{
	plait_task_desc pair[2] = { *good, *good };
	plait_task tasks[2] = { 7, 7 };
	plait_status status;
	uint64_t before;

	((unsigned char *)&pair[1])[field->at] = 1;
	submit_well(good);
	before = newest(NULL);
	status = plait_flow_submit(flow, &pair[1], tasks, &flow_rig.error);
	OK_THAT(status == PLAIT_E_INVALID, "%s with %s: %s", kinds[good->kind],
		field->name, plait_status_name(status));
	HAS_STR(flow_rig.error.text, field->part);
	if (field->kinds != ONLY(LAUNCH) || field->part[0] != 'o')
		HAS_STR(flow_rig.error.text, kinds[good->kind]);
	IS_UINT(tasks[0], 0);
	IS_UINT(newest(NULL), before);
	IS_INT(plait_flow_submit_many(flow, pair, 2, tasks, &flow_rig.error),
	       PLAIT_E_INVALID);
	HAS_STR(flow_rig.error.text, "descriptor 1: ");
	OK(tasks[0] > before && tasks[1] == 0);
}

/* Nothing is left that may access `memory`. */
static void refuse_all(plait_task_kind kind)
{
	const plait_task_desc good = good_task(kind);

	for (size_t i = 0; i < TAP_COUNT(fields); i++)
		if ((fields[i].kinds >> kind & 1) == 0)
			refuse(&good, &fields[i]);
	IS_INT(wait_task(0), PLAIT_OK);
}

static void each_kind(void)
{
	static const plait_flow_flags flags[] = { 0, PLAIT_FLOW_FIXED,
						  PLAIT_FLOW_RECORD };

	for (size_t f = 0; f < TAP_COUNT(flags); f++) {
		if (!open_all(flags[f]))
			return;
		for (uint32_t kind = 0; kind < KINDS; kind++)
			refuse_all(kind);
		close_all();
	}
}

/* Not a check for each: they are many. */
static void repeat(const plait_task_desc *good)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < REPEATS; i++)
		wrong += plait_flow_submit(flow, good, NULL,
					   &flow_rig.error) != PLAIT_OK;
	OK_THAT(wrong == 0, "%s: %s", kinds[good->kind], flow_rig.error.text);
}

/* Submit a task and the same one with the field, in an array, until the first of them
 * is a part of a run: queries interrupt the one before.  Returns true if it is one. */
static bool refuse_in_run(const plait_task_desc *good, const struct field *field)
{
	plait_task_desc pair[2] = { *good, *good };
	uint64_t before = 0, after = 0;

	((unsigned char *)&pair[1])[field->at] = 1;
	for (uint32_t try = 0; try < TRIES && after == before; try++) {
		repeat(good);
		(void)newest(&before);
		IS_INT(plait_flow_submit_many(flow, pair, 2, NULL,
					      &flow_rig.error),
		       PLAIT_E_INVALID);
		HAS_STR(flow_rig.error.text, field->part);
		(void)newest(&after);
	}
	IS_UINT(after, before + 1);
	return after > before;
}

/* A task that is like the expected one but for such a field is no part of a run. */
static void in_repeats(void)
{
	static const plait_task_kind most[] = {
		PLAIT_TASK_LAUNCH, PLAIT_TASK_CALL, PLAIT_TASK_COPY,
		PLAIT_TASK_FILL,
	};

	for (size_t k = 0; k < TAP_COUNT(most); k++) {
		plait_task_desc good;

		if (!open_all(PLAIT_FLOW_REPEATS))
			return;
		good = good_task(most[k]);
		for (size_t i = 0; i < TAP_COUNT(fields); i++)
			if ((fields[i].kinds >> most[k] & 1) == 0)
				OK_THAT(refuse_in_run(&good, &fields[i]),
					"%s with %s in a run", kinds[most[k]],
					fields[i].name);
		close_all();
	}
}

static const struct tap_scenario all[] = {
	{ "the table has all fields", covers_all },
	{ "each kind and field", each_kind },
	{ "in repeats", in_repeats },
};

TAP_MAIN(all)
