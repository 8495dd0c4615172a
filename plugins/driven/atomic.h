/* SPDX-License-Identifier: MIT */
/* Words of 32 and 64 bits that threads, callbacks and devices share. */
#ifndef PLAITP_DRIVEN_ATOMIC_H
#define PLAITP_DRIVEN_ATOMIC_H

#include <stdint.h>

static inline uint32_t plaitp_driven_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline void plaitp_driven_store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline uint64_t plaitp_driven_load64(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Add 1.  Relaxed: a statistic. */
static inline void plaitp_driven_count(uint32_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

static inline void plaitp_driven_store64(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Raise the word to `value`, if it is less. */
static inline void plaitp_driven_raise64(uint64_t *word, uint64_t value)
{
	uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (before < value &&
	       !__atomic_compare_exchange_n(word, &before, value, 0,
					    __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
}

/* Store `value` if the word is 0.  Release: pairs with the loads above. */
static inline void plaitp_driven_set_once(uint32_t *word, uint32_t value)
{
	uint32_t none = 0;

	__atomic_compare_exchange_n(word, &none, value, 0, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
}

static inline void plaitp_driven_set_once64(uint64_t *word, uint64_t value)
{
	uint64_t none = 0;

	__atomic_compare_exchange_n(word, &none, value, 0, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
}

/* Replace `from` by `to`; false if the word has another value. */
static inline int plaitp_driven_replace64(uint64_t *word, uint64_t from,
					  uint64_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, 0,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Add 1; sequentially consistent: a load after it is not earlier. */
static inline void plaitp_driven_add(uint32_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST);
}

/* Add 1.  Release: pairs with an acquire load of the sum. */
static inline void plaitp_driven_add64(uint64_t *word)
{
	__atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
}

#endif
