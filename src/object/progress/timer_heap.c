/* SPDX-License-Identifier: MIT */
/* Pairing heap of timers; see timer_heap.h. */
#include "object/progress/timer_heap.h"

#include <stddef.h>

/* Make one heap of two; each root has no sibling, or is null. */
static plait__timer *meld(plait__timer *first, plait__timer *second)
{
	plait__timer *later = second;

	if (first == NULL || second == NULL)
		return first != NULL ? first : second;
	if (second->due_ns < first->due_ns) {
		later = first;
		first = second;
	}
	later->previous = first;
	later->next = first->child;
	if (later->next != NULL)
		later->next->previous = later;
	first->child = later;
	return first;
}

/* Cut the first root off a list of siblings; returns null of an empty one. */
static plait__timer *cut(plait__timer **list)
{
	plait__timer *timer = *list;

	if (timer == NULL)
		return NULL;
	*list = timer->next;
	timer->next = NULL;
	timer->previous = NULL;
	return timer;
}

/* Make one heap of siblings: first in pairs, then of the pairs from the last to
 * the first. */
static plait__timer *meld_all(plait__timer *siblings)
{
	plait__timer *pairs = NULL, *whole = NULL, *pair;

	while (siblings != NULL) {
		pair = cut(&siblings);
		pair = meld(pair, cut(&siblings));
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs != NULL)
		whole = meld(whole, cut(&pairs));
	return whole;
}

void plait__timer_heap_add(plait__timer **root, plait__timer *timer)
{
	timer->child = NULL;
	timer->next = NULL;
	timer->previous = NULL;
	*root = meld(*root, timer);
}

void plait__timer_heap_remove(plait__timer **root, plait__timer *timer)
{
	plait__timer *below = meld_all(timer->child);

	timer->child = NULL;
	if (timer == *root) {
		*root = below;
		return;
	}
	if (timer->previous->child == timer)
		timer->previous->child = timer->next;
	else
		timer->previous->next = timer->next;
	if (timer->next != NULL)
		timer->next->previous = timer->previous;
	*root = meld(*root, below);
}
