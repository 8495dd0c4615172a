/* SPDX-License-Identifier: MIT */
/* Pairing heaps of units; see unit_heap.h. */
#include "coll/place/unit_heap.h"

#include "base/alloc.h"

int plait__unit_heap_init(plait__unit_heap *heap, const plait__dag *dag)
{
	uint32_t nodes = dag->nodes.count;

	*heap = (plait__unit_heap){ .dag = dag };
	heap->child = plait__alloc_array(dag->allocator, nodes,
					 sizeof(uint32_t));
	heap->sibling = plait__alloc_array(dag->allocator, nodes,
					   sizeof(uint32_t));
	if (nodes > 0 && (heap->child == NULL || heap->sibling == NULL))
		return -1;
	for (uint32_t i = 0; i < nodes; i++)
		heap->child[i] = heap->sibling[i] = PLAIT__COLL_NONE;
	return 0;
}

void plait__unit_heap_fini(plait__unit_heap *heap)
{
	uint64_t bytes = heap->dag->nodes.count * sizeof(uint32_t);

	plait__free(heap->dag->allocator, heap->child, bytes);
	plait__free(heap->dag->allocator, heap->sibling, bytes);
}

bool plait__unit_heap_before(const plait__unit_heap *heap, uint32_t a,
			     uint32_t b)
{
	uint32_t left = plait__dag_at(heap->dag, a)->height;
	uint32_t right = plait__dag_at(heap->dag, b)->height;

	return heap->by_number || left == right ? a < b : left > right;
}

/* Returns the root of both trees; roots have no sibling. */
static uint32_t meld(plait__unit_heap *heap, uint32_t a, uint32_t b)
{
	uint32_t first, second;

	if (a == PLAIT__COLL_NONE || b == PLAIT__COLL_NONE)
		return a == PLAIT__COLL_NONE ? b : a;
	first = plait__unit_heap_before(heap, a, b) ? a : b;
	second = first == a ? b : a;
	heap->sibling[second] = heap->child[first];
	heap->child[first] = second;
	return first;
}

void plait__unit_heap_push(plait__unit_heap *heap, uint32_t *root,
			   uint32_t unit)
{
	*root = meld(heap, *root, unit);
}

uint32_t plait__unit_heap_pop(plait__unit_heap *heap, uint32_t *root)
{
	uint32_t top = *root, at = heap->child[top], pairs = PLAIT__COLL_NONE;

	heap->child[top] = PLAIT__COLL_NONE;
	/* Meld neighbours from the left into a list of trees ... */
	while (at != PLAIT__COLL_NONE) {
		uint32_t other = heap->sibling[at], next = PLAIT__COLL_NONE;

		heap->sibling[at] = PLAIT__COLL_NONE;
		if (other != PLAIT__COLL_NONE) {
			next = heap->sibling[other];
			heap->sibling[other] = PLAIT__COLL_NONE;
		}
		at = meld(heap, at, other);
		heap->sibling[at] = pairs;
		pairs = at;
		at = next;
	}
	/* ... and those from the right into one. */
	*root = PLAIT__COLL_NONE;
	while (pairs != PLAIT__COLL_NONE) {
		uint32_t next = heap->sibling[pairs];

		heap->sibling[pairs] = PLAIT__COLL_NONE;
		*root = meld(heap, *root, pairs);
		pairs = next;
	}
	return top;
}
