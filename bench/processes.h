/* SPDX-License-Identifier: MIT */
/*
 * Common part of bench/processes and bench/processes_mpi: processors, data, and
 * samples.  A sample is the mean of up to 16 calls.
 */
#ifndef BENCH_PROCESSES_H
#define BENCH_PROCESSES_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static inline uint32_t processes_count(void)
{
	return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static inline void processes_pin(uint32_t rank)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rank % processes_count(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline uint64_t processes_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Element i of a rank: small integers, so that sums are exact. */
static inline float processes_value(uint32_t rank, uint64_t i)
{
	return (float)((i * 7 + rank * 3) % 1000);
}

static inline void processes_fill(const char *operation, void *buffer,
				  uint64_t bytes, uint32_t rank,
				  uint32_t ranks)
{
	float *data = buffer;
	uint64_t i;

	(void)operation;
	(void)ranks;
	for (i = 0; i < bytes / sizeof(float); i++)
		data[i] = processes_value(rank, i);
}

static inline float processes_expect(const char *operation, uint64_t count,
				     uint64_t i, uint32_t rank,
				     uint32_t ranks)
{
	uint64_t block = count / ranks;
	float sum = 0;
	uint32_t p;

	if (strcmp(operation, "alltoall") == 0)
		return processes_value((uint32_t)(i / block),
				       rank * block + i % block);
	for (p = 0; p < ranks; p++)
		sum += processes_value(p, i);
	return sum;
}

/* End the process if the result of a collective is wrong. */
static inline void processes_verify(const char *operation, const void *in,
				    const void *out, uint64_t bytes,
				    uint32_t rank, uint32_t ranks)
{
	int is_alltoall = strcmp(operation, "alltoall") == 0;
	const float *data = is_alltoall ? out : in;
	uint64_t i, count = bytes / sizeof(float);

	if (!is_alltoall && strcmp(operation, "allreduce") != 0)
		return;
	for (i = 0; i < count; i++)
		if (data[i] != processes_expect(operation, count, i, rank,
						ranks)) {
			fprintf(stderr, "%s: element %llu of rank %u is %g\n",
				operation, (unsigned long long)i, rank,
				(double)data[i]);
			_exit(1);
		}
}

/* Number of calls in a sample: the same on all ranks, so from the size. */
static inline uint32_t processes_calls(uint64_t bytes)
{
	return bytes >= 1 << 18 ? 1 : bytes >= 1 << 14 ? 4 : 16;
}

static inline void processes_sample(uint32_t samples, uint64_t bytes,
				    uint32_t rank, void (*run)(void),
				    void (*barrier)(void))
{
	uint32_t s, i, calls = processes_calls(bytes);
	uint64_t begin;
	double *times = calloc(samples, sizeof(*times));

	if (times == NULL)
		_exit(1);
	for (s = 0; s < samples; s++) {
		barrier();
		begin = processes_ns();
		for (i = 0; i < calls; i++)
			run();
		times[s] = (double)(processes_ns() - begin) / 1000 / calls;
	}
	for (s = 0; s < samples && rank == 0; s++)
		printf("%.3f ", times[s]);
	free(times);
}

#endif
