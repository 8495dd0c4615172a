/* SPDX-License-Identifier: MIT */
/* Interface between the files of the driver's side. */
#ifndef BENCH_CUDA_HAND_H
#define BENCH_CUDA_HAND_H

#include "calls.h"

#include "bench.h"

enum { STREAMS = BRANCHES };

/* A kernel with its arguments. */
struct shot {
	CUfunction function;
	unsigned grid, block;
	void **arguments;
};

/* The steps of the solver's body. */
enum { APPLY, ALPHA, STEP, BETA, TURN, STEPS };

struct hand {
	struct cuda_calls cu;
	struct nvrtc_calls nvrtc;
	CUcontext context;
	CUstream streams[STREAMS];
	CUevent events[2 * STREAMS];
	CUdeviceptr stamps, word, left, branches[BRANCHES], go, count;
	CUdeviceptr filled; /* created at first use */
	CUdeviceptr x, r, p, q, parts, numbers;
	struct shot stamp[2], tiny, less, work[BRANCHES];
	struct shot begin, steps[STEPS];
	CUfunction decide; /* created at first use */
};

extern struct hand hand;

#define DO(call) hand_must(#call, hand.cu.call)
void hand_must(const char *what, CUresult code);
void hand_launch(CUstream stream, const struct shot *shot);
void hand_fill(CUstream stream, CUdeviceptr at, uint32_t value);
uint32_t hand_read(CUdeviceptr at);
/* Compile a kernel; end the program on failure.  The caller frees the result. */
char *hand_compile(const char *kernel, const char *text, bool ptx);

CUfunction hand_function_of(const char *kernel, const char *text);
/* Return the kernel that sets a condition. */
CUfunction hand_decide(void);
CUfunction hand_last(void);

/* --- hand_graph.c */

void hand_drop_graphs(void);
void hand_drop_chain(void);
/* A graph of tiny kernels in sequence, and one more, which is set again with
 * its arguments of now before each launch. */
void hand_make_row(const struct shot *last);
void hand_launch_row(const struct shot *last);
/* A graph of a loop that goes on while the word is not 0. */
CUgraphExec hand_make_endless(CUdeviceptr word);

/* --- hand_cost.c */

void hand_drop_costs(void);

#endif
