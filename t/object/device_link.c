/* SPDX-License-Identifier: MIT */
/*
 * Memories and links of devices: what a backend tells, what the library assumes,
 * ways through the host, and answers of backends that cannot be.
 */
#include "lib/objects.h"

static const uint32_t guessed = PLAIT_LINK_LATENCY_ASSUMED |
				PLAIT_LINK_BANDWIDTH_ASSUMED;

/* As src/object/context/device_link.c assumes. */
enum { ASSUMED = 10000 };

static const char *bad_folder(void)
{
	static char path[4096];
	const char *build = getenv("abs_top_builddir");

	(void)snprintf(path, sizeof(path), "%s/t/plugin/bad/.libs",
		       build != NULL ? build : ".");
	return path;
}

static bool open_with(struct rig *rig, const char *backends,
		      const char *options, const char *folder)
{
	const plait_context_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_CONTEXT_NO_WORKERS,
		.backends = backends, .options = options,
		.plugin_path = folder
	};

	memset(rig, 0, sizeof(*rig));
	rig->error.size = sizeof(rig->error);
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "%s %s: %s", backends, options, rig->error.text);
}

static plait_device *nth(struct rig *rig, uint32_t index)
{
	plait_device *device = NULL;

	OK(plait_context_device(rig->context, index, &device, &rig->error) ==
	   PLAIT_OK);
	return device;
}

static uint32_t memory_of(struct rig *rig, uint32_t index)
{
	plait_device_info info = { .size = sizeof(info) };

	OK(plait_device_query(nth(rig, index), &info, &rig->error) ==
	   PLAIT_OK);
	return info.memory;
}

/* Devices by number; -1: the program. */
static plait_status ask(struct rig *rig, int from, int to,
			plait_link_info *link)
{
	*link = (plait_link_info){ .size = sizeof(*link) };
	rig->error.text[0] = '\0';
	return plait_device_query_link(
		from >= 0 ? nth(rig, (uint32_t)from) : NULL,
		to >= 0 ? nth(rig, (uint32_t)to) : NULL, link, &rig->error);
}

static void is_link(struct rig *rig, int from, int to, uint32_t flags,
		    uint64_t latency_ns, uint64_t bytes_per_us)
{
	plait_link_info link;

	if (!OK_THAT(ask(rig, from, to, &link) == PLAIT_OK, "%d to %d: %s",
		     from, to, rig->error.text))
		return;
	OK_THAT(link.size == sizeof(link) && link.flags == flags &&
		link.latency_ns == latency_ns &&
		link.bytes_per_us == bytes_per_us,
		"%d to %d: flags %#x, %llu ns, %llu bytes/us", from, to,
		link.flags, (unsigned long long)link.latency_ns,
		(unsigned long long)link.bytes_per_us);
}

static void is_shared(struct rig *rig, int from, int to)
{
	is_link(rig, from, to, PLAIT_LINK_DIRECT | PLAIT_LINK_SHARED, 0,
		UINT64_MAX);
}

/* Devices of the host use the program's memory. */
static void of_the_host(void)
{
	struct rig rig;

	if (!open_with(&rig, "host", "host:devices=2", NULL))
		return;
	IS_UINT(memory_of(&rig, 0), 0);
	IS_UINT(memory_of(&rig, 1), 0);
	is_shared(&rig, 0, 1);
	is_shared(&rig, -1, 0);
	is_shared(&rig, 1, -1);
	plait_context_release(rig.context);
}

static void untold(void)
{
	struct rig rig;

	if (!open_with(&rig, "chaos", "chaos:devices=3", NULL))
		return;
	for (uint32_t i = 0; i < 3; i++)
		IS_UINT(memory_of(&rig, i), i + 1);
	is_shared(&rig, 1, 1);
	is_link(&rig, 0, 2, PLAIT_LINK_DIRECT | guessed, ASSUMED, ASSUMED);
	is_link(&rig, -1, 2, PLAIT_LINK_DIRECT | guessed, ASSUMED, ASSUMED);
	plait_context_release(rig.context);
	/* Not direct, so assumed on both halves of the way. */
	if (!open_with(&rig, "chaos", "chaos:peers=none", NULL))
		return;
	is_link(&rig, 0, 1, guessed, 2 * ASSUMED, ASSUMED);
	plait_context_release(rig.context);
	if (!open_with(&rig, "chaos", "chaos:peers=none,"
		       "host_link=1000000000/1", NULL))
		return;
	is_link(&rig, 0, 1, 0, 2000000000, 1);
	plait_context_release(rig.context);
}

static void told(void)
{
	struct rig rig;

	if (!open_with(&rig, "chaos", "chaos:devices=4,peers=ring,"
		       "link=2000/25000,host_link=5000/12000", NULL))
		return;
	is_link(&rig, 0, 1, PLAIT_LINK_DIRECT, 2000, 25000);
	is_link(&rig, 3, 0, PLAIT_LINK_DIRECT, 2000, 25000);
	is_link(&rig, 2, -1, PLAIT_LINK_DIRECT, 5000, 12000);
	is_link(&rig, 0, 2, 0, 10000, 12000);
	plait_context_release(rig.context);
}

