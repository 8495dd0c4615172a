/* SPDX-License-Identifier: MIT */
/*
 * Places where tests of plans on queues run: simulated systems, or the driver
 * that the test was built for.
 */
#ifndef T_PLACE_H
#define T_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

/* Every test can be built for the stand-ins for OpenCL and CUDA, too, and for
 * an installed driver of OpenCL. */
#if defined(QUEUED_OPENCL)
#include "standin/opencl/standin.h"
#define SIMULATED "opencl"
#elif defined(QUEUED_CUDA)
#include "standin/cuda/place.h"
#define SIMULATED "cuda"
#elif defined(QUEUED_DRIVER)
#include "driver.h"
#define SIMULATED DRIVER_BACKEND
#else
#define SIMULATED "chaos"
#endif

/* One place: a seed of chaos, or the host. */
struct place {
	const char *backends;
	const char *wrap;
	char options[512];
	uint32_t lanes;
	uint32_t workers;
	bool builds;		/* kernels from source, which devices run */
};

#if defined(QUEUED_OPENCL)
#define FAULTS(options) SIMULATED ":loader=%.400s,segments=no;fault:" options, \
	standin_path

/* The kind of driver: when commands run, when notifications come, and in which
 * memory. */
static inline void choose_kind(struct place *place, uint32_t seed)
{
	/* Command buffers: none, early ones, those of today, mutable ones. */
	static const uint32_t buffers[] = { 0, 0x9000, 0x400000, 0x400000 };
	uint32_t random = seed * 2654435761u >> 8, kind = random / 72 % 4;
	const struct fakecl_setup setup = {
		.mode = random % FAKECL_MODES, .late = random / 3 % 2,
		.gpu = random / 6 % 2, .devices = 2,
		.buffers = buffers[kind], .updates = kind == 3 ? 0x9003 : 0,
	};

	standin()->reset(&setup);
	place->workers = random / 12 % 3;
	(void)snprintf(place->options, sizeof(place->options),
		       "opencl:loader=%.400s%s", standin_path,
		       random / 36 % 2 ? ",events=all,segments=yes" :
					 ",segments=yes");
	NOTE("mode %u%s, %u workers, command buffers of kind %u", setup.mode,
	     setup.late ? ", late" : "", place->workers, kind);
}
#elif defined(QUEUED_DRIVER)
#define FAULTS(options) DRIVER_OPTIONS ",segments=no;fault:" options

/* Two halves of one processor, with workers: a busy driver on one half does not
 * delay the other. */
static inline void choose_kind(struct place *place, uint32_t seed)
{
	place->workers = 1 + seed / 3 % 2;
	(void)snprintf(place->options, sizeof(place->options),
		       DRIVER_OPTIONS "%s%s%s",
		       seed % 4 == 3 ? ",events=all" : "",
		       seed % 3 == 2 ? ",place=driver" : "",
		       seed % 2 == 1 ? ",segments=yes" : "");
}
#elif defined(QUEUED_CUDA)
#define FAULTS(options) SIMULATED ":driver=%.400s;fault:" options, standin_path

/* The order of the streams, and how many threads run them. */
static inline void choose_kind(struct place *place, uint32_t seed)
{
	uint32_t random = seed * 2654435761u >> 8;
	char options[64];

	(void)snprintf(options, sizeof(options), "devices=2,workers=%u,seed=%u",
		       (unsigned)(1 + random % 3), (unsigned)seed);
	standin_prepare(options);
	place->workers = random / 3 % 3;
	(void)snprintf(place->options, sizeof(place->options),
		       "cuda:driver=%.400s", standin_path);
	NOTE("%s, %u workers", options, place->workers);
}
#else
#define FAULTS(options) "fault:" options

static const char *const quirks[] = {
	"", "late_notify", "inline_notify", "slow_host", "batch", "shuffle",
	"spurious", "staged_map", "all",
};

static inline void choose_kind(struct place *place, uint32_t seed)
{
	const char *quirk = quirks[seed % TAP_COUNT(quirks)];

	place->workers = 0;
	(void)snprintf(place->options, sizeof(place->options),
		       "chaos:seed=%u,parallel=%u,devices=2,repeats=%u%s%s",
		       seed, 1 + seed / 4 % 4, seed / 3 % 2,
		       quirk[0] != '\0' ? ",quirks=" : "", quirk);
}
#endif

#endif
