/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the binary form of schedules.  The first byte chooses a
 * schedule, the others change bytes of its body, three for each change: two for
 * the place, one for the value; the checksum is made right again.  Such bytes are
 * refused, or a schedule that has a proof or a reason against it, and whose
 * binary form is these bytes.
 */
#include "coll_proof.h"

#include "base/alloc.h"
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/schedule/byte_form.h"
#include "coll/schedule/schedule_bytes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 64 };

static plait__schedule *make(uint32_t choice)
{
	static const char *const names[] = { "ring", "allpairs", "onestep",
					     "halving" };
	const plait__chunk_request request = {
		.kind = PLAIT__COLL_ALLREDUCE, .flags = choice >> 2 & 1,
		.rank_count = choice >> 3 & 1 ? 4 : 2,
	};
	const plait__compile_request how = {
		.target = choice >> 4 & 3, .instances = 1 + (choice >> 6),
	};
	plait__chunk_program *program;
	plait__schedule *schedule = NULL;

	if (plait__known_make(plait__alloc_default(), names[choice & 3],
			      &request, &program, NULL) == PLAIT_OK)
		(void)plait__compile_program(plait__alloc_default(), program,
					     &how, &schedule, NULL);
	plait__chunk_program_free(program);
	return schedule;
}

static void change(unsigned char *bytes, uint64_t count, const uint8_t *data,
		   size_t size)
{
	uint64_t body = count - PLAIT__BYTE_FORM_HEAD;
	plait__hash hash;

	for (size_t i = 0; i + 2 < size && i < 3 * MOST_CHANGES; i += 3)
		bytes[PLAIT__BYTE_FORM_HEAD +
		      (data[i] | (uint64_t)data[i + 1] << 8) % body] =
			data[i + 2];
	plait__hash_init(&hash);
	plait__hash_add(&hash, bytes + PLAIT__BYTE_FORM_HEAD, body);
	plait__hash_get(&hash,
			bytes + PLAIT__BYTE_FORM_HEAD - PLAIT__HASH_BYTES);
}

static void read_back(const unsigned char *bytes, uint64_t count)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule;
	plait__proof proof;
	unsigned char *again;
	plait_status status = plait__schedule_bytes_read(
		plait__alloc_default(), bytes, count, "input", &schedule,
		&error);

	FUZZ_NEED((status == PLAIT_OK) == (schedule != NULL), error.text);
	FUZZ_NEED(status == PLAIT_OK || error.text[0] != '\0', error.text);
	if (schedule == NULL)
		return;
	if (is_small(schedule))
		(void)prove(schedule, &proof);
	FUZZ_NEED(plait__schedule_bytes_count(schedule) == count, "count");
	again = malloc(count);
	FUZZ_NEED(again != NULL, "no memory");
	plait__schedule_bytes_write(schedule, again);
	FUZZ_NEED(memcmp(again, bytes, count) == 0, "other bytes");
	free(again);
	plait__schedule_free(schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	plait__schedule *schedule = size > 0 ? make(data[0]) : NULL;
	unsigned char *bytes;
	uint64_t count;

	if (schedule == NULL)
		return 0;
	count = plait__schedule_bytes_count(schedule);
	bytes = malloc(count);
	FUZZ_NEED(bytes != NULL, "no memory");
	plait__schedule_bytes_write(schedule, bytes);
	plait__schedule_free(schedule);
	change(bytes, count, data + 1, size - 1);
	read_back(bytes, count);
	free(bytes);
	return 0;
}
