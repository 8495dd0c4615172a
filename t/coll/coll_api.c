/* SPDX-License-Identifier: MIT */
/* Public calls of chunk programs: the ring of the header, bad input of each
 * call, refused compilations, schedules written and read in binary form. */
#include <stdlib.h>
#include <string.h>

#include "lib/tap.h"
#include "plait/plait.h"

static plait_error error = { .size = sizeof(error) };
static plait_context *context;

static plait_coll *create(plait_coll_kind kind, uint32_t ranks, uint32_t chunks,
			  plait_coll_flags flags)
{
	const plait_coll_desc desc = {
		.size = sizeof(desc), .flags = flags, .kind = kind,
		.ranks = ranks, .chunks = chunks,
	};
	plait_coll *coll = NULL;

	OK_THAT(plait_coll_create(context, &desc, &coll, &error) == PLAIT_OK,
		"%s", error.text);
	return coll;
}

static plait_chunk chunk_at(plait_coll *coll, uint32_t rank,
			    plait_chunk_buffer buffer, uint64_t index)
{
	plait_chunk chunk = 0;

	OK_THAT(plait_coll_chunk(coll, rank, buffer, index, 1, &chunk,
				 &error) == PLAIT_OK, "%s", error.text);
	OK(chunk > 0 && chunk < UINT64_C(1) << 53);
	return chunk;
}

static plait_coll *make_ring(uint32_t n)
{
	plait_coll *ring = create(PLAIT_COLL_ALLREDUCE, n, n,
				  PLAIT_COLL_IN_PLACE);
	plait_chunk_place to = { .size = sizeof(to) };

	for (uint32_t r = 0; r < n; r++) {
		plait_chunk c = chunk_at(ring, (r + 1) % n, PLAIT_CHUNK_INPUT,
					 r);

		for (uint32_t s = 2; s <= n; s++) {
			plait_chunk own = chunk_at(ring, (r + s) % n,
						   PLAIT_CHUNK_INPUT, r);

			OK(plait_coll_reduce(ring, own, c, NULL, &c,
					     &error) == PLAIT_OK);
		}
		for (uint32_t s = 1; s < n; s++) {
			to.rank = (r + s) % n;
			OK(plait_coll_copy(ring, c, &to, &c,
					   &error) == PLAIT_OK);
		}
	}
	return ring;
}

