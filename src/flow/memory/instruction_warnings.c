/* SPDX-License-Identifier: MIT */
/* Warnings of generated instructions; see instruction_warnings.h. */
#include "flow/memory/instruction_warnings.h"

#include "plan/io/escape.h"

#include <inttypes.h>

/* Blocks of one data in one memory. */
struct blocks {
	uint32_t now;
	uint32_t most;
};

/* Evictions of one memory. */
struct evictions {
	uint32_t horizon; /* 1 + that of the last one, or 0 */
	uint32_t run;	  /* horizons in a row up to that */
	uint32_t most;
};

struct search {
	const plait__generator *generator;
	plait__vector blocks; /* struct blocks: by data, then memory */
	struct evictions evictions[PLAIT__MEMORY_DEVICES + 1];
	/* Small copies for one task and data. */
	plait__instruction_warning copies;
	plait__vector *out;
	bool failed;
};

static void warn(struct search *search,
		 const plait__instruction_warning *warning)
{
	if (PLAIT__VECTOR_ADD(search->out, warning) == NULL)
		search->failed = true;
}

/* ---- instructions ---- */

static void count_block(struct search *search, const plait__instruction *at)
{
	struct blocks *blocks = plait__vector_at(
		&search->blocks,
		at->data * search->generator->system.memories + at->memory);

	if (at->kind == PLAIT__INSTRUCTION_FREE) {
		blocks->now--;
		return;
	}
	blocks->now++;
	if (blocks->now > blocks->most)
		blocks->most = blocks->now;
}

static void count_eviction(struct search *search, const plait__instruction *at)
{
	struct evictions *evictions = &search->evictions[at->memory];
	uint32_t horizon = 1 + at->task / PLAIT__WARNING_HORIZON;

	if (horizon == evictions->horizon)
		return;
	evictions->run = evictions->horizon + 1 == horizon ?
				 evictions->run + 1 : 1;
	evictions->horizon = horizon;
	if (evictions->run > evictions->most)
		evictions->most = evictions->run;
}

static void end_copies(struct search *search)
{
	if (search->copies.count > PLAIT__WARNING_COPIES_MOST)
		warn(search, &search->copies);
	search->copies.count = 0;
}

static void count_copy(struct search *search, const plait__instruction *at)
{
	if (search->copies.task != at->task ||
	    search->copies.data != at->data ||
	    search->copies.memory != at->memory)
		end_copies(search);
	search->copies.kind = PLAIT__INSTRUCTION_WARNING_COPIES;
	search->copies.task = at->task;
	search->copies.data = at->data;
	search->copies.memory = at->memory;
	search->copies.count += at->bytes < PLAIT__WARNING_COPY_BYTES;
}

static void visit(struct search *search, const plait__instruction *at)
{
	switch (at->kind) {
	case PLAIT__INSTRUCTION_FREE:
		if (at->why == PLAIT__WHY_ROOM)
			count_eviction(search, at);
		count_block(search, at);
		break;
	case PLAIT__INSTRUCTION_ALLOC:
		count_block(search, at);
		break;
	case PLAIT__INSTRUCTION_COPY:
		count_copy(search, at);
		break;
	default:
		break;
	}
}

/* ---- the search ---- */

static void warn_of_blocks(struct search *search)
{
	uint32_t memories = search->generator->system.memories;

	for (uint32_t i = 0; i < search->blocks.count; i++) {
		const struct blocks *blocks =
			plait__vector_at(&search->blocks, i);
		const plait__instruction_warning warning = {
			.kind = PLAIT__INSTRUCTION_WARNING_BLOCKS,
			.count = blocks->most, .memory = i % memories,
			.data = i / memories,
		};

		if (blocks->most > PLAIT__WARNING_BLOCKS_MOST)
			warn(search, &warning);
	}
}

static void warn_of_evictions(struct search *search)
{
	for (uint32_t m = 0; m < search->generator->system.memories; m++) {
		const plait__instruction_warning warning = {
			.kind = PLAIT__INSTRUCTION_WARNING_EVICTIONS,
			.count = search->evictions[m].most, .memory = m,
		};

		if (warning.count > PLAIT__WARNING_EVICTIONS_MOST)
			warn(search, &warning);
	}
}

bool plait__instruction_warnings_find(const plait__generator *generator,
				      plait__vector *out)
{
	const plait__instructions *list = &generator->list;
	struct search search = { .generator = generator, .out = out };
	uint32_t count = generator->state.data.count *
			 generator->system.memories;

	plait__vector_init(&search.blocks, generator->state.allocator,
			   sizeof(struct blocks));
	if (count > 0 &&
	    plait__vector_push(&search.blocks, NULL, count) == NULL)
		return false;
	for (uint32_t n = 1; n <= list->items.count; n++)
		visit(&search, plait__instructions_at(list, n));
	end_copies(&search);
	warn_of_blocks(&search);
	warn_of_evictions(&search);
	plait__vector_fini(&search.blocks);
	return !search.failed;
}

/* ---- forms ---- */

static const char *name_of(const plait__record *record,
			   const plait__instruction_warning *warning)
{
	return plait__record_name(
		record, plait__record_data_at(record, warning->data)->label);
}

static void add_text(const plait__record *record,
		     const plait__instruction_warning *warning,
		     plait__text *out)
{
	const plait__record_task *task;

	plait__text_add(out, "warning: ");
	switch (warning->kind) {
	case PLAIT__INSTRUCTION_WARNING_BLOCKS:
		plait__text_add(out, "memory %" PRIu32 " has %" PRIu32
				" blocks of %s at a time\n", warning->memory,
				warning->count, name_of(record, warning));
		break;
	case PLAIT__INSTRUCTION_WARNING_COPIES:
		task = plait__record_task_at(record, warning->task);
		plait__text_add(out, "task %" PRIu64 " \"%s\" needs %" PRIu32
				" copies of %s of less than %d bytes to memory "
				"%" PRIu32 "\n", task->number,
				plait__record_name(record, task->label),
				warning->count, name_of(record, warning),
				PLAIT__WARNING_COPY_BYTES, warning->memory);
		break;
	default:
		plait__text_add(out, "memory %" PRIu32 " evicts blocks in %"
				PRIu32 " horizons of %d tasks in a row\n",
				warning->memory, warning->count,
				PLAIT__WARNING_HORIZON);
	}
}

void plait__instruction_warnings_text(const plait__record *record,
				      const plait__vector *warnings,
				      plait__text *out)
{
	for (uint32_t i = 0; i < warnings->count; i++)
		add_text(record, plait__vector_at(warnings, i), out);
}

void plait__instruction_warnings_json(const plait__record *record,
				      const plait__vector *warnings, bool begun,
				      plait__text *out)
{
	static const char *const kinds[] = { "blocks", "copies", "evictions" };

	for (uint32_t i = 0; i < warnings->count; i++) {
		const plait__instruction_warning *warning =
			plait__vector_at(warnings, i);

		plait__text_add(out, "%s\n{\"warning\":\"%s\",\"memory\":%"
				PRIu32 ",\"count\":%" PRIu32,
				i > 0 || begun ? "," : "", kinds[warning->kind],
				warning->memory, warning->count);
		if (warning->kind == PLAIT__INSTRUCTION_WARNING_COPIES)
			plait__text_add(out, ",\"task\":%" PRIu64,
					plait__record_task_at(
						record, warning->task)->number);
		if (warning->kind != PLAIT__INSTRUCTION_WARNING_EVICTIONS) {
			plait__text_add(out, ",\"data\":");
			plait__escape_json_string(name_of(record, warning),
						  out);
		}
		plait__text_add(out, "}");
	}
}
