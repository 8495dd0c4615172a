/* SPDX-License-Identifier: MIT */
/* Slots of the links between ranks; see rank_slots.h. */
#include "flow/rank_slots.h"

#include "flow/flow_data.h"

#include "base/error.h"

/* Words of a slot's head. */
enum { WORD_TRANSFER, WORD_BYTES, WORD_FAILED, WORD_SUBMISSION, WORD_HASH };

/* Contents of a slot in place of values. */
typedef struct rank_failure {
	int64_t origin;
	int32_t status;
	char text[PLAIT_ERROR_TEXT_BYTES];
} rank_failure;

_Static_assert(sizeof(rank_failure) <= PLAIT__RANK_SLOT_LEAST,
	       "a failure fits");

plait__rank_rows plait__rank_slots_rows(const plait__data *whole,
					const plait_box *box)
{
	plait__rank_rows rows = {
		.memory = plait__data_address(whole, box),
		.row = (box->high[0] - box->low[0]) * whole->element_bytes,
		.rows = box->high[1] - box->low[1],
		.row_pitch = whole->pitch[1], .slice_pitch = whole->pitch[2],
	};
	uint64_t slices = box->high[2] - box->low[2];

	if (rows.row == rows.row_pitch) {
		rows.row *= rows.rows;
		rows.rows = 1;
	}
	rows.bytes = rows.row * rows.rows * slices;
	return rows;
}

/* Copy the bytes from `at` on, of the box without gaps. */
static void copy(const plait__rank_rows *rows, uint64_t at, char *packed,
		 uint64_t bytes, bool to_packed)
{
	while (bytes > 0) {
		uint64_t row = at / rows->row, inside = at % rows->row;
		uint64_t part = rows->row - inside;
		char *place = rows->memory +
			      row / rows->rows * rows->slice_pitch +
			      row % rows->rows * rows->row_pitch + inside;

		if (part > bytes)
			part = bytes;
		if (to_packed)
			memcpy(packed, place, part);
		else
			memcpy(place, packed, part);
		packed += part;
		at += part;
		bytes -= part;
	}
}

static void fill_failure(const plait__rank_record *record,
			 plait_link_slot *head)
{
	rank_failure failure = { .origin = record->why.origin,
				 .status = record->why.status };

	memcpy(failure.text, record->why.text, sizeof(failure.text));
	head->words[WORD_FAILED] = 1;
	head->bytes = sizeof(failure);
	memcpy(head + 1, &failure, sizeof(failure));
}

bool plait__rank_slots_fill(plait__rank_record *record,
			    const plait__slot_link *link, uint64_t slot_bytes)
{
	plait_link_slot *head = (void *)plait__slot_link_front(link);
	uint64_t bytes = record->rows.bytes - record->moved;

	memset(head, 0, sizeof(*head));
	head->words[WORD_TRANSFER] = record->transfer;
	head->words[WORD_BYTES] = record->rows.bytes;
	head->words[WORD_SUBMISSION] = record->submission;
	head->words[WORD_HASH] = record->hash;
	if (record->state == PLAIT__RANK_SPOILED) {
		fill_failure(record, head);
		return true;
	}
	if (bytes > slot_bytes)
		bytes = slot_bytes;
	head->bytes = bytes;
	copy(&record->rows, record->moved, (char *)(head + 1), bytes, true);
	record->moved += bytes;
	return record->moved == record->rows.bytes;
}

static void read_failure(plait__rank_record *record, const void *bytes)
{
	rank_failure failure;

	memcpy(&failure, bytes, sizeof(failure));
	failure.text[sizeof(failure.text) - 1] = '\0';
	if (failure.status >= 0)
		failure.status = PLAIT_E_INTERNAL;
	record->why.size = sizeof(record->why);
	plait__fail_origin(&record->why, failure.status, failure.origin,
			   "failed there: %s", failure.text);
}

/* The values are of another program, if the hashes differ: of a task before them,
 * or of their own. */
static plait_status check_program(const plait__rank_record *record,
				  const plait_link_slot *head,
				  plait_error *error)
{
	if (head->words[WORD_SUBMISSION] == record->submission &&
	    head->words[WORD_HASH] == record->hash)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "rank %u sent values for its submission %llu, rank "
			   "%u expects them for its submission %llu; up to "
			   "there the ranks have submitted different tasks; all "
			   "ranks submit the same tasks", record->peer,
			   (unsigned long long)head->words[WORD_SUBMISSION],
			   record->ranks->rank,
			   (unsigned long long)record->submission);
}

plait_status plait__rank_slots_read(plait__rank_record *record,
				    const plait__slot_link *link,
				    uint64_t slot_bytes, plait_error *error)
{
	plait_link_slot head;
	char *front = (char *)plait__slot_link_front(link);
	uint64_t left = record->rows.bytes - record->moved;
	plait_status status;

	memcpy(&head, front, sizeof(head));
	status = check_program(record, &head, error);
	if (status != PLAIT_OK)
		return status;
	if (head.words[WORD_TRANSFER] != record->transfer ||
	    head.words[WORD_BYTES] != record->rows.bytes ||
	    head.bytes > slot_bytes ||
	    (head.words[WORD_FAILED] == 0 && head.bytes > left) ||
	    (head.words[WORD_FAILED] == 0 && head.bytes == 0 && left > 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u sent transfer %llu of %llu bytes, "
				   "this rank is at %llu of %llu; the ranks "
				   "submit different tasks", record->peer,
				   (unsigned long long)head.words[WORD_TRANSFER],
				   (unsigned long long)head.words[WORD_BYTES],
				   (unsigned long long)record->transfer,
				   (unsigned long long)record->rows.bytes);
	if (head.words[WORD_FAILED] != 0) {
		read_failure(record, front + sizeof(head));
		return PLAIT_OK;
	}
	copy(&record->rows, record->moved, front + sizeof(head), head.bytes,
	     false);
	record->moved += head.bytes;
	return record->moved == record->rows.bytes ? PLAIT_OK : PLAIT_PENDING;
}
