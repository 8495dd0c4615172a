/* SPDX-License-Identifier: MIT */
/*
 * Process of a check: fork, run, deadline, report.
 *
 * The parent never calls the library, so each child has a fresh one.  The child's
 * output goes to a file in memory, so that a check can see if the backend prints.
 */
#include "conform.h"
#include "ports.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child {
	pid_t id;
	int report;  /* lines of check.c */
	int printed; /* its standard streams */
	bool late;
	int status;
};

/* --- in the child -------------------------------------------------------- */

static uint64_t mix(uint64_t seed, const char *id)
{
	for (; *id; id++)
		seed = (seed ^ (unsigned char)*id) * 0x100000001b3u;
	return seed;
}

static void need_capability(struct conform *c, uint32_t needs, uint32_t bit,
			    const char *name)
{
	if ((needs & bit) && !(c->info.capabilities & bit))
		conform_skip(c, "the backend does not claim %s", name);
}

static void check_needs(struct conform *c, uint32_t needs)
{
	const uint32_t unreal = PLAIT_DEVICE_VIRTUAL_TIME |
				PLAIT_DEVICE_NEEDS_PUMP;

	need_capability(c, needs, NEED_MAP, "PLAIT_DEVICE_MAP");
	need_capability(c, needs, NEED_WRAP, "PLAIT_DEVICE_WRAP");
	need_capability(c, needs, NEED_GATE, "PLAIT_DEVICE_GATE");
	need_capability(c, needs, NEED_NOTIFY, "PLAIT_DEVICE_NOTIFY");
	need_capability(c, needs, NEED_NATIVE, "PLAIT_DEVICE_NATIVE");
	need_capability(c, needs, NEED_SEGMENT, "PLAIT_DEVICE_SEGMENT");
	need_capability(c, needs, NEED_REGION, "PLAIT_DEVICE_REGION");
	need_capability(c, needs, NEED_LASTS, "PLAIT_DEVICE_LASTS");
	need_capability(c, needs, NEED_HOST, "PLAIT_DEVICE_HOST");
	need_capability(c, needs, NEED_IMAGE, "PLAIT_DEVICE_IMAGE");
	if ((needs & NEED_KERNELS) &&
	    !(c->info.forms & 1u << PLAIT_SOURCE_PORTABLE) &&
	    !(c->info.capabilities & PLAIT_DEVICE_HOST))
		conform_skip(c, "kernels are host functions there");
	if ((needs & NEED_TWO_DEVICES) && c->device_count < 2)
		conform_skip(c, "%s has one device here, and this needs two; "
			     "where there is such an option: "
			     "PLAIT_OPTIONS=%s:devices=2", c->info.backend,
			     c->info.backend);
	if ((needs & NEED_REAL_TIME) &&
	    (c->info.capabilities & PLAIT_DEVICE_VIRTUAL_TIME))
		conform_skip(c, "time is simulated there");
	if ((needs & NEED_PARALLEL) &&
	    (c->info.parallel < 2 || (c->info.capabilities & unreal)))
		conform_skip(c, "it runs one host function at a time");
}

__attribute__((noreturn))
static void run_check(struct conform *c, const struct conform_check *check)
{
	if (!(check->needs & NO_CONTEXT)) {
		conform_begin(c, NULL);
		check_needs(c, check->needs);
	}
	check->run(c);
	conform_finish(c);
	conform_end(c);
}

/* Open and close; a backend that declines gives the same reason twice. */
static void try_open(struct conform *c)
{
	plait_context *context = NULL;
	struct conform_process look;
	plait_status first, second;

	first = conform_open(c, NULL, &context);
	if (first == PLAIT_E_UNAVAILABLE &&
	    strstr(c->error.text, "is a transport, not a backend") != NULL) {
		conform_ports_probe(c);
		return;
	}
	if (first != PLAIT_E_UNAVAILABLE) {
		GIVES(first, PLAIT_OK);
		plait_context_release(context);
		conform_drain(c);
		return;
	}
	GIVES(first, PLAIT_E_UNAVAILABLE);
	HOLDS(context == NULL);
	second = conform_open(c, NULL, &context);
	GIVES(second, PLAIT_E_UNAVAILABLE);
	HOLDS(plait_live_count(PLAIT_OBJECT_ANY) == 0);
	conform_look(&look);
	HOLDS_THAT(look.printed_bytes == 0, "it declines without printing");
	conform_skip(c, "%s", c->error.text);
}

static const struct conform_check probe = {
	"L0", "the backend opens or declines", NO_CONTEXT, try_open
};

/* --- in the parent ------------------------------------------------------- */

static void fail(struct conform_result *out, const char *text)
{
	size_t room = sizeof(out->text) - out->text_bytes;
	int used = snprintf(out->text + out->text_bytes, room, "%s\n", text);

	out->verdict = CONFORM_FAIL;
	if (used > 0)
		out->text_bytes += (size_t)used < room ? (size_t)used : room;
}

__attribute__((noreturn))
static void begin(const struct conform_check *check,
		  const struct conform_options *options, int report)
{
	struct conform *c = calloc(1, sizeof(*c));

	if (c == NULL)
		_exit(CONFORM_BAD);
	conform_be_patient(options->deadline_s);
	c->backend = options->backend;
	c->seed = options->seed;
	c->random = mix(options->seed, check->id);
	c->report = report;
	run_check(c, check);
}

