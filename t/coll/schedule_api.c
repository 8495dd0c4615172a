/* SPDX-License-Identifier: MIT */
/* Public calls of schedules: what they refuse, and what they return. */
#include "lib/objects.h"
#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char bytes[65536];
static uint64_t byte_count;

static void load(const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/t/coll/documents/%s.xml",
		 getenv("abs_top_srcdir"), name);
	file = fopen(path, "rb");
	if (!OK_THAT(file != NULL, "%s is there", path))
		return;
	byte_count = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
}

/* Open a context and read a document; ends the test without expat. */
static plait_schedule *open_document(plait_context **context, const char *name)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host" };
	plait_error error = { .size = sizeof(error) };
	plait_schedule *schedule = NULL;
	plait_status status;

	load(name);
	IS_INT(plait_context_open(&desc, context, &error), PLAIT_OK);
	status = plait_schedule_read(*context, bytes, byte_count, name,
				     &schedule, &error);
	if (status == PLAIT_E_UNSUPPORTED)
		SKIP_ALL("built without expat");
	OK_THAT(status == PLAIT_OK, "%s: %s", name, error.text);
	return schedule;
}

static void close_document(plait_context *context, plait_schedule *schedule)
{
	plait_schedule_release(schedule);
	IS_UINT(plait_live_count(PLAIT_OBJECT_SCHEDULE), 0);
	IS_INT(plait_context_close(context, PLAIT_FOREVER, NULL), PLAIT_OK);
}

static void refuses_bad_arguments(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-ring"), *other;
	plait_proof proof = { .size = sizeof(proof) };
	char room[16];

	IS_INT(plait_schedule_read(context, NULL, 1, NULL, &other, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "bytes is null");
	IS_INT(plait_schedule_read(context, bytes, 1, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "out is null");
	IS_INT(plait_schedule_read(NULL, bytes, 1, NULL, &other, &error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_schedule_read(context, "<x/>", 4, "a.xml", &other, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "a.xml: line 1");
	IS_PTR(other, NULL);
	IS_INT(plait_schedule_check(NULL, NULL, &proof, &error),
	       PLAIT_E_HANDLE);
	IS_INT(plait_schedule_check(schedule, NULL, NULL, &error),
	       PLAIT_E_INVALID);
	IS_INT(plait_schedule_write(schedule, 0, NULL, 0, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "format 0 is not one of");
	IS_INT(plait_schedule_write(schedule, PLAIT_SCHEDULE_XML_RCCL, room,
				    sizeof(room), NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "the buffer has 16");
	plait_schedule_retain(NULL);
	plait_schedule_release(NULL);
	close_document(context, schedule);
}

static void check_desc(plait_schedule *schedule, const plait_proof_desc *desc,
		       plait_status want, plait_proof_reason reason,
		       const char *part)
{
	plait_error error = { .size = sizeof(error) };
	plait_proof proof = { .size = sizeof(proof) };

	IS_INT(plait_schedule_check(schedule, desc, &proof, &error), want);
	IS_UINT(proof.reason, reason);
	HAS_STR(error.text, part);
}

#define CHECK(schedule, want, reason, part, ...) \
	check_desc(schedule, &(plait_proof_desc){ .size = \
		sizeof(plait_proof_desc), __VA_ARGS__ }, want, reason, part)

static void proves_as_asked(void)
{
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "deadlock-order");
	plait_proof proof = { .size = sizeof(proof) };

	IS_INT(plait_schedule_check(schedule, NULL, &proof, NULL),
	       PLAIT_E_DEADLOCK);
	IS_UINT(proof.depth, 2);
	IS_UINT(proof.depth_min, 4);
	CHECK(schedule, PLAIT_OK, PLAIT_PROOF_PROVED, "", .depth = 4);
	/* plait takes a message before it needs a slot. */
	CHECK(schedule, PLAIT_OK, PLAIT_PROOF_PROVED, "", .depth = 3,
	      .flags = PLAIT_PROOF_HAS_TARGET, .target = PLAIT_TARGET_PLAIT);
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_VALUE, "alltoall",
	      .depth = 4, .flags = PLAIT_PROOF_HAS_KIND,
	      .kind = PLAIT_COLL_ALLTOALL);
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_PROVED, "flags 0x80",
	      .flags = 128);
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_PROVED, "kind 10",
	      .kind = PLAIT_COLL_ALLTONEXT + 1);
	close_document(context, schedule);
}

static void proves_promises(void)
{
	static const uint32_t ranks[] = { 0, 1, 2 }, far = 9;
	static const uint64_t indices[] = { 0, 0, 0 };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-ring");
	plait_coll_promise promises[] = {
		{ sizeof(*promises), 0, 0, 3, ranks, indices },
		{ sizeof(*promises), 2, 0, 3, ranks, indices },
	};

#define PROMISES .flags = PLAIT_PROOF_HAS_PROMISES, .promise_count = 2, \
		 .promises = promises
	CHECK(schedule, PLAIT_OK, PLAIT_PROOF_PROVED, "", PROMISES);
	promises[1].source_count = 2;
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_VALUE,
	      "rank 2 output chunk 0 has input chunk 0 of rank 2", PROMISES);
	promises[1].source_count = 1;
	promises[1].source_ranks = &far;
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_SHAPE,
	      "rank 9 has no input chunk 0", PROMISES);
	promises[1].source_ranks = NULL;
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_PROVED,
	      "source_ranks or source_indices is null", PROMISES);
	promises[1] = promises[0];
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_SHAPE, "not sorted",
	      PROMISES);
	close_document(context, schedule);
}

