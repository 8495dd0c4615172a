/* SPDX-License-Identifier: MIT */
/* Drafts of parameters, which the parser of signatures makes, and the signature
 * that is assembled from them. */
#ifndef PLAIT_SRC_KERNEL_SIGNATURE_WRITE_H
#define PLAIT_SRC_KERNEL_SIGNATURE_WRITE_H

#include "kernel/signature.h"

#include "base/text.h"

#define PLAIT__DRAFT_NO_NAME UINT64_MAX

/* Parameter being parsed; its name is an offset in the text of names. */
typedef struct plait__signature_draft {
	uint64_t name;
	uint32_t type;
	uint32_t element;
	uint32_t mode;
	uint32_t bytes;
	uint64_t struct_name; /* in the names, or PLAIT__DRAFT_NO_NAME */
	uint32_t array;
	uint32_t place;
	bool is_chunk;
} plait__signature_draft;

/* Assemble the signature and its canonical text.  The names begin with that of the
 * kernel.  PLAIT_E_NOMEM. */
plait_status plait__signature_write(const plait__text *names,
				    const plait__signature_draft *drafts,
				    uint32_t count, plait__type result,
				    const plait_allocator *allocator,
				    plait__signature **out, plait_error *error);

#endif