__attribute__((noreturn))
static void be_the_child(const struct conform_check *check,
			 const struct conform_options *options, int report,
			 int printed)
{
	setpgid(0, 0);
	if (dup2(printed, STDOUT_FILENO) < 0 ||
	    dup2(printed, STDERR_FILENO) < 0)
		_exit(CONFORM_BAD);
	close(printed);
	begin(check, options, report);
}

void conform_run_here(const struct conform_check *check,
		      const struct conform_options *options)
{
	begin(check, options, STDERR_FILENO);
}

static int start(struct child *child, const struct conform_check *check,
		 const struct conform_options *options)
{
	int ends[2];

	child->printed = memfd_create("printed", MFD_CLOEXEC);
	if (child->printed < 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		goto close_printed;
	fflush(NULL);
	child->id = fork();
	if (child->id < 0)
		goto close_ends;
	if (child->id == 0) {
		close(ends[0]);
		be_the_child(check, options, ends[1], child->printed);
	}
	close(ends[1]);
	child->report = ends[0];
	fcntl(child->report, F_SETFL, O_NONBLOCK);
	return 0;

close_ends:
	close(ends[0]);
	close(ends[1]);
close_printed:
	close(child->printed);
	return -1;
}

/* Drain the pipe, so that the child never blocks on it. */
static void read_report(struct child *child, char *text, size_t *used)
{
	char thrown[512];
	ssize_t got;

	do {
		size_t room = CONFORM_TEXT - 1 - *used;

		got = read(child->report, room ? text + *used : thrown,
			   room ? room : sizeof(thrown));
		if (got > 0 && room)
			*used += (size_t)got;
	} while (got > 0);
	text[*used] = 0;
}

/* Wait for the child until the deadline; then kill it. */
static void attend(struct child *child, uint32_t deadline_s, char *text,
		   size_t *used)
{
	static const struct timespec nap = { .tv_nsec = 1000000 };
	uint64_t end = conform_now_ns() + deadline_s * 1000000000ull;
	pid_t got;

	for (;;) {
		got = waitpid(child->id, &child->status, WNOHANG);
		read_report(child, text, used);
		if (got == child->id || (got < 0 && errno == ECHILD))
			break;
		if (!child->late && conform_now_ns() > end) {
			child->late = true;
			kill(-child->id, SIGKILL);
			kill(child->id, SIGKILL);
		}
		nanosleep(&nap, NULL);
	}
	kill(-child->id, SIGKILL); /* its remaining children */
}

/* Sort the lines; return true if the check reported its end. */
static bool sort_lines(char *lines, struct conform_result *out)
{
	char *line, *rest = lines;
	bool ended = false;

	while ((line = strsep(&rest, "\n")) != NULL) {
		switch (line[0]) {
		case 'F':
			fail(out, line + 1);
			break;
		case 'N': {
			enum conform_verdict before = out->verdict;

			fail(out, line + 1);
			out->verdict = before;
			break;
		}
		case 'S':
			if (out->verdict == CONFORM_PASS)
				out->verdict = CONFORM_SKIP;
			snprintf(out->reason, sizeof(out->reason), "%s",
				 line + 1);
			break;
		case 'G':
			conform_graphs_add(line + 1);
			break;
		case 'T':
			out->transport = true;
			break;
		case 'E':
			ended = true;
			break;
		}
	}
	return ended;
}

/* Add the output to the report of a failure. */
static void add_printed(struct child *child, struct conform_result *out)
{
	char text[4096];
	char *line, *rest = text;
	enum conform_verdict before = out->verdict;
	char marked[4200];
	ssize_t got = pread(child->printed, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return;
	text[got] = 0;
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == 0)
			continue;
		snprintf(marked, sizeof(marked), "printed: %s", line);
		fail(out, marked);
	}
	out->verdict = before;
}

static void judge(struct child *child, const struct conform_options *options,
		  char *lines, struct conform_result *out)
{
	bool ended = sort_lines(lines, out);
	char text[128];

	if (child->late) {
		snprintf(text, sizeof(text), "hangs: not done after %u s",
			 options->deadline_s);
		fail(out, text);
	} else if (WIFSIGNALED(child->status)) {
		snprintf(text, sizeof(text), "crashed: signal %d (%s)",
			 WTERMSIG(child->status),
			 strsignal(WTERMSIG(child->status)));
		fail(out, text);
	} else if (out->verdict != CONFORM_FAIL &&
		   (WEXITSTATUS(child->status) != 0 || !ended)) {
		snprintf(text, sizeof(text), "ended with status %d%s",
			 WEXITSTATUS(child->status),
			 ended ? "" : " in the middle of the check");
		fail(out, text);
	}
	add_printed(child, out);
}

void conform_run(const struct conform_check *check,
		 const struct conform_options *options,
		 struct conform_result *out)
{
	static char lines[CONFORM_TEXT];
	struct child child = { 0 };
	size_t used = 0;

	out->verdict = CONFORM_PASS;
	out->transport = false;
	out->reason[0] = 0;
	out->text[0] = 0;
	out->text_bytes = 0;
	if (start(&child, check, options) != 0) {
		fail(out, "no process could be started for it");
		return;
	}
	attend(&child, options->deadline_s, lines, &used);
	judge(&child, options, lines, out);
	close(child.report);
	close(child.printed);
}

void conform_probe(const struct conform_options *options,
		   struct conform_result *out)
{
	conform_run(&probe, options, out);
}