/* A part of what is promised, and more than it. */
static void compares_all_sources(void)
{
	static const uint32_t two[] = { 2, 0 }, one[] = { 0 };
	static const uint64_t indices[] = { 0, 0 };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-allgather");
	plait_coll_promise promise = { sizeof(promise), 1, 0, 1, one, indices };

#define PROMISE .flags = PLAIT_PROOF_HAS_PROMISES, .promise_count = 1, \
		.promises = &promise
	CHECK(schedule, PLAIT_OK, PLAIT_PROOF_PROVED, "", PROMISE);
	promise.source_count = 2;
	promise.source_ranks = two;
	CHECK(schedule, PLAIT_E_INVALID, PLAIT_PROOF_VALUE,
	      "rank 1 output chunk 0 lacks input chunk 0 of rank 2", PROMISE);
	close_document(context, schedule);
}

static void tells_equal_bits(void)
{
	static const uint32_t ranks[] = { 0, 1, 2 };
	static const uint64_t indices[] = { 0, 0, 0 };
	static const char *const names[] = { "ok-other-bits", "ok-reduce" };
	const plait_coll_promise promises[] = {
		{ sizeof(*promises), 0, 0, 3, ranks, indices },
		{ sizeof(*promises), 1, 0, 3, ranks, indices },
	};
	plait_proof_desc desc = { .size = sizeof(desc),
				  .flags = PLAIT_PROOF_HAS_PROMISES,
				  .promises = promises };

	for (uint32_t i = 0; i < 2; i++) {
		plait_proof proof = { .size = sizeof(proof) };
		plait_context *context;
		plait_schedule *schedule = open_document(&context, names[i]);

		desc.promise_count = 2 - i;
		IS_INT(plait_schedule_check(schedule, &desc, &proof, NULL),
		       PLAIT_OK);
		IS_UINT(proof.flags & PLAIT_PROOF_SAME_BITS, i);
		close_document(context, schedule);
	}
}

/* ---- simulation ---- */

static plait_status simulate(plait_schedule *schedule, const char *cluster,
			     uint64_t size, plait_error *error)
{
	plait_coll_simulation result = { .size = sizeof(result) };

	return plait_schedule_simulate(schedule, cluster, strlen(cluster),
				       "a.cluster", size, &result, error);
}

#define RATES "lane rate=1\nsimple link=1\nll link=1\nll128 link=1\n"

/* Bytes of a chunk take as many us: three ranks, two messages each way. */
static void simulates(void)
{
	static const char cluster[] = "cluster ranks=3\n" RATES;
	plait_error error = { .size = sizeof(error) };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-ring");
	plait_coll_simulation result = { .size = sizeof(result) }, again;

	OK_THAT(plait_schedule_simulate(schedule, cluster, sizeof(cluster) - 1,
					NULL, 3, &result, &error) == PLAIT_OK,
		"%s", error.text);
	IS_UINT(result.tiles, 1);
	IS_UINT(result.executed_tiles, 1);
	IS_UINT(result.critical_ns + result.latency_ns, result.time_ns);
	IS_UINT(result.critical_ns % 1000, 0);
	IS_UINT(result.critical_ns / 1000,
		result.critical_steps * result.tile_bytes);
	again = result;
	IS_INT(plait_schedule_simulate(schedule, cluster, sizeof(cluster) - 1,
				       NULL, 3, &again, &error), PLAIT_OK);
	OK(memcmp(&again, &result, sizeof(result)) == 0);
	close_document(context, schedule);
}

