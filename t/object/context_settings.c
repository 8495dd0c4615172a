/* SPDX-License-Identifier: MIT */
/* Settings of a context: rejected ones, those of the environment, and reports
 * to the user. */
#include "lib/objects.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <unistd.h>

static long ask_barrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

/* Requests that take the kernel many milliseconds in a process of several
 * threads are made before there are any: not when a plan is prepared. */
static void opens_early(void)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .workers = 2 };
	plait_context *context;
	long known = ask_barrier(MEMBARRIER_CMD_QUERY);

	if (known < 0 || (known & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0 ||
	    !__libc_single_threaded ||
	    ask_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) {
		SKIP("no membarrier, more threads, or it was asked for before");
		return;
	}
	if (!OK(plait_context_open(&desc, &context, NULL) == PLAIT_OK))
		return;
	OK(ask_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0);
	plait_context_release(context);
}

static void open_refuses(void)
{
	struct rig one = settings[0];
	struct rig *rig = &one;
	plait_error *error = &rig->error;
	plait_context_desc desc = { .size = sizeof(desc) };
	unsigned char big[sizeof(desc) + 8];
	plait_allocator allocator = { .size = sizeof(allocator) };
	plait_context *context = forged(5);

	error->size = sizeof(*error);
	REFUSED(plait_context_open(&desc, NULL, error), PLAIT_E_INVALID, "out");
	desc.size = 3;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"size 3");
	IS_PTR(context, NULL);
	desc.size = 0x41414141;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"size");
	desc.size = sizeof(desc);
	memset(big, 0, sizeof(big));
	memcpy(big, &desc, sizeof(desc));
	big[0] = sizeof(big);
	big[sizeof(big) - 1] = 1;
	REFUSED(plait_context_open((void *)big, &context, error),
		PLAIT_E_UNSUPPORTED, "is set");
	desc.flags = 1u << 20;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"0x100000");
	desc.flags = PLAIT_CONTEXT_NO_WORKERS;
	desc.workers = 3;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"contradict");
	desc.flags = 0;
	desc.workers = 100000;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"100000");
	desc.workers = 0;
	desc.log_level = 77;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"77");
	desc.log_level = 0;
	desc.allocator = &allocator;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"resize is null");
	allocator.size = 1;
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"plait_allocator");
	desc.allocator = NULL;
	desc.backends = "nosuch";
	REFUSED(plait_context_open(&desc, &context, error),
		PLAIT_E_UNAVAILABLE, "nosuch");
	desc.backends = "chaos";
	desc.options = "chaos:seed=x";
	REFUSED(plait_context_open(&desc, &context, error), PLAIT_E_INVALID,
		"seed=x");
	desc.options = NULL;
	desc.backends = "nosuch";
	IS_INT(plait_context_open(&desc, &context, NULL) < 0, 1);
	IS_UINT(plait_live_count(PLAIT_OBJECT_ANY), 0);
}

static void environment_is_read(void)
{
	struct rig one = settings[0];
	struct rig *rig = &one;
	plait_error *error = &rig->error;
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host" };
	plait_device_info info = { .size = sizeof(info) };
	static const char *const wrong[][2] = {
		{ "PLAIT_LOG", "loud" },     { "PLAIT_WORKERS", "two" },
		{ "PLAIT_WORKERS", "-1" },   { "PLAIT_SYNC", "maybe" },
		{ "PLAIT_WORKERS", "99999" }, { "PLAIT_SYNC", "-1" },
		{ "PLAIT_REGIONS", "no" },    { "PLAIT_REGIONS", "2" },
		{ "PLAIT_CHECK", "all" },     { "PLAIT_CHECK", "2" },
	};
	plait_context *context;
	plait_device *device;
	size_t i;

	error->size = sizeof(*error);
	for (i = 0; i < TAP_COUNT(wrong); i++) {
		setenv(wrong[i][0], wrong[i][1], 1);
		REFUSED(plait_context_open(&desc, &context, error),
			PLAIT_E_INVALID, wrong[i][0]);
		HAS_STR(error->text, wrong[i][1]);
		unsetenv(wrong[i][0]);
	}
	setenv("PLAIT_WORKERS", "0", 1);
	IS_INT(plait_context_open(&desc, &context, error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, error), PLAIT_OK);
	IS_INT(plait_device_query(device, &info, error), PLAIT_OK);
	OK((info.capabilities & PLAIT_DEVICE_NEEDS_PUMP) != 0);
	plait_context_release(context);
	unsetenv("PLAIT_WORKERS");
	OK(all_gone());
}

/* The number of workers of a context without a setting for them. */
static uint32_t default_workers(void)
{
	struct rig rig = { .backend = "host" };
	plait_device_info info = { .size = sizeof(info) };

	if (!open_context(&rig))
		return 0;
	IS_INT(plait_device_query(rig.device, &info, NULL), PLAIT_OK);
	plait_context_release(rig.context);
	return info.parallel;
}

