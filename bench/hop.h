/* SPDX-License-Identifier: MIT */
/*
 * How far the first two processors are apart.
 */
#ifndef BENCH_HOP_H
#define BENCH_HOP_H

/* One way, in ns; 0 if there is only one processor. */
double hop_measure(void);

#endif
