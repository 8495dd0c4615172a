/* SPDX-License-Identifier: MIT */
/* Launches among the commands of one submission: their order, all or none, the
 * command that an error names, what a launch holds. */
#include "lib/kernels.h"

enum { COUNT = 16, BYTES = COUNT * sizeof(uint32_t) };

/* y[i] = y[i] * factor + 1; a factor of 0 fails. */
static int32_t step(void *const *arguments, const plait_launch *launch,
		    void *user_data)
{
	uint32_t factor = *(const uint32_t *)arguments[0];
	uint32_t *y = *(uint32_t **)arguments[1];

	(void)user_data;
	for (uint64_t i = 0; factor != 0 && i < launch->items[0]; i++)
		y[i] = y[i] * factor + 1;
	return factor == 0 ? 77 : 0;
}

/* A queue with a kernel and a buffer, and the commands fill, launch, launch,
 * copy, to be spoilt. */
struct set {
	struct rig *rig;
	plait_kernel *kernel;
	plait_buffer *y;
	plait_buffer *copy;
	plait_launch launch;
	plait_argument arguments[2][2];
	plait_command commands[4];
};

static uint32_t factors[2];

static void reset(struct set *set)
{
	plait_command launch = {
		.size = sizeof(launch), .kind = PLAIT_COMMAND_LAUNCH,
		.kernel = set->kernel, .launch = &set->launch,
		.argument_count = 2 };

	factors[0] = 3;
	factors[1] = 5;
	set->launch = (plait_launch){ .size = sizeof(set->launch),
				      .items = { COUNT } };
	for (int i = 0; i < 2; i++) {
		set->arguments[i][0] = VALUE(factors[i]);
		set->arguments[i][1] = memory_of(set->y, 0);
		launch.arguments = set->arguments[i];
		set->commands[1 + i] = launch;
	}
	set->commands[0] = (plait_command){
		.size = sizeof(launch), .kind = PLAIT_COMMAND_FILL,
		.target = set->y, .bytes = BYTES, .pattern = 2,
		.pattern_bytes = 4, .label = "fill" };
	set->commands[3] = (plait_command){
		.size = sizeof(launch), .kind = PLAIT_COMMAND_COPY,
		.target = set->copy, .source = set->y, .bytes = BYTES };
}

static bool open_set(struct set *set, struct rig *rig)
{
	set->rig = rig;
	if (!open_rig(rig))
		return false;
	set->y = make_buffer(rig, BYTES, "y");
	set->copy = make_buffer(rig, BYTES, "copy");
	set->kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "step(factor: u32, y: inout pointer u32)",
		.function = step });
	reset(set);
	IS_INT(plait_queue_fill(rig->queue, set->copy, 0, BYTES, 9, 4,
				&rig->error), PLAIT_OK);
	return true;
}

static void close_set(struct set *set)
{
	plait_kernel_release(set->kernel);
	plait_buffer_release(set->copy);
	plait_buffer_release(set->y);
	close_rig(set->rig);
}

static plait_status submit(struct set *set, uint64_t count)
{
	return plait_queue_submit(set->rig->queue, set->commands, count, NULL,
				  &set->rig->error);
}

/* All elements of `copy` are `want`. */
static void copied(struct set *set, uint32_t want)
{
	uint32_t got[COUNT] = { 0 };
	int i = 0;

	IS_INT(plait_queue_read(set->rig->queue, set->copy, 0, got, BYTES,
				&set->rig->error), PLAIT_OK);
	while (i < COUNT - 1 && got[i] == want)
		i++;
	IS_UINT(got[i], want);
}

#define EACH_SET(set) \
	struct set room, *set = &room; \
	for (struct rig *rig = settings; rig < settings + SETTINGS; rig++) \
		if (open_set(set, rig))

/* ---- order ---- */

static void in_order(void)
{
	EACH_SET(set) {
		IS_INT(submit(set, 4), PLAIT_OK);
		/* Arguments were copied. */
		factors[0] = factors[1] = 0;
		memset(set->arguments, 0, sizeof(set->arguments));
		memset(&set->launch, 0, sizeof(set->launch));
		copied(set, (2 * 3 + 1) * 5 + 1);
		close_set(set);
	}
}

/* An array with the sizes of an older and of a newer caller. */
static void other_sizes(void)
{
	struct {
		plait_command known;
		uint64_t more;
	} newer[4];

	EACH_SET(set) {
		memset(newer, 0, sizeof(newer));
		for (int i = 0; i < 4; i++)
			newer[i].known = set->commands[i];
		newer[0].known.size = sizeof(*newer);
		IS_INT(plait_queue_submit(set->rig->queue, &newer[0].known, 4,
					  NULL, &set->rig->error), PLAIT_OK);
		copied(set, 36);
		newer[2].more = 1;
		REFUSED(plait_queue_submit(set->rig->queue, &newer[0].known, 4,
					   NULL, &set->rig->error),
			PLAIT_E_UNSUPPORTED, "command 2: byte 160 is set");
		/* Without the fields of a launch. */
		set->commands[1].size = 128;
		REFUSED(plait_queue_submit(set->rig->queue, &set->commands[1],
					   1, NULL, &set->rig->error),
			PLAIT_E_HANDLE, "command 0: kernel handle is null");
		close_set(set);
	}
}

