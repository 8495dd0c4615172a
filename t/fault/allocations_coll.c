/* SPDX-License-Identifier: MIT */
/*
 * Failing allocations of reading, proving and writing schedules: the first one
 * fails, then the second, and so on until the call succeeds.  Nothing leaks, and
 * the error says so.
 */
#include "base/alloc.h"
#include "coll/form/xml_read.h"
#include "coll/form/xml_write.h"
#include "coll/prove/prove.h"
#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fault {
	uint64_t at, count, live_bytes;
	bool lasting;		/* all after it fail as well */
};

static void *resize_faulty(void *user_data, void *pointer, uint64_t old_bytes,
			   uint64_t new_bytes)
{
	struct fault *fault = user_data;
	void *moved;

	if (new_bytes == 0) {
		fault->live_bytes -= old_bytes;
		free(pointer);
		return NULL;
	}
	fault->count++;
	if (fault->count == fault->at ||
	    (fault->lasting && fault->count > fault->at))
		return NULL;
	moved = realloc(pointer, (size_t)new_bytes);
	if (moved != NULL)
		fault->live_bytes += new_bytes - old_bytes;
	return moved;
}

static plait_status run_all(const char *bytes, uint64_t size,
			    const plait_allocator *allocator,
			    plait_error *error)
{
	plait__prove_request request = { .scratch_tiles = 1 };
	plait__schedule *schedule;
	plait__proof proof;
	plait__text text;
	plait_status status = plait__xml_read(bytes, size, "file", allocator,
					      &schedule, error);

	plait__text_init(&text, allocator);
	if (!status)
		status = plait__prove_schedule(schedule, NULL, &proof, error);
	if (!status) {
		status = plait__prove_schedule(schedule, &request, &proof,
					       error);
		if (proof.reason != PLAIT__PROOF_NO_REASON)
			status = PLAIT_OK;
	}
	if (!status)
		status = plait__xml_write(schedule, PLAIT__TARGET_MSCCL, &text,
					  error);
	plait__text_fini(&text);
	plait__schedule_free(schedule);
	return status;
}

static void sweep(const char *name, bool lasting)
{
	static char bytes[65536];
	struct fault fault = { .lasting = lasting };
	plait_allocator allocator = {
		sizeof(allocator), 0, resize_faulty, &fault
	};
	uint32_t leaks = 0, silent = 0, other = 0;
	plait_status status = PLAIT_E_NOMEM;
	char path[512];
	uint64_t size, at;
	FILE *file;

	snprintf(path, sizeof(path), "%s/t/coll/documents/%s.xml",
		 getenv("abs_top_srcdir"), name);
	file = fopen(path, "rb");
	if (!OK_THAT(file != NULL, "%s is there", path))
		return;
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	for (at = 1; at < 1000 && status != PLAIT_OK; at++) {
		plait_error error = { .size = sizeof(error) };

		fault.at = at;
		fault.count = 0;
		status = run_all(bytes, size, &allocator, &error);
		leaks += fault.live_bytes != 0;
		fault.live_bytes = 0;
		other += status != PLAIT_OK && status != PLAIT_E_NOMEM;
		silent += status == PLAIT_E_NOMEM &&
			  strstr(error.text, "no memory") == NULL;
	}
	OK_THAT(status == PLAIT_OK && at > 20, "%s: it ends after %u failures",
		name, (unsigned)at);
	OK_THAT(leaks == 0, "%s: nothing leaks (%u)", name, leaks);
	OK_THAT(other == 0, "%s: nothing else fails (%u)", name, other);
	OK_THAT(silent == 0, "%s: the error says so (%u)", name, silent);
}

static void every_allocation(void)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule;

	if (plait__xml_read("", 0, "", plait__alloc_default(), &schedule,
			    &error) == PLAIT_E_UNSUPPORTED)
		SKIP_ALL("built without expat");
	for (int lasting = 0; lasting < 2; lasting++) {
		sweep("ok-allpairs-nops", lasting);
		sweep("ok-ring-old", lasting);
		sweep("ok-next-published", lasting);
	}
}

static const struct tap_scenario all[] = {
	{ "every allocation", every_allocation },
};

TAP_MAIN(all)
