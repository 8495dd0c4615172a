/* SPDX-License-Identifier: MIT */
/* Names, options and schedules of files that the actions of plait coll share. */
#include "coll.h"
#include "command.h"
#include "input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- names and numbers ---- */

const char *const coll_kinds[] = { "custom", "allreduce", "allgather",
				   "reduce_scatter", "alltoall", "broadcast",
				   "reduce", "gather", "scatter", "alltonext",
				   NULL };
const char *const coll_targets[] = { "plait", "msccl", "executor", "rccl",
				     NULL };

int coll_choose(const char *option, const char *const *names,
		const char *value, uint32_t *out)
{
	for (uint32_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], value) == 0) {
			*out = i;
			return COMMAND_DONE;
		}
	fprintf(stderr, "plait coll: %s: unknown '%s'; known are", option,
		value);
	for (uint32_t i = 0; names[i] != NULL; i++)
		fprintf(stderr, " %s", names[i]);
	fputc('\n', stderr);
	return COMMAND_USAGE;
}

bool coll_is_name(const char *subject)
{
	return strcmp(subject, "-") != 0 && strpbrk(subject, "./") == NULL;
}

int coll_number(const char *option, const char *value, uint32_t *out)
{
	uint64_t number = 0;
	int code = schedule_number("coll", option, value, UINT32_MAX, &number);

	*out = (uint32_t)number;
	return code;
}

/* ---- options ---- */

/* Of the short options all actions have -o, and those with --verbose -v. */
static const char *short_options(const struct option *known)
{
	while (known->name != NULL && strcmp(known->name, "verbose") != 0)
		known++;
	return known->name != NULL ? ":o:v" : ":o:";
}

int coll_options(int argc, char **argv, const struct option *known,
		 schedule_take take, void *user_data, const char **out_file)
{
	const char *letters = short_options(known);
	int option, code = COMMAND_DONE;

	opterr = 0;
	while (code == COMMAND_DONE &&
	       (option = getopt_long(argc, argv, letters, known, NULL)) != -1)
		code = option == '?' || option == ':' ?
			       command_usage("coll", "%s option '%s'",
					     option == '?' ? "unknown" :
						     "a value is missing for",
					     argv[optind - 1]) :
			       take(user_data, option, optarg);
	if (code != COMMAND_DONE)
		return code;
	if (argc - optind != 1)
		return command_usage("coll", "%s: expected one %s", argv[0],
				     strcmp(argv[0], "tune") == 0 ? "KIND or FILE" :
				     "FILE; '-' is standard input");
	*out_file = argv[optind];
	return COMMAND_DONE;
}

/* ---- schedules ---- */

plait_status coll_open(const char *backends, const struct input *input,
		       plait_context **out_context, plait_schedule **out,
		       plait_error *error)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .flags = backends == NULL ? 0 :
					     PLAIT_CONTEXT_NO_WORKERS,
				    .backends = backends };
	plait_status status = plait_context_open(&desc, out_context, error);

	*out = NULL;
	if (status == PLAIT_OK && input != NULL)
		status = plait_schedule_read(*out_context, input->bytes,
					     input->count, "xml", out, error);
	return status;
}

void coll_print_proof(const plait_proof *proof)
{
	printf("right: %u ranks, %u lanes, %u channels, %" PRIu64 " steps; "
	       "least depth %u", proof->ranks, proof->lanes, proof->channels,
	       proof->steps, proof->depth_min);
	if (proof->safe_bytes == UINT64_MAX)
		printf(", any size");
	else
		printf(", up to %" PRIu64 " bytes", proof->safe_bytes);
	printf(proof->flags & PLAIT_PROOF_SAME_BITS ?
		       ", equal bits\n" : ", bits differ by rank\n");
}
