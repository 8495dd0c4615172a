/* SPDX-License-Identifier: MIT */
/*
 * Reader and proofs as a filter, for scripts: each record of the input is a line
 * of numbers, then a document; each answer is a line of JSON.
 *
 *	bytes depth slot_bytes target kind root scratch_tiles
 *
 * target and kind are -1 for the schedule's own.  A kind of 100 or more asks for
 * XML of the target kind - 100, which follows the line (its size is "xml").
 */
#include "base/alloc.h"
#include "base/text.h"
#include "coll/form/xml_read.h"
#include "coll/form/xml_write.h"
#include "coll/prove/prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE = 100 };

struct record {
	unsigned long bytes, slot_bytes;
	unsigned depth, root, scratch_tiles;
	int target, kind;
};

static bool read_record(struct record *record)
{
	return scanf("%lu %u %lu %d %d %u %u", &record->bytes, &record->depth,
		     &record->slot_bytes, &record->target, &record->kind,
		     &record->root, &record->scratch_tiles) == 7 &&
	       getchar() == '\n';
}

static void print_text(const char *text)
{
	putchar('"');
	for (; *text != '\0'; text++)
		printf(*text == '"' || *text == '\\' ? "\\%c" :
		       (unsigned char)*text < 32 ? " " : "%c", *text);
	putchar('"');
}

static void prove(const struct record *record, const plait__schedule *schedule)
{
	plait_error error = { .size = sizeof(error) };
	plait__prove_request request = { .depth = record->depth,
					 .slot_bytes = record->slot_bytes,
					 .root = record->root,
					 .scratch_tiles =
						 record->scratch_tiles };
	plait__proof proof;
	plait_status status;

	if (record->target >= 0) {
		request.flags |= PLAIT__PROVE_TARGET;
		request.target = (uint32_t)record->target;
	}
	if (record->kind >= 0) {
		request.flags |= PLAIT__PROVE_KIND;
		request.kind = (uint32_t)record->kind;
	}
	status = plait__prove_schedule(schedule, &request, &proof, &error);
	printf("{\"status\": %d, \"reason\": \"%s\", \"depth\": %u, "
	       "\"depth_min\": %u, \"safe_bytes\": %" PRIu64 ", \"lanes\": %u, "
	       "\"channels\": %u, \"steps\": %" PRIu64 ", \"flags\": %u, "
	       "\"text\": ", status, plait__prove_reason_name(proof.reason),
	       proof.depth, proof.depth_min, proof.safe_bytes, proof.lanes,
	       proof.channels, proof.steps, proof.flags);
	print_text(error.text);
	printf("}\n");
}

static void write_xml(const struct record *record,
		      const plait__schedule *schedule)
{
	plait_error error = { .size = sizeof(error) };
	plait_status status;
	plait__text text;

	plait__text_init(&text, schedule->allocator);
	status = plait__xml_write(schedule, (uint32_t)record->kind - WRITE,
				  &text, &error);
	printf("{\"status\": %d, \"xml\": %" PRIu64 ", \"text\": ", status,
	       status ? 0 : text.length);
	print_text(error.text);
	printf("}\n");
	if (!status)
		fwrite(text.bytes, 1, text.length, stdout);
	plait__text_fini(&text);
}

static void answer(const struct record *record, const char *bytes)
{
	plait_error error = { .size = sizeof(error) };
	plait__schedule *schedule;
	plait_status status = plait__xml_read(bytes, record->bytes, "file",
					      plait__alloc_default(), &schedule,
					      &error);

	if (status) {
		printf("{\"status\": %d, \"reason\": \"read\", \"text\": ",
		       status);
		print_text(error.text);
		printf("}\n");
	} else if (record->kind >= WRITE) {
		write_xml(record, schedule);
	} else {
		prove(record, schedule);
	}
	plait__schedule_free(schedule);
}

int main(void)
{
	struct record record;

	while (read_record(&record)) {
		char *bytes = malloc(record.bytes + 1);

		if (bytes == NULL ||
		    fread(bytes, 1, record.bytes, stdin) != record.bytes)
			return 1;
		answer(&record, bytes);
		fflush(stdout);
		free(bytes);
	}
	return 0;
}
