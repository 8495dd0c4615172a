/* SPDX-License-Identifier: MIT */
/* Generated instructions as text and as JSON; see instruction_forms.h. */
#include "flow/memory/instruction_forms.h"

#include "flow/memory/instruction_warnings.h"
#include "flow/memory/instruction_words.h"
#include "flow/show/explain.h"
#include "flow/show/record_forms.h"

#include "plan/io/escape.h"

#include <inttypes.h>

struct form {
	const plait__record *record;
	const plait__generator *generator;
	const plait__instructions *list;
	plait__vector warnings; /* plait__instruction_warning */
	plait__text *out;
};

/* Find the warnings, which plait__vector_fini ends. */
static struct form begin(const plait__record *record,
			 const plait__generator *generator, plait__text *out)
{
	struct form form = { .record = record, .generator = generator,
			     .list = &generator->list, .out = out };

	plait__vector_init(&form.warnings, record->allocator,
			   sizeof(plait__instruction_warning));
	if (!plait__instruction_warnings_find(generator, &form.warnings))
		out->failed = true;
	return form;
}

static void add_count(const struct form *form, const char *before,
		      uint64_t count, const char *what)
{
	plait__text_add(form->out, "%s%" PRIu64 " %s%s", before, count, what,
			plait__escape_plural(count));
}

/* ---- text: sums ---- */

static void add_kind(const struct form *form,
		     const plait__instruction_sums *sums, uint32_t kind)
{
	static const char *const names[][2] = {
		{ "alloc", "allocs" }, { "free", "frees" },
		{ "copy", "copies" }, { "resize", "resizes" },
		{ "task", "tasks" }, { "join", "joins" },
	};
	uint64_t count = sums->counts[kind];

	if (count == 0)
		return;
	plait__text_add(form->out, ", %" PRIu64 " %s", count,
			names[kind][count > 1]);
	if (sums->bytes[kind] > 0 && kind != PLAIT__INSTRUCTION_FREE)
		add_count(form, " of ", sums->bytes[kind], "byte");
}

static void add_sums(const struct form *form)
{
	plait__instruction_sums sums = plait__instruction_words_sum(form->list);

	add_count(form, "", form->generator->system.devices, "device");
	plait__text_add(form->out, ", %" PRIu32 " memories\n",
			form->generator->system.memories);
	add_count(form, "", form->list->items.count, "instruction");
	for (uint32_t k = 0; k <= PLAIT__INSTRUCTION_JOIN; k++)
		add_kind(form, &sums, k);
	add_count(form, ", ", sums.waits, "wait");
	add_count(form, ", ", form->record->warnings.count +
		  form->warnings.count, "warning");
	plait__text_add(form->out, "\n");
}

static void add_memories(const struct form *form)
{
	const plait__memory_system *system = &form->generator->system;

	for (uint32_t m = 0; m < system->memories; m++) {
		plait__text_add(form->out, "memory %" PRIu32 ", ", m);
		if (m == PLAIT__MEMORY_HOST)
			plait__text_add(form->out, "of the host");
		else if (system->memories < system->devices + 1)
			plait__text_add(form->out, "of all devices");
		else
			plait__text_add(form->out, "of device %" PRIu32, m - 1);
		add_count(form, ": at most ", form->generator->state.peak[m], "byte");
		plait__text_add(form->out, "\n");
	}
}

/* ---- text: instructions ---- */

static void add_task_name(const struct form *form, uint32_t index)
{
	const plait__record_task *task =
		plait__record_task_at(form->record, index);

	plait__text_add(form->out, "%" PRIu64 " \"%s\"", task->number,
			plait__record_name(form->record, task->label));
	if (task->piece_count > 1)
		plait__text_add(form->out, ", piece %" PRIu32 " of %" PRIu32,
				task->piece, task->piece_count);
}

static void add_what(const struct form *form, const plait__instruction *at)
{
	if (at->data == PLAIT__INSTRUCTION_NONE) {
		plait__text_add(form->out, " ");
		if (at->task != PLAIT__INSTRUCTION_NONE)
			add_task_name(form, at->task);
		return;
	}
	plait__text_add(form->out, " ");
	plait__explain_box(form->record, at->data, &at->box, ~UINT64_C(0),
			   false, form->out);
	if (at->kind == PLAIT__INSTRUCTION_COPY)
		plait__text_add(form->out, ", memory %" PRIu32 " to %" PRIu32,
				at->source, at->memory);
	else
		plait__text_add(form->out, ", memory %" PRIu32, at->memory);
	if (at->kind == PLAIT__INSTRUCTION_RESIZE)
		plait__text_add(form->out, ", block %" PRIu32 " to %" PRIu32,
				at->source_block, at->block);
	else if (at->kind != PLAIT__INSTRUCTION_COPY)
		plait__text_add(form->out, ", block %" PRIu32, at->block);
	add_count(form, ", ", at->bytes, "byte");
}

