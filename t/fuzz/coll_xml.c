/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of MSCCL XML: refused, or a schedule that has a proof or a reason
 * against it.  A proved schedule is written in each dialect that can hold it,
 * and what was written reads as a schedule with the same proof and bytes.
 */
#include "coll_proof.h"

#include "base/alloc.h"
#include "base/text.h"
#include "coll/form/xml_read.h"
#include "coll/form/xml_write.h"

#include <string.h>

/* Longer documents are slower and tell no more. */
enum { MOST_BYTES = 16384 };

static void write_text(const plait__schedule *schedule, uint32_t target,
		       plait__text *text)
{
	plait_error error = { .size = sizeof(error) };

	plait__text_init(text, schedule->allocator);
	FUZZ_NEED(plait__xml_write(schedule, target, text, &error) == PLAIT_OK,
		  error.text);
}

static void read_back(const plait__schedule *schedule,
		      const plait__proof *proof, uint32_t target)
{
	plait_error error = { .size = sizeof(error) };
	plait__text first, second;
	plait__schedule *again;
	plait__proof other;

	write_text(schedule, target, &first);
	FUZZ_NEED(plait__xml_read(first.bytes, first.length, "written",
				  schedule->allocator, &again, &error) ==
		  PLAIT_OK, error.text);
	FUZZ_NEED(plait__prove_schedule(again, NULL, &other, &error) ==
		  PLAIT_OK, error.text);
	FUZZ_NEED(memcmp(proof, &other, sizeof(other)) == 0, "another proof");
	write_text(again, target, &second);
	FUZZ_NEED(first.length == second.length &&
		  memcmp(first.bytes, second.bytes, first.length) == 0,
		  "other bytes");
	plait__schedule_free(again);
	plait__text_fini(&first);
	plait__text_fini(&second);
}

static void try_proof(const plait__schedule *schedule)
{
	plait__proof proof;
	plait_status status = prove(schedule, &proof);

	for (uint32_t i = PLAIT__TARGET_MSCCL;
	     i <= PLAIT__TARGET_RCCL && status == PLAIT_OK; i++)
		if (proof.flags & PLAIT__PROOF_EXPORTS_MSCCL
					  << (i - PLAIT__TARGET_MSCCL))
			read_back(schedule, &proof, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule;
	plait_status status;

	if (size > MOST_BYTES)
		return 0;
	status = plait__xml_read(data, size, "input", plait__alloc_default(),
				 &schedule, &error);
	FUZZ_NEED((status == PLAIT_OK) == (schedule != NULL), error.text);
	FUZZ_NEED(status == PLAIT_OK || ((status == PLAIT_E_INVALID ||
					  status == PLAIT_E_UNSUPPORTED) &&
					 error.text[0] != '\0'), error.text);
	if (schedule != NULL && is_small(schedule))
		try_proof(schedule);
	plait__schedule_free(schedule);
	return 0;
}
