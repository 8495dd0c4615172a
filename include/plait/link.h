/* SPDX-License-Identifier: MIT */
/*
 * plait/link.h - links: how a copy gets from the memory of one device to that
 * of another one, or of the program, and how long it takes.
 *
 * Backends tell what they know (plait/plugin.h, link_query); the library
 * assumes the rest, and says so.  Devices with the same memory
 * (plait_device_info.memory) need no copies.
 *
 * Example: the time of a copy of a megabyte from the program to a device.
 *
 *     plait_link_info link = { .size = sizeof(link) };
 *     uint64_t ns = 0;
 *
 *     if (plait_device_query_link(NULL, device, &link, &error) == PLAIT_OK)
 *             ns = link.latency_ns + 1000000000 / link.bytes_per_us;
 *     if (link.flags & PLAIT_LINK_BANDWIDTH_ASSUMED)
 *             puts("not known: measure it");
 *     printf("%llu ns\n", (unsigned long long)ns);
 */
#ifndef PLAIT_LINK_H
#define PLAIT_LINK_H

#include "plait/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of plait_link_info. */
typedef uint32_t plait_link_flags;
enum {
	/* A copy is one command, and its bytes do not pass through memory of
	 * the host.  Without it the host, or the driver, copies twice. */
	PLAIT_LINK_DIRECT = 1 << 0,
	/* Both ends are one memory: nothing is to be copied.  Also DIRECT,
	 * 0 ns, UINT64_MAX bytes per microsecond. */
	PLAIT_LINK_SHARED = 1 << 1,
	/* No backend has told these figures; the library assumes them, for one
	 * or both halves of a way through the host. */
	PLAIT_LINK_LATENCY_ASSUMED = 1 << 2,
	PLAIT_LINK_BANDWIDTH_ASSUMED = 1 << 3
};

/* A link, from one memory to another one. */
typedef struct plait_link_info {
	uint32_t size;
	plait_link_flags flags;
	/* Time of a copy of one byte, from its start, at most a second; two on
	 * the way through the host. */
	uint64_t latency_ns;
	/* Bandwidth of large copies: 1000 are one gigabyte per second. */
	uint64_t bytes_per_us;
} plait_link_info;

/*
 * plait_device_query_link - get the link from the memory of one device to that
 * of another one.
 *
 * Null is the memory of the program, from which plait_queue_write copies, and
 * into which plait_queue_read does.  The two directions may differ.  The answer
 * is the same each time, and does not count copies that run.
 *
 * @param from  borrowed, nullable: the device that has the bytes
 * @param to    borrowed, nullable: the device that gets them; not both null
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE (also for devices of two
 *         contexts), PLAIT_E_FORKED, PLAIT_E_INTERNAL (the backend told figures
 *         that cannot be), or another failure of the backend
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_device_query_link(plait_device *from,
					       plait_device *to,
					       plait_link_info *info,
					       plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
