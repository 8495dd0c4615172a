/* SPDX-License-Identifier: MIT */
/*
 * MSCCL XML of a schedule.  Each wait beyond the last of a step becomes a nop
 * before it; a step that is awaited has hasdep="1".  Executors merge consecutive
 * re steps of one target; hasdep="1" also keeps those apart that would have
 * another result.
 */
#include "coll/form/xml_write.h"

#include "coll/form/xml_dialect.h"
#include "coll/prove/export_limits.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_MERGED = 16 };

typedef struct writer_state {
	const plait__schedule *schedule;
	uint32_t target;
	plait__text *text;
	uint32_t *numbers;	/* by step: its number with nops */
	unsigned char *awaited;	/* by step */
} writer_state;

/* ---- tables ---- */

static void number_steps(writer_state *writer)
{
	const plait__schedule *schedule = writer->schedule;

	for (uint64_t i = 0; i < schedule->lane_count; i++) {
		const plait__coll_lane *lane = &schedule->lanes[i];
		uint32_t number = 0;

		for (uint64_t k = 0; k < lane->step_count; k++) {
			uint64_t step = lane->first_step + k;
			uint32_t waits = schedule->steps[step].wait_count;

			number += waits > 1 ? waits - 1 : 0;
			writer->numbers[step] = number++;
		}
	}
}

static uint64_t awaited_step(const plait__schedule *schedule, uint64_t wait)
{
	const plait__coll_wait *at = &schedule->waits[wait];

	return schedule->lanes[at->lane].first_step + at->step;
}

static bool overlaps(const plait__coll_step *step)
{
	return step->source_buffer == step->target_buffer &&
	       step->source < step->target + step->count &&
	       step->target < step->source + step->count;
}

/* Returns true if executors would merge the step with the next one. */
static bool would_merge(const plait__coll_step *step)
{
	const plait__coll_step *next = step + 1;

	return step->kind == PLAIT__STEP_REDUCE &&
	       next->kind == PLAIT__STEP_REDUCE && next->wait_count == 0 &&
	       next->target_buffer == step->target_buffer &&
	       next->target == step->target &&
	       next->source_buffer == step->source_buffer;
}

static bool may_merge(const plait__coll_step *step, uint32_t merged)
{
	return step[1].count == step->count && merged < MAX_MERGED &&
	       !overlaps(step) && !overlaps(step + 1);
}

/* Mark the steps of a lane that others wait for, and those that must not be
 * merged with the next one. */
static void mark_merges(writer_state *writer, const plait__coll_lane *lane)
{
	uint32_t merged = 1;

	for (uint64_t i = 0; i + 1 < lane->step_count; i++) {
		const plait__coll_step *step =
			&writer->schedule->steps[lane->first_step + i];
		unsigned char *awaited = &writer->awaited[lane->first_step + i];

		if (would_merge(step) && !may_merge(step, merged))
			*awaited = 1;
		merged = would_merge(step) && !*awaited ? merged + 1 : 1;
	}
}

static void fill_tables(writer_state *writer)
{
	const plait__schedule *schedule = writer->schedule;

	number_steps(writer);
	for (uint64_t i = 0; i < schedule->wait_count; i++)
		writer->awaited[awaited_step(schedule, i)] = 1;
	for (uint64_t i = 0; i < schedule->lane_count; i++)
		mark_merges(writer, &schedule->lanes[i]);
}

/* ---- elements ---- */

static void write_wait(writer_state *writer, uint64_t wait)
{
	const plait__schedule *schedule = writer->schedule;
	const plait__coll_wait *at = &schedule->waits[wait];
	const plait__coll_lane *lane = &schedule->lanes[at->lane];

	plait__text_add(writer->text, " depid=\"%u\" deps=\"%u\"",
			at->lane - schedule->ranks[lane->rank].first_lane,
			writer->numbers[awaited_step(schedule, wait)]);
}

static void write_nops(writer_state *writer, const plait__coll_step *step,
		       uint32_t number)
{
	for (uint32_t i = 0; i + 1 < step->wait_count; i++) {
		plait__text_add(writer->text,
				"      <step s=\"%u\" type=\"nop\" srcbuf=\"i\" "
				"srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" "
				"cnt=\"0\"",
				number - (step->wait_count - 1) + i);
		write_wait(writer, step->first_wait + i);
		plait__text_add(writer->text, " hasdep=\"0\"/>\n");
	}
}

/* A location that a step does not use informs the reader; it repeats the
 * other one. */
static void write_locations(writer_state *writer, const plait__coll_step *step)
{
	bool reads = step->kind != PLAIT__STEP_RECV &&
		     step->kind != PLAIT__STEP_RECV_SEND;
	bool stores = step->kind != PLAIT__STEP_SEND &&
		      step->kind != PLAIT__STEP_RECV_REDUCE_SEND;

	plait__text_add(
		writer->text,
		" srcbuf=\"%s\" srcoff=\"%u\" dstbuf=\"%s\" dstoff=\"%u\"",
		plait__dialect_buffer(reads ? step->source_buffer :
					      step->target_buffer),
		reads ? step->source : step->target,
		plait__dialect_buffer(stores ? step->target_buffer :
					       step->source_buffer),
		stores ? step->target : step->source);
}

