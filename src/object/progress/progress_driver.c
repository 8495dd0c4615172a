/* SPDX-License-Identifier: MIT */
/* The role of driving, and the thread that takes it; see progress_driver.h. */
#include "object/progress/progress_driver.h"

#include "object/context/context.h"

#include "base/error.h"
#include "sys/clock.h"

enum {
	OVER = 0,		/* or not begun: zeroed memory */
	IDLE = 1,
	READY = 2,		/* in one of the lists */
	DRIVEN = 3,
	AGAIN = 4		/* driven, and told meanwhile */
};

/* How long to sleep where nobody tells. */
enum { LOOK_NS = 1000000 };

/* ---- lists; the lock is held ---- */

static void append(plait__piloted_list *list, plait__piloted *piloted)
{
	piloted->next = NULL;
	if (list->first == NULL)
		list->first = piloted;
	else
		list->last->next = piloted;
	list->last = piloted;
}

static plait__piloted *take_first(plait__piloted_list *list)
{
	plait__piloted *first = list->first;

	if (first != NULL)
		list->first = first->next;
	return first;
}

static void make_ready(plait__pilot *pilot, plait__piloted *piloted)
{
	piloted->state = READY;
	append(&pilot->ready, piloted);
	at_add_u32(&pilot->ready_count, 1);
}

/* ---- telling ---- */

static void wake(plait__context *context)
{
	plait__pilot *pilot = &context->pilot;

	at_add_u32(&pilot->kicks, 1);
	plait__event_notify(&pilot->event);
	plait__event_notify(&context->pulse);
}

void plait__pilot_begin(plait__context *context, plait__piloted *piloted)
{
	plait__pilot *pilot = &context->pilot;

	plait__mutex_lock(&pilot->lock);
	at_add_u32(&pilot->active, 1);
	make_ready(pilot, piloted);
	plait__mutex_unlock(&pilot->lock);
	wake(context);
}

void plait__pilot_expect(plait__context *context)
{
	at_add_u32(&context->pilot.active, 1);
}

void plait__pilot_forget(plait__context *context)
{
	at_sub_u32(&context->pilot.active, 1);
}

void plait__pilot_note_down(plait__context *context, plait__pilot_note *note,
			    plait_status status)
{
	plait__pilot *pilot = &context->pilot;
	plait__piloted *whose = note->whose;

	plait__mutex_lock(&pilot->lock);
	note->status = status;
	note->next = NULL;
	if (whose->notes == NULL)
		whose->notes = note;
	else
		whose->last_note->next = note;
	whose->last_note = note;
	if (whose->state == IDLE)
		make_ready(pilot, whose);
	else if (whose->state == DRIVEN)
		whose->state = AGAIN;
	/* Who drives it may be through with it from here on. */
	plait__mutex_unlock(&pilot->lock);
	wake(context);
}

plait__pilot_note *plait__pilot_read(plait__context *context,
				     plait__piloted *piloted)
{
	plait__pilot_note *notes;

	plait__mutex_lock(&context->pilot.lock);
	notes = piloted->notes;
	piloted->notes = NULL;
	plait__mutex_unlock(&context->pilot.lock);
	return notes;
}

/* ---- driving ---- */

/* What was told first, else what nobody tells of; or null. */
static plait__piloted *take(plait__pilot *pilot, bool *out_told)
{
	plait__piloted *taken;

	plait__mutex_lock(&pilot->lock);
	taken = take_first(&pilot->ready);
	*out_told = taken != NULL;
	if (taken != NULL)
		at_sub_u32(&pilot->ready_count, 1);
	else
		taken = take_first(&pilot->looking);
	if (taken != NULL && !*out_told)
		at_sub_u32(&pilot->looking_count, 1);
	if (taken != NULL)
		taken->state = DRIVEN;
	plait__mutex_unlock(&pilot->lock);
	return taken;
}

static void note_tries(plait__pilot *pilot, plait__piloted *piloted,
		       uint32_t left)
{
	bool tries = left == PLAIT__PILOT_TRIES;

	if (tries && !piloted->tries)
		at_add_u32(&pilot->trying_count, 1);
	else if (!tries && piloted->tries)
		at_sub_u32(&pilot->trying_count, 1);
	piloted->tries = tries;
}

static bool looks(uint32_t left)
{
	return left == PLAIT__PILOT_LOOKS || left == PLAIT__PILOT_TRIES;
}

