/* SPDX-License-Identifier: MIT */
/* Table of failed ops and their causes; see outcomes.h. */
#include "flow/lanes/outcomes.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* A cancellation, and one op: with these it is still half empty. */
enum { CAPACITY_LEAST = 4 };

/* Tasks between two looks for entries to drop, at least: a look visits all fronts. */
enum { LOOK_TASKS = 1 << 16 };

/* ---- table ---- */

static uint64_t place_of(uint64_t number, uint64_t capacity)
{
	return (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (capacity - 1);
}

/* The entry of the number, or the free one where it belongs. */
static plait__outcome *find(plait__outcome *entries, uint64_t capacity,
			    uint64_t number)
{
	uint64_t i = place_of(number, capacity);

	while (entries[i].number != 0 && entries[i].number != number)
		i = (i + 1) & (capacity - 1);
	return &entries[i];
}

/* Caller holds the lock. */
static plait__cause *cause_of(plait__outcomes *outcomes, uint64_t number)
{
	const plait__op *op = plait__op_at(&outcomes->ring, number);

	if (op->cause != NULL && op->failed == number)
		return op->cause;
	return find(outcomes->entries, outcomes->capacity, number)->cause;
}

/* Caller holds the lock. */
static void add_to_count(plait__outcomes *outcomes, uint64_t by)
{
	uint64_t count = at_load_relaxed_u64(&outcomes->count);

	/* Relaxed: the word of the op orders it. */
	at_store_relaxed_u64(&outcomes->count, count + by);
}

/* Caller holds the lock. */
static void put_in_table(plait__outcomes *outcomes, uint64_t number,
			 plait__cause *cause)
{
	*find(outcomes->entries, outcomes->capacity, number) =
		(plait__outcome){ .number = number, .cause = cause };
	outcomes->entry_count++;
}

/* Store the cause of an op that has an entry of the ring.  Caller holds the
 * lock. */
static void put(plait__outcomes *outcomes, uint64_t number,
		plait__cause *cause)
{
	plait__op *op = plait__op_at(&outcomes->ring, number);

	if (op->cause != NULL)
		return;
	op->cause = cause;
	op->failed = number;
	add_to_count(outcomes, 1);
}

bool plait__outcomes_init(plait__outcomes *outcomes,
			  const plait_allocator *allocator,
			  const plait__op_ring *ring)
{
	outcomes->allocator = allocator;
	outcomes->ring = *ring;
	outcomes->capacity = CAPACITY_LEAST;
	outcomes->entries = plait__alloc_array(allocator, outcomes->capacity,
					       sizeof(*outcomes->entries));
	outcomes->unknown.why.size = sizeof(outcomes->unknown.why);
	plait__fail(&outcomes->unknown.why, PLAIT_E_NOMEM,
		    "a task failed, and there was no memory for its error");
	outcomes->unknown.told = true;
	return outcomes->entries != NULL;
}

void plait__outcomes_fini(plait__outcomes *outcomes)
{
	plait__cause *next;

	for (plait__cause *at = outcomes->causes; at != NULL; at = next) {
		next = at->next;
		plait__free(outcomes->allocator, at, sizeof(*at));
	}
	plait__free(outcomes->allocator, outcomes->entries,
		    outcomes->capacity * sizeof(*outcomes->entries));
	outcomes->entries = NULL;
}

/* ---- the failing threads ---- */

static void write_text(plait__cause *cause, const char *label,
		       const plait_error *why)
{
	unsigned long long number = cause->number;

	cause->why.size = sizeof(cause->why);
	(void)plait__error_copy(&cause->why, why);
	if (label != NULL)
		plait__error_prefix(&cause->why, "task %llu \"%.40s\" ",
				    number, label);
	else
		plait__error_prefix(&cause->why, "task %llu ", number);
}

/* Caller holds the lock. */
static void add_cause(plait__outcomes *outcomes, plait__cause *cause)
{
	cause->told = outcomes->untold >= PLAIT__OUTCOMES_UNTOLD;
	outcomes->untold += !cause->told;
	cause->next = outcomes->causes;
	outcomes->causes = cause;
}

static plait__cause *new_cause(plait__outcomes *outcomes, uint64_t number)
{
	plait__cause *cause = plait__alloc(outcomes->allocator,
					   sizeof(*cause));

	if (cause != NULL)
		cause->number = number;
	return cause;
}

void plait__outcomes_fail(plait__outcomes *outcomes, uint64_t number,
			  const char *label, const plait_error *why)
{
	plait__cause *cause = new_cause(outcomes, number);

	if (cause != NULL)
		write_text(cause, label, why);
	plait__mutex_lock(&outcomes->lock);
	if (cause != NULL)
		add_cause(outcomes, cause);
	put(outcomes, number, cause != NULL ? cause : &outcomes->unknown);
	plait__mutex_unlock(&outcomes->lock);
}

bool plait__outcomes_cancel(plait__outcomes *outcomes, uint64_t number)
{
	plait__cause *cause = new_cause(outcomes, number);

	if (cause == NULL)
		return false;
	cause->why.size = sizeof(cause->why);
	plait__fail(&cause->why, PLAIT_E_CANCELLED,
		    "cancelled, with all tasks of its flow");
	plait__mutex_lock(&outcomes->lock);
	add_cause(outcomes, cause);
	put_in_table(outcomes, number, cause);
	add_to_count(outcomes, 1);
	plait__mutex_unlock(&outcomes->lock);
	return true;
}

bool plait__outcomes_follow(plait__outcomes *outcomes, uint64_t pred,
			    uint64_t number)
{
	plait__cause *cause;

	plait__mutex_lock(&outcomes->lock);
	cause = cause_of(outcomes, pred);
	if (cause != NULL)
		put(outcomes, number, cause);
	plait__mutex_unlock(&outcomes->lock);
	return cause != NULL;
}

/* ---- the waiting threads ---- */

bool plait__outcomes_has(plait__outcomes *outcomes, uint64_t number)
{
	bool has;

	if (plait__outcomes_are_clean(outcomes))
		return false;
	plait__mutex_lock(&outcomes->lock);
	has = cause_of(outcomes, number) != NULL;
	plait__mutex_unlock(&outcomes->lock);
	return has;
}

bool plait__outcomes_is_cause(plait__outcomes *outcomes, uint64_t number)
{
	const plait__cause *cause;
	bool is_cause;

	if (plait__outcomes_are_clean(outcomes))
		return false;
	plait__mutex_lock(&outcomes->lock);
	cause = cause_of(outcomes, number);
	is_cause = cause != NULL && cause->number == number;
	plait__mutex_unlock(&outcomes->lock);
	return is_cause;
}

/* Caller holds the lock. */
static plait_status tell(plait__outcomes *outcomes, plait__cause *cause,
			 plait_error *error)
{
	outcomes->untold -= !cause->told;
	cause->told = true;
	return plait__error_copy(error, &cause->why);
}

static plait_status answer(plait__outcomes *outcomes, uint64_t number,
			   bool tells, plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__cause *cause;

	if (plait__outcomes_are_clean(outcomes))
		return PLAIT_OK;
	plait__mutex_lock(&outcomes->lock);
	cause = cause_of(outcomes, number);
	if (cause != NULL) {
		status = tells ? tell(outcomes, cause, error) :
				 plait__error_copy(error, &cause->why);
		if (cause->number != number)
			plait__error_prefix(error, "not run: ");
	}
	plait__mutex_unlock(&outcomes->lock);
	return status;
}

plait_status plait__outcomes_tell(plait__outcomes *outcomes, uint64_t number,
				  plait_error *error)
{
	return answer(outcomes, number, true, error);
}

plait_status plait__outcomes_peek(plait__outcomes *outcomes, uint64_t number,
				  plait_error *error)
{
	return answer(outcomes, number, false, error);
}

plait_status plait__outcomes_tell_first(plait__outcomes *outcomes,
					plait_error *error)
{
	plait_status status = PLAIT_OK;
	plait__cause *first = NULL;

	if (plait__outcomes_are_clean(outcomes))
		return PLAIT_OK;
	plait__mutex_lock(&outcomes->lock);
	for (plait__cause *at = outcomes->causes; at != NULL; at = at->next)
		if (!at->told && (first == NULL || at->number < first->number))
			first = at;
	if (first != NULL)
		status = tell(outcomes, first, error);
	plait__mutex_unlock(&outcomes->lock);
	return status;
}

/* ---- the submitter ---- */

static void free_unused_causes(plait__outcomes *outcomes)
{
	plait__cause **link = &outcomes->causes;

	while (*link != NULL) {
		plait__cause *cause = *link;

		if (cause->used || !cause->told) {
			cause->used = false;
			link = &cause->next;
			continue;
		}
		*link = cause->next;
		plait__free(outcomes->allocator, cause, sizeof(*cause));
	}
}

void plait__outcomes_keep(plait__outcomes *outcomes, uint64_t number)
{
	find(outcomes->entries, outcomes->capacity, number)->used = true;
}

/* Drop the entries that were not kept; returns the number of the others. */
static uint64_t count_kept(plait__outcomes *outcomes)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < outcomes->capacity; i++) {
		plait__outcome *entry = &outcomes->entries[i];

		if (!entry->used)
			entry->cause = NULL;
		entry->used = false;
		kept += entry->number != 0 && entry->cause != NULL;
	}
	return kept;
}