static void refuses_to_simulate(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-ring");

	IS_INT(plait_schedule_simulate(schedule, NULL, 0, NULL, 3,
				       &(plait_coll_simulation){ .size = 64 },
				       &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "cluster is null");
	IS_INT(plait_schedule_simulate(schedule, "", 0, NULL, 3, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "out is null");
	IS_INT(simulate(schedule, "cluster ranks=2\n" RATES, 3, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "3 ranks, the cluster 2");
	IS_INT(simulate(schedule, "\nnodes", 3, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "a.cluster:2: \"nodes\" begins no line");
	IS_INT(simulate(schedule, "cluster ranks=3\n" RATES, 0, &error),
	       PLAIT_E_INVALID);
	IS_INT(simulate(NULL, "cluster ranks=3\n" RATES, 3, &error),
	       PLAIT_E_HANDLE);
	close_document(context, schedule);
	schedule = open_document(&context, "deadlock-order");
	IS_INT(simulate(schedule, "cluster ranks=9\n" RATES, 3, &error),
	       PLAIT_E_DEADLOCK);
	close_document(context, schedule);
}

static uint64_t count_parts(const char *text, const char *part)
{
	uint64_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		text += strlen(part);
		count++;
	}
	return count;
}

/* Five steps of each of three ranks; the path goes around the ring. */
static void draws(void)
{
	static const char cluster[] = "cluster ranks=3\n" RATES;
	plait_error error = { .size = sizeof(error) };
	plait_coll_simulation result = { .size = sizeof(result) };
	plait_context *context;
	plait_schedule *schedule = open_document(&context, "ok-ring");
	static char picture[1 << 16];
	uint64_t size = 0;

	IS_INT(plait_schedule_draw(schedule, cluster, sizeof(cluster) - 1, NULL,
				   3, NULL, 0, &size, &error), PLAIT_OK);
	IS_INT(plait_schedule_draw(schedule, cluster, sizeof(cluster) - 1, NULL,
				   3, picture, size - 1, NULL, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "the picture needs");
	IS_INT(plait_schedule_draw(schedule, cluster, sizeof(cluster) - 1, NULL,
				   3, picture, sizeof(picture), &size, &error),
	       PLAIT_OK);
	IS_UINT(size, strlen(picture) + 1);
	IS_INT(simulate(schedule, cluster, 3, &error), PLAIT_OK);
	IS_INT(plait_schedule_simulate(schedule, cluster, sizeof(cluster) - 1,
				       NULL, 3, &result, &error), PLAIT_OK);
	IS_UINT(count_parts(picture, "<title>"), 15);
	IS_UINT(count_parts(picture, "stroke=\"#000\" stroke-width=\"2\">"),
		result.critical_steps);
	IS_UINT(count_parts(picture, ">ch0 &lt;"), 3);
	HAS_STR(picture, ">rank 2</text>");
	HAS_STR(picture, "3 bytes in");
	IS_INT(plait_schedule_draw(schedule, NULL, 0, NULL, 3, NULL, 0, NULL,
				   &error), PLAIT_E_INVALID);
	IS_INT(plait_schedule_draw(NULL, cluster, sizeof(cluster) - 1, NULL, 3,
				   NULL, 0, NULL, &error), PLAIT_E_HANDLE);
	close_document(context, schedule);
}

static const struct tap_scenario all[] = {
	{ "draws", draws },
	{ "simulates", simulates },
	{ "refuses to simulate", refuses_to_simulate },
	{ "refuses bad arguments", refuses_bad_arguments },
	{ "proves as asked", proves_as_asked },
	{ "proves promises", proves_promises },
	{ "compares all sources", compares_all_sources },
	{ "tells equal bits", tells_equal_bits },
};

TAP_MAIN(all)
