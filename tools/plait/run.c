/* SPDX-License-Identifier: MIT */
/*
 * plait run: dry run of a plan, with times, traces and tuning.  The kernels and
 * buffers that the plan names are not needed: commands do nothing, or spin for
 * their cost, so the times are those of the schedule and its replay.
 */
#include "command.h"
#include "input.h"
#include "schedule.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	DEFAULT_RUNS = 1000, MOST_RUNS = 100000000,
	/* The fastest of these is shown: it was preempted least. */
	SHOWN_RUNS = 9, SHOWN_NS = 500000000
};

struct request {
	struct schedule_request schedule;
	plait_run_desc run;
	uint64_t times;
	uint64_t unit_ns;
	const char *trace; /* path of the JSON trace, or null */
	const char *svg;   /* path of the drawing, or null */
	const char *tune;  /* path of the tuned plan, or null */
	bool watch;
};

/* State and results of a measurement. */
struct measured {
	plait_queue *queue;
	uint64_t *took;
	uint64_t commands; /* commands per run */
};

static int take_flag(struct request *request, uint32_t flag)
{
	if (request->run.flags != 0 && request->run.flags != flag)
		return command_usage("run", "--serial and --parallel "
				     "contradict each other");
	request->run.flags = flag;
	return COMMAND_DONE;
}

static int take_times(struct request *request, const char *value)
{
	int code = schedule_number("run", "--times", value, MOST_RUNS,
				   &request->times);

	if (code == COMMAND_DONE && request->times == 0)
		return command_usage("run", "--times: at least 1");
	return code;
}

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;

	switch (option) {
	case 'T':
		return take_times(request, value);
	case 'U':
		return schedule_number("run", "--unit", value, INT64_MAX,
				       &request->unit_ns);
	case 'C':
		request->trace = value;
		return COMMAND_DONE;
	case 'G':
		request->svg = value;
		return COMMAND_DONE;
	case 'N':
		request->tune = value;
		return COMMAND_DONE;
	case 'W':
		request->watch = true;
		return COMMAND_DONE;
	case 'S':
		return take_flag(request, PLAIT_RUN_SERIAL);
	case 'P':
		request->schedule.workers = true;
		return take_flag(request, PLAIT_RUN_PARALLEL);
	default:
		return command_usage("run", "unexpected option '-o'");
	}
}

static uint64_t now_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* ---- running ---- */

static plait_status open_queue(const struct schedule *schedule,
			       plait_queue **out, plait_error *error)
{
	const plait_queue_desc desc = { .size = sizeof(desc) };
	plait_device *device = NULL;
	plait_status status = plait_context_device(schedule->context, 0,
						   &device, error);

	if (status == PLAIT_OK)
		status = plait_queue_create(device, &desc, out, error);
	return status;
}

/* Run once with a record; the caller releases the run. */
static plait_status run_recorded(const struct request *request,
				 const struct schedule *schedule,
				 struct measured *measured,
				 struct watch *watch, plait_run **out,
				 plait_error *error)
{
	plait_run_info info = { .size = sizeof(info) };
	plait_run_desc desc = request->run;
	plait_status status;

	desc.flags |= PLAIT_RUN_RECORD;
	status = plait_plan_run(schedule->plan, measured->queue, &desc, out,
				error);
	if (status != PLAIT_OK)
		return status;
	watch_run(watch, *out);
	status = plait_run_wait(*out, PLAIT_FOREVER, error);
	if (status == PLAIT_OK)
		status = plait_run_query(*out, &info, error);
	measured->commands = info.commands;
	watch_done(watch, info.commands);
	return status;
}

static plait_status run_watched(const struct request *request,
				const struct schedule *schedule,
				struct measured *measured,
				struct watch *watch, plait_error *error)
{
	plait_run *run = NULL;
	plait_status status = run_recorded(request, schedule, measured, watch,
					   &run, error);

	plait_run_release(run);
	return status;
}

static plait_status run_all(const struct request *request,
			    const struct schedule *schedule,
			    struct measured *measured, struct watch *watch,
			    plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint64_t i = 0; status == PLAIT_OK && i < request->times; i++) {
		uint64_t start = now_ns();

		status = watch != NULL ?
			 run_watched(request, schedule, measured, watch,
				     error) :
			 plait_plan_call(schedule->plan, NULL, &request->run,
					 error);
		measured->took[i] = now_ns() - start;
	}
	return status;
}

