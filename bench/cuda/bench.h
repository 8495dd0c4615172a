/* SPDX-License-Identifier: MIT */
/* What the sides of bench-cuda share: how much there is to do, and who does it. */
#ifndef BENCH_CUDA_BENCH_H
#define BENCH_CUDA_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* How much of everything. */
struct sizes {
	uint32_t chain;	   /* tiny kernels, one behind the other */
	uint32_t diamonds; /* one behind the other, each BRANCHES wide */
	uint32_t turns;	   /* that each branch works */
	uint32_t times;	   /* iterations of the loop */
	uint32_t submits;  /* launches, one by one */
	uint32_t square;   /* points on each side of the Poisson problem */
	uint32_t fill;	   /* MiB that are filled */
};

enum { BRANCHES = 4, GROUP = 256, TINY_GROUP = 32 };

extern struct sizes sizes;

/* The last run: by the device's clock, from its first kernel to its last. */
extern double device_ns;

/* What came out, to be compared: a number that each side has to find. */
extern uint64_t result;

static inline uint32_t points(void)
{
	return sizes.square * sizes.square;
}

static inline uint32_t groups(void)
{
	return (points() + GROUP - 1) / GROUP;
}

#define TOLERANCE 1e-6

/* Say why, and end the program, or what a side is at. */
__attribute__((noreturn)) void die(const char *what, const char *why);

/* --- hand.c, hand_graph.c: by the driver's functions, as one writes who knows
 * them */

/* The libraries, the first device and its context; null: the usual ones. */
void hand_begin(const char *driver, const char *compiler);
/* And what all sides have. */
void hand_open(void);
/* When nothing has failed. */
void hand_close(void);
/* One line about the device and the driver. */
const char *hand_name(void);
bool hand_has_conditions(void);

/* What some of them run. */
void hand_make_chain(void);
void hand_make_diamonds(void);
void hand_make_node(void);
void hand_make_last(void);
void hand_make_solver(void);
void hand_make_cg(void);
void hand_make_fill(void);

void hand_chain_launches(void);
void hand_chain_graph(void);
void hand_diamonds_streams(void);
void hand_diamonds_graph(void);
/* The host reads the word of each iteration. */
void hand_while_host(void);
/* A node of the body decides; the last kernel of the body does. */
void hand_while_node(void);
void hand_while_last(void);
void hand_submit(void);
void hand_cg_host(void);
void hand_cg_graph(void);
/* With 4 bytes, and with 8 as two columns of 4. */
void hand_fill_words(void);
void hand_fill_columns(void);
void hand_take_word(void);
void hand_take_branch(void);
void hand_take_count(void);
void hand_finish(void);

/* --- look.c */

/* What a device has to show first; how much of it is not so. */
int look(void);

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
/* The same, without segments: on four queues. */
void plait_diamonds_queues(void);
void plait_while(void);
void plait_while_own(void);
void plait_submit(void);
void plait_cg(void);
/* With 8 bytes. */
void plait_fill(void);
/* After a run: its device_ns and result. */
void plait_take_word(void);
void plait_take_branch(void);
void plait_take_count(void);
void plait_finish(void);

#endif