static void write_step(writer_state *writer, uint64_t index)
{
	const plait__coll_step *step = &writer->schedule->steps[index];

	write_nops(writer, step, writer->numbers[index]);
	plait__text_add(writer->text, "      <step s=\"%u\" type=\"%s\"",
			writer->numbers[index],
			plait__dialect_step(step->kind));
	write_locations(writer, step);
	plait__text_add(writer->text, " cnt=\"%u\"", step->count);
	if (step->wait_count > 0)
		write_wait(writer, step->first_wait + step->wait_count - 1);
	else
		plait__text_add(writer->text, " depid=\"-1\" deps=\"-1\"");
	plait__text_add(writer->text, " hasdep=\"%d\"/>\n",
			writer->awaited[index]);
}

static void write_lane(writer_state *writer, const plait__coll_lane *lane,
		       uint32_t number)
{
	plait__text_add(writer->text,
			"    <tb id=\"%u\" send=\"%d\" recv=\"%d\" "
			"chan=\"%u\">\n",
			number, lane->send_peer, lane->recv_peer,
			lane->channel);
	for (uint64_t i = 0; i < lane->step_count; i++)
		write_step(writer, lane->first_step + i);
	plait__text_add(writer->text, "    </tb>\n");
}

static void write_rank(writer_state *writer, uint32_t index)
{
	const plait__coll_rank *rank = &writer->schedule->ranks[index];

	plait__text_add(writer->text,
			"  <gpu id=\"%u\" i_chunks=\"%u\" o_chunks=\"%u\" "
			"s_chunks=\"%u\">\n",
			index, rank->input_chunks, rank->output_chunks,
			rank->scratch_chunks);
	for (uint32_t i = 0; i < rank->lane_count; i++)
		write_lane(writer, &writer->schedule->lanes[rank->first_lane + i],
			   i);
	plait__text_add(writer->text, "  </gpu>\n");
}

/* Append an attribute's text; quotes and markup become references, control
 * characters blanks. */
static void write_name(plait__text *text, const char *name)
{
	for (; *name != '\0'; name++)
		switch (*name) {
		case '&': plait__text_add(text, "&amp;"); break;
		case '<': plait__text_add(text, "&lt;"); break;
		case '"': plait__text_add(text, "&quot;"); break;
		default:
			plait__text_add_bytes(
				text, (unsigned char)*name < 32 ? " " : name,
				1);
		}
}

static uint32_t channel_count(const plait__schedule *schedule)
{
	uint32_t count = schedule->channel_count ? schedule->channel_count : 1;

	for (uint64_t i = 0; i < schedule->lane_count; i++)
		if (schedule->lanes[i].channel >= count)
			count = schedule->lanes[i].channel + 1;
	return count;
}

/* The runtime reads no outofplace, and demands an upper limit. */
static void write_algorithm(writer_state *writer)
{
	const plait__schedule *schedule = writer->schedule;
	bool in_place = schedule->flags & PLAIT__COLL_IN_PLACE;
	bool is_msccl = writer->target == PLAIT__TARGET_MSCCL;
	uint64_t max_bytes = schedule->max_bytes;

	if (max_bytes == 0 && is_msccl)
		max_bytes = UINT64_C(1) << 60;
	plait__text_add(writer->text, "<algo name=\"");
	write_name(writer->text, schedule->name);
	plait__text_add(writer->text,
			"\" proto=\"%s\" nchannels=\"%u\" "
			"nchunksperloop=\"%u\" ngpus=\"%u\" coll=\"%s\" "
			"inplace=\"%d\"",
			plait__dialect_protocol(schedule->protocol ?
						schedule->protocol :
						PLAIT__PROTOCOL_SIMPLE),
			channel_count(schedule), schedule->chunks,
			schedule->rank_count,
			plait__dialect_kind(schedule->kind, writer->target),
			in_place);
	if (!is_msccl)
		plait__text_add(writer->text, " outofplace=\"%d\"", !in_place);
	plait__text_add(writer->text,
			" minBytes=\"%" PRIu64 "\" maxBytes=\"%" PRIu64 "\">\n",
			schedule->min_bytes, max_bytes);
	for (uint32_t i = 0; i < schedule->rank_count; i++)
		write_rank(writer, i);
	plait__text_add(writer->text, "</algo>\n");
}

plait_status plait__xml_write(const plait__schedule *schedule, uint32_t target,
			      plait__text *text, plait_error *error)
{
	const plait_allocator *allocator = schedule->allocator;
	uint64_t steps = schedule->step_count;
	writer_state writer = { .schedule = schedule, .target = target,
			  .text = text };
	plait_status status = plait__export_limits_check(schedule, target,
							 error);

	if (status)
		return status;
	writer.numbers = plait__alloc_array(allocator, steps,
					    sizeof(*writer.numbers));
	writer.awaited = plait__alloc(allocator, steps);
	if (steps == 0 || (writer.numbers && writer.awaited)) {
		fill_tables(&writer);
		write_algorithm(&writer);
	}
	if (text->failed || (steps && !(writer.numbers && writer.awaited)))
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for XML of %" PRIu64 " steps",
				     steps);
	plait__free(allocator, writer.numbers, steps * sizeof(*writer.numbers));
	plait__free(allocator, writer.awaited, steps);
	return status;
}
