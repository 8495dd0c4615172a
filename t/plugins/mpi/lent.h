/* SPDX-License-Identifier: MIT */
/* Scenarios of lent memory; see lent.c. */
#ifndef LENT_H
#define LENT_H

#include <stdint.h>

/* Streams between all ranks whose ends lend at random, and change what they get
 * back at once. */
void lent_streams(uint32_t depth, uint64_t slot_bytes, uint64_t messages);
/* Memory is taken back before the peer looks. */
void lent_reclaims(void);
/* A receiver takes its room back from a sender that has stopped. */
void lent_stops(void);

#endif
