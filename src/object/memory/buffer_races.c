/* SPDX-License-Identifier: MIT */
/* Bytes of buffers as the race check names them; see buffer_races.h. */
#include "object/memory/buffer_races.h"

plait__race_access plait__buffer_races_access(const plait__buffer *buffer,
					      uint64_t offset, uint64_t bytes,
					      bool writes)
{
	const plait__buffer *root = buffer->root;
	uint64_t base = (uintptr_t)root->wrapped;
	uint64_t first = base + buffer->offset + offset;

	return (plait__race_access){
		.root = base == 0 && root->native == 0 ? root : NULL,
		.native = root->native,
		.first = first,
		.end = first + bytes,
		.writes = writes,
	};
}

void plait__buffer_races_end(const plait__buffer *root)
{
	plait__races *races = plait__context_races(root->object.context);
	plait__race_access all;

	if (races == NULL)
		return;
	all = plait__buffer_races_access(root, 0, root->bytes, true);
	plait__races_forget(races, &all);
	if (root->released != NULL || root->released_event != NULL)
		plait__races_host_saw_any(races);
}
