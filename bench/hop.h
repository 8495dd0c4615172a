/* SPDX-License-Identifier: MIT */
/*
 * Hop latency between the first two processors.
 */
#ifndef BENCH_HOP_H
#define BENCH_HOP_H

/* Return the one-way latency in ns; 0 with one processor. */
double hop_measure(void);

#endif
