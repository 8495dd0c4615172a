/* SPDX-License-Identifier: MIT */
/* Turns of the runs of one plan; see run_turns.h. */
#include "run/run_turns.h"

/* Runs to be started, in order, by the thread that has unlocked. */
struct ready_list {
	plait__instance *first;
	plait__instance **last;
};

static void fence_alone(const plait__program *program)
{
	if (program->asymmetric_fence)
		at_fence_asymmetric();
	else
		at_fence_seq_cst();
}

static void fence_member(const plait__program *program)
{
	if (program->asymmetric_fence)
		(void)at_membarrier();
	else
		at_fence_seq_cst();
}

static bool has_members(const plait__program *program)
{
	/* Acquire: pairs with the subtraction in leave; a former member has
	 * read the ranges of this instance. */
	return at_load_acquire_u32(&program->turns.members) != 0;
}

/* ---- the bit ---- */

static bool take_bit(plait__program *program)
{
	uint32_t there = at_load_relaxed_u32(&program->first_free);

	while ((there & PLAIT__PROGRAM_TURN) != 0)
		if (at_cas_u32(&program->first_free, &there,
			       there & ~(uint32_t)PLAIT__PROGRAM_TURN))
			return true;
	return false;
}

static void give_bit(plait__program *program)
{
	(void)at_or_u32(&program->first_free, PLAIT__PROGRAM_TURN);
}

/* ---- members ---- */

/* Returns true if `one` must not execute beside `other`, which came first.
 * Both runs have noted their buffers. */
static bool must_follow(const plait__instance *one,
			const plait__instance *other)
{
	return (one->flags & PLAIT_RUN_OVERLAP) == 0 &&
	       plait__run_conflicts_between(one, other);
}

/* Returns true if the run must wait for the one that has the bit alone.  Caller
 * holds the lock, and members do not have the bit. */
static bool must_follow_owner(const plait__instance *instance)
{
	const plait__program *program = instance->program;

	if ((instance->flags & PLAIT_RUN_OVERLAP) != 0)
		return false;
	if (program->conflicts.kind == PLAIT__CONFLICTS_ALWAYS)
		return true;
	for (uint32_t i = 0; i < program->instance_count; i++) {
		const plait__instance *other = &program->instances[i];

		/* Acquire: pairs with the store in publish. */
		if (at_load_acquire_u32(&other->turn) ==
		    PLAIT__TURN_PUBLISHED)
			return plait__run_conflicts_between(instance, other);
	}
	/* The owner has not noted its buffers yet; it looks for members when
	 * it has. */
	return true;
}

/* Returns true if a deferred run may execute.  An executing run that was
 * abandoned is its answer, too: *out_lost.  Caller holds the lock; the run is
 * on the list of the deferred. */
static bool is_ready(const plait__instance *instance, bool has_owner,
		     const plait__instance **out_lost)
{
	const plait__run_turns *turns = &instance->program->turns;
	const plait__instance *other;

	*out_lost = NULL;
	for (other = turns->executing; other != NULL; other = other->turn_next) {
		if (!must_follow(instance, other))
			continue;
		/* Acquire: pairs with the store in plait__instance_abandon. */
		if (at_load_acquire_u32(&other->abandoned) == 0)
			return false;
		*out_lost = other;
	}
	for (other = turns->deferred; other != instance;
	     other = other->turn_next)
		if (must_follow(instance, other))
			return false;
	return *out_lost != NULL || !has_owner ||
	       !must_follow_owner(instance);
}

/* Caller holds the lock. */
static void append(plait__instance **list, plait__instance *instance)
{
	while (*list != NULL)
		list = &(*list)->turn_next;
	instance->turn_next = NULL;
	*list = instance;
}

/* The run is on the list.  Caller holds the lock. */
static void unlink_from(plait__instance **list, const plait__instance *instance)
{
	while (*list != instance)
		list = &(*list)->turn_next;
	*list = instance->turn_next;
}

