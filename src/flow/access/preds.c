/* SPDX-License-Identifier: MIT */
/* Sets of predecessors; see preds.h. */
#include "flow/access/preds.h"

#include "base/alloc.h"

#include <string.h>

void plait__preds_init(plait__preds *preds, const plait_allocator *allocator,
		       uint64_t window)
{
	memset(preds, 0, sizeof(*preds));
	preds->allocator = allocator;
	preds->mask = window - 1;
	preds->items = preds->few;
	preds->capacity = PLAIT__PREDS_FEW;
}

void plait__preds_fini(plait__preds *preds)
{
	if (preds->items != preds->few)
		plait__free(preds->allocator, preds->items,
			    preds->capacity * sizeof(*preds->items));
	plait__free(preds->allocator, preds->stamps,
		    2 * (preds->mask + 1) * sizeof(*preds->stamps));
	preds->items = preds->few;
	preds->stamps = NULL;
}

void plait__preds_begin(plait__preds *preds, uint64_t settled,
			bool keeps_settled)
{
	preds->settled = settled;
	preds->keeps_settled = keeps_settled;
	preds->lacks_memory = false;
	preds->count = 0;
	preds->marks = 0;
	memset(preds->last_full, 0, sizeof(preds->last_full));
}

static bool grow(plait__preds *preds)
{
	uint32_t capacity = 2 * preds->capacity;
	plait__pred *items = plait__alloc_array(preds->allocator, capacity,
						sizeof(*items));

	if (items == NULL)
		return false;
	memcpy(items, preds->items, preds->count * sizeof(*items));
	if (preds->items != preds->few)
		plait__free(preds->allocator, preds->items,
			    preds->capacity * sizeof(*items));
	preds->items = items;
	preds->capacity = capacity;
	return true;
}

static void stamp(plait__preds *preds, uint32_t i)
{
	uint64_t part = preds->items[i].number & preds->mask;

	preds->stamps[part] = preds->serial;
	preds->places[part] = i;
}

/* From now on, stamps say which numbers there are. */
static bool begin_stamps(plait__preds *preds)
{
	uint64_t window = preds->mask + 1;

	if (preds->stamps == NULL) {
		preds->stamps = plait__alloc_array(preds->allocator,
						   2 * window,
						   sizeof(*preds->stamps));
		if (preds->stamps == NULL)
			return false;
		preds->places = preds->stamps + window;
	}
	if (++preds->serial == 0) {
		memset(preds->stamps, 0, window * sizeof(*preds->stamps));
		preds->serial = 1;
	}
	for (uint32_t i = 0; i < preds->count; i++)
		if (preds->items[i].number > preds->settled)
			stamp(preds, i);
	return true;
}

/* Settled ops beyond a few may be there twice. */
static plait__pred *find(const plait__preds *preds, uint64_t number)
{
	uint64_t part = number & preds->mask;

	if (preds->count <= PLAIT__PREDS_FEW || number <= preds->settled) {
		for (uint32_t i = 0; i < preds->count && i < PLAIT__PREDS_FEW;
		     i++)
			if (preds->items[i].number == number)
				return &preds->items[i];
		return NULL;
	}
	return preds->stamps[part] == preds->serial ?
		       &preds->items[preds->places[part]] : NULL;
}

void plait__preds_insert(plait__preds *preds, uint64_t number, bool is_true)
{
	plait__pred *known = find(preds, number);

	if (known != NULL) {
		known->is_true |= is_true;
		preds->recent[number % PLAIT__PREDS_RECENT] =
			(uint32_t)(known - preds->items);
		return;
	}
	if ((preds->count == preds->capacity && !grow(preds)) ||
	    (preds->count == PLAIT__PREDS_FEW && !begin_stamps(preds))) {
		preds->lacks_memory = true;
		return;
	}
	preds->recent[number % PLAIT__PREDS_RECENT] = preds->count;
	preds->items[preds->count++] = (plait__pred){ number, is_true };
	if (preds->count > PLAIT__PREDS_FEW && number > preds->settled)
		stamp(preds, preds->count - 1);
}
