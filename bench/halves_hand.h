/* SPDX-License-Identifier: MIT */
/*
 * The launches of bench/flow_halves as a program writes them by hand in OpenCL: one at a
 * time, by one thread, each with an event, as a task must know how it has ended.
 */
#ifndef BENCH_HALVES_HAND_H
#define BENCH_HALVES_HAND_H

#include <stdint.h>

/* Launches on `parts` devices of a context, native handles, each of so many turns;
 * exits with a message on failure. */
void halves_hand_open(uint64_t context, const uint64_t *devices, uint32_t parts,
		      uint32_t turns);
void halves_hand_close(void);

/* So many launches, each of other memory, by turns on the devices. */
void halves_hand_independent(uint32_t count);
/* So many launches of one memory on the first device. */
void halves_hand_chain(uint32_t count);

#endif