static void shared(void)
{
	struct rig rig;

	if (!open_with(&rig, "chaos", "chaos:devices=3,shared=1,"
		       "host_link=5000/12000", NULL))
		return;
	for (uint32_t i = 0; i < 3; i++)
		IS_UINT(memory_of(&rig, i), 1);
	is_shared(&rig, 0, 2);
	is_link(&rig, 1, -1, PLAIT_LINK_DIRECT, 5000, 12000);
	plait_context_release(rig.context);
}

/* The program's memory is that of the host: one half of the way. */
static void of_two_backends(void)
{
	struct rig rig;

	if (!open_with(&rig, "chaos,host", "chaos:host_link=5000/12000", NULL))
		return;
	IS_UINT(memory_of(&rig, 0), 1);
	IS_UINT(memory_of(&rig, 1), 2);
	IS_UINT(memory_of(&rig, 2), 0);
	is_link(&rig, 1, 2, PLAIT_LINK_DIRECT, 5000, 12000);
	is_link(&rig, 2, 0, PLAIT_LINK_DIRECT, 5000, 12000);
	plait_context_release(rig.context);
}

/* Each wrapper passes the question on. */
static void wrapped(void)
{
	static const char *const wraps[] = { "check", "trace", "fault" };

	for (size_t i = 0; i < TAP_COUNT(wraps); i++) {
		const plait_context_desc desc = {
			.size = sizeof(desc), .backends = "chaos",
			.flags = PLAIT_CONTEXT_NO_WORKERS, .wrap = wraps[i],
			.options = "chaos:link=2000/25000;"
				   "trace:file=/dev/null"
		};
		struct rig rig = { .error = { .size = sizeof(plait_error) } };

		if (!OK_THAT(plait_context_open(&desc, &rig.context,
						&rig.error) == PLAIT_OK,
			     "%s", rig.error.text))
			continue;
		is_link(&rig, 0, 1, PLAIT_LINK_DIRECT, 2000, 25000);
		plait_context_release(rig.context);
	}
}

static void is_refused(struct rig *rig, int from, int to, plait_status want,
		       const char *part)
{
	plait_link_info link;

	IS_INT(ask(rig, from, to, &link), want);
	HAS_STR(rig->error.text, part);
	IS_UINT(link.bytes_per_us, 0);
}

/* Answers of a plugin that cannot be are errors that name it. */
static void impossible(void)
{
	struct rig rig;

	if (!open_with(&rig, "distant", NULL, bad_folder()))
		return;
	is_link(&rig, 1, 0, PLAIT_LINK_DIRECT, 5, 6);
	is_link(&rig, -1, 3, PLAIT_LINK_DIRECT | guessed, ASSUMED, ASSUMED);
	is_refused(&rig, 0, 1, PLAIT_E_INTERNAL, "plugin distant: the link "
		   "from device 0 to device 1 has a latency of");
	is_refused(&rig, 0, 2, PLAIT_E_INTERNAL, "bytes in a microsecond");
	is_refused(&rig, 0, 3, PLAIT_E_INTERNAL, "plugin distant: link_query "
		   "wrote past");
	is_refused(&rig, 0, 4, PLAIT_E_LOST, "without saying why");
	is_refused(&rig, 0, 5, PLAIT_E_INTERNAL, "not a valid status");
	is_shared(&rig, 4, 5);
	IS_UINT(memory_of(&rig, 4), 5);
	IS_UINT(memory_of(&rig, 5), 5);
	plait_context_release(rig.context);
}

static void bad_input(void)
{
	struct rig one, other, *rig = &one;
	plait_link_info link = { .size = sizeof(link) };
	plait_device *a, *b;

	if (!open_with(&one, "host", NULL, NULL) ||
	    !open_with(&other, "host", NULL, NULL))
		return;
	a = nth(&one, 0);
	b = nth(&other, 0);
	REFUSED(plait_device_query_link(NULL, NULL, &link, &rig->error),
		PLAIT_E_INVALID, "both ends");
	REFUSED(plait_device_query_link(a, b, &link, &rig->error),
		PLAIT_E_HANDLE, "context");
	REFUSED(plait_device_query_link(a, forged(7), &link, &rig->error),
		PLAIT_E_HANDLE, "0x7");
	REFUSED(plait_device_query_link(forged(7), a, &link, &rig->error),
		PLAIT_E_HANDLE, "0x7");
	REFUSED(plait_device_query_link(a, a, NULL, &rig->error),
		PLAIT_E_INVALID, "null");
	link.size = 20;
	REFUSED(plait_device_query_link(a, a, &link, &rig->error),
		PLAIT_E_INVALID, "size 20");
	plait_context_release(other.context);
	REFUSED(plait_device_query_link(NULL, b, &link, &rig->error),
		PLAIT_E_HANDLE, "");
	plait_context_release(one.context);
}

static const struct tap_scenario all[] = {
	{ "devices of the host", of_the_host },
	{ "nothing is told", untold },
	{ "told, and ways through the host", told },
	{ "a shared memory", shared },
	{ "two backends", of_two_backends },
	{ "wrapped", wrapped },
	{ "answers that cannot be", impossible },
	{ "bad input", bad_input },
};
TAP_MAIN(all)