/* Why a launch is where it is; or null. */
static const char *placed_why(const struct form *form,
			      const plait__instruction *at)
{
	return at->kind != PLAIT__INSTRUCTION_TASK ? NULL :
	       plait__task_placer_why(&form->generator->placer, at->task);
}

/* Accesses of a task, and the choice of its device, or the task that an
 * instruction is for. */
static void add_reason(const struct form *form, const plait__instruction *at)
{
	for (uint32_t i = 0; i < at->operand_count; i++) {
		const plait__operand *operand =
			plait__instructions_operand(form->list, at, i);
		const plait__record_access *access = plait__record_access_at(
			form->record, operand->access);

		plait__text_add(form->out, "\t%s ",
				plait__explain_mode(access->mode));
		plait__explain_box(form->record, access->data, &access->box,
				   ~UINT64_C(0), false, form->out);
		if (operand->block != 0)
			plait__text_add(form->out, ", block %" PRIu32,
					operand->block);
		plait__text_add(form->out, "\n");
	}
	if (at->why == PLAIT__WHY_TASK && placed_why(form, at) != NULL)
		plait__text_add(form->out, "\t%s\n", placed_why(form, at));
	if (at->why == PLAIT__WHY_TASK || at->task == PLAIT__INSTRUCTION_NONE)
		return;
	plait__text_add(form->out, "\tfor ");
	add_task_name(form, at->task);
	plait__text_add(form->out, ": %s\n",
			plait__instruction_words_why(at->why));
}

static void add_order(const struct form *form, const plait__instruction *at)
{
	for (uint32_t i = 0; i < at->pred_count; i++) {
		const plait__instruction_pred *pred =
			plait__instructions_pred(form->list, at, i);

		plait__text_add(form->out, "\tafter %" PRIu32 ": %s\n",
				pred->number,
				plait__instruction_words_pred(pred->why));
	}
	for (uint32_t i = at->wait_count; i-- > 0;)
		plait__text_add(form->out, "%s%" PRIu32 "%s",
				i + 1 == at->wait_count ? "\twaits for " : ", ",
				plait__instructions_wait(form->list, at, i),
				i == 0 ? "\n" : "");
}

static void add_instruction(const struct form *form, uint32_t number)
{
	const plait__instruction *at =
		plait__instructions_at(form->list, number);
	char lane[PLAIT__INSTRUCTION_LANE];

	plait__text_add(form->out, "%" PRIu32 " %s", number,
			plait__instruction_words_kind(form->record, at));
	add_what(form, at);
	if (at->lane != PLAIT__INSTRUCTION_NONE)
		plait__text_add(form->out, ", lane %s",
				plait__instruction_words_lane(
					form->list, at->lane, lane));
	plait__text_add(form->out, "\n");
	add_reason(form, at);
	add_order(form, at);
}

void plait__instruction_forms_text(const plait__record *record,
				   const plait__generator *generator,
				   plait__text *out)
{
	struct form form = begin(record, generator, out);

	add_sums(&form);
	add_memories(&form);
	for (uint32_t n = 1; n <= form.list->items.count; n++)
		add_instruction(&form, n);
	plait__explain_warnings(record, out);
	plait__instruction_warnings_text(record, &form.warnings, out);
	plait__vector_fini(&form.warnings);
}

/* ---- JSON ---- */

static const char *comma(uint32_t i)
{
	return i == 0 ? "" : ",";
}

/* "name":NUMBER, or null. */
static void add_number(const struct form *form, const char *name,
		       uint32_t number)
{
	if (number == PLAIT__INSTRUCTION_NONE)
		plait__text_add(form->out, ",\"%s\":null", name);
	else
		plait__text_add(form->out, ",\"%s\":%" PRIu32, name, number);
}

static void json_memories(const struct form *form)
{
	const plait__memory_system *system = &form->generator->system;

	plait__text_add(form->out, "{\"devices\":%" PRIu32 ",\n\"memories\":[",
			system->devices);
	for (uint32_t m = 0; m < system->memories; m++)
		plait__text_add(form->out, "%s{\"memory\":%" PRIu32
				",\"bytes\":%" PRIu64 "}", comma(m), m,
				form->generator->state.peak[m]);
	plait__text_add(form->out, "],\n");
}

