/* SPDX-License-Identifier: MIT */
/*
 * The protocol of src/run/host/lane_park.c for Spin.  One lane raises a word with plain
 * stores, which lie in a store buffer until it drains; another lane waits for
 * each value in turn.  The thread that runs the waiting lane parks it when the value has
 * not come: it links it, announces that it waits, looks again, and takes it
 * back only if it is parked as it was left.  The raising thread offers the lane
 * to the threads of the pool, RUNNERS of them, when its value has come.  A lost
 * wake-up is an end state with values that were not consumed; a lane that two
 * threads run, or that goes on too early, breaks an assertion.
 *
 * Sizes:    RUNNERS, VALUES
 * Kinds:    (none) both sides fence; LIGHT: the parking thread uses membarrier
 * Mutants:  NO_FENCE, NO_MEMBARRIER, NO_LOOK, NOT_WANTED, ANY_PARKING,
 *           NO_OWNER, FORGETS_WANTED
 */
#ifndef RUNNERS
#define RUNNERS 2
#endif
#ifndef VALUES
#define VALUES 2
#endif

byte word;		/* as memory has it */
bool buffered;		/* the raiser's store buffer, of one slot */
byte buffered_value;
bool wanted;
bool linked;		/* under the lock, as `parkings` and `target` */
byte parkings;
byte target;
bool offered = true;	/* the task's state */
byte running;		/* threads that think they have the lane */
byte consumed;		/* the lane's own, on any thread */
bool raised_all;

/* May the thread that parked it take it back? */
#ifdef ANY_PARKING
#define RETAKES linked
#elif defined(NO_OWNER)
#define RETAKES true
#else
#define RETAKES (linked && parkings == mine)
#endif

/* The buffer drains at any time, and before a fence or a locked operation. */
active proctype drain()
{
end:	do
	:: atomic { buffered -> word = buffered_value; buffered = false }
	od
}

active proctype raiser()
{
	byte value = 1;

	do
	:: value > VALUES -> break
	:: else ->
		atomic { !buffered -> buffered = true; buffered_value = value };
#if !defined(LIGHT) && !defined(NO_FENCE)
		!buffered;
#endif
		if
		:: wanted ->
			/* The lock is held; taking it drains. */
			atomic {
				!buffered;
				if
				:: linked && word >= target ->
					linked = false;
					wanted = false;
					offered = true
				:: linked && word < target ->
#ifdef FORGETS_WANTED
					wanted = false
#else
					skip
#endif
				:: !linked -> wanted = false
				fi
			}
		:: else
		fi;
		value++
	od;
	!buffered;
	raised_all = true
}

proctype runner()
{
	byte mine;	/* which parking, and for which value */
	byte mine_target;
	bool have = false;

end:	do
	:: atomic { !have && offered -> offered = false; running++ };
		have = true
	:: have && consumed == VALUES ->
		running--;
		have = false
	:: have && consumed < VALUES && word > consumed ->
		/* No other thread may have the lane now. */
		assert(running == 1);
		consumed++
	:: have && consumed < VALUES && word <= consumed ->
		/* link_hand, under the lock */
		atomic {
			linked = true;
			target = consumed + 1;
			parkings++;
			mine = parkings;
			mine_target = target;
			running--;
#ifndef NOT_WANTED
			wanted = true
#endif
		};
		have = false;
#if defined(LIGHT) && !defined(NO_MEMBARRIER)
		!buffered;	/* at_membarrier: the raiser drains */
#endif
#ifndef NO_LOOK
		/* It looks for the value that it wanted, by its own words. */
		if
		:: word >= mine_target ->
			atomic {
				if
				:: RETAKES ->
					linked = false;
					running++;
					have = true;
					/* The awaited value has come. */
					assert(word > consumed)
				:: else
				fi
			}
		:: else
		fi
#endif
	od
}

init {
	byte i = 0;

	atomic {
		do
		:: i < RUNNERS -> run runner(); i++
		:: else -> break
		od
	};
	/* Blocks for ever when a value is never consumed. */
	(raised_all && consumed == VALUES)
}
