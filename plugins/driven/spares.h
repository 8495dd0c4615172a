/* SPDX-License-Identifier: MIT */
/*
 * Memory of batches that have ended, for later ones of the same size.  Mostly the thread
 * that submits allocates and another one frees: the allocator's slowest case.
 *
 * Guarded by the completion lock of the context, but for the end.
 */
#ifndef PLAITP_DRIVEN_SPARES_H
#define PLAITP_DRIVEN_SPARES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct driven_batch driven_batch;
struct driven;

/* AddressSanitizer detects no use of a block that is kept. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRIVEN_KEEPS_NONE
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define DRIVEN_KEEPS_NONE
#endif

/* Sizes at a time, blocks of each, and the largest block that is kept. */
enum { DRIVEN_SPARE_SIZES = 8, DRIVEN_SPARES = 64 };
#ifdef DRIVEN_KEEPS_NONE
enum { DRIVEN_SPARE_BYTES = 0 };
#else
enum { DRIVEN_SPARE_BYTES = 4096 };
#endif

/* Zeroed memory is empty. */
struct driven_spares {
	struct driven_spare_list {
		driven_batch *first; /* by `next`, all of one size */
		uint32_t count;
		bool missed; /* the last request was for another size */
	} lists[DRIVEN_SPARE_SIZES];
};

/* Returns a block of so many bytes, or null without memory. */
driven_batch *plaitp_driven_spares_take(struct driven *self, uint64_t bytes);
/* Give a list of blocks back, by `next`, each of its total_bytes. */
void plaitp_driven_spares_give(struct driven *self, driven_batch *list);
/* Free all; no other thread uses the context. */
void plaitp_driven_spares_free(struct driven *self);

#endif
