/* SPDX-License-Identifier: MIT */
/* plait coll check: prove a schedule, or name the reason against it. */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct request {
	const char *path;
	const char *promise_path;
	plait_proof_desc desc;
	bool json;
};

/* ---- command line ---- */

static int take(void *user_data, int option, const char *value)
{
	struct request *request = user_data;
	plait_proof_desc *desc = &request->desc;

	switch (option) {
	case 'd':
		return coll_number("--depth", value, &desc->depth);
	case 's':
		return schedule_number("coll", "--slot", value, INT64_MAX,
				       &desc->slot_bytes);
	case 't':
		desc->flags |= PLAIT_PROOF_HAS_TARGET;
		return coll_choose("--target", coll_targets, value, &desc->target);
	case 'a':
		desc->flags |= PLAIT_PROOF_HAS_KIND;
		return coll_choose("--as", coll_kinds, value, &desc->kind);
	case 'r':
		return coll_number("--root", value, &desc->root);
	case 'p':
		request->promise_path = value;
		return COMMAND_DONE;
	default:
		request->json = true;
		return COMMAND_DONE;
	}
}

static int read_arguments(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "depth", required_argument, NULL, 'd' },
		{ "slot", required_argument, NULL, 's' },
		{ "target", required_argument, NULL, 't' },
		{ "as", required_argument, NULL, 'a' },
		{ "root", required_argument, NULL, 'r' },
		{ "promise", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 }
	};
	int code = coll_options(argc, argv, known, take, request,
				&request->path);

	if (code != COMMAND_DONE)
		return code;
	if (request->desc.root > 0 &&
	    !(request->desc.flags & PLAIT_PROOF_HAS_KIND))
		return command_usage("coll", "--root needs --as");
	return COMMAND_DONE;
}

/* ---- results ---- */

static const char *reason_name(plait_proof_reason reason)
{
	static const char *const names[] = { "", "shape", "deadlock", "race",
					     "value" };

	return names[reason];
}

static void print_string(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar((unsigned char)*text < 32 ? ' ' : *text);
	}
	putchar('"');
}

static void print_exports(const plait_proof *proof)
{
	const char *separator = "";

	printf("\"exports\": [");
	for (uint32_t i = PLAIT_TARGET_MSCCL; i <= PLAIT_TARGET_RCCL; i++)
		if (proof->flags & PLAIT_PROOF_EXPORTS_MSCCL
					   << (i - PLAIT_TARGET_MSCCL)) {
			printf("%s\"%s\"", separator, coll_targets[i]);
			separator = ", ";
		}
	printf("]");
}

static void print_json(const plait_proof *proof, const char *error)
{
	bool ok = proof->reason == PLAIT_PROOF_PROVED;

	printf("{\"verdict\": \"%s\", \"reason\": ", ok ? "ok" : "refused");
	printf(ok ? "null" : "\"%s\"", reason_name(proof->reason));
	printf(proof->depth_min == 0 ? ", \"depth_min\": null" :
				       ", \"depth_min\": %u",
	       proof->depth_min);
	printf(proof->safe_bytes == UINT64_MAX ?
		       ", \"safe_bytes\": \"any\"" :
		       ", \"safe_bytes\": %" PRIu64, proof->safe_bytes);
	printf(", \"lanes\": %u, \"channels\": %u, \"steps\": %" PRIu64
	       ", \"depth\": %u, \"ranks\": %u, \"same_bits\": %s, ",
	       proof->lanes, proof->channels, proof->steps, proof->depth,
	       proof->ranks,
	       proof->flags & PLAIT_PROOF_SAME_BITS ? "true" : "false");
	print_exports(proof);
	printf(", \"error\": ");
	print_string(error);
	printf("}\n");
}

static int report(const struct request *request, plait_status status,
		  const plait_proof *proof, const plait_error *error)
{
	bool refused = proof->reason != PLAIT_PROOF_PROVED;

	if (request->json && (refused || status == PLAIT_OK))
		print_json(proof, error->text);
	else if (status == PLAIT_OK)
		coll_print_proof(proof);
	if (status == PLAIT_OK)
		return COMMAND_DONE;
	return command_fail("coll", refused ? "%s: refused (%s): %s" :
					      "%s: %s%s",
			    input_name(request->path),
			    reason_name(proof->reason), error->text);
}

/* ---- all ---- */

static plait_status prove(const struct request *request,
			  const struct input *input, plait_proof *proof,
			  plait_error *error)
{
	plait_context *context = NULL;
	plait_schedule *schedule = NULL;
	plait_status status = coll_open("host", input, &context, &schedule,
					error);

	if (status == PLAIT_OK)
		status = plait_schedule_check(schedule, &request->desc, proof,
					      error);
	else if (status == PLAIT_E_INVALID && context != NULL)
		proof->reason = PLAIT_PROOF_SHAPE;
	plait_schedule_release(schedule);
	plait_context_release(context);
	return status;
}

int coll_check(int argc, char **argv)
{
	struct request request = { .desc.size = sizeof(plait_proof_desc) };
	plait_proof proof = { .size = sizeof(proof) };
	plait_error error = { .size = sizeof(error) };
	struct coll_promises promises = { 0 };
	struct input input;
	int code = read_arguments(&request, argc, argv);

	if (code == COMMAND_DONE && request.promise_path != NULL) {
		code = coll_promises_read(request.promise_path, &promises);
		request.desc.flags |= PLAIT_PROOF_HAS_PROMISES;
		request.desc.promises = promises.items;
		request.desc.promise_count = promises.count;
	}
	if (code == COMMAND_DONE)
		code = input_read("coll", request.path, &input);
	if (code == COMMAND_DONE) {
		plait_status status = prove(&request, &input, &proof, &error);

		code = report(&request, status, &proof, &error);
		input_free(&input);
	}
	coll_promises_free(&promises);
	return code;
}
