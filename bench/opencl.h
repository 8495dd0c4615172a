/* SPDX-License-Identifier: MIT */
/* Kernels and problem sizes, shared by bench/opencl and bench/opencl_starpu. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#include <stdint.h>

enum {
	CHAIN = 1000,	   /* empty kernels in sequence */
	TIMES = 300,	   /* iterations of the loop */
	WORK = 1 << 21	   /* work of each branch of the diamond, in steps */
};

#define EMPTY_TEXT "__kernel void empty(void) { }\n"
#define LESS_TEXT "__kernel void less(__global uint *left) { *left -= 1; }\n"
#define NUMBER_TEXT \
	"__kernel void number(__global uint *x, uint i) { *x += i; }\n"
#define WORK_TEXT \
	"__kernel void work(__global uint *x, uint turns)\n" \
	"{ uint s = *x; for (uint i = 0; i < turns; i++)\n" \
	"s = s * 1664525u + (s >> 16) + 1013904223u; *x = s; }\n"

/* --- opencl_hand.c: direct OpenCL calls */

/* Open the device and build the kernels; exit with a message on failure. */
void hand_open(void);
void hand_close(void);
/* Run CHAIN kernels on one queue and wait. */
void hand_chain(void);
/* Run CHAIN kernels with their number on one queue and wait. */
void hand_numbers(void);
/* Run TIMES iterations, each of which reads the condition. */
void hand_loop(void);
/* Run a fill, two parallel kernels and a copy, on one queue or on the queues of two
 * parts of the device. */
void hand_diamond(int queues);

#endif