/* ---- traces ---- */

static plait_status write_text(plait_run *run, int32_t format, FILE *file,
			       plait_error *error)
{
	uint64_t bytes = 0;
	char *text = NULL;
	plait_status status = plait_run_write(run, format, NULL, 0, &bytes,
					      error);

	if (status == PLAIT_OK)
		text = malloc(bytes > 0 ? bytes : 1);
	if (text != NULL)
		status = plait_run_write(run, format, text, bytes, &bytes,
					 error);
	else if (status == PLAIT_OK)
		status = PLAIT_E_NOMEM;
	if (status == PLAIT_OK)
		fwrite(text, 1, bytes, file);
	free(text);
	return status;
}

static int write_file(plait_run *run, int32_t format, const char *path)
{
	plait_error error = { .size = sizeof(error), .text = "no memory" };
	FILE *file = path != NULL ? fopen(path, "we") : NULL;
	plait_status status;
	bool failed;

	if (path == NULL)
		return COMMAND_DONE;
	if (file == NULL)
		return command_fail("run", "%s: cannot be written: %s", path,
				    strerror(errno));
	status = write_text(run, format, file, &error);
	failed = ferror(file) != 0;
	failed = fclose(file) != 0 || failed;
	if (status != PLAIT_OK)
		return command_fail("run", "%s", error.text);
	return failed ? command_fail("run", "%s: not all of it was written",
				     path) : COMMAND_DONE;
}

/* Replan with the durations of the recorded runs, and save the plan. */
static int tune(const struct request *request, const struct schedule *schedule)
{
	plait_tune_desc desc = { .size = sizeof(desc),
				 .mode = request->schedule.freeze.mode };
	plait_tune_info info = { .size = sizeof(info) };
	plait_error error = { .size = sizeof(error) };
	plait_plan *plan = NULL;
	plait_status status = plait_plan_tune(
		schedule->plan, schedule->loaded ? NULL : &desc, &plan, &info,
		&error);

	if (status == PLAIT_OK)
		status = plait_plan_save(plan, request->tune, &error);
	plait_plan_release(plan);
	if (status != PLAIT_OK)
		return command_fail("run", "%s", error.text);
	printf("tuned_commands %" PRIu64 "\nplanned_before_ns %" PRIu64
	       "\nplanned_after_ns %" PRIu64 "\n", info.measured,
	       info.before_ns, info.after_ns);
	return COMMAND_DONE;
}

/* Run separately for the trace, so that the measured runs do not record. */
static plait_status run_shown(const struct request *request,
			      const struct schedule *schedule,
			      struct measured *measured, plait_run **out,
			      plait_error *error)
{
	const uint64_t start = now_ns();
	uint64_t least = UINT64_MAX;
	plait_status status = PLAIT_OK;

	for (int i = 0; i < SHOWN_RUNS && status == PLAIT_OK &&
	     (i == 0 || now_ns() - start < SHOWN_NS); i++) {
		plait_run_info info = { .size = sizeof(info) };
		plait_run *run = NULL;

		status = run_recorded(request, schedule, measured, NULL, &run,
				      error);
		if (status == PLAIT_OK)
			status = plait_run_query(run, &info, error);
		if (status == PLAIT_OK &&
		    info.end_ns - info.begin_ns < least) {
			plait_run *slower = *out;

			least = info.end_ns - info.begin_ns;
			*out = run;
			run = slower;
		}
		plait_run_release(run);
	}
	return status;
}

static int show_one(const struct request *request,
		    const struct schedule *schedule,
		    struct measured *measured)
{
	plait_error error = { .size = sizeof(error) };
	plait_run *run = NULL;
	int code = COMMAND_DONE;

	if (run_shown(request, schedule, measured, &run, &error) != PLAIT_OK)
		code = command_fail("run", "%s", error.text);
	if (code == COMMAND_DONE)
		code = write_file(run, PLAIT_TRACE_JSON, request->trace);
	if (code == COMMAND_DONE)
		code = write_file(run, PLAIT_TRACE_SVG, request->svg);
	plait_run_release(run);
	if (code == COMMAND_DONE && request->tune != NULL)
		code = tune(request, schedule);
	return code;
}

