/* SPDX-License-Identifier: MIT */
/*
 * What the members of a band do: take what is ready, run it, tell, rest.
 *
 * A member that finds nothing looks again for a while, then rests.  The run
 * does not wait for it: it is over when all commands are done, however many
 * members are late and see that only afterwards.  A late one cannot take
 * anything of the next run before it knows that there is one, because words
 * of commands only grow.
 *
 *     who rests                         who makes ready, or starts a run
 *     TIRED (a read-modify-write)       store the word, or the run's number
 *     membarrier                        fence, light
 *     is there something, a new run?    looks itself; or somebody idle?
 *     yes: TIRED off, look again            TIRED: off
 *     TIRED to RESTING, if it still is;     RESTING: off, and offer it
 *     else look again
 *
 * The one who does the last command that another one waits for looks for
 * more after it, so that at least one of two who look at the same time finds
 * what both have made ready.
 */
#include "run/host/steal_claim.h"

#include "run/record/recorder.h"

#include "base/error.h"
#include "sys/clock.h"
#include "sys/thread.h"
#include "sys/backoff.h"

enum {
	/* How far ahead of what was taken a member looks. */
	WINDOW = 32,
	/* Two wakings of members that rest are as far apart at least. */
	WAKE_NS = 50000,
	/* How often a member that finds enough to do looks how fast it goes,
	 * and how long small commands take with what it takes to get them. */
	PACE = 64,
	QUICK_NS = 50,
	/* How long it sleeps where others do not get a CPU otherwise. */
	NAP_NS = 50000
};

/* So many looks at its own next command before it helps others, and at what
 * somebody else has and must be done first, before it leaves him the CPU.  Each
 * one is a pause, of which the explorer needs but one.  Who looked in vain so often in
 * a row is alone, it seems, and does not wait for a while. */
#ifdef PLAIT_EXPLORE
enum { PATIENCE = 1, IN_VAIN = 1, HURRIED = 1, PATIENT_LOOKS = 0 };
enum { NAPPING_LOOKS = 1 };
#else
enum { PATIENCE = 4, IN_VAIN = 4, HURRIED = 16, PATIENT_LOOKS = 64 };
enum { NAPPING_LOOKS = 1064 };
#endif

/* ---- what is ready ---- */

static bool is_free(const plait__member *member, uint32_t command)
{
	return !plait__claim_is_taken(member, command) &&
	       plait__claim_is_ready(member, command);
}

/* The first of a lane that is ready and not taken, or none. */
static uint32_t look_at(plait__member *member, uint32_t lane)
{
	uint32_t end = plait__claim_end(member, lane);
	uint32_t head = plait__claim_head(member, lane, end);

	if (head == end || plait__claim_is_ready(member, head))
		return head < end ? head : PLAIT__NONE;
	for (uint32_t i = head + 1; i < end && i - head < WINDOW; i++)
		if (is_free(member, i))
			return i;
	return PLAIT__NONE;
}

static uint32_t look_around(plait__member *member)
{
	uint32_t count = member->band->helped->lane_count;
	uint32_t found = PLAIT__NONE;
	uint32_t lane = member->lane;

	for (uint32_t i = 0; found == PLAIT__NONE && i < count; i++) {
		found = look_at(member, lane);
		member->from = lane;
		lane = lane + 1 < count ? lane + 1 : 0;
	}
	return found;
}

/* ---- those who rest ---- */

bool plait__band_rouse(plait__band *band, uint32_t lane, bool *rested)
{
	uint64_t resting = PLAIT__MEMBER_RESTING << lane;
	uint64_t both = resting | PLAIT__MEMBER_TIRED << lane;
	uint64_t was = at_and_u64(&band->idle, ~both);

	*rested = (was & resting) != 0;
	return (was & both) != 0;
}

/* Is there more to do than the calling member will? */
static bool has_more(plait__member *member)
{
	uint32_t count = member->band->helped->lane_count;
	/* What it has taken already keeps it busy. */
	uint32_t found = member->next < member->until;

	for (uint32_t i = 0; found < 2 && i < count; i++) {
		uint32_t lane = (member->lane + i) % count;
		const plait__plan_track *track =
			&member->band->helped->tracks[lane];
		uint32_t first = look_at(member, lane);

		if (first == PLAIT__NONE)
			continue;
		found++;
		for (uint32_t c = first + 1; found < 2 && c - first < WINDOW &&
		     c < track->first + track->count; c++)
			found += is_free(member, c);
	}
	return found >= 2;
}