/* Caller holds the lock. */
static void move_kept(plait__outcomes *outcomes, plait__outcome *entries,
		      uint64_t capacity)
{
	for (uint64_t i = 0; i < outcomes->capacity; i++) {
		const plait__outcome *entry = &outcomes->entries[i];

		if (entry->number == 0 || entry->cause == NULL)
			continue;
		entry->cause->used = true;
		*find(entries, capacity, entry->number) = *entry;
	}
	plait__free(outcomes->allocator, outcomes->entries,
		    outcomes->capacity * sizeof(*entries));
	outcomes->entries = entries;
	outcomes->capacity = capacity;
}

static uint64_t window_of(const plait__outcomes *outcomes)
{
	return outcomes->ring.mask + 1;
}

/* Caller holds the lock. */
static void use_causes_of_ring(plait__outcomes *outcomes)
{
	for (uint64_t i = 0; i < window_of(outcomes); i++)
		if (outcomes->ring.ops[i].cause != NULL)
			outcomes->ring.ops[i].cause->used = true;
}

/* Caller holds the lock. */
static bool rebuild(plait__outcomes *outcomes, void (*visit)(void *arg),
		    void *arg)
{
	uint64_t capacity = 4 * window_of(outcomes), kept;
	plait__outcome *entries;

	visit(arg);
	kept = count_kept(outcomes);
	while (capacity < 2 * (kept + window_of(outcomes)))
		capacity *= 2;
	entries = plait__alloc_array(outcomes->allocator, capacity,
				     sizeof(*entries));
	if (entries == NULL)
		return false;
	move_kept(outcomes, entries, capacity);
	use_causes_of_ring(outcomes);
	outcomes->unknown.used = false;
	free_unused_causes(outcomes);
	add_to_count(outcomes, kept - outcomes->entry_count);
	outcomes->entry_count = kept;
	outcomes->reserved = 0;
	return true;
}

/* Caller holds the lock.  Flows without failures are faster, so old ones are dropped
 * long before the table is full. */
static bool must_rebuild(plait__outcomes *outcomes)
{
	const uint64_t window = window_of(outcomes);

	outcomes->reserved++;
	return outcomes->entry_count + window > outcomes->capacity / 2 ||
	       (outcomes->entry_count > 0 && outcomes->reserved > window &&
		outcomes->reserved > LOOK_TASKS);
}

bool plait__outcomes_reserve(plait__outcomes *outcomes,
			     void (*visit)(void *arg), void *arg)
{
	bool made = true;

	if (plait__outcomes_are_clean(outcomes))
		return true;
	plait__mutex_lock(&outcomes->lock);
	if (must_rebuild(outcomes))
		made = rebuild(outcomes, visit, arg);
	plait__mutex_unlock(&outcomes->lock);
	return made;
}

void plait__outcomes_retire(plait__outcomes *outcomes, plait__op *op)
{
	plait__mutex_lock(&outcomes->lock);
	put_in_table(outcomes, op->failed, op->cause);
	op->cause = NULL;
	plait__mutex_unlock(&outcomes->lock);
}
