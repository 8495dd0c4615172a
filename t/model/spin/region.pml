/* SPDX-License-Identifier: MIT */
/*
 * The protocol of regions in src/run/host/lane_interpreter.c for Spin: a loop that the home lane
 * decides and OTHERS lanes follow, in RUNS runs that reset nothing, stopped at
 * any time.  In an iteration of all lanes each calls a function, and the home
 * lane waits for the others at its end; an iteration of home alone (a branch of
 * a case) the others may see, or only a later decision.
 *
 * Stores of lanes are held back, word by word, and come out in any order:
 * that is weaker than any machine.  A release store waits until the earlier
 * stores of its lane are out.  Sleeping is not here: see park.pml.
 *
 * Sizes:    OTHERS, ROUNDS, RUNS
 * Kinds:    CANCEL: a thread stops the first run, at any time
 *           FAIL=n: the function of lane n fails in the first iteration
 * Mutants:  NO_EXITS, NO_NUMBER, EARLY, RELAXED, RELAXED_DONE, NO_TURN,
 *           SILENT, FORGETS
 */
#ifndef OTHERS
#define OTHERS 1
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef RUNS
#define RUNS 2
#endif
#ifndef FAIL
#define FAIL 99
#endif
#define LANES (OTHERS + 1)

#define LEAVE 0
#define ALL 1
#define HOME_ALONE 2
#ifdef NO_NUMBER
#define DECISION(choice) (choice)
#else
#define DECISION(choice) (number * 4 + choice)
#endif

/* As memory has it. */
byte decision;
byte iteration;		/* the home lane's second word */
byte told[LANES];	/* turns, ever */
byte work[LANES];	/* by functions: how often each lane called one */
bool stop;

/* Held back. */
bool decision_held, iteration_held, stop_held;
bool work_held[LANES];
bool told_held[LANES];
byte decision_next, iteration_next;

/* Steps of the system. */
byte run_number;
byte ended;

/* For the checks alone. */
byte calls[LANES];	/* the future `work` */
byte mark[LANES];	/* the expected work, seen from this iteration */
byte served[LANES];	/* turns, seen from nowhere */
byte round_now;
bool failed;

#define IS_OUT(lane)                                                          \
	(!work_held[lane] && !stop_held && (lane != 0 || !iteration_held))
#ifdef RELAXED
#define DECISION_READY true
#else
#define DECISION_READY IS_OUT(0)
#endif
#ifdef RELAXED_DONE
#define DONE_READY(lane) true
#else
#define DONE_READY(lane) IS_OUT(lane)
#endif

active proctype memory()
{
	byte i;

end:	do
	:: atomic { decision_held ->
		decision = decision_next; decision_held = false }
	:: atomic { iteration_held ->
		iteration = iteration_next; iteration_held = false }
	:: atomic { stop_held -> stop = true; stop_held = false }
	:: atomic {
		if
		:: work_held[0] -> i = 0
		:: work_held[1] -> i = 1
		:: work_held[LANES - 1] -> i = LANES - 1
		fi;
		work[i]++; work_held[i] = false; i = 0 }
	:: atomic {
		if
		:: told_held[1] -> i = 1
		:: told_held[LANES - 1] -> i = LANES - 1
		fi;
		told[i]++; told_held[i] = false; i = 0 }
	od
}

/* A function: sees all of the iterations before; nothing is called after a
 * failure that came before. */
inline call(lane, round)
{
	if
	:: stop
	:: else ->
		atomic {
			!work_held[lane];
			assert(round == round_now);
			assert(lane == 0 || work[0] >= mark[0]);
			assert(lane == 1 || work[1] >= mark[1]);
			assert(lane == LANES - 1 ||
			       work[LANES - 1] >= mark[LANES - 1]);
			assert(!failed || round == 0);
			if
			:: FAIL == lane && round == 0 && turn == 0 ->
				stop_held = true;
				failed = true
			:: else ->
				work_held[lane] = true;
				calls[lane]++
			fi
		}
	fi
}

/* The last lane ends the run, and the next one begins. */
inline end_lane(lane)
{
	atomic {
		IS_OUT(lane) && !told_held[lane];
		ended++;
		if
		:: ended == LANES ->
			ended = 0;
			stop = false;
			failed = false;
			run_number++
		:: else
		fi
	};
	turn++
}

/* The number of the iteration, for the lanes that follow. */
inline write_iteration()
{
	atomic { !iteration_held -> iteration_next = round;
		iteration_held = true }
}

inline write_decision()
{
	atomic { DECISION_READY && !decision_held ->
		decision_next = DECISION(choice); decision_held = true }
}

inline decide()
{
	if
	:: stop || round == ROUNDS -> choice = LEAVE
	:: !stop && round < ROUNDS -> choice = ALL
	:: !stop && round < ROUNDS && FAIL == 99 -> choice = HOME_ALONE
	fi;
	number++;
	atomic {
		lane = 1;
		do
		:: lane < LANES ->
			assert(served[lane] == given);
			mark[lane] = calls[lane];
			lane++
		:: else -> break
		od;
		mark[0] = calls[0];
		round_now = round
	};
#ifdef EARLY
	write_decision();
	write_iteration()
#else
	write_iteration();
	write_decision()
#endif
}

inline await_exits()
{
	lane = 1;
	do
	:: lane < LANES -> told[lane] >= given; lane++
	:: else -> break
	od
}

active proctype home()
{
	byte turn, round, number, choice, given, lane;

	do
	:: turn == RUNS -> break
	:: turn < RUNS ->
		run_number == turn;
		round = 0;
		do
		:: decide();
			if
			:: choice == LEAVE -> break
			:: choice == ALL ->
				given++;
				call(0, round);
#ifdef NO_EXITS
				skip
#else
				await_exits()
#endif
			:: choice == HOME_ALONE -> call(0, round)
			fi;
			round++
		od;
		end_lane(0)
	od
}

proctype other(byte self)
{
	byte turn, seen;

	do
	:: turn == RUNS -> break
	:: turn < RUNS ->
		run_number == turn;
		do
		:: decision != seen ->
			seen = decision;
			if
			:: seen % 4 == LEAVE -> break
			:: seen % 4 == ALL ->
				call(self, iteration);
#ifdef SILENT
				if
				:: stop -> skip
				:: else ->
#endif
				atomic { DONE_READY(self) &&
					!told_held[self] ->
#ifndef NO_TURN
					told_held[self] = true;
#endif
					served[self]++ }
#ifdef SILENT
				fi
#endif
			:: seen % 4 == HOME_ALONE
			fi
		od;
#ifdef FORGETS
		/* As if a lane began anew with each run. */
		seen = 0;
#endif
		end_lane(self)
	od
}

#ifdef CANCEL
/* Under the run's lock: it is not over. */
active proctype canceller()
{
	atomic {
		if
		:: run_number == 0 -> stop = true
		:: else
		fi
	}
}
#endif

init {
	atomic {
		run other(1);
#if OTHERS > 1
		run other(2)
#endif
	}
}