/* Let each deferred run execute that may, in order.  Caller holds the lock. */
static void admit(plait__program *program, struct ready_list *ready)
{
	plait__run_turns *turns = &program->turns;
	const plait__instance *lost;
	plait__instance *next;

	if (turns->deferred != NULL && !turns->has_bit)
		turns->has_bit = take_bit(program);
	for (plait__instance *at = turns->deferred; at != NULL; at = next) {
		next = at->turn_next;
		if (!is_ready(at, !turns->has_bit, &lost))
			continue;
		unlink_from(&turns->deferred, at);
		append(&turns->executing, at);
		at_store_relaxed_u32(&at->turn, PLAIT__TURN_MEMBER);
		at->turn_lost = lost != NULL ? &lost->abandoned_why : NULL;
		at->turn_ready = NULL;
		*ready->last = at;
		ready->last = &at->turn_ready;
	}
}

/* Make the run a member, deferred.  `owns_bit`: it has taken the bit.  Caller
 * holds the lock. */
static void join(plait__instance *instance, bool owns_bit)
{
	plait__program *program = instance->program;

	at_add_u32(&program->turns.members, 1);
	fence_member(program);
	if (program->conflicts.kind == PLAIT__CONFLICTS_BY_BUFFER)
		plait__run_conflicts_note(instance);
	if (owns_bit)
		program->turns.has_bit = true;
	at_store_relaxed_u32(&instance->turn, PLAIT__TURN_DEFERRED);
	append(&program->turns.deferred, instance);
}

/* The run is off its list.  Caller holds the lock. */
static void leave(plait__instance *instance)
{
	plait__program *program = instance->program;
	plait__run_turns *turns = &program->turns;

	at_store_relaxed_u32(&instance->turn, PLAIT__TURN_NONE);
	/* Release: pairs with has_members. */
	at_sub_u32(&turns->members, 1);
	if (turns->executing != NULL || turns->deferred != NULL ||
	    !turns->has_bit)
		return;
	turns->has_bit = false;
	give_bit(program);
}

/* Returns true if the deferred run was stopped, and forgets it: it needs no
 * turn to end.  Caller holds the lock, as withdraw does after it was stopped:
 * one of the two sees the other. */
static bool forget_stopped(plait__instance *instance)
{
	/* Acquire: pairs with the store in run_instance.c. */
	if (at_load_acquire_u32(&instance->stop) == 0)
		return false;
	unlink_from(&instance->program->turns.deferred, instance);
	leave(instance);
	return true;
}

/* Start the runs but `own`, which the calling thread starts itself.  Caller
 * holds no lock. */
static void start_ready(plait__instance *first, const plait__instance *own)
{
	plait__instance *next;

	for (; first != NULL; first = next) {
		/* The run may be over when on_turn returns. */
		next = first->turn_ready;
		if (first != own)
			first->program->on_turn(first, first->turn_lost);
	}
}

/* ---- taking a turn ---- */

/* Returns true if the run may start.  With `must_not_wait` the run is not
 * deferred, but forgotten. */
static bool take_as_member(plait__instance *instance, bool owns_bit,
			   bool must_not_wait)
{
	plait__program *program = instance->program;
	plait__run_turns *turns = &program->turns;
	struct ready_list ready = { .last = &ready.first };
	bool now;

	plait__mutex_lock(&turns->lock);
	join(instance, owns_bit);
	now = forget_stopped(instance);
	admit(program, &ready);
	if (!now)
		now = at_load_relaxed_u32(&instance->turn) ==
		      PLAIT__TURN_MEMBER;
	if (!now && must_not_wait) {
		unlink_from(&turns->deferred, instance);
		leave(instance);
	}
	plait__mutex_unlock(&turns->lock);
	start_ready(ready.first, instance);
	return now;
}

/* The run has the bit.  Returns false if there are members. */
static bool publish(plait__instance *instance)
{
	plait__program *program = instance->program;

	fence_alone(program);
	if (has_members(program))
		return false;
	if (program->conflicts.kind != PLAIT__CONFLICTS_BY_BUFFER)
		return true;
	plait__run_conflicts_note(instance);
	/* Release: pairs with the load in must_follow_owner. */
	at_store_release_u32(&instance->turn, PLAIT__TURN_PUBLISHED);
	fence_alone(program);
	/* They may have seen the owner before it had noted its buffers. */
	if (has_members(program))
		plait__run_turns_pass_on(program);
	return true;
}

