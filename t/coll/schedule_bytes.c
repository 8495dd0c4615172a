/* SPDX-License-Identifier: MIT */
/* Binary form of schedules: read back equal, refused when damaged, and with a
 * repaired checksum either refused or with all indices in their arrays. */
#include "coll/schedule/schedule_bytes.h"
#include "coll/schedule/byte_form.h"
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "base/alloc.h"
#include "coll/interpret.h"
#include "lib/tap.h"

#include <stdlib.h>
#include <string.h>

static plait__schedule *make(const char *name, uint32_t kind, uint32_t ranks)
{
	plait__chunk_request request = { .kind = kind, .rank_count = ranks };
	plait__compile_request how = { .instances = 2 };
	plait__chunk_program *program;
	plait__schedule *schedule;

	OK(plait__known_make(plait__alloc_default(), name, &request, &program,
			     NULL) == PLAIT_OK);
	OK(plait__compile_program(plait__alloc_default(), program, &how,
				  &schedule, NULL) == PLAIT_OK);
	plait__chunk_program_free(program);
	return schedule;
}

static unsigned char *bytes_of(const plait__schedule *schedule, uint64_t *count)
{
	unsigned char *bytes;

	*count = plait__schedule_bytes_count(schedule);
	bytes = malloc(*count);
	plait__schedule_bytes_write(schedule, bytes);
	return bytes;
}

static plait__schedule *read_back(const unsigned char *bytes, uint64_t count,
				  plait_error *error)
{
	plait__schedule *schedule = NULL;

	plait__schedule_bytes_read(plait__alloc_default(), bytes, count, "a",
				   &schedule, error);
	return schedule;
}

static void reads_back(void)
{
	plait__schedule *schedule = make("allpairs", PLAIT__COLL_ALLREDUCE, 5);
	unsigned char hash[PLAIT__HASH_BYTES], other[PLAIT__HASH_BYTES];
	uint64_t count, again;
	unsigned char *bytes = bytes_of(schedule, &count), *twice;
	plait__schedule *copy = read_back(bytes, count, NULL);

	OK(copy != NULL);
	IS_STR(interpret(copy, 1, 2), "");
	twice = bytes_of(copy, &again);
	IS_UINT(again, count);
	OK(memcmp(bytes, twice, count) == 0);
	plait__schedule_bytes_hash(schedule, hash);
	memcpy(copy->name, "x", 2);
	plait__schedule_bytes_hash(copy, other);
	OK(memcmp(hash, other, sizeof(hash)) == 0);
	copy->depth++;
	plait__schedule_bytes_hash(copy, other);
	OK(memcmp(hash, other, sizeof(hash)) != 0);
	plait__schedule_free(schedule);
	plait__schedule_free(copy);
	free(bytes);
	free(twice);
}

static void refuses_damage(void)
{
	plait__schedule *schedule = make("ring", PLAIT__COLL_ALLREDUCE, 3);
	plait_error error = { .size = sizeof(error) };
	uint64_t count, accepted = 0;
	unsigned char *bytes = bytes_of(schedule, &count);

	for (uint64_t i = 0; i < count; i++) {
		bytes[i] ^= 0x10;
		accepted += read_back(bytes, count, NULL) != NULL;
		bytes[i] ^= 0x10;
		accepted += read_back(bytes, i, NULL) != NULL;
	}
	IS_UINT(accepted, 0);
	bytes[PLAIT__BYTE_FORM_MAGIC_BYTES]++;
	OK(read_back(bytes, count, &error) == NULL);
	IS_INT(error.status, PLAIT_E_UNSUPPORTED);
	HAS_STR(error.text, "version 2");
	bytes[0]++;
	OK(read_back(bytes, count, &error) == NULL);
	HAS_STR(error.text, "a: no schedule");
	plait__schedule_free(schedule);
	free(bytes);
}

static void repair(unsigned char *bytes, uint64_t count)
{
	plait__hash hash;

	plait__hash_init(&hash);
	plait__hash_add(&hash, bytes + PLAIT__BYTE_FORM_HEAD,
			count - PLAIT__BYTE_FORM_HEAD);
	plait__hash_get(&hash,
			bytes + PLAIT__BYTE_FORM_HEAD - PLAIT__HASH_BYTES);
}

static bool is_sound(const plait__schedule *schedule)
{
	for (uint64_t i = 0; i < schedule->step_count; i++) {
		const plait__coll_step *step = &schedule->steps[i];

		if (step->first_wait + (uint64_t)step->wait_count >
		    schedule->wait_count)
			return false;
	}
	for (uint64_t i = 0; i < schedule->wait_count; i++)
		if (schedule->waits[i].lane >= schedule->lane_count)
			return false;
	for (uint64_t i = 0; i < schedule->lane_count; i++)
		if (schedule->lanes[i].rank >= schedule->rank_count ||
		    schedule->lanes[i].first_step +
				    schedule->lanes[i].step_count >
			    schedule->step_count)
			return false;
	return true;
}

/* Returns true if the schedule is written as the bytes that it was read from. */
static bool is_written_so(const plait__schedule *schedule,
			  const unsigned char *bytes, uint64_t count)
{
	uint64_t again_count;
	unsigned char *again = bytes_of(schedule, &again_count);
	bool same = again_count == count && memcmp(again, bytes, count) == 0;

	free(again);
	return same;
}

static void survives_repair(void)
{
	static const unsigned char values[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	plait__schedule *schedule = make("allpairs", PLAIT__COLL_ALLREDUCE, 3);
	uint64_t count, accepted = 0, unsound = 0, other = 0;
	unsigned char *bytes = bytes_of(schedule, &count);

	for (uint64_t i = PLAIT__BYTE_FORM_HEAD; i < count; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			unsigned char kept = bytes[i];
			plait__schedule *copy;

			bytes[i] = values[k];
			repair(bytes, count);
			copy = read_back(bytes, count, NULL);
			accepted += copy != NULL;
			unsound += copy != NULL && !is_sound(copy);
			other += copy != NULL &&
				 !is_written_so(copy, bytes, count);
			plait__schedule_free(copy);
			bytes[i] = kept;
		}
	IS_UINT(unsound, 0);
	IS_UINT(other, 0);
	OK(accepted > 100);
	plait__schedule_free(schedule);
	free(bytes);
}

static const struct tap_scenario all[] = {
	{ "reads back", reads_back },
	{ "refuses damage", refuses_damage },
	{ "survives repair", survives_repair },
};
TAP_MAIN(all)