/* True: somebody has to look at it, who may sleep: this thread may go away. */
static bool put_back(plait__pilot *pilot, plait__piloted *piloted,
		     uint32_t left, bool told)
{
	bool wanted = false;

	plait__mutex_lock(&pilot->lock);
	note_tries(pilot, piloted, left);
	if (left == PLAIT__PILOT_OVER) {
		piloted->state = OVER;
	} else if (piloted->state == AGAIN) {
		make_ready(pilot, piloted);
		wanted = true;
	} else if (looks(left)) {
		wanted = told;
		piloted->state = READY;
		append(&pilot->looking, piloted);
		at_add_u32(&pilot->looking_count, 1);
	} else {
		piloted->state = IDLE;
	}
	plait__mutex_unlock(&pilot->lock);
	return wanted;
}

bool plait__pilot_drive(plait__context *context)
{
	plait__pilot *pilot = &context->pilot;
	plait__piloted *piloted;
	uint32_t left;
	bool told;

	if (!plait__pilot_has_ready(pilot) && !plait__pilot_has_looking(pilot))
		return false;
	piloted = take(pilot, &told);
	if (piloted == NULL)
		return false;
	left = piloted->turn(piloted);
	/* It may have submitted what waits for a thread that pumps. */
	plait__event_notify(&context->pulse);
	if (put_back(pilot, piloted, left, told))
		wake(context);
	if (left == PLAIT__PILOT_OVER) {
		piloted->over(piloted);
		/* Not before a queue that waits for the end was told. */
		plait__pilot_forget(context);
	}
	return told || !looks(left);
}

/* Out of the list of those that nobody tells of, if it is in there. */
static bool unlink_looking(plait__pilot *pilot, plait__piloted *piloted)
{
	plait__piloted *before = NULL, *at = pilot->looking.first;

	while (at != NULL && at != piloted) {
		before = at;
		at = at->next;
	}
	if (at == NULL)
		return false;
	if (before == NULL)
		pilot->looking.first = at->next;
	else
		before->next = at->next;
	if (pilot->looking.last == at)
		pilot->looking.last = before;
	at_sub_u32(&pilot->looking_count, 1);
	return true;
}

bool plait__pilot_visit(plait__context *context, plait__piloted *piloted,
			void (*look)(plait__piloted *piloted, void *arg),
			void *arg)
{
	plait__pilot *pilot = &context->pilot;
	uint32_t left = PLAIT__PILOT_WAITS;
	bool mine;

	plait__mutex_lock(&pilot->lock);
	mine = piloted->state == IDLE;
	if (piloted->state == READY && unlink_looking(pilot, piloted)) {
		mine = true;
		left = piloted->tries ? PLAIT__PILOT_TRIES :
					PLAIT__PILOT_LOOKS;
	}
	if (mine)
		piloted->state = DRIVEN;
	plait__mutex_unlock(&pilot->lock);
	if (!mine)
		return false;
	look(piloted, arg);
	if (put_back(pilot, piloted, left, true))
		wake(context);
	return true;
}

/* ---- the thread ---- */

struct kicked {
	plait__pilot *pilot;
	uint32_t seen;
};

static bool is_kicked(void *arg)
{
	const struct kicked *kicked = arg;

	return at_load_acquire_u32(&kicked->pilot->kicks) != kicked->seen;
}

static void serve(void *arg)
{
	plait__context *context = arg;
	plait__pilot *pilot = &context->pilot;
	struct kicked kicked = { .pilot = pilot };

	for (;;) {
		uint64_t until_ns = PLAIT__CLOCK_NEVER;

		kicked.seen = at_load_acquire_u32(&pilot->kicks);
		/* Acquire: pairs with the store in stop. */
		if (at_load_acquire_u32(&pilot->stop) != 0)
			return;
		while (plait__pilot_drive(context))
			continue;
		if (plait__pilot_has_looking(pilot))
			until_ns = plait__clock_deadline(LOOK_NS);
		(void)plait__event_await(&pilot->event, is_kicked, &kicked,
					 until_ns, PLAIT__WAIT_SLEEP);
	}
}

plait_status plait__pilot_start(plait__context *context, plait_error *error)
{
	plait__pilot *pilot = &context->pilot;
	bool running;

	plait__mutex_lock(&pilot->starting);
	if (!pilot->running)
		pilot->running = plait__thread_start(&pilot->thread,
						     "plait/pilot", serve,
						     context, NULL) == 0;
	running = pilot->running;
	plait__mutex_unlock(&pilot->starting);
	return running ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_NOMEM,
			   "no thread to drive plans on queues");
}

void plait__pilot_stop(plait__context *context)
{
	plait__pilot *pilot = &context->pilot;

	if (!pilot->running)
		return;
	at_store_release_u32(&pilot->stop, 1);
	at_add_u32(&pilot->kicks, 1);
	plait__event_notify(&pilot->event);
	plait__thread_join(&pilot->thread);
}