/* The box of a copy, a resize, or a block that is made or ends. */
static void json_box(const struct form *form, const plait__instruction *at)
{
	bool moves = at->kind == PLAIT__INSTRUCTION_COPY ||
		     at->kind == PLAIT__INSTRUCTION_RESIZE;

	if (at->data == PLAIT__INSTRUCTION_NONE)
		return;
	plait__text_add(form->out, ",\"box\":{");
	plait__record_forms_box(form->record, at->data, &at->box, form->out);
	plait__text_add(form->out, "},\"bytes\":%" PRIu64, at->bytes);
	add_number(form, "block", at->block);
	if (!moves)
		return;
	add_number(form, "source", at->source);
	add_number(form, "source_block", at->source_block);
}

static void json_uses(const struct form *form, const plait__instruction *at)
{
	plait__text_add(form->out, ",\"uses\":[");
	for (uint32_t i = 0; i < at->operand_count; i++) {
		const plait__operand *operand =
			plait__instructions_operand(form->list, at, i);
		const plait__record_access *access = plait__record_access_at(
			form->record, operand->access);

		plait__text_add(form->out, "%s{\"mode\":\"%s\"", comma(i),
				plait__explain_mode(access->mode));
		add_number(form, "block", operand->block != 0 ?
			   operand->block : PLAIT__INSTRUCTION_NONE);
		plait__text_add(form->out, ",");
		plait__record_forms_box(form->record, access->data,
					&access->box, form->out);
		plait__text_add(form->out, "}");
	}
	plait__text_add(form->out, "]");
	if (at->kind == PLAIT__INSTRUCTION_TASK)
		plait__text_add(form->out, ",\"traffic\":%" PRIu64,
				plait__instruction_words_traffic(
					form->record, form->list, at));
}

static void json_order(const struct form *form, const plait__instruction *at)
{
	plait__text_add(form->out, ",\"preds\":[");
	for (uint32_t i = 0; i < at->pred_count; i++) {
		const plait__instruction_pred *pred =
			plait__instructions_pred(form->list, at, i);

		plait__text_add(form->out, "%s{\"instruction\":%" PRIu32
				",\"why\":\"%s\"}", comma(i), pred->number,
				plait__instruction_words_pred(pred->why));
	}
	plait__text_add(form->out, "],\"waits\":[");
	for (uint32_t i = at->wait_count; i-- > 0;)
		plait__text_add(form->out, "%s%" PRIu32,
				comma(at->wait_count - 1 - i),
				plait__instructions_wait(form->list, at, i));
	plait__text_add(form->out, "]");
}

static void json_task(const struct form *form, const plait__instruction *at)
{
	const plait__record_task *task;

	if (at->task == PLAIT__INSTRUCTION_NONE)
		return;
	task = plait__record_task_at(form->record, at->task);
	plait__text_add(form->out, ",\"task\":%" PRIu64 ",\"label\":",
			task->number);
	plait__escape_json_string(plait__record_name(form->record, task->label),
				  form->out);
}

static void json_instruction(const struct form *form, uint32_t number)
{
	const plait__instruction *at =
		plait__instructions_at(form->list, number);
	const char *why = placed_why(form, at);
	char lane[PLAIT__INSTRUCTION_LANE];

	plait__text_add(form->out, "%s\n{\"instruction\":%" PRIu32
			",\"kind\":\"%s\",\"why\":\"%s\"", comma(number - 1),
			number, plait__instruction_words_kind(form->record, at),
			why != NULL ? why :
				      plait__instruction_words_why(at->why));
	add_number(form, "device", at->device);
	if (at->lane == PLAIT__INSTRUCTION_NONE)
		add_number(form, "lane", at->lane);
	else
		plait__text_add(form->out, ",\"lane\":\"%s\"",
				plait__instruction_words_lane(
					form->list, at->lane, lane));
	add_number(form, "memory", at->kind == PLAIT__INSTRUCTION_JOIN ?
		   PLAIT__INSTRUCTION_NONE : at->memory);
	json_task(form, at);
	json_box(form, at);
	json_uses(form, at);
	json_order(form, at);
	plait__text_add(form->out, "}");
}

void plait__instruction_forms_json(const plait__record *record,
				   const plait__generator *generator,
				   plait__text *out)
{
	struct form form = begin(record, generator, out);

	json_memories(&form);
	plait__record_forms_data(record, out);
	plait__text_add(out, ",\n\"instructions\":[");
	for (uint32_t n = 1; n <= form.list->items.count; n++)
		json_instruction(&form, n);
	plait__text_add(out, "]");
	plait__record_forms_open_warnings(record, out);
	plait__instruction_warnings_json(record, &form.warnings,
					 record->warnings.count > 0, out);
	plait__text_add(out, "]}\n");
	plait__vector_fini(&form.warnings);
}
