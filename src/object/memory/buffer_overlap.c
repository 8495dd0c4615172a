/* SPDX-License-Identifier: MIT */
/* Overlap of byte ranges: of two buffers, or of a buffer and host memory that
 * is wrapped or mapped. */
#include "object/memory/buffer.h"

static bool ranges_overlap(uintptr_t one, uint64_t one_bytes, uintptr_t other,
			   uint64_t other_bytes)
{
	return one < other ? other - one < one_bytes
			   : one - other < other_bytes;
}

/* Returns true if wrapped memory overlaps a mapping of these bytes of
 * `root`. */
static bool is_mapped(plait__buffer *root, uint64_t offset, uint64_t bytes,
		      uintptr_t wrapped, uint64_t wrapped_bytes)
{
	const struct plait__mapping *mapping;
	bool found = false;
	uint64_t from;
	uint64_t to;

	plait__mutex_lock(&root->map_lock);
	for (mapping = root->mappings; mapping != NULL && !found;
	     mapping = mapping->next) {
		from = mapping->offset > offset ? mapping->offset : offset;
		to = mapping->offset + mapping->bytes;
		if (to > offset + bytes)
			to = offset + bytes;
		found = from < to &&
			ranges_overlap((uintptr_t)mapping->pointer + from -
				      mapping->offset, to - from, wrapped,
			      wrapped_bytes);
	}
	plait__mutex_unlock(&root->map_lock);
	return found;
}

bool plait__buffer_overlap(const plait__buffer *one, uint64_t one_offset,
			   uint64_t one_bytes, const plait__buffer *other,
			   uint64_t other_offset, uint64_t other_bytes)
{
	plait__buffer *a = one->root;
	plait__buffer *b = other->root;
	uintptr_t from = one->offset + one_offset;
	uintptr_t to = other->offset + other_offset;

	if (a == b)
		return ranges_overlap(from, one_bytes, to, other_bytes);
	if (a->wrapped != NULL)
		from += (uintptr_t)a->wrapped;
	if (b->wrapped != NULL)
		to += (uintptr_t)b->wrapped;
	if (a->wrapped != NULL && b->wrapped != NULL)
		return ranges_overlap(from, one_bytes, to, other_bytes);
	if (a->wrapped != NULL)
		return is_mapped(b, to, other_bytes, from, one_bytes);
	return b->wrapped != NULL &&
	       is_mapped(a, from, one_bytes, to, other_bytes);
}

bool plait__buffer_overlaps_host(const plait__buffer *buffer, uint64_t offset,
				 uint64_t bytes, const void *host,
				 uint64_t host_bytes)
{
	plait__buffer *root = buffer->root;
	uint64_t from = buffer->offset + offset;

	if (root->wrapped != NULL)
		return ranges_overlap((uintptr_t)root->wrapped + from, bytes,
			     (uintptr_t)host, host_bytes);
	return is_mapped(root, from, bytes, (uintptr_t)host, host_bytes);
}
