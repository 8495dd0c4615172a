/* SPDX-License-Identifier: MIT */
/*
 * Vector clock sweeps: proof of the obligations that the direct test left.
 * Obligations are grouped by the chain of `before`, 64 chains to a block.  One
 * sweep over the commands in order carries clocks of these 64 chains only, so
 * the cost is that of 64-entry vector clocks times the number of blocks,
 * independent of the number of lanes.  Where one block is not enough, paths.c
 * comes first, and leaves the tests of redundancy.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

#include "base/alloc.h"

#include <string.h>

/* Chains per sweep. */
enum { BLOCK = 64 };

struct sweep {
	plait__check *check;
	uint32_t *slot;		/* by chain: its number among those with
				 * obligations, or none */
	uint32_t slot_count;
	uint32_t *sorted;	/* obligations grouped by block */
	uint32_t *head;		/* by command: list of its obligations in this
				 * block */
	uint32_t *next;		/* by obligation */
	uint32_t *uses;		/* by command: outgoing edges */
	uint32_t *left;		/* by command: outgoing edges not yet visited */
	uint32_t *row;		/* by command: its clock, or none: all zero */
	uint32_t *rows;		/* clocks of BLOCK entries: link + 1 */
	uint64_t rows_bytes;
	uint32_t *references;	/* by row: reference count; a free row: the next
				 * free one */
	uint64_t references_bytes;
	uint32_t row_count;
	uint32_t row_free;
};

static uint32_t *entries(const struct sweep *s, uint32_t row)
{
	return s->rows + (size_t)row * BLOCK;
}

static plait_status grow(plait__check *check, uint32_t **array,
			 uint64_t *bytes, uint64_t need)
{
	uint64_t more = need + need / 2 + 4096;
	uint32_t *moved;

	if (need <= *bytes)
		return PLAIT_OK;
	moved = *array == NULL ? plait__alloc(check->allocator, more) :
		plait__realloc(check->allocator, *array, *bytes, more);
	if (moved == NULL)
		return plait__check_no_memory(check);
	*array = moved;
	*bytes = more;
	return PLAIT_OK;
}