/* The queue holds kernel and memory of launches that have not started. */
static void holds(void)
{
	EACH_SET(set) {
		IS_INT(plait_queue_wait(rig->queue, rig->gate, 1, &rig->error),
		       PLAIT_OK);
		IS_INT(submit(set, 4), PLAIT_OK);
		plait_kernel_release(set->kernel);
		plait_buffer_release(set->y);
		set->kernel = NULL;
		set->y = NULL;
		IS_INT(plait_signal_raise(rig->gate, 1, &rig->error), PLAIT_OK);
		copied(set, 36);
		close_set(set);
	}
}

/* ---- mistakes ---- */

/* The spoilt commands are refused, and none of them runs. */
static void refuse(struct set *set, plait_status want, const char *part)
{
	struct rig *rig = set->rig;

	REFUSED(submit(set, 4), want, part);
	copied(set, 9);
	reset(set);
}

/* A view may begin between two elements. */
static void unaligned_view(void)
{
	plait_buffer *view;

	EACH_SET(set) {
		IS_INT(plait_buffer_view(set->y, 2, 8, &view, &rig->error),
		       PLAIT_OK);
		set->arguments[1][1] = memory_of(view, 0);
		refuse(set, PLAIT_E_INVALID, "command 2: step: argument 1 "
		       "\"y\" (pointer u32): the memory is not aligned");
		plait_buffer_release(view);
		close_set(set);
	}
}

static void all_or_none(void)
{
	EACH_SET(set) {
		plait_command *commands = set->commands;

		commands[2].argument_count = 1;
		refuse(set, PLAIT_E_INVALID,
		       "command 2: 1 arguments for 2 parameters of step");
		set->arguments[1][1].offset_bytes = BYTES + 4;
		refuse(set, PLAIT_E_INVALID,
		       "command 2: step: argument 1 \"y\"");
		commands[1].label = "first";
		commands[1].arguments = NULL;
		refuse(set, PLAIT_E_INVALID,
		       "command 1 \"first\": arguments of step is null");
		commands[1].kernel = NULL;
		refuse(set, PLAIT_E_HANDLE, "command 1: kernel handle is null");
		commands[1].bytes = 4;
		refuse(set, PLAIT_E_INVALID,
		       "command 1: bytes is set, which a launch does not have");
		commands[3].bytes = BYTES + 4;
		refuse(set, PLAIT_E_INVALID, "command 3: ");
		set->launch.dimensions = 4;
		refuse(set, PLAIT_E_INVALID, "command 1: step: ");
		IS_INT(submit(set, 4), PLAIT_OK);
		copied(set, 36);
		close_set(set);
	}
}

/* The first wrong command is named, whether or not it is a launch. */
static void first_mistake(void)
{
	EACH_SET(set) {
		set->commands[0].bytes = BYTES + 4;
		set->commands[1].kernel = NULL;
		refuse(set, PLAIT_E_INVALID, "command 0 \"fill\": ");
		set->commands[2].kernel = NULL;
		set->commands[3].bytes = BYTES + 4;
		refuse(set, PLAIT_E_HANDLE, "command 2: kernel handle is null");
		set->commands[1].user_data = set;
		set->commands[1].kernel = NULL;
		refuse(set, PLAIT_E_INVALID, "command 1: function is set");
		close_set(set);
	}
}

static void fields_of_others(void)
{
	EACH_SET(set) {
		set->commands[0].kernel = set->kernel;
		refuse(set, PLAIT_E_INVALID,
		       "kernel is set, which a fill does not");
		set->commands[0].launch = &set->launch;
		refuse(set, PLAIT_E_INVALID,
		       "launch is set, which a fill does not");
		set->commands[3].argument_count = 1;
		refuse(set, PLAIT_E_INVALID,
		       "arguments is set, which a copy does not");
		close_set(set);
	}
}

/* ---- failures ---- */

static void failed(struct set *set, const char *text)
{
	struct rig *rig = set->rig;

	IS_INT(submit(set, 4), PLAIT_OK);
	REFUSED(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
		PLAIT_E_FAILED, text);
	IS_INT(rig->error.origin, 77);
	copied(set, 9);
	reset(set);
}

/* The label is the command's, or else the kernel's; later commands are
 * skipped. */
static void labels(void)
{
	EACH_SET(set) {
		factors[1] = 0;
		set->commands[2].label = "second";
		failed(set, "second");
		factors[0] = 0;
		failed(set, "step");
		close_set(set);
	}
}

static const struct tap_scenario all[] = {
	{ "launches in order", in_order },
	{ "other sizes", other_sizes },
	{ "holds", holds },
	{ "all or none", all_or_none },
	{ "unaligned view", unaligned_view },
	{ "the first mistake", first_mistake },
	{ "fields of other kinds", fields_of_others },
	{ "labels of failures", labels },
};

TAP_MAIN(all)
