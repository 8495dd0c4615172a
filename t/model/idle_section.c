/* SPDX-License-Identifier: MIT */
/*
 * External sections on idle queues, which are not submitted, under every
 * interleaving of their end with the commands behind them: none of these goes
 * on too early, waits for a gate that is never raised, or runs after a failure;
 * the queue is held until the section ends, and no longer.  idle_section.c as
 * it is; the part of submission.c is here.
 */
#include "lib/tap.h"

#include "mc.h"
#include "mc_tap.h"
#include "object/queue/entered_sections.h"
#include "object/queue/idle_section.h"
#include "object/queue/queue_state.h"
#include "sys/clock.h"

#include <string.h>

enum { SECTIONS = 2, RAISED = 1, FAILED = 2 };

static plait__queue *queue;
static plait__section sections[SECTIONS];
static at_u32 gates[SECTIONS];
static struct plait__eventcount gate_event;
static at_u32 queue_holds, section_holds, owner_holds;
static plait__object owner; /* of the first section's work */
static uint32_t payload;
static uint32_t in_flight; /* guarded by the queue's lock */
static bool fails, enters, submits;
/* The thread behind the run first helps it, or has a submission refused. */
static enum { NOTHING, HELPS, IS_REFUSED } before;

/* --- the other functions that idle_section.c is linked with */

bool plait__queue_poll_clear(plait__queue *of)
{
	return !plait__idle_section_exists(of) && AT_PLAIN_READ(in_flight) == 0;
}

void plait__object_hold(plait__object *object)
{
	if (object == &owner) {
		MC_CHECK(at_add_u32(&owner_holds, 1) > 0);
		return;
	}
	at_add_u32(object == &queue->object ? &queue_holds : &section_holds, 1);
}

void plait__object_drop(plait__object *object)
{
	if (object == &owner) {
		MC_CHECK(at_sub_u32(&owner_holds, 1) > 0);
		return;
	}
	if (object != &queue->object) {
		MC_CHECK(at_sub_u32(&section_holds, 1) > 0);
		return;
	}
	if (at_sub_u32(&queue_holds, 1) > 1)
		return;
	plait__idle_section_drop(queue);
	mc_free(queue);
}

void plait__object_drop_deferred(plait__object *object)
{
	plait__object_drop(object);
}

void plait__entered_sections_add(plait__section *section, bool first)
{
	MC_CHECK(first && !section->is_entered);
	section->is_entered = true;
}

void plait__entered_sections_remove(plait__section *section)
{
	section->is_entered = false;
}

uint64_t plait__clock_until(uint64_t deadline_ns)
{
	return deadline_ns;
}

/* --- the run, and the commands behind it */

static void leave(uint32_t which, bool failed)
{
	if (plait__idle_section_leave(&sections[which], failed))
		return;
	/* Release: pairs with the load in is_raised. */
	at_store_release_u32(&gates[which], failed ? FAILED : RAISED);
	plait__eventcount_notify(&gate_event);
}

static bool is_raised(void *arg)
{
	return at_load_acquire_u32(arg) != 0;
}

/* A thread that waits for the queue may execute the work while it holds the
 * owner. */
static bool help(void *arg)
{
	MC_CHECK(arg == &sections[0]);
	MC_CHECK(at_load_relaxed_u32(&owner_holds) > 0);
	return false;
}

/* A submission that the backend rejects. */
static void be_refused(void)
{
	plait__mutex_lock(&queue->lock);
	(void)plait__idle_section_pin(queue);
	plait__mutex_unlock(&queue->lock);
}

/* Returns true if the command runs.  As run_with in submission.c, then as the
 * backend. */