static plait_status new_row(struct sweep *s, uint32_t *out)
{
	uint32_t row = s->row_free;

	if (row != PLAIT__NONE) {
		s->row_free = s->references[row];
	} else {
		row = s->row_count;
		if (grow(s->check, &s->rows, &s->rows_bytes, (row + 1ull) *
			 BLOCK * sizeof(uint32_t)) != PLAIT_OK ||
		    grow(s->check, &s->references, &s->references_bytes,
			 (row + 1ull) * sizeof(uint32_t)) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		s->row_count++;
	}
	memset(entries(s, row), 0, BLOCK * sizeof(uint32_t));
	s->references[row] = 1;
	*out = row;
	return PLAIT_OK;
}

/* The command's clock is not needed any more. */
static void drop_row(struct sweep *s, uint32_t c)
{
	uint32_t row = s->row[c];

	s->row[c] = PLAIT__NONE;
	if (row == PLAIT__NONE || --s->references[row] > 0)
		return;
	s->references[row] = s->row_free;
	s->row_free = row;
}

/* Returns the clock entry of a command's chain in this block, or none. */
static uint32_t slot_of(const struct sweep *s, uint32_t block, uint32_t c)
{
	uint32_t slot = s->slot[s->check->chain[c]];

	if (slot == PLAIT__NONE || slot / BLOCK != block)
		return PLAIT__NONE;
	return slot % BLOCK;
}

/* Merge the clock of `from`, a direct predecessor, and `from` itself into the
 * clock of c.  Rows are shared until they differ. */
static plait_status merge_clock(struct sweep *s, uint32_t block, uint32_t c,
				uint32_t from)
{
	uint32_t slot = slot_of(s, block, from), i, old, *a;
	const uint32_t *b;

	if (slot == PLAIT__NONE && s->row[from] == PLAIT__NONE)
		return PLAIT_OK;
	if (s->row[c] == s->row[from] && slot == PLAIT__NONE)
		return PLAIT_OK;
	if (s->row[c] == PLAIT__NONE && slot == PLAIT__NONE) {
		s->row[c] = s->row[from];
		s->references[s->row[c]]++;
		return PLAIT_OK;
	}
	old = s->row[c];
	if (old == PLAIT__NONE || s->references[old] > 1) {
		if (new_row(s, &s->row[c]) != PLAIT_OK)
			return PLAIT_E_NOMEM;
		if (old != PLAIT__NONE) {
			memcpy(entries(s, s->row[c]), entries(s, old),
			       BLOCK * sizeof(uint32_t));
			s->references[old]--;
		}
	}
	a = entries(s, s->row[c]);
	if (s->row[from] != PLAIT__NONE) {
		b = entries(s, s->row[from]);
		for (i = 0; i < BLOCK; i++)
			a[i] = a[i] > b[i] ? a[i] : b[i];
		s->check->report->clock_steps += BLOCK;
	}
	if (slot != PLAIT__NONE && a[slot] <= s->check->link[from])
		a[slot] = s->check->link[from] + 1;
	return PLAIT_OK;
}

/* `slot` is the entry of the chain in this block. */
static bool covers(const struct sweep *s, uint32_t c, uint32_t slot,
		   uint32_t link)
{
	return s->row[c] != PLAIT__NONE &&
	       entries(s, s->row[c])[slot] > link;
}

/* Returns true if another predecessor of c implies the wait for `before`. */
static bool is_redundant(const struct sweep *s, uint32_t c, uint32_t before,
			 uint32_t slot)
{
	const plait__check *check = s->check;
	uint32_t link = check->link[before], chain = check->chain[before], i;
	plait__obligations_edges e = plait__obligations_in_edges(check, c);

	if (plait__obligations_has_lane_pred(check, c) &&
	    covers(s, c - 1, slot, link))
		return true;
	for (i = e.first; i < e.last; i++) {
		uint32_t from = e.targets[i];

		if (from != before && (covers(s, from, slot, link) ||
				       (check->chain[from] == chain &&
					check->link[from] >= link)))
			return true;
	}
	return false;
}

/* The clock of c has all its predecessors, but not c itself. */
static plait_status prove(struct sweep *s, uint32_t c)
{
	plait__check *check = s->check;
	uint32_t i;

	for (i = s->head[c]; i != PLAIT__NONE; i = s->next[i]) {
		const plait__obligation *o = &check->obligations[i];
		uint32_t slot = s->slot[check->chain[o->before]] % BLOCK;

		if (o->why == PLAIT__OBLIGATION_REDUNDANT)
			check->report->redundant_waits +=
				is_redundant(s, c, o->before, slot);
		else if (!covers(s, c, slot, check->link[o->before]))
			return plait__obligations_fail(check, o->before, c,
						       o->why);
	}
	return PLAIT_OK;
}

/* `uses` has counted the edge. */
static void release(struct sweep *s, uint32_t from)
{
	if (--s->left[from] == 0)
		drop_row(s, from);
}

/* The predecessors of c that lie in the range are visited: `order` is
 * topological (deadlock.c). */
static plait_status visit(struct sweep *s, uint32_t block, uint32_t c)
{
	plait__obligations_edges e = plait__obligations_in_edges(s->check, c);
	bool lane = plait__obligations_has_lane_pred(s->check, c);
	plait_status status = PLAIT_OK;
	uint32_t i;

	if (lane)
		status = merge_clock(s, block, c, c - 1);
	for (i = e.first; i < e.last && status == PLAIT_OK; i++)
		status = merge_clock(s, block, c, e.targets[i]);
	if (status == PLAIT_OK)
		status = prove(s, c);
	if (status != PLAIT_OK)
		return status;
	if (lane)
		release(s, c - 1);
	for (i = e.first; i < e.last; i++)
		release(s, e.targets[i]);
	if (s->left[c] == 0)
		drop_row(s, c);
	return PLAIT_OK;
}

/* One sweep, over the range of `order` that its obligations span. */
static plait_status run_block(struct sweep *s, uint32_t block, uint32_t from,
			      uint32_t to)
{
	plait__check *check = s->check;
	uint32_t i, low = UINT32_MAX, high = 0, c;
	plait_status status = PLAIT_OK;

	for (i = from; i < to; i++) {
		const plait__obligation *o =
			&check->obligations[s->sorted[i]];

		s->next[s->sorted[i]] = s->head[o->after];
		s->head[o->after] = s->sorted[i];
		if (check->sequence[o->before] < low)
			low = check->sequence[o->before];
		if (check->sequence[o->after] > high)
			high = check->sequence[o->after];
	}
	s->row_free = PLAIT__NONE;
	s->row_count = 0;
	memcpy(s->left, s->uses,
	       check->plan->command_count * sizeof(uint32_t));
	for (i = low; i <= high && status == PLAIT_OK; i++)
		status = visit(s, block, check->plan->order[i]);
	for (i = low; i <= high; i++) {
		c = check->plan->order[i];
		s->row[c] = PLAIT__NONE;
		s->head[c] = PLAIT__NONE;
	}
	return status;
}

/* Number the chains that occur in obligations; group obligations by block. */
static plait_status sort_blocks(struct sweep *s, uint32_t **out_first,
				uint32_t *out_count)
{
	plait__check *check = s->check;
	uint32_t i, count, sum = 0, *first;

	for (i = 0; i < check->obligation_count; i++) {
		uint32_t *slot = &s->slot[check->chain[
			check->obligations[i].before]];

		if (*slot == PLAIT__NONE)
			*slot = s->slot_count++;
	}
	count = (s->slot_count + BLOCK - 1) / BLOCK;
	first = plait__check_alloc(check, count + 1ull, sizeof(uint32_t));
	if (first == NULL)
		return plait__check_no_memory(check);
	for (i = 0; i < check->obligation_count; i++)
		first[s->slot[check->chain[check->obligations[i].before]] /
		      BLOCK]++;
	for (i = 0; i <= count; i++) {
		sum += first[i];
		first[i] = sum;
	}
	for (i = check->obligation_count; i-- > 0;)
		s->sorted[--first[s->slot[check->chain[
			check->obligations[i].before]] / BLOCK]] = i;
	*out_first = first;
	*out_count = count;
	return PLAIT_OK;
}

static plait_status begin_sweeps(struct sweep *s, plait__check *check)
{
	uint64_t commands = check->plan->command_count;
	uint32_t c, i;

	memset(s, 0, sizeof(*s));
	s->check = check;
	s->slot = plait__check_alloc(check, check->chain_count,
				     sizeof(uint32_t));
	s->sorted = plait__check_alloc(check, check->obligation_count,
				       sizeof(uint32_t));
	s->next = plait__check_alloc(check, check->obligation_count,
				     sizeof(uint32_t));
	s->head = plait__check_alloc(check, commands, sizeof(uint32_t));
	s->uses = plait__check_alloc(check, commands, sizeof(uint32_t));
	s->left = plait__check_alloc(check, commands, sizeof(uint32_t));
	s->row = plait__check_alloc(check, commands, sizeof(uint32_t));
	if (s->slot == NULL || s->sorted == NULL || s->next == NULL ||
	    s->head == NULL || s->uses == NULL || s->left == NULL ||
	    s->row == NULL)
		return plait__check_no_memory(check);
	memset(s->slot, 0xff, check->chain_count * sizeof(uint32_t));
	memset(s->head, 0xff, commands * sizeof(uint32_t));
	memset(s->row, 0xff, commands * sizeof(uint32_t));
	for (c = 0; c < commands; c++) {
		plait__obligations_edges e =
			plait__obligations_in_edges(check, c);

		if (plait__obligations_has_lane_pred(check, c))
			s->uses[c - 1]++;
		for (i = e.first; i < e.last; i++)
			s->uses[e.targets[i]]++;
	}
	return PLAIT_OK;
}

/* Chains that occur in obligations. */
static uint32_t count_chains(plait__check *check, bool *met)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < check->obligation_count; i++) {
		bool *chain = &met[check->chain[check->obligations[i].before]];

		count += !*chain;
		*chain = true;
	}
	return count;
}

plait_status plait__clock_sweeps_run(plait__check *check)
{
	uint32_t *first = NULL, count = 0, b;
	plait_status status = PLAIT_OK;
	struct sweep s;
	bool *met;

	if (check->obligation_count == 0)
		return PLAIT_OK;
	met = plait__check_alloc(check, check->chain_count, sizeof(*met));
	if (met == NULL)
		return plait__check_no_memory(check);
	if (count_chains(check, met) > BLOCK)
		status = plait__paths_prove(check);
	if (status != PLAIT_OK || check->obligation_count == 0)
		return status;
	status = begin_sweeps(&s, check);
	if (status == PLAIT_OK)
		status = sort_blocks(&s, &first, &count);
	for (b = 0; b < count && status == PLAIT_OK; b++)
		status = run_block(&s, b, first[b], first[b + 1]);
	plait__free(check->allocator, s.rows, s.rows_bytes);
	plait__free(check->allocator, s.references, s.references_bytes);
	return status;
}
