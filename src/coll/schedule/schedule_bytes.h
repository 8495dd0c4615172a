/* SPDX-License-Identifier: MIT */
/*
 * Binary form of schedules, and their hash.
 *
 * All numbers are little-endian words of 32 bits; a number of 64 bits is its low
 * word, then its high word.
 *
 *   magic (8 bytes)  version (1 word)  words of the body (2)  checksum (4)
 *   body: kind flags rank_count root chunks protocol target depth
 *         channel_count  name (16)  slot_bytes min_bytes max_bytes (2 each)
 *         lane_count step_count wait_count promise_count source_count (2 each)
 *         ranks (input output scratch lane_count)
 *         lanes (channel send_peer recv_peer step_count (2))
 *         steps (kind | source_buffer << 8 | target_buffer << 16, count,
 *                source, target, wait_count)
 *         waits (lane step)
 *         promises (rank index first_source source_count (2 each))
 *         sources (rank index)
 *
 * First lanes, steps and waits are sums of the counts before: not written.  The
 * checksum is the hash of the body.  Equal schedules have equal bytes.
 */
#ifndef PLAIT_SRC_COLL_SCHEDULE_SCHEDULE_BYTES_H
#define PLAIT_SRC_COLL_SCHEDULE_SCHEDULE_BYTES_H

#include "coll/schedule/schedule.h"
#include "base/hash.h"

enum { PLAIT__SCHEDULE_BYTES_VERSION = 1 };

/* Number of bytes of the binary form. */
uint64_t plait__schedule_bytes_count(const plait__schedule *schedule);

/* Write the binary form into a buffer with room for it. */
void plait__schedule_bytes_write(const plait__schedule *schedule,
				 void *buffer);

/* Returns true if the bytes begin like a binary form. */
int plait__schedule_bytes_begin(const void *bytes, uint64_t count);

/* Read any bytes; `name` is for errors.  All indices of a schedule that is read
 * are within their arrays; the rest is for the proof.  PLAIT_E_INVALID: damaged;
 * PLAIT_E_UNSUPPORTED: another version; PLAIT_E_NOMEM. */
plait_status plait__schedule_bytes_read(const plait_allocator *allocator,
					const void *bytes, uint64_t count,
					const char *name,
					plait__schedule **out,
					plait_error *error);

/* Hash of a schedule: of the body of its binary form with an empty name. */
void plait__schedule_bytes_hash(const plait__schedule *schedule,
				unsigned char out[PLAIT__HASH_BYTES]);

#endif