static void workers_are_counted(void)
{
	cpu_set_t all, one;
	int cpu = 0;

	setenv("PLAIT_WORKERS", "3", 1);
	IS_UINT(default_workers(), 3);
	unsetenv("PLAIT_WORKERS");
	if (!OK(sched_getaffinity(0, sizeof(all), &all) == 0))
		return;
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	IS_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	IS_UINT(default_workers(), 1);
	IS_INT(sched_setaffinity(0, sizeof(all), &all), 0);
}

static int32_t return_four(void *user_data)
{
	(void)user_data;
	return 4;
}

/* With PLAIT_SYNC the call that submits reports the failure of its commands. */
static void sync_is_obeyed(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];
		plait_status status;

		setenv("PLAIT_SYNC", "1", 1);
		if (!open_rig(&rig))
			continue;
		status = plait_queue_call(rig.queue, return_four, NULL,
					  &rig.error);
		IS_INT(status, PLAIT_E_FAILED);
		IS_INT(rig.error.origin, 4);
		close_rig(&rig);
		unsetenv("PLAIT_SYNC");
	}
}

/* The text that the error stream gets while a context is opened. */
static void open_and_read(const char *level, char *text, size_t room)
{
	struct rig rig = { .backend = "host" };
	FILE *file = tmpfile();
	int before = dup(2);
	size_t length = 0;

	if (!OK(file != NULL && before >= 0))
		return;
	setenv("PLAIT_LOG", level, 1);
	fflush(stderr);
	dup2(fileno(file), 2);
	if (open_context(&rig))
		plait_context_release(rig.context);
	dup2(before, 2);
	close(before);
	unsetenv("PLAIT_LOG");
	rewind(file);
	length = fread(text, 1, room - 1, file);
	text[length] = '\0';
	fclose(file);
}

static void log_is_obeyed(void)
{
	char text[8192] = "";

	open_and_read("info", text, sizeof(text));
	HAS_STR(text, "host");
	HAS_STR(text, "chosen");
	open_and_read("error", text, sizeof(text));
	IS_STR(text, "");
}

struct heard {
	char text[600];
	unsigned count;
};

static void hear_warnings(void *user_data, int32_t level, const char *line)
{
	struct heard *heard = user_data;

	if (level > PLAIT_LOG_WARNING)
		return;
	heard->count++;
	snprintf(heard->text, sizeof(heard->text), "%s", line);
}

/* The text of a context that is opened with this variable, and the effect of
 * the report. */
static void is_passed_over(const char *name, const char *value,
			   const char *what)
{
	struct heard heard = { .count = 0 };
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host",
				    .log = hear_warnings,
				    .log_user_data = &heard,
				    .log_level = PLAIT_LOG_WARNING };
	plait_error error = { .size = sizeof(error) };
	char report[8192], want[300];
	plait_context *context;

	snprintf(want, sizeof(want), "%s=\"%s\" is %s", name, value, what);
	setenv(name, value, 1);
	if (OK(plait_context_open(&desc, &context, &error) == PLAIT_OK)) {
		OK(plait_context_report(context, report, sizeof(report), NULL,
					&error) == PLAIT_OK);
		HAS_STR(report, want);
		plait_context_release(context);
	}
	unsetenv(name);
	IS_STR(heard.text, want);
	IS_UINT(heard.count, 1);
}

/* Values that cannot be understood and are no reason to fail. */
static void reports_unusable_values(void)
{
	static const char *const lanes =
		"not a number from 0 to 4294967295; the number of processors, "
		"or workers plus one, is used instead";
	static const char *const hop =
		"not a number from 0 to 4294967295; 2000 is "
		"used instead";
	static const char *const segments =
		"not a number from 0 to 4294967295; 4 is used instead";
	static const char *const seconds =
		"not a number from 1 to 86400; 120 is used instead";
	static const char *const bytes = "not a number from 0 to "
		"18446744073709551615; 1073741824 is used instead";

	is_passed_over("PLAIT_LANES", "abc", lanes);
	is_passed_over("PLAIT_LANES", "-1", lanes);
	is_passed_over("PLAIT_LANES", "4294967296", lanes);
	is_passed_over("PLAIT_LANES_GAIN_NS", "soon", hop);
	is_passed_over("PLAIT_LANES_GAIN_NS", "1.5", hop);
	is_passed_over("PLAIT_SEGMENTS", "all", segments);
	is_passed_over("PLAIT_CC_SECONDS", "0", seconds);
	is_passed_over("PLAIT_CC_SECONDS", "99999", seconds);
	is_passed_over("PLAIT_CACHE", "off",
		       "neither 0 nor 1; 1 is used instead");
	is_passed_over("PLAIT_CACHE_MAX", "1G", bytes);
	is_passed_over("PLAIT_CACHE_MAX", "-1", bytes);
}