static void print_times(const struct measured *measured, uint64_t count)
{
	uint64_t *took = measured->took;
	uint64_t commands = measured->commands;

	qsort(took, count, sizeof(*took), compare);
	printf("runs %" PRIu64 "\nmin_ns %" PRIu64 "\nmedian_ns %" PRIu64
	       "\ncommands %" PRIu64 "\nmin_ns_per_command %.1f\n", count,
	       took[0], took[count / 2], commands,
	       commands > 0 ? (double)took[0] / (double)commands : 0.0);
}

/* ---- command ---- */

static plait_status prepare(const struct request *request,
			    const struct schedule *schedule,
			    struct measured *measured, plait_error *error)
{
	plait_plan_info info = { .size = sizeof(info) };
	plait_status status = plait_plan_query(schedule->plan, &info, error);
	bool records = request->watch || info.regions > 0 ||
		       request->trace != NULL || request->svg != NULL ||
		       request->tune != NULL;

	measured->commands = info.commands;
	if (status == PLAIT_OK)
		status = plait_plan_rehearse(schedule->plan, request->unit_ns,
					     error);
	if (status == PLAIT_OK)
		status = plait_plan_prepare(schedule->plan, error);
	if (status == PLAIT_OK && records)
		status = open_queue(schedule, &measured->queue, error);
	if (status == PLAIT_OK && records)
		status = plait_plan_record(schedule->plan,
					   request->trace != NULL ||
					   request->svg != NULL ||
					   request->tune != NULL ? 0 : 1,
					   error);
	return status;
}

static int measure(const struct request *request,
		   const struct schedule *schedule, struct measured *measured)
{
	plait_error error = { .size = sizeof(error) };
	struct watch *watch = NULL;
	int code = COMMAND_DONE;
	plait_status status = prepare(request, schedule, measured, &error);

	if (status == PLAIT_OK && request->watch)
		watch = watch_begin(request->times);
	if (status == PLAIT_OK)
		status = run_all(request, schedule, measured, watch, &error);
	watch_end(watch);
	if (status != PLAIT_OK)
		return command_fail("run", "%s: %s",
				    input_name(request->schedule.path),
				    error.text);
	if (measured->queue != NULL)
		code = show_one(request, schedule, measured);
	if (code == COMMAND_DONE)
		print_times(measured, request->times);
	return code;
}

static int run(const struct request *request, const struct schedule *schedule)
{
	struct measured measured = {
		.took = calloc(request->times, sizeof(uint64_t)),
	};
	int code;

	if (measured.took == NULL)
		return command_fail("run", "no memory for %" PRIu64 " runs",
				    request->times);
	code = measure(request, schedule, &measured);
	plait_queue_release(measured.queue);
	free(measured.took);
	return code;
}

int command_run(int argc, char **argv)
{
	static const struct option known[] = {
		SCHEDULE_OPTIONS,
		SCHEDULE_HOP,
		{ "times", required_argument, NULL, 'T' },
		{ "repeat", required_argument, NULL, 'T' },
		{ "unit", required_argument, NULL, 'U' },
		{ "trace", required_argument, NULL, 'C' },
		{ "svg", required_argument, NULL, 'G' },
		{ "tune", required_argument, NULL, 'N' },
		{ "watch", no_argument, NULL, 'W' },
		{ "serial", no_argument, NULL, 'S' },
		{ "parallel", no_argument, NULL, 'P' },
		{ NULL, 0, NULL, 0 },
	};
	struct request request = {
		.schedule = { .command = "run",
			      .freeze = { .size = sizeof(plait_freeze_desc) } },
		.run = { .size = sizeof(request.run) },
		.times = DEFAULT_RUNS,
	};
	struct schedule schedule;
	int code = schedule_read(&request.schedule, argc, argv, known, take,
				 &request);

	if (code == COMMAND_DONE)
		code = schedule_open(&request.schedule, &schedule);
	if (code != COMMAND_DONE)
		return code;
	code = run(&request, &schedule);
	schedule_close(&schedule);
	return code;
}