static bool take(plait__instance *instance, bool must_not_wait)
{
	plait__program *program = instance->program;
	bool owns_bit =
		at_load_relaxed_u32(&instance->turn) == PLAIT__TURN_ALONE;

	instance->turn_lost = NULL;
	if (!owns_bit)
		owns_bit = take_bit(program);
	if (!owns_bit)
		return take_as_member(instance, false, must_not_wait);
	at_store_relaxed_u32(&instance->turn, PLAIT__TURN_ALONE);
	return publish(instance) ||
	       take_as_member(instance, true, must_not_wait);
}

bool plait__run_turns_take_ordered(plait__instance *instance)
{
	return take(instance, false);
}

bool plait__run_turns_try(plait__instance *instance)
{
	return instance->program->conflicts.kind == PLAIT__CONFLICTS_NEVER ||
	       take(instance, true);
}

bool plait__run_turns_withdraw(plait__instance *instance,
			       plait__instance **out_ready)
{
	plait__run_turns *turns = &instance->program->turns;
	struct ready_list ready = { .last = &ready.first };
	bool deferred;

	*out_ready = NULL;
	if (instance->program->conflicts.kind == PLAIT__CONFLICTS_NEVER)
		return false;
	/* Without the lock, a run about to join would be overlooked. */
	plait__mutex_lock(&turns->lock);
	deferred = plait__run_turns_is_deferred(instance);
	if (deferred) {
		unlink_from(&turns->deferred, instance);
		leave(instance);
		/* Later runs may have followed this one only. */
		admit(instance->program, &ready);
	}
	plait__mutex_unlock(&turns->lock);
	*out_ready = ready.first;
	return deferred;
}

void plait__run_turns_start(plait__instance *ready)
{
	start_ready(ready, NULL);
}

bool plait__run_turns_is_deferred(const plait__instance *instance)
{
	return at_load_relaxed_u32(&instance->turn) == PLAIT__TURN_DEFERRED;
}

/* ---- giving it back ---- */

void plait__run_turns_pass_on(plait__program *program)
{
	struct ready_list ready = { .last = &ready.first };

	plait__mutex_lock(&program->turns.lock);
	admit(program, &ready);
	plait__mutex_unlock(&program->turns.lock);
	start_ready(ready.first, NULL);
}

/* The run has the bit, and is no member. */
static void give_alone(plait__instance *instance)
{
	plait__program *program = instance->program;

	at_store_relaxed_u32(&instance->turn, PLAIT__TURN_NONE);
	/* Release: pairs with take_bit.  A run that has both bits has the word
	 * to itself. */
	if (instance->index == 0)
		at_store_release_u32(&program->first_free, PLAIT__PROGRAM_TURN);
	else
		give_bit(program);
	fence_alone(program);
	if (has_members(program))
		plait__run_turns_pass_on(program);
}

/* The run executes as a member. */
static void give_as_member(plait__instance *instance)
{
	plait__run_turns *turns = &instance->program->turns;
	struct ready_list ready = { .last = &ready.first };

	plait__mutex_lock(&turns->lock);
	unlink_from(&turns->executing, instance);
	leave(instance);
	admit(instance->program, &ready);
	plait__mutex_unlock(&turns->lock);
	start_ready(ready.first, NULL);
}

/* The work of the run may go on: runs that would conflict with it fail. */
static void keep_turn(plait__instance *instance)
{
	plait__run_turns *turns = &instance->program->turns;
	struct ready_list ready = { .last = &ready.first };

	plait__mutex_lock(&turns->lock);
	if (at_load_relaxed_u32(&instance->turn) != PLAIT__TURN_MEMBER) {
		join(instance, true);
		unlink_from(&turns->deferred, instance);
		append(&turns->executing, instance);
		at_store_relaxed_u32(&instance->turn, PLAIT__TURN_MEMBER);
	}
	admit(instance->program, &ready);
	plait__mutex_unlock(&turns->lock);
	start_ready(ready.first, NULL);
}

void plait__run_turns_give_taken(plait__instance *instance)
{
	if (at_load_relaxed_u32(&instance->abandoned) != 0)
		keep_turn(instance);
	else if (at_load_relaxed_u32(&instance->turn) == PLAIT__TURN_MEMBER)
		give_as_member(instance);
	else
		give_alone(instance);
}