/* Somebody is idle: is it worth to have one more? */
static void wake_another(plait__member *member)
{
	plait__band *band = member->band;
	uint64_t now = plait__clock_now_ns();
	bool rested = false;

	/* Relaxed: two that wake at the same time do no harm. */
	if (now - at_load_relaxed_u64(&band->woken_ns) < WAKE_NS ||
	    !has_more(member))
		return;
	at_store_relaxed_u64(&band->woken_ns, now);
	for (uint32_t i = 0; i < band->helped->lane_count; i++) {
		if (!plait__band_rouse(band, i, &rested))
			continue;
		if (rested)
			plait__task_offer_beside(&band->members[i].task);
		return;
	}
}

/* ---- running ---- */

static void fail(plait__member *member, int32_t result)
{
	plait_error why = { .size = sizeof(why) };

	plait__fail_origin(&why, PLAIT_E_FAILED, result, "failed with %d",
			   (int)result);
	plait__instance_fail(member->band->instance,
			     member->band->ops[member->command].command, &why);
}

/* What a member found nothing to do before, and what it did then. */
static void note(plait__member *member, uint32_t command, uint64_t start_ns)
{
	const plait__band *band = member->band;
	uint32_t lane = band->helped->tracks[member->lane].lane;
	plait__ring *ring = &band->instance->recording->rings[lane];
	plait__entry entry = {
		.start_ns = member->idle_ns, .end_ns = start_ns,
		.kind = PLAIT_RECORD_WAIT,
		.command = band->ops[command].command,
		.other = PLAIT__NONE,
	};

	if (member->idle_ns != 0)
		plait__ring_put(ring, &entry);
	member->idle_ns = 0;
	entry.start_ns = start_ns;
	entry.end_ns = plait__clock_now_ns();
	entry.kind = PLAIT_RECORD_COMMAND;
	plait__ring_put(ring, &entry);
}

/* Functions that have `records` are there twice; see lane_interpreter.c. */
#define TWICE static inline __attribute__((always_inline))

/* Yielding does not help who has a lower priority than this thread. */
static void nap(plait__band *band)
{
	uint32_t left = at_load_relaxed_u32(&band->remaining);

	(void)at_futex_wait(&band->remaining, left,
			    plait__clock_now_ns() + NAP_NS);
}

/* It is the member's, and somebody else has what comes before it. */
static __attribute__((noinline)) void await(const plait__member *member,
					    uint32_t command)
{
	for (uint32_t looks = 0; !plait__claim_is_ready(member, command);
	     looks++) {
		at_spin_pause();
		if (looks > NAPPING_LOOKS)
			nap(member->band);
		else if (looks > PATIENT_LOOKS)
			plait__thread_yield();
	}
}

/* So many since it was here: were they small?  The next run goes by it. */
static __attribute__((noinline)) void look_at_pace(plait__member *member)
{
	at_u32 *known = &member->band->quick;
	uint64_t now = plait__clock_now_ns();
	/* What was stopped says nothing. */
	bool quick = now - member->paced_ns < PACE * QUICK_NS &&
		     at_load_relaxed_u32(&member->band->instance->stop) == 0;

	/* Relaxed: a hint.  Mostly it is known, and others look at its line. */
	if (member->done > PACE && at_load_relaxed_u32(known) != quick)
		at_store_relaxed_u32(known, quick);
	member->paced_ns = now;
}

TWICE void perform(plait__member *member, uint32_t command,
		   const bool records)
{
	plait__band *band = member->band;
	plait__instance *instance = band->instance;
	uint64_t start_ns = records ? plait__clock_now_ns() : 0;
	int32_t result;

	if (__builtin_expect(member->unsure, 0))
		await(member, command);
	/* Relaxed: as in lane_interpreter.c.  What was stopped is done without a call. */
	if (at_load_relaxed_u32(&instance->stop) == 0) {
		member->command = command;
		result = plait__op_call(&band->ops[command],
					instance->frame.words);
		if (records)
			note(member, command, start_ns);
		if (__builtin_expect(result != 0, 0))
			fail(member, result);
	}
	if (++member->done % PACE == 0)
		look_at_pace(member);
	/* Release: pairs with the load in steal_claim.h. */
	at_store_release_u64(&band->words[command], plait__claim_done(member));
	/* Before the look at `idle`; pairs with the fence in rest. */
	if (band->light)
		at_fence_light();
	else
		at_fence_seq_cst();
	if (__builtin_expect(at_load_relaxed_u64(&band->idle) != 0, 0))
		wake_another(member);
}

/* Tell the band; true: those were the last ones. */
static bool tell(plait__member *member)
{
	uint32_t done = member->done;

	member->done = 0;
	/* Acquire and release: the last one sees what all did. */
	return done > 0 &&
	       at_sub_u32(&member->band->remaining, done) == done;
}

/* ---- a turn ---- */

/* True: there is a run that this member has not seen. */
static bool is_behind(const plait__member *member)
{
	/* Acquire: pairs with the store in start. */
	return at_load_acquire_u64(&member->band->run) != member->run;
}

