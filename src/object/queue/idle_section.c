/* SPDX-License-Identifier: MIT */
/*
 * Idle sections: fast path for an external section entered while its queue is
 * idle. The queue only records the section in `idle_section`, and most are left
 * before a command follows. The leaving thread first tries without the lock;
 * all else happens under it:
 *
 *     enter:   store the section
 *     leave:   compare-and-swap from the section to null, without raising its
 *              gate; if the section is marked, the same under the lock, unless
 *              the word is null by now
 *     submit:  mark the section; submit a wait for its gate in front of the
 *              commands; then store null
 *
 * So either the leaving thread sees that a command waits for the gate, or the
 * submitting thread sees that it need not wait. A failed section stays, since
 * the next commands must not run; so does a queue that its user has released
 * before the section is left.
 */
#include "object/queue/idle_section.h"

#include "object/queue/entered_sections.h"
#include "object/queue/queue_state.h"

#include "pool/time_slice.h"
#include "sys/clock.h"

/* Set by a thread that has the lock and will rely on the section. */
enum { MARK = 1 };

static plait__section *section_of(void *word)
{
	return (plait__section *)((uintptr_t)word & ~(uintptr_t)MARK);
}

/* Caller holds the lock, and the section is marked or the caller's to leave. */
static plait__section *current(plait__queue *queue)
{
	return section_of(at_load_relaxed_ptr(&queue->idle_section));
}

static void forget(plait__queue *queue)
{
	/* Relaxed: a reader has the lock, or finds that the word is not its
	 * section. */
	at_store_relaxed_ptr(&queue->idle_section, NULL);
}

plait__section *plait__idle_section_pin(plait__queue *queue)
{
	/* Acquire, also in the failing compare: pairs with leave. */
	void *word = at_load_acquire_ptr(&queue->idle_section);
	plait__section *section = section_of(word);

	if (word == NULL || word != section)
		return section;
	return at_cas_ptr(&queue->idle_section, &word, (char *)word + MARK) ?
		       section :
		       NULL;
}

bool plait__idle_section_enter(plait__section *section)
{
	plait__queue *queue = section->queue;
	bool clear;

	plait__mutex_lock(&queue->lock);
	clear = plait__queue_is_clear(queue);
	if (clear) {
		section->sequence = plait__queue_submitted(queue);
		/* Relaxed: the entering thread leaves; others take the lock. */
		at_store_relaxed_ptr(&queue->idle_section, section);
	}
	plait__mutex_unlock(&queue->lock);
	section->was_idle = clear;
	return clear;
}

/* Caller holds the lock. */
static void keep_failed(plait__queue *queue, plait__section *section)
{
	plait__object_hold(&section->object);
	queue->idle_section_failed = true;
}

/* The section was marked, or has failed.  Returns true if no command waits for
 * its gate, and it has not failed. */
static bool leave_locked(plait__section *section, bool failed)
{
	plait__queue *queue = section->queue;
	bool unseen;
	bool held;

	plait__mutex_lock(&queue->lock);
	plait__entered_sections_remove(section);
	unseen = current(queue) == section;
	if (unseen && failed)
		keep_failed(queue, section);
	else if (unseen)
		forget(queue);
	held = queue->idle_section_holds_queue;
	queue->idle_section_holds_queue = false;
	plait__mutex_unlock(&queue->lock);
	/* The leaving thread may be one that must not call slots. */
	if (held)
		plait__object_drop_deferred(&queue->object);
	return unseen && !failed;
}

bool plait__idle_section_leave(plait__section *section, bool failed)
{
	void *unseen = section;

	/* Release: a thread that reads null sees what was done in the
	 * section. */
	if (!failed && at_cas_ptr(&section->queue->idle_section, &unseen, NULL))
		return true;
	return leave_locked(section, failed);
}

/* Keep the queue until the section is left: its backend may fail to say how far
 * the queue is. Caller holds the lock. */
static void hold_queue(plait__queue *queue)
{
	if (queue->idle_section_holds_queue)
		return;
	queue->idle_section_holds_queue = true;
	plait__object_hold(&queue->object);
}

void plait__idle_section_submitted(plait__queue *queue)
{
	plait__section *section = current(queue);

	forget(queue);
	/* Not the last hold: the in-flight ring has one. */
	if (queue->idle_section_failed) {
		plait__object_drop_deferred(&section->object);
	} else {
		hold_queue(queue);
		plait__entered_sections_add(section, true);
	}
	queue->idle_section_failed = false;
}

void plait__idle_section_abandon(plait__queue *queue)
{
	if (plait__idle_section_pin(queue) == NULL ||
	    queue->idle_section_failed)
		return;
	hold_queue(queue);
}

/* ---- help ---- */

struct helper {
	bool (*help)(void *arg);
	void *arg;
	plait__object *owner;	/* held */
};

/* Returns false if there is no section, or nothing that can help it. */
static bool find_helper(plait__queue *queue, struct helper *out)
{
	plait__section *section;

	plait__mutex_lock(&queue->lock);
	section = plait__idle_section_pin(queue);
	/* A section that has failed was left. */
	if (section != NULL && !queue->idle_section_failed &&
	    section->help != NULL) {
		*out = (struct helper){ section->help, section->arg,
					section->owner };
		plait__object_hold(out->owner);
	}
	plait__mutex_unlock(&queue->lock);
	return out->help != NULL;
}

static void drop_owner(void *arg)
{
	plait__object_drop(((struct helper *)arg)->owner);
}

void plait__idle_section_help(plait__queue *queue, uint64_t deadline_ns)
{
	struct helper helper = { .help = NULL };
	uint64_t limit_ns;

	if (!plait__idle_section_exists(queue) || !find_helper(queue, &helper))
		return;
	PLAIT__THREAD_SCOPE helps = { drop_owner, &helper };
	limit_ns = plait__time_slice_enter(deadline_ns);
	while (plait__idle_section_exists(queue) &&
	       plait__clock_left_ns(deadline_ns) != 0 &&
	       helper.help(helper.arg))
		continue;
	plait__time_slice_leave(limit_ns);
	plait__thread_scope_end(&helps);
	drop_owner(&helper);
}

void plait__idle_section_drop(plait__queue *queue)
{
	if (queue->idle_section_failed)
		plait__object_drop(&current(queue)->object);
}
