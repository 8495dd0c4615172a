/* SPDX-License-Identifier: MIT */
/* Descriptors, shared objects, environment and clock: thin wrappers of the
 * system. */
#include "lib/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/dl.h"
#include "sys/env.h"
#include "sys/fd.h"

static bool readable(int fd)
{
	struct pollfd poller = { fd, POLLIN, 0 };

	return poll(&poller, 1, 0) == 1 && (poller.revents & POLLIN) != 0;
}

static void descriptor(void)
{
	int fd = plait__fd_open();
	uint64_t full = UINT64_MAX - 1;

	OK(fd >= 0);
	OK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	OK(fcntl(fd, F_GETFL) & O_NONBLOCK);
	OK(!readable(fd));
	IS_INT(plait__fd_drain(fd), 0);
	IS_INT(plait__fd_raise(fd), 0);
	IS_INT(plait__fd_raise(fd), 0);
	OK(readable(fd) && readable(fd));
	IS_INT(plait__fd_drain(fd), 1);
	OK(!readable(fd));
	IS_INT(write(fd, &full, sizeof(full)), sizeof(full));
	IS_INT(plait__fd_raise(fd), 0); /* full is raised */
	IS_INT(plait__fd_drain(fd), 1);
	plait__fd_close(fd);
	IS_INT(plait__fd_raise(fd), -EBADF);
	IS_INT(plait__fd_drain(fd), -EBADF);
	plait__fd_close(-1);
}

static void objects(void)
{
	char text[256] = "";
	void *math = plait__dl_open_soname("libm.so.6", text, sizeof(text));
	void *cosine;
	void *foreign;

	OK_THAT(math != NULL, "libm opens: %s", text);
	if (math == NULL)
		return;
	cosine = plait__dl_find(math, "cos");
	foreign = plait__dl_find(math, "strtoul");
	OK(cosine != NULL);
	OK(plait__dl_owns(math, cosine));
	/* Found through libm, but it is the C library's. */
	OK(foreign != NULL && !plait__dl_owns(math, foreign));
	OK(!plait__dl_owns(math, NULL));
	IS_PTR(plait__dl_find(math, "plait_no_such_symbol"), NULL);
}

static void refused_objects(void)
{
	char text[256] = "";

	IS_PTR(plait__dl_open("libm.so.6", text, sizeof(text)), NULL);
	HAS_STR(text, "not a path");
	IS_PTR(plait__dl_open("/nowhere/x.so", text, sizeof(text)), NULL);
	HAS_STR(text, "/nowhere/x.so");
	IS_PTR(plait__dl_open_soname("./libm.so.6", text, sizeof(text)),
	       NULL);
	HAS_STR(text, "not a soname");
	IS_PTR(plait__dl_open_soname("", text, sizeof(text)), NULL);
	IS_PTR(plait__dl_open_soname("libnowhere.so.1", text, sizeof(text)),
	       NULL);
	HAS_STR(text, "libnowhere.so.1");
}

static void own_path(void)
{
	char path[4096] = "";
	char tiny[4];

	IS_INT(plait__dl_query_path(NULL, path, sizeof(path)), 0);
	IS_INT(path[0], '/');
	IS_INT(access(path, R_OK), 0);
	IS_INT(plait__dl_query_path(NULL, tiny, sizeof(tiny)), -ENAMETOOLONG);
	IS_INT(plait__dl_query_path((void *)(intptr_t)1, path, sizeof(path)),
	       -ENOENT);
}

/* Unusable text leaves the number as it is. */
static void number_is(const char *text, bool usable, uint64_t value)
{
	char said[200] = "";
	uint64_t got = 99;

	setenv("PLAIT_CC_SECONDS", text, 1);
	OK_THAT(plait__env_query_number(PLAIT__ENV_CC_SECONDS, &got) ==
				usable && got == (usable ? value : 99),
		"'%s' is %d, %d", text, usable, (int)value);
	OK_THAT(plait__env_describe_error(PLAIT__ENV_CC_SECONDS, said,
					  sizeof(said)) == (!usable && *text != 0),
		"'%s': \"%s\"", text, said);
}

static void environment(void)
{
	uint64_t value = 5;
	char said[200];

	unsetenv("PLAIT_CC_SECONDS");
	IS_PTR(plait__env_get("PLAIT_CC_SECONDS"), NULL);
	OK(!plait__env_query_number(PLAIT__ENV_CC_SECONDS, &value));
	OK(!plait__env_describe_error(PLAIT__ENV_CC_SECONDS, said, sizeof(said)));
	IS_INT(value, 5);
	number_is("", false, 0);
	number_is("0", false, 0);
	number_is("1", true, 1);
	number_is("86400", true, 86400);
	number_is("86401", false, 0);
	number_is("-1", false, 0);
	number_is("1x", false, 0);
	number_is(" 1", false, 0);
	number_is("0x10", false, 0);
	number_is("18446744073709551617", false, 0); /* 2^64 + 1 */
	IS_STR(plait__env_get("PLAIT_CC_SECONDS"), "18446744073709551617");
	OK(plait__env_describe_error(PLAIT__ENV_CC_SECONDS, said, sizeof(said)));
	IS_STR(said, "PLAIT_CC_SECONDS=\"18446744073709551617\" is not a "
	       "number from 1 to 86400; 120 is used instead");
	unsetenv("PLAIT_CC_SECONDS");
	OK(!plait__env_privileged());
}

static void clock(void)
{
	uint64_t now = plait__clock_now_ns();
	uint64_t deadline = plait__clock_deadline(1000);

	OK(now > 0 && deadline >= now + 1000);
	OK(plait__clock_now_ns() >= now);
	IS_UINT(plait__clock_deadline(UINT64_MAX), PLAIT__CLOCK_NEVER);
	IS_UINT(plait__clock_deadline(UINT64_MAX - 1), PLAIT__CLOCK_NEVER);
	IS_UINT(plait__clock_left_ns(PLAIT__CLOCK_NEVER), PLAIT__CLOCK_NEVER);
	IS_UINT(plait__clock_left_ns(now), 0);
	OK(plait__clock_left_ns(now + UINT64_MAX / 2) > 0);
}

static const struct tap_scenario all[] = {
	{ "a descriptor", descriptor },
	{ "shared objects", objects },
	{ "refused objects", refused_objects },
	{ "the path of the library", own_path },
	{ "environment", environment },
	{ "clock", clock },
};

TAP_MAIN(all)