static void rings(void)
{
	plait_coll *ring = make_ring(4), *known = NULL;
	const plait_coll_desc desc = {
		.size = sizeof(desc), .flags = PLAIT_COLL_IN_PLACE,
		.kind = PLAIT_COLL_ALLREDUCE, .ranks = 4, .label = "mine",
	};
	plait_proof proof = { .size = sizeof(proof) };
	plait_schedule *schedule = NULL, *again = NULL, *back = NULL;
	plait_schedule *none = NULL;
	uint64_t bytes = 0, other_bytes = 0;
	char *one, *other;

	OK_THAT(plait_coll_compile(ring, NULL, &schedule, &error) == PLAIT_OK,
		"%s", error.text);
	IS_INT(plait_schedule_check(schedule, NULL, &proof, &error), PLAIT_OK);
	IS_UINT(proof.steps, 28);
	IS_UINT(proof.lanes, 1);
	IS_UINT(proof.safe_bytes, UINT64_MAX);
	OK(proof.depth_min <= proof.depth);
	IS_INT(plait_coll_known(context, "ring", &desc, &known, &error),
	       PLAIT_OK);
	IS_INT(plait_coll_compile(known, NULL, &again, &error), PLAIT_OK);
	plait_schedule_write(schedule, PLAIT_SCHEDULE_BINARY, NULL, 0, &bytes,
			     &error);
	plait_schedule_write(again, PLAIT_SCHEDULE_BINARY, NULL, 0,
			     &other_bytes, &error);
	IS_UINT(bytes, other_bytes);
	one = malloc(bytes);
	other = malloc(bytes);
	IS_INT(plait_schedule_write(schedule, PLAIT_SCHEDULE_BINARY, one, bytes,
				    NULL, &error), PLAIT_OK);
	IS_INT(plait_schedule_read(context, one, bytes, "x", &back, &error),
	       PLAIT_OK);
	IS_INT(plait_schedule_write(back, PLAIT_SCHEDULE_BINARY, other, bytes,
				    NULL, &error), PLAIT_OK);
	OK(memcmp(one, other, bytes) == 0);
	one[bytes / 2] ^= 1;
	IS_INT(plait_schedule_read(context, one, bytes, "x", &none, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "damaged");
	free(one);
	free(other);
	plait_schedule_release(schedule);
	plait_schedule_release(again);
	plait_schedule_release(back);
	plait_coll_release(known);
	plait_coll_release(ring);
}

static void refuses_programs(void)
{
	plait_coll_desc desc = { .size = sizeof(desc), .ranks = 2,
				 .kind = PLAIT_COLL_ALLREDUCE };
	plait_coll *coll;

	IS_INT(plait_coll_create(context, &desc, NULL, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_create(context, NULL, &coll, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_create(NULL, &desc, &coll, &error), PLAIT_E_HANDLE);
	IS_INT(plait_coll_known(context, NULL, &desc, &coll, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_known(context, "rin", &desc, &coll, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "perhaps \"ring\"");
	IS_INT(plait_coll_known(context, "direct", &desc, &coll, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "no program for allreduce");
	IS_INT(plait_coll_known(context, "hierarchical:3", &desc, &coll,
				&error), PLAIT_E_INVALID);
	HAS_STR(error.text, "no whole nodes of 3");
	IS_INT(plait_coll_read(context, NULL, 0, NULL, 0, 0, &coll, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_read(context, "x", 1, "f", 0, 0, &coll, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "f:1: ");
	desc.kind = 99;
	IS_INT(plait_coll_create(context, &desc, &coll, &error),
	       PLAIT_E_INVALID);
	IS_PTR(coll, NULL);
	desc.kind = PLAIT_COLL_ALLREDUCE;
	desc.promise_count = 1;
	IS_INT(plait_coll_create(context, &desc, &coll, &error),
	       PLAIT_E_INVALID);
	desc.promise_count = 0;
	desc.flags = 8;
	IS_INT(plait_coll_create(context, &desc, &coll, &error),
	       PLAIT_E_INVALID);
	desc.flags = 0;
	desc.ranks = UINT32_MAX;
	IS_INT(plait_coll_create(context, &desc, &coll, &error),
	       PLAIT_E_INVALID);
}

static void refuses_operations(void)
{
	plait_coll *coll = create(PLAIT_COLL_BROADCAST, 3, 2, 0);
	plait_coll *foreign = create(PLAIT_COLL_BROADCAST, 3, 2, 0);
	plait_chunk a = chunk_at(coll, 0, PLAIT_CHUNK_INPUT, 0), b, c = 7;
	plait_chunk_place to = { .size = sizeof(to), .rank = 1 };

	IS_INT(plait_coll_chunk(coll, 1, PLAIT_CHUNK_INPUT, 0, 1, &c, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "rank 1 input[0] has no value yet");
	IS_UINT(c, 0);
	IS_INT(plait_coll_chunk(coll, 0, PLAIT_CHUNK_INPUT,
				UINT64_C(1) << 32, 1, &c, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_chunk(coll, 0, UINT32_MAX, 0, 1, &c, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_chunk(coll, 0, PLAIT_CHUNK_INPUT, 0, 0, &c, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_chunk(coll, 0, PLAIT_CHUNK_INPUT, 0, 1, NULL,
				&error), PLAIT_E_INVALID);
	IS_INT(plait_coll_copy(foreign, a, &to, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "is not a chunk of this program");
	IS_INT(plait_coll_copy(coll, a, NULL, NULL, &error), PLAIT_E_INVALID);
	to.rank = 3;
	IS_INT(plait_coll_copy(coll, a, &to, NULL, &error), PLAIT_E_INVALID);
	to.rank = 1;
	to.flags = PLAIT_CHUNK_APPEND;
	IS_INT(plait_coll_copy(coll, a, &to, NULL, &error), PLAIT_E_INVALID);
	to.flags = 64;
	IS_INT(plait_coll_copy(coll, a, &to, NULL, &error), PLAIT_E_INVALID);
	to.flags = 0;
	IS_INT(plait_coll_copy(coll, a, &to, &b, &error), PLAIT_OK);
	IS_INT(plait_coll_reduce(coll, a, b, NULL, &c, &error), PLAIT_OK);
	IS_INT(plait_coll_copy(coll, a, &to, NULL, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "rank 0 input[0] is stale");
	to.flags = PLAIT_CHUNK_HAS_BUFFER;
	IS_INT(plait_coll_reduce(coll, b, c, &to, NULL, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_coll_part(coll, b, 1, 1, &c, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_join(coll, b, b, &c, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_end(coll, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_parallel(coll, 0, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_parallel(coll, 2000, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_end(NULL, &error), PLAIT_E_HANDLE);
	plait_coll_release(coll);
	IS_INT(plait_coll_end(coll, &error), PLAIT_E_HANDLE);
	plait_coll_release(foreign);
}

static void fails(plait_coll *coll, const plait_compile_desc *desc,
		  plait_status want, const char *part)
{
	plait_schedule *schedule;

	IS_INT(plait_coll_compile(coll, desc, &schedule, &error), want);
	IS_PTR(schedule, NULL);
	HAS_STR(error.text, part);
}

static void refuses_compilation(void)
{
	plait_coll *coll = create(PLAIT_COLL_BROADCAST, 2, 100, 0), *large;
	const plait_coll_desc many = { .size = sizeof(many), .ranks = 40,
				       .kind = PLAIT_COLL_ALLREDUCE };
	plait_compile_desc desc = { .size = sizeof(desc) };

	fails(coll, NULL, PLAIT_E_INVALID, "rank 0");
	desc.target = 9;
	fails(coll, &desc, PLAIT_E_INVALID, "target 9");
	desc.target = 0;
	desc.protocol = 9;
	fails(coll, &desc, PLAIT_E_INVALID, "protocol 9");
	desc.protocol = 0;
	desc.flags = 64;
	fails(coll, &desc, PLAIT_E_INVALID, "flags");
	desc.flags = 0;
	desc.instances = 5000;
	fails(coll, &desc, PLAIT_E_INVALID, "instances");
	desc.instances = 0;
	desc.message_chunks = 2;
	fails(coll, &desc, PLAIT_E_INVALID, "without AGGREGATE");
	desc.message_chunks = 0;
	desc.reserved0 = 1;
	fails(coll, &desc, PLAIT_E_INVALID, "reserved0");
	desc.reserved0 = 0;
	desc.min_bytes = 2;
	desc.max_bytes = 1;
	fails(coll, &desc, PLAIT_E_INVALID, "min_bytes");
	IS_INT(plait_coll_compile(coll, NULL, NULL, &error), PLAIT_E_INVALID);
	IS_INT(plait_coll_parallel(coll, 2, &error), PLAIT_OK);
	fails(coll, NULL, PLAIT_E_STATE, "open");
	plait_coll_release(coll);
	OK(plait_coll_known(context, "ring", &many, &large, &error) ==
	   PLAIT_OK);
	desc = (plait_compile_desc){ .size = sizeof(desc),
				     .target = PLAIT_TARGET_EXECUTOR };
	fails(large, &desc, PLAIT_E_INVALID, "79 steps");
	plait_coll_release(large);
}

static void run(void (*scenario)(void))
{
	OK(plait_context_open(NULL, &context, &error) == PLAIT_OK);
	scenario();
	IS_INT(plait_context_close(context, TAP_PATIENCE_NS, &error), PLAIT_OK);
}

static void test_rings(void)
{
	run(rings);
}

static void test_programs(void)
{
	run(refuses_programs);
}

static void test_operations(void)
{
	run(refuses_operations);
}

static void test_compilation(void)
{
	run(refuses_compilation);
}

static const struct tap_scenario all[] = {
	{ "rings", test_rings },
	{ "refuses programs", test_programs },
	{ "refuses operations", test_operations },
	{ "refuses compilation", test_compilation },
};
TAP_MAIN(all)
