/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of chunk programs in text form: an error with a line, or a program
 * that compiles, or an error.  What the compiler makes has no deadlock, no race
 * and no wrong shape; at most it computes other results than the text promises.
 */
#include "coll_proof.h"

#include "base/alloc.h"
#include "coll/coll_compile.h"
#include "coll/text/chunk_text.h"

#include <string.h>

/* Long texts are slow, and so are programs with many chunks or ways. */
enum {
	MOST_BYTES = 1024,
	MOST_OPERATIONS = 500,
	MOST_CELLS = 4096,
	MOST_WAYS = 16
};
#define MOST_MEMORY ((uint64_t)1 << 26)

/* A text of a few bytes may ask for 2^28 chunks. */
static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	const plait_allocator *whole = plait__alloc_default();

	(void)user_data;
	return new_bytes > MOST_MEMORY ? NULL :
	       whole->resize(whole->user_data, pointer, old_bytes, new_bytes);
}

static int is_small_program(const plait__chunk_program *program)
{
	for (uint32_t i = 0; i < program->fragments.count; i++) {
		const plait__chunk_fragment *fragment =
			plait__vector_at(&program->fragments, i);

		if (fragment->product > MOST_WAYS)
			return 0;
	}
	return program->ops.count <= MOST_OPERATIONS &&
	       program->cell_count <= MOST_CELLS;
}

static void compile(const plait__chunk_program *program,
		    const plait__compile_request *how)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule;
	plait__proof proof;
	plait_status status = plait__compile_program(
		program->allocator, program, how, &schedule, &error);

	FUZZ_NEED((status == PLAIT_OK) == (schedule != NULL), error.text);
	FUZZ_NEED(status == PLAIT_OK || error.text[0] != '\0', error.text);
	if (schedule != NULL && is_small(schedule))
		FUZZ_NEED(prove(schedule, &proof) == PLAIT_OK ||
			  proof.reason == PLAIT__PROOF_VALUE, "unproved");
	plait__schedule_free(schedule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const plait__compile_request all[] = {
		{ .flags = 0 },
		{ .flags = PLAIT__COMPILE_AGGREGATE, .instances = 2 },
		{ .flags = PLAIT__COMPILE_NO_FUSION, .depth = 1 },
		{ .target = PLAIT__TARGET_EXECUTOR, .lanes = 2,
		  .protocol = PLAIT__PROTOCOL_LL },
	};
	static const plait_allocator allocator = {
		.size = sizeof(allocator), .resize = resize,
	};
	const plait__chunk_text_options options = { .ranks = 0 };
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program;
	plait_status status;

	if (size > MOST_BYTES)
		return 0;
	status = plait__chunk_text_read(&allocator, (const char *)data, size,
					"input", &options, &program, &error);
	FUZZ_NEED((status == PLAIT_OK) == (program != NULL), error.text);
	FUZZ_NEED(status == PLAIT_OK || status == PLAIT_E_NOMEM ||
		  strncmp(error.text, "input", 5) == 0, error.text);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (program != NULL && is_small_program(program))
			compile(program, &all[i]);
	plait__chunk_program_free(program);
	return 0;
}
