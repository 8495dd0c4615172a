/* SPDX-License-Identifier: MIT */
/* DLPack's structs, declared once more for the tests of arrays, so that both
 * sides can be wrong only together with DLPack's own header. */
#ifndef T_TENSORS_H
#define T_TENSORS_H

#include "kernels.h"

struct dl_tensor {
	void *data;
	int32_t device_type;
	int32_t device_id;
	int32_t ndim;
	uint8_t code;
	uint8_t bits;
	uint16_t lanes;
	int64_t *shape;
	int64_t *strides;
	uint64_t byte_offset;
};

struct dl_legacy {
	struct dl_tensor tensor;
	void *manager;
	void (*deleter)(struct dl_legacy *self);
};

struct dl_versioned {
	uint32_t major;
	uint32_t minor;
	void *manager;
	void (*deleter)(struct dl_versioned *self);
	uint64_t flags;
	struct dl_tensor tensor;
};

static inline plait_status import(struct rig *rig, void *tensor, uint32_t flags,
				  plait_inbox *inbox, plait_array *array,
			   plait_buffer **out)
{
	plait_import_desc desc = { .size = sizeof(desc), .flags = flags,
				   .inbox = inbox, .label = "theirs" };

	*array = (plait_array){ .size = sizeof(*array) };
	memset(&rig->error, 0, sizeof(rig->error));
	rig->error.size = sizeof(rig->error);
	return plait_array_import(rig->device, tensor, &desc, array, out,
				  &rig->error);
}

#endif