static bool run_behind(void)
{
	plait__section *section;
	bool runs = true;

	plait__mutex_lock(&queue->lock);
	section = plait__idle_section_pin(queue);
	if (section != NULL) {
		plait__object_hold(&section->object);
		AT_PLAIN_WRITE(in_flight) = AT_PLAIN_READ(in_flight) + 1;
		plait__idle_section_submitted(queue);
	}
	plait__mutex_unlock(&queue->lock);
	if (section == NULL)
		return runs;
	(void)plait__eventcount_await(&gate_event, is_raised,
				      &gates[section - sections], UINT64_MAX,
				      PLAIT__BACKOFF_SLEEP);
	runs = at_load_acquire_u32(&gates[section - sections]) == RAISED;
	plait__mutex_lock(&queue->lock);
	AT_PLAIN_WRITE(in_flight) = AT_PLAIN_READ(in_flight) - 1;
	plait__mutex_unlock(&queue->lock);
	plait__object_drop(&section->object);
	return runs;
}

/* Another run: on an idle queue too, if the first one has finished. */
static void enter_behind(void)
{
	if (plait__idle_section_enter(&sections[1])) {
		MC_CHECK(!fails);
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
		leave(1, false);
	} else if (run_behind()) {
		MC_CHECK(!fails);
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
	}
}

static void submit_behind(void)
{
	bool runs = run_behind();

	MC_CHECK(runs != fails);
	if (runs)
		MC_CHECK(AT_PLAIN_READ(payload) == 1);
}

/* The user releases the queue. */
static void close_queue(void)
{
	plait__mutex_lock(&queue->lock);
	plait__idle_section_abandon(queue);
	plait__mutex_unlock(&queue->lock);
	plait__object_drop(&queue->object);
}

static void run(uint32_t self)
{
	if (self == 0) {
		AT_PLAIN_WRITE(payload) = 1;
		leave(0, fails);
		plait__object_drop(&owner);
		return;
	}
	if (before == IS_REFUSED)
		be_refused();
	if (before == HELPS)
		plait__idle_section_help(queue, PLAIT__CLOCK_NEVER);
	if (enters)
		enter_behind();
	if (submits && !(enters && fails))
		submit_behind();
	close_queue();
}

static void begin(void)
{
	fails = mc_choose(2) != 0;
	enters = mc_choose(2) != 0;
	submits = mc_choose(2) != 0;
	before = mc_choose(3);
	queue = mc_alloc(sizeof(*queue));
	memset(queue, 0, sizeof(*queue));
	plait__mutex_init(&queue->lock);
	memset(sections, 0, sizeof(sections));
	for (uint32_t i = 0; i < SECTIONS; i++) {
		sections[i].queue = queue;
		at_init_u32(&gates[i], 0);
	}
	sections[0].help = help;
	sections[0].arg = &sections[0];
	sections[0].owner = &owner;
	at_init_u32(&owner_holds, 1);
	plait__eventcount_init(&gate_event, 0);
	at_init_u32(&queue_holds, 1);
	at_init_u32(&section_holds, 0);
	AT_PLAIN_WRITE(payload) = 0;
	AT_PLAIN_WRITE(in_flight) = 0;
	MC_CHECK(plait__idle_section_enter(&sections[0]));
}

static void end(void)
{
	MC_CHECK(at_load_relaxed_u32(&queue_holds) == 0);
	MC_CHECK(at_load_relaxed_u32(&section_holds) == 0);
	MC_CHECK(at_load_relaxed_u32(&owner_holds) == 0);
}

static const struct mc_scenario idle = {
	"a run that ends, and the commands behind it", begin, run, end, 2, 4, 2,
	0, 20000
};

static void all_ways(void)
{
	mc_proves(&idle);
}

static void weaker(void)
{
	static const char *const files[] = { "object/queue/idle_section.c",
					     "object/queue/idle_section.h", NULL };
	static const struct mc_scenario *const scenarios[] = { &idle };

	mc_notices(scenarios, 1, files);
}

static const struct tap_scenario all[] = {
	{ "section", all_ways },
	{ "weaker orders", weaker },
};

TAP_MAIN(all)
