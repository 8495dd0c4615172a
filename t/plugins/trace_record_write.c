/* SPDX-License-Identifier: MIT */
/*
 * The interposer trace around the simulated system: its records, valid JSON
 * with any label, and limits and bad paths that cause lines in the log only.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/bed.h"
#include "lib/tap.h"

static char path[64];
static char text[1 << 18];

static void make_path(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/plait-trace-XXXXXX");
	fd = mkstemp(path);
	OK(fd >= 0);
	close(fd);
}

/* Read the file into `text` and remove it. */
static void read_file(void)
{
	FILE *file = fopen(path, "r");
	size_t length = 0;

	if (OK(file != NULL)) {
		length = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[length] = 0;
}

static void is_json(void)
{
	char command[256];

	if (system("python3 -c pass >/dev/null 2>&1") != 0) {
		SKIP("no python3");
		return;
	}
	snprintf(command, sizeof(command),
		 "python3 -m json.tool %s >/dev/null", path);
	OK(system(command) == 0);
}

static bool opened(const char *names, const char *more)
{
	char options[128];

	snprintf(options, sizeof(options), "file=%s %s", path, more);
	return bed_open(names, options);
}

static int32_t fail_with_2(void *user_data)
{
	(void)user_data;
	return 2;
}

static void ignore_note(void *user_data, plait_status status)
{
	(void)user_data;
	(void)status;
}

/* Submit each kind of recorded work, on a queue with this label. */
static void play(const char *label, int rounds)
{
	static char letter = 'l';
	plait_work work = bed_call_of(bed_write_letter, &letter);
	plait_backend_queue *queue = bed_queue_on(1, label);
	plait_backend_signal *done = bed_signal_of(0);
	plait_backend_signal *gate =
		bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	bool good = true;

	work.label = label;
	for (int i = 1; i <= rounds && good; i++) {
		plait_backend_point open = { gate, (uint64_t)i };
		plait_backend_point end = { done, (uint64_t)i };

		bed.letters[0] = 0;
		good = bed_submit(queue, &open, &work, 1, &end) == 0 &&
			bed.table.signal_notify(bed.self, &end, ignore_note,
						NULL, &bed.error) == 0 &&
			bed.table.signal_raise(bed.self, &open, NULL,
					       &bed.error) == 0 &&
			bed_wait_for(done, end.sequence, PLAIT_FOREVER) == 0 &&
			bed.table.signal_poll(bed.self, &end, NULL,
					      &bed.error) == 0 &&
			strcmp(bed.letters, "l") == 0;
	}
	OK(good);
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		;
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
}

static void everything_is_recorded(void)
{
	static const char *const parts[] = {
		"\"name\":\"submit\"", "\"name\":\"saxpy\"",
		"\"name\":\"emit\"", "\"name\":\"seen\"",
		"\"name\":\"wait\"", "\"name\":\"raise\"",
		"\"name\":\"notify\"", "\"queue 1 saxpy\"", "\"device 1\"",
		"\"ph\":\"X\"", "\"label\":\"s1\"", "\"dropped\":0",
	};

	make_path();
	if (!opened("trace,chaos", "emissions=1"))
		return;
	OK(strstr(bed.host.log, "no file is named") == NULL);
	play("saxpy", 1);
	bed_close();
	HAS_STR(bed.host.log, "events are in /tmp/plait-trace-");
	read_file();
	is_json();
	for (size_t i = 0; i < TAP_COUNT(parts); i++)
		OK_THAT(strstr(text, parts[i]) != NULL, "%s", parts[i]);
	unlink(path);
}

static void labels_are_escaped(void)
{
	static const char *const labels[] = {
		"\"quoted\" \\ back", "line\nbreak\ttab\x01\x7f", "",
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"bad \xff \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xc3",
		"a label that is longer than what fits \xc3\xa9\xc3\xa9\xc3\xa9"
	};

	for (size_t i = 0; i < TAP_COUNT(labels); i++) {
		make_path();
		if (!opened("trace,chaos", ""))
			return;
		play(labels[i], 1);
		bed_close();
		is_json();
		read_file();
		OK_THAT(i != 4 || strstr(text, "bad ? ?? ??? ???? ?") != NULL,
			"what is no UTF-8 is a question mark");
		unlink(path);
	}
}

static void nothing_happened(void)
{
	make_path();
	if (!opened("trace,chaos", ""))
		return;
	bed_close();
	is_json();
	unlink(path);
}

static void there_is_a_limit(void)
{
	make_path();
	if (!opened("trace,chaos", "limit=10"))
		return;
	play("many", 20);
	bed_close();
	HAS_STR(bed.host.log, "10 events, 110 more than the limit of 10");
	is_json();
	unlink(path);
	if (!bed_open("trace,chaos", "limit=0"))
		return;
	play("none", 1);
	bed_close();
	HAS_STR(bed.host.log, "trace: 0 events, 6 more than the limit of 0");
}

static void many_events_cross_chunks(void)
{
	make_path();
	if (!opened("trace,chaos", ""))
		return;
	play("x", 1000);
	bed_close();
	HAS_STR(bed.host.log, "trace: 6000 events are in");
	is_json();
	unlink(path);
}

static void a_bad_path_is_a_line_in_the_log(void)
{
	snprintf(path, sizeof(path), "/nowhere/at/all.json");
	if (!opened("trace,chaos", ""))
		return;
	play("x", 1);
	bed_close();
	HAS_STR(bed.host.log, "trace: /nowhere/at/all.json was not written: "
		"No such file or directory");
	snprintf(path, sizeof(path), "/dev/full");
	if (!opened("trace,chaos", ""))
		return;
	play("x", 1);
	bed_close();
	HAS_STR(bed.host.log, "/dev/full was not written: No space left");
}

/* Skipped functions never run, and their stand-ins do not leak. */
static void failures_leave_nothing(void)
{
	plait_work work[2] = { bed_call_of(fail_with_2, NULL),
			       bed_call_of(fail_with_2, NULL) };
	plait_backend_signal *done;
	plait_backend_queue *queue;
	uint64_t blocks;

	if (!bed_open("trace,chaos", ""))
		return;
	HAS_STR(bed.host.log, "trace: no file is named");
	bed_close();
	if (!bed_open("trace,chaos", "emissions=1"))
		return;
	queue = bed_queue_on(0, NULL);
	done = bed_signal_of(0);
	blocks = bed.host.live_blocks;
	bed_submit(queue, NULL, work, 2, &(plait_backend_point){ done, 1 });
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_E_FAILED);
	IS_INT(bed.table.queue_recover(bed.self, queue, &bed.error), PLAIT_OK);
	IS_UINT(bed.host.live_blocks, blocks);
	bed_submit(queue, NULL, work, 2, &(plait_backend_point){ done, 2 });
	IS_INT(bed_wait_for(done, 2, PLAIT_FOREVER), PLAIT_E_FAILED);
	blocks = bed.host.live_blocks;
	bed.table.queue_destroy(bed.self, queue);
	/* The blocks of the queue, of the signal that counts its work, of the
	 * skipped command and of its marker. */
	IS_UINT(bed.host.live_blocks, blocks - 4);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

/* A refused submission leaves no record and no memory. */
static void refusals_leave_nothing(void)
{
	static char letter = 'r';
	const plait_work work = bed_call_of(bed_write_letter, &letter);
	plait_backend_signal *done;
	plait_backend_queue *queue;
	uint64_t blocks;

	if (!bed_open("trace,fault,chaos", "fail=1 slot=queue_submit"))
		return;
	queue = bed_queue_on(0, NULL);
	done = bed_signal_of(0);
	blocks = bed.host.live_blocks;
	IS_INT(bed_submit(queue, NULL, &work, 1,
			  &(plait_backend_point){ done, 1 }), PLAIT_E_NOMEM);
	IS_UINT(bed.host.live_blocks, blocks);
	IS_INT(bed_submit(queue, NULL, &work, 1,
			  &(plait_backend_point){ done, 1 }), PLAIT_OK);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_STR(bed.letters, "r");
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void options_that_make_no_sense(void)
{
	OK(!bed_open_quietly("trace,chaos", "limit=many"));
	IS_INT(bed.error.status, PLAIT_E_INVALID);
	bed_close();
	OK(!bed_open_quietly("trace,chaos", "emissions=2"));
	HAS_STR(bed.error.text, "expected a number up to 1");
	bed_close();
}

static const struct tap_scenario all[] = {
	{ "recorded", everything_is_recorded },
	{ "labels", labels_are_escaped },
	{ "empty", nothing_happened },
	{ "limit", there_is_a_limit },
	{ "chunks", many_events_cross_chunks },
	{ "path", a_bad_path_is_a_line_in_the_log },
	{ "failures", failures_leave_nothing },
	{ "refusals", refusals_leave_nothing },
	{ "options", options_that_make_no_sense },
};
TAP_MAIN(all)
