/* SPDX-License-Identifier: MIT */
/* What bench/opencl and the program beside it share: kernels, and how big. */
#ifndef BENCH_OPENCL_H
#define BENCH_OPENCL_H

#include <stdint.h>

enum {
	CHAIN = 1000,	   /* kernels that do nothing, one behind the other */
	TIMES = 300,	   /* iterations of the loop */
	WORK = 1 << 21	   /* turns that each side of the diamond works */
};

#define EMPTY_TEXT "__kernel void empty(void) { }\n"
#define LESS_TEXT "__kernel void less(__global uint *left) { *left -= 1; }\n"
#define WORK_TEXT \
	"__kernel void work(__global uint *x, uint turns)\n" \
	"{ uint s = *x; for (uint i = 0; i < turns; i++)\n" \
	"s = s * 1664525u + (s >> 16) + 1013904223u; *x = s; }\n"

/* --- opencl_hand.c: the same by hand, as one who knows OpenCL writes it */

/* Look for it, build all; exits with a text when that does not work. */
void hand_open(void);
void hand_close(void);
/* CHAIN kernels on one queue; back when all is done. */
void hand_chain(void);
/* TIMES iterations, of which each reads the word that decides. */
void hand_loop(void);
/* A fill, two kernels side by side, and a copy; on one queue, or on those of
 * two parts of the device. */
void hand_diamond(int queues);

#endif
