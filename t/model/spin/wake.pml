/* SPDX-License-Identifier: MIT */
/*
 * The protocol of src/sys/eventcount.c for Spin.  Publishers raise a counter with
 * a plain store, which lies in a store buffer (x86 and everything that is
 * weaker) until it drains; sleepers wait until it is high enough.  The kernel
 * compares a futex word and enqueues in one step.  A lost wake-up is an end
 * state in which a sleeper sleeps.
 *
 * Sizes:    SLEEPERS, ROUNDS
 * Kinds:    (none) both sides fence; LIGHT: the sleeper uses membarrier
 * Mutants:  NO_FENCE, NO_MEMBARRIER, LOOK_FIRST, WAKE_ONE, COUNTER_FUTEX
 */
#ifndef SLEEPERS
#define SLEEPERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define WRAP 4		/* the truncated counter comes round soon */

byte counter;		/* the awaited counter, as memory has it */
bool buffered;		/* the publisher's store buffer, of one slot */
byte buffered_value;
byte sleepers;
byte epoch;
bool asleep[SLEEPERS];
byte done;

#ifdef COUNTER_FUTEX
#define WORD (counter % WRAP)
#else
#define WORD epoch
#endif

/* The buffer drains at any time, and before a fence or a locked operation. */
active proctype drain()
{
end:	do
	:: atomic { buffered -> counter = buffered_value; buffered = false }
	od
}

inline wake_all()
{
	byte i = 0;
	do
	:: i < SLEEPERS ->
#ifdef WAKE_ONE
		if
		:: asleep[i] -> asleep[i] = false; break
		:: else
		fi;
#else
		asleep[i] = false;
#endif
		i++
	:: else -> break
	od;
	i = 0
}

active proctype publisher()
{
	byte round = 1;

	do
	:: round > ROUNDS -> break
	:: else ->
		/* release store */
		atomic { !buffered -> buffered = true; buffered_value = round };
#if !defined(LIGHT) && !defined(NO_FENCE)
		!buffered;	/* at_fence_seq_cst */
#endif
		if
		:: sleepers != 0 ->
			/* at_add of epoch drains too; then FUTEX_WAKE */
			atomic { !buffered -> epoch++ };
			atomic { wake_all() }
		:: else
		fi;
		round++
	od;
	!buffered;
	done++
}

inline announce()
{
	atomic { sleepers++ };
	key = WORD;
#if defined(LIGHT) && !defined(NO_MEMBARRIER)
	!buffered	/* at_membarrier: the publisher's buffer drains */
#else
	skip		/* at_add has drained ours, which is empty */
#endif
}

/* Each one waits for its own value: 1, 2, ... and again in order. */
proctype sleeper(byte me; byte target)
{
	byte key;

	do
#ifdef LOOK_FIRST
	:: counter >= target -> break
	:: else ->
		announce();
#else
	:: true ->
		announce();
		if
		:: counter >= target -> atomic { sleepers-- }; break
		:: else
		fi;
#endif
		/* plait__eventcount_wait, FUTEX_WAIT in one step */
		do
		:: atomic { WORD != key -> break }
		:: atomic { WORD == key -> asleep[me] = true };
			!asleep[me]
		od;
		atomic { sleepers-- }
	od;
	done++
}

init {
	byte i = 0;

	atomic {
		do
		:: i < SLEEPERS ->
			run sleeper(i, ROUNDS - i % ROUNDS);
			i++
		:: else -> break
		od
	}
}

#ifdef LIVENESS
ltl ends { <> (done == SLEEPERS + 1) }
#else
/* Only sleeping threads are counted. */
active proctype monitor()
{
end:	(done == SLEEPERS + 1);
	assert(sleepers == 0)
}
#endif
