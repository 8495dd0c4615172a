/* SPDX-License-Identifier: MIT */
/* Expected times; see history_estimate.h. */
#include "flow/policy/history_estimate.h"

#include "flow/policy/saturating.h"

#include <stdbool.h>
#include <stddef.h>

enum { RATIO_ONE = 65536 };

/* Returns a time of one class as that of another: 2^(1/4) per class. */
static uint64_t scaled(uint64_t ns, uint32_t from, uint32_t to)
{
	static const uint64_t roots[4] = { 65536, 77936, 92682, 110218 };
	uint32_t apart = from < to ? to - from : from - to;
	uint64_t root = roots[apart % 4];
	uint64_t power = (uint64_t)1 << apart / 4;

	if (from > to)
		return plait__saturating_mul_div(ns, RATIO_ONE, root) / power;
	return plait__saturating_mul_div(
		plait__saturating_mul_div(ns, root, RATIO_ONE), power, 1);
}

/* Returns the entry of the nearest class, the lower of two, or null. */
static const plait__history_entry *
find_nearest(const plait__history *history, const plait__history_key *key)
{
	plait__history_key near = *key;

	for (uint32_t apart = 0; apart < PLAIT__HISTORY_CLASSES; apart++) {
		const plait__history_entry *entry = NULL;

		near.size_class = key->size_class - apart;
		if (apart <= key->size_class)
			entry = plait__history_find(history, &near);
		near.size_class = key->size_class + apart;
		if (entry == NULL && near.size_class < PLAIT__HISTORY_CLASSES)
			entry = plait__history_find(history, &near);
		if (entry != NULL)
			return entry;
	}
	return NULL;
}

static plait__estimate estimate_from(const plait__history_entry *entry,
				     const plait__history_key *key)
{
	return (plait__estimate){
		.ns = scaled(entry->time.mean,
			     entry->key.size_class, key->size_class),
		.source = entry->key.size_class == key->size_class ?
			  PLAIT__ESTIMATE_MEASURED : PLAIT__ESTIMATE_CLASS,
		.size_class = entry->key.size_class,
		.device = entry->key.device,
		.count = entry->time.count,
	};
}

/* Returns the mean of the ratios of times of a device to those of another, over
 * the codes and classes that both have; 0 without any. */
static uint64_t mean_ratio(const plait__history *history, uint32_t device,
			   uint32_t other)
{
	uint64_t sum = 0, count = 0;

	for (uint32_t i = 0; i < history->entries.count; i++) {
		const plait__history_entry *one =
			plait__vector_at(&history->entries, i);
		const plait__history_entry *two;
		plait__history_key key = one->key;

		if (one->key.device != device)
			continue;
		key.device = other;
		two = plait__history_find(history, &key);
		if (two == NULL || two->time.mean == 0)
			continue;
		sum = plait__saturating_add(
			sum, plait__saturating_mul_div(
				one->time.mean, RATIO_ONE, two->time.mean));
		count++;
	}
	return count > 0 ? sum / count : 0;
}

/* Returns false if no other device has the code and a ratio to this one. */
static bool estimate_elsewhere(const plait__history *history,
			       const plait__history_key *key,
			       plait__estimate *out)
{
	plait__history_key there = *key;

	for (there.device = 0; there.device < history->devices.count;
	     there.device++) {
		const plait__history_entry *entry =
			there.device == key->device ? NULL :
			find_nearest(history, &there);
		uint64_t ratio = entry == NULL ? 0 :
				 mean_ratio(history, key->device,
					    there.device);

		if (ratio == 0)
			continue;
		*out = estimate_from(entry, key);
		out->ns = plait__saturating_mul_div(out->ns, ratio, RATIO_ONE);
		out->source = PLAIT__ESTIMATE_DEVICE;
		out->ratio = ratio;
		return true;
	}
	return false;
}

plait__estimate plait__history_estimate(const plait__history *history,
					const plait__history_key *key,
					uint64_t items, uint64_t given_ns)
{
	plait__estimate estimate = { .ns = given_ns };
	plait__history_key full = *key;
	const plait__history_entry *entry;

	full.size_class = plait__history_class(items);
	entry = find_nearest(history, &full);
	if (entry != NULL)
		return estimate_from(entry, &full);
	(void)estimate_elsewhere(history, &full, &estimate);
	return estimate;
}