/* Understood values are not mentioned. */
static void is_silent_on_usable_values(void)
{
	static const char *const right[][2] = {
		{ "PLAIT_LANES", "0" },	     { "PLAIT_LANES", "99999" },
		{ "PLAIT_LANES_GAIN_NS", "" },	     { "PLAIT_SEGMENTS", "0" },
		{ "PLAIT_REGIONS", "0" },    { "PLAIT_REGIONS", "" },
		{ "PLAIT_CC_SECONDS", "1" }, { "PLAIT_CACHE", "0" },
		{ "PLAIT_CACHE_MAX", "0" },  { "PLAIT_WORKERS", "" },
	};
	struct rig rig = { .backend = "host" };
	char report[8192];

	for (size_t i = 0; i < TAP_COUNT(right); i++) {
		setenv(right[i][0], right[i][1], 1);
		if (open_context(&rig)) {
			OK(plait_context_report(rig.context, report,
						sizeof(report), NULL,
						NULL) == PLAIT_OK);
			OK_THAT(strstr(report, right[i][0]) == NULL,
				"%s=%s", right[i][0], right[i][1]);
			plait_context_release(rig.context);
		}
		unsetenv(right[i][0]);
	}
}

/* An error is one line with a text, for any text of the backend. */
static void texts_of_gates(struct rig *rig)
{
	plait_error *e = &rig->error;

	IS_INT(plait_signal_fail(rig->gate, 3, "", e), PLAIT_OK);
	REFUSED(plait_signal_wait(rig->gate, 9, PLAIT_FOREVER, e),
		PLAIT_E_FAILED, "failed with 3");
	IS_INT(plait_signal_reset(rig->gate, e), PLAIT_OK);
	IS_INT(plait_signal_fail(rig->gate, 3, "a\nb\x01%s\x7f.", e),
	       PLAIT_OK);
	REFUSED(plait_signal_wait(rig->gate, 9, PLAIT_FOREVER, e),
		PLAIT_E_FAILED, "a b %s .");
	IS_INT(plait_signal_reset(rig->gate, e), PLAIT_OK);
}

/* As from an exception without a text. */
static void texts_of_calls(struct rig *rig)
{
	plait_command command = { .size = sizeof(command),
				  .kind = PLAIT_COMMAND_CALL,
				  .label = "mine" };
	plait_event event = { .size = sizeof(event) };
	plait_error *e = &rig->error;
	plait_inbox *inbox;

	IS_INT(plait_inbox_create(rig->context, &inbox, e), PLAIT_OK);
	command.inbox = inbox;
	IS_INT(plait_queue_submit(rig->queue, &command, 1, NULL, e), PLAIT_OK);
	IS_INT(plait_inbox_wait(inbox, PLAIT_FOREVER, e), PLAIT_OK);
	IS_INT(plait_inbox_next(inbox, &event, e), PLAIT_OK);
	IS_INT(plait_inbox_answer(inbox, event.id, 5, "", e), PLAIT_OK);
	REFUSED(plait_queue_finish(rig->queue, PLAIT_FOREVER, e),
		PLAIT_E_FAILED, "command \"mine\" failed with 5");
	plait_inbox_release(inbox);
}

static void texts_of_users(void)
{
	size_t i;

	for (i = 0; i < SETTINGS; i++) {
		struct rig rig = settings[i];

		if (!open_rig(&rig))
			continue;
		texts_of_gates(&rig);
		texts_of_calls(&rig);
		close_rig(&rig);
	}
}

/* A device of a backend that is not open, one that is missing, a wrong name. */
static void device_names(void)
{
	struct rig one = settings[0];
	struct rig *rig = &one;
	plait_device *device = NULL;

	if (!open_rig(rig))
		return;
	REFUSED(plait_context_find_device(rig->context, "chaos:1", &device,
					  &rig->error), PLAIT_E_UNAVAILABLE,
		"device \"chaos:1\" does not exist: its backend is not open, "
		"PLAIT_BACKEND says which are; there are ");
	REFUSED(plait_context_find_device(rig->context, "missing", &device,
					  &rig->error), PLAIT_E_UNAVAILABLE,
		"device \"missing\" does not exist; there are ");
	close_rig(rig);
}

static const struct tap_scenario all[] = {
	/* The first: there are no threads yet. */
	{ "opens early", opens_early },
	{ "open refuses", open_refuses },
	{ "environment is read", environment_is_read },
	{ "workers are counted", workers_are_counted },
	{ "sync is obeyed", sync_is_obeyed },
	{ "log is obeyed", log_is_obeyed },
	{ "unusable values are reported", reports_unusable_values },
	{ "usable values are not reported", is_silent_on_usable_values },
	{ "texts of users", texts_of_users },
	{ "device names", device_names },
};

TAP_MAIN(all)