static void catch_up(plait__member *member)
{
	const plait__helped *helped = member->band->helped;

	member->run = at_load_acquire_u64(&member->band->run);
	member->from = member->lane;
	member->next = member->until = 0;
	/* Relaxed: published with the run. */
	member->ranged = at_load_relaxed_u32(&member->band->ranged) != 0;
	for (uint32_t i = 0; i < helped->lane_count; i++)
		member->heads[i] = helped->tracks[i].first;
}

/* Not the run's any more, nor anybody's, when this returns true. */
static bool rest(plait__member *member)
{
	plait__band *band = member->band;
	uint64_t bit = PLAIT__MEMBER_TIRED << member->lane;
	uint64_t was;

	(void)at_or_u64(&band->idle, bit);
	if (band->light)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
	if (is_behind(member) || look_around(member) != PLAIT__NONE) {
		(void)at_and_u64(&band->idle, ~bit);
		return false;
	}
	plait__task_rest(&member->task);
	was = at_load_relaxed_u64(&band->idle);
	/* Release: who offers it sees that it rests. */
	while ((was & bit) != 0)
		if (at_cas_u64(&band->idle, &was,
			       (was & ~bit) | bit << PLAIT__RESTING_SHIFT))
			return true;
	/* Told to look again; nobody offers what did not rest. */
	at_store_relaxed_u32(&member->task.ready.state, PLAIT__TASK_RUNNING);
	return false;
}

/* The run is over: make sure to be found when the next one starts. */
static bool end(plait__member *member)
{
	plait__band *band = member->band;

	plait__task_rest(&member->task);
	(void)at_or_u64(&band->idle,
			PLAIT__MEMBER_RESTING << member->lane);
	return true;
}

/* Nothing to do right now: should it go on looking? */
static bool lingers(const plait__member *member, struct plait__wait *ladder)
{
	/* Relaxed: a hint; an ended run needs nobody. */
	if (at_load_relaxed_u32(&member->band->remaining) == 0 ||
	    plait__task_should_yield(&member->task))
		return false;
	return plait__wait_step(ladder);
}

/* Its own next command is not ready: is it to look at that again? */
static bool is_patient(plait__member *member, uint32_t looks)
{
	if (looks == 0 && member->hurried > 0) {
		member->hurried--;
		return false;
	}
	if (looks == PATIENCE && ++member->vain >= IN_VAIN)
		member->hurried = HURRIED;
	return looks < PATIENCE;
}

/* The next one of its own lane, or any when that lets it wait; mostly it is
 * the one behind that which it did last, there or where it helps. */
static uint32_t look(plait__member *member, uint32_t looks)
{
	uint32_t own_end = plait__claim_end(member, member->lane);
	uint32_t own = plait__claim_head(member, member->lane, own_end);
	uint32_t end, head;

	if (own < own_end) {
		member->from = member->lane;
		if (!plait__claim_is_ready(member, own))
			return is_patient(member, looks) ? PLAIT__NONE :
							   look_around(member);
		if (looks > 0)
			member->vain = 0;
		return own;
	}
	end = plait__claim_end(member, member->from);
	head = plait__claim_head(member, member->from, end);
	return head < end && plait__claim_is_ready(member, head) ?
		       head : look_around(member);
}

/* All that the member has taken together, from `command` on. */
TWICE void go_through(plait__member *member, uint32_t command,
		      const bool records)
{
	for (; command != PLAIT__NONE; command = plait__claim_next(member))
		perform(member, command, records);
}

TWICE bool turn(plait__task *task, const bool records)
{
	plait__member *member = (plait__member *)(void *)task;
	struct plait__wait ladder;
	uint32_t looks = 0;
	uint32_t found;

	plait__wait_init(&ladder, PLAIT__WAIT_SHARED);
	/* What a thread that ended in a function left behind. */
	go_through(member, plait__claim_next(member), records);
	for (;; looks++) {
		if (is_behind(member)) {
			catch_up(member);
			if (records)
				member->idle_ns = 0;
		}
		found = look(member, looks);
		if (found != PLAIT__NONE) {
			go_through(member, plait__claim(member, member->from,
							found), records);
			/* Begins again at 0. */
			looks = UINT32_MAX;
			continue;
		}
		if (records && member->idle_ns == 0)
			member->idle_ns = plait__clock_now_ns();
		if (looks < PATIENCE) {
			at_spin_pause();
			continue;
		}
		if (tell(member))
			return end(member);
		if (looks == PATIENCE)
			plait__wait_init(&ladder, PLAIT__WAIT_SHARED);
		if (!lingers(member, &ladder) && rest(member))
			return false;
	}
}

bool plait__member_turn(plait__task *task)
{
	return turn(task, false);
}

bool plait__member_turn_recorded(plait__task *task)
{
	return turn(task, true);
}
