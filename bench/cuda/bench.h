/* SPDX-License-Identifier: MIT */
/* Interface between the files of bench-cuda: problem sizes, functions of both sides. */
#ifndef BENCH_CUDA_BENCH_H
#define BENCH_CUDA_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Problem sizes. */
struct sizes {
	uint32_t chain;	   /* tiny kernels in sequence */
	uint32_t diamonds; /* in sequence, each BRANCHES wide */
	uint32_t turns;	   /* work of each branch, in steps */
	uint32_t times;	   /* iterations of the loop */
	uint32_t submits;  /* single launches */
	uint32_t square;   /* points on each side of the Poisson problem */
	uint32_t fill;	   /* MiB to fill */
	uint32_t trips;	   /* single operations */
	uint32_t staged;   /* MiB to transfer */
	uint32_t block;	   /* MiB of a large block of memory */
};

enum { BRANCHES = 4, GROUP = 256, TINY_GROUP = 32 };

extern struct sizes sizes;

/* Time of the last run by the device's clock, from its first kernel to its last. */
extern double device_ns;

/* Result of the last run, which must be equal on both sides. */
extern uint64_t result;

/* Time for which a loop runs until it is cancelled: longer than its launch. */
enum { LOOP_NS = 1000000 };

/* --- clock.c */

double clock_ns(void);
void spin_ns(double nanoseconds);

static inline uint32_t points(void)
{
	return sizes.square * sizes.square;
}

static inline uint32_t groups(void)
{
	return (points() + GROUP - 1) / GROUP;
}

#define TOLERANCE 1e-6

/* --- main.c, tasks.c, copies.c */

/* Print a message, and end the program, or the current step of a side. */
__attribute__((noreturn)) void die(const char *what, const char *why);

/* --- hand.c, hand_graph.c: direct driver calls */

/* Load the libraries, open the first device and its context; null: default files. */
void hand_begin(const char *driver, const char *compiler);
/* Create the objects common to all sides. */
void hand_open(void);
/* Release everything; for a program without failures. */
void hand_close(void);
/* Return one line about the device and the driver. */
const char *hand_name(void);
bool hand_has_conditions(void);

/* Create the graphs of some sides. */
void hand_make_chain(void);
void hand_make_diamonds(void);
void hand_make_node(void);
void hand_make_last(void);
void hand_make_pinned(void);
void hand_make_device(void);
void hand_make_timer(void);
void hand_make_solver(void);
void hand_make_cg(void);
void hand_make_fill(void);

void hand_chain_launches(void);
void hand_chain_graph(void);
void hand_diamonds_streams(void);
void hand_diamonds_graph(void);
/* Loop decided by the host, which reads the word in each iteration. */
void hand_while_host(void);
/* Loops decided by an extra node of the body, and by its last kernel. */
void hand_while_node(void);
void hand_while_last(void);
/* Loops decided by an extra node that reads a stop word each time: in pinned
 * memory, in memory of the device; or the device's timer and such a word. */
void hand_while_pinned(void);
void hand_while_device(void);
void hand_while_timer(void);
void hand_submit(void);
void hand_cg_host(void);
void hand_cg_graph(void);
/* Fill with 4 bytes, and with 8 bytes as two columns of 4. */
void hand_fill_words(void);
void hand_fill_columns(void);
void hand_take_word(void);
void hand_take_branch(void);
void hand_take_count(void);
void hand_finish(void);

/* --- hand_cost.c: costs of single operations */

void hand_trip(void);
/* A host function between two kernels. */
void hand_function(void);
void hand_make_staged(void);
void hand_staged(void);
/* Make the graph of the chain. */
void hand_instantiate(void);
void hand_make_patched(void);
void hand_patch(void);
void hand_make_cancel(void);
/* Set device_ns to the time from the store that ends a loop to its end. */
void hand_cancel(void);
void hand_allocate(void);
void hand_allocate_large(void);
void hand_take_nothing(void);
void hand_take_number(void);
void hand_take_cancel(void);

/* --- look.c */

/* Check the driver properties; return the number of faults. */
int look(void);

/* --- probe.c */

/* Observe the driver; return non-zero if a call fails. */
int probe(const char *name);

/* --- mine.c: plans */

void plait_side_open(const char *options);
void plait_side_close(void);
void plait_make_chain(void);
void plait_make_diamonds(void);
void plait_make_queues(void);
void plait_make_while(void);
void plait_make_own(void);
void plait_make_cg(void);
void plait_make_fill(void);
void plait_chain(void);
void plait_diamonds(void);
/* Diamonds without segments, on four queues. */
void plait_diamonds_queues(void);
void plait_while(void);
void plait_while_own(void);
void plait_submit(void);
void plait_cg(void);
/* Fill with 8 bytes. */
void plait_fill(void);
/* Set device_ns and result after a run. */
void plait_take_word(void);
void plait_take_branch(void);
void plait_take_count(void);
void plait_finish(void);

/* --- mine_cost.c: costs of single operations */

void plait_make_trip(void);
/* Plans of one kernel; one kernel on a queue. */
void plait_trip(void);
void plait_trip_queue(void);
void plait_function(void);
void plait_make_staged(void);
void plait_staged(void);
void plait_instantiate(void);
void plait_instantiate_usual(void);
void plait_make_patched(void);
void plait_patch(void);
void plait_make_cancel(void);
void plait_cancel(void);
void plait_allocate(void);
void plait_allocate_large(void);
void plait_take_nothing(void);
void plait_take_number(void);
void plait_take_cancel(void);

#endif
