/* SPDX-License-Identifier: MIT */
/*
 * Kernels of both sides, in CUDA C: the same text, so that the compiled code is
 * equal.  Each kernel is compiled separately.
 */
#ifndef BENCH_CUDA_TEXTS_H
#define BENCH_CUDA_TEXTS_H

#define GLOBAL_FUNCTION "extern \"C\" __global__ void "

/* Reads the device's clock, in nanoseconds; the stand-in has none. */
#define STAMP_TEXT \
	GLOBAL_FUNCTION "stamp(unsigned long long *at, unsigned which)\n" \
	"{\n" \
	"#ifdef STANDIN_DEVICE_H\n" \
	"	at[which] = __builtin_ia32_rdtsc();\n" \
	"#else\n" \
	"	unsigned long long now;\n" \
	"	asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(now));\n" \
	"	at[which] = now;\n" \
	"#endif\n" \
	"}\n"

#define TINY_TEXT \
	GLOBAL_FUNCTION "tiny(unsigned *x)\n" \
	"{\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*x += 1;\n" \
	"}\n"

#define LESS_TEXT \
	GLOBAL_FUNCTION "less(unsigned *left)\n" \
	"{\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*left -= 1;\n" \
	"}\n"

#define PUT_TEXT \
	GLOBAL_FUNCTION "put(unsigned *x, unsigned number)\n" \
	"{\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*x = number;\n" \
	"}\n"

/* Works for a few microseconds. */
#define WORK_TEXT \
	GLOBAL_FUNCTION "work(unsigned *x, unsigned turns)\n" \
	"{\n" \
	"	unsigned s = *x, i;\n" \
	"	for (i = 0; i < turns; i++)\n" \
	"		s = s * 1664525u + (s >> 16) + 1013904223u;\n" \
	"	if (threadIdx.x == 0)\n" \
	"		*x = s;\n" \
	"}\n"

#define CONDITION_TEXT \
	"extern \"C\" __device__ void cudaGraphSetConditional(\n" \
	"	unsigned long long handle, unsigned value);\n"

/* An extra node that decides, and a node of the body that decides itself. */
#define DECIDE_TEXT \
	CONDITION_TEXT \
	GLOBAL_FUNCTION "decide(unsigned long long handle, unsigned *word)\n" \
	"{\n" \
	"	cudaGraphSetConditional(handle, *word);\n" \
	"}\n"
#define LAST_TEXT \
	CONDITION_TEXT \
	GLOBAL_FUNCTION "last(unsigned long long handle, unsigned *left)\n" \
	"{\n" \
	"	if (threadIdx.x != 0)\n" \
	"		return;\n" \
	"	*left -= 1;\n" \
	"	cudaGraphSetConditional(handle, *left);\n" \
	"}\n"

/* Extra nodes that also read a stop word each time, or the device's timer.  What
 * the latter compares with stays 0. */
#define STOPS_TEXT \
	CONDITION_TEXT \
	GLOBAL_FUNCTION "stops(unsigned long long handle, unsigned *word,\n" \
	"	const volatile unsigned *stop)\n" \
	"{\n" \
	"	cudaGraphSetConditional(handle, *stop != 0 ? 0 : *word);\n" \
	"}\n"
#define READ_TIMER_TEXT \
	"	unsigned now;\n" \
	"	asm volatile(\"mov.u32 %0, %%globaltimer_lo;\" : \"=r\"(now));\n"
#define TIMES_TEXT \
	CONDITION_TEXT \
	GLOBAL_FUNCTION "times(unsigned long long handle, unsigned *word,\n" \
	"	const volatile unsigned *end)\n" \
	"{\n" \
	READ_TIMER_TEXT \
	"	cudaGraphSetConditional(handle, now - *end == 0 ? 1 : *word);\n" \
	"}\n"

/* The latter, with its loop's arguments from plait; 2: always sets the condition.
 * Reads the stop word if the last look was long enough ago. */
#define TELL_TEXT \
	CONDITION_TEXT \
	"extern \"C\" { __device__ __constant__ unsigned plait_decides = 2; }\n" \
	GLOBAL_FUNCTION "tell(unsigned *left, unsigned long long condition,\n" \
	"	const unsigned *word, const volatile unsigned *stop,\n" \
	"	unsigned long long *arrived)\n" \
	"{\n" \
	"	if (threadIdx.x != 0)\n" \
	"		return;\n" \
	"	volatile unsigned *looked = (volatile unsigned *)(arrived + 1);\n" \
	"	unsigned last, value = *left - 1;\n" \
	READ_TIMER_TEXT \
	"	*left = value;\n" \
	"	if (left != word)\n" \
	"		return;\n" \
	"	last = looked[0];\n" \
	"	if (last == 0 || now - last - 1 >= looked[1]) {\n" \
	"		looked[0] = now | 1;\n" \
	"		if (*stop != 0)\n" \
	"			value = 0;\n" \
	"	}\n" \
	"	cudaGraphSetConditional(condition, value);\n" \
	"}\n"

/*
 * Conjugate gradients on a square of `size` times `size` points, groups of 256.
 * numbers: alpha, beta, r . r; parts: a sum for each group.
 */
#define POINT_TEXT \
	"	unsigned n = size * size;\n" \
	"	unsigned i = blockIdx.x * 256 + threadIdx.x;\n"

#define APPLY_TEXT \
	GLOBAL_FUNCTION "apply(const double *p, double *q, double *parts,\n" \
	"	unsigned size)\n" \
	"{\n" \
	"	__shared__ double part[256];\n" \
	POINT_TEXT \
	"	unsigned x = i % size, k;\n" \
	"	double v = 0;\n" \
	"	if (i < n) {\n" \
	"		v = 4 * p[i];\n" \
	"		if (x > 0) v -= p[i - 1];\n" \
	"		if (x < size - 1) v -= p[i + 1];\n" \
	"		if (i >= size) v -= p[i - size];\n" \
	"		if (i < n - size) v -= p[i + size];\n" \
	"		q[i] = v;\n" \
	"	}\n" \
	"	part[threadIdx.x] = i < n ? v * p[i] : 0;\n" \
	REDUCE_TEXT \
	"	if (threadIdx.x == 0) parts[blockIdx.x] = part[0];\n" \
	"}\n"

#define REDUCE_TEXT \
	"	__syncthreads();\n" \
	"	for (k = 128; k > 0; k /= 2) {\n" \
	"		if (threadIdx.x < k)\n" \
	"			part[threadIdx.x] += part[threadIdx.x + k];\n" \
	"		__syncthreads();\n" \
	"	}\n"

#define COLLECT_TEXT \
	"	__shared__ double part[256];\n" \
	"	double sum = 0;\n" \
	"	unsigned k;\n" \
	"	for (k = threadIdx.x; k < groups; k += 256)\n" \
	"		sum += parts[k];\n" \
	"	part[threadIdx.x] = sum;\n" \
	REDUCE_TEXT

#define ALPHA_TEXT \
	GLOBAL_FUNCTION "alpha(const double *parts, double *numbers,\n" \
	"	unsigned groups)\n" \
	"{\n" \
	COLLECT_TEXT \
	"	if (threadIdx.x == 0) numbers[0] = numbers[2] / part[0];\n" \
	"}\n"

#define STEP_TEXT \
	GLOBAL_FUNCTION "step(double *x, double *r, const double *p,\n" \
	"	const double *q, const double *numbers, double *parts,\n" \
	"	unsigned size)\n" \
	"{\n" \
	"	__shared__ double part[256];\n" \
	POINT_TEXT \
	"	unsigned k;\n" \
	"	double v = 0;\n" \
	"	if (i < n) {\n" \
	"		x[i] += numbers[0] * p[i];\n" \
	"		r[i] = v = r[i] - numbers[0] * q[i];\n" \
	"	}\n" \
	"	part[threadIdx.x] = v * v;\n" \
	REDUCE_TEXT \
	"	if (threadIdx.x == 0) parts[blockIdx.x] = part[0];\n" \
	"}\n"

#define BETA_TEXT \
	GLOBAL_FUNCTION "beta(const double *parts, double *numbers,\n" \
	"	unsigned *go, unsigned *count, unsigned groups,\n" \
	"	double tolerance)\n" \
	"{\n" \
	COLLECT_TEXT \
	"	if (threadIdx.x == 0) {\n" \
	"		numbers[1] = part[0] / numbers[2];\n" \
	"		numbers[2] = part[0];\n" \
	"		*count += 1;\n" \
	"		*go = part[0] > tolerance * tolerance;\n" \
	"	}\n" \
	"}\n"

#define TURN_TEXT \
	GLOBAL_FUNCTION "turn(double *p, const double *r,\n" \
	"	const double *numbers, unsigned size)\n" \
	"{\n" \
	POINT_TEXT \
	"	if (i < n) p[i] = r[i] + numbers[1] * p[i];\n" \
	"}\n"

/* Initial state of a solve: the right-hand side is 1 everywhere. */
#define BEGIN_TEXT \
	GLOBAL_FUNCTION "begin(double *x, double *r, double *p,\n" \
	"	double *numbers, unsigned *go, unsigned *count,\n" \
	"	unsigned size)\n" \
	"{\n" \
	POINT_TEXT \
	"	if (i < n) {\n" \
	"		x[i] = 0;\n" \
	"		r[i] = p[i] = 1;\n" \
	"	}\n" \
	"	if (i == 0) {\n" \
	"		numbers[2] = n;\n" \
	"		*go = 1;\n" \
	"		*count = 0;\n" \
	"	}\n" \
	"}\n"

#endif
