/* SPDX-License-Identifier: MIT */
/*
 * An MSCCL XML document as it is written: elements and attributes, with their
 * lines, and nothing of their meaning.
 */
#ifndef PLAIT_SRC_COLL_FORM_XML_DOCUMENT_H
#define PLAIT_SRC_COLL_FORM_XML_DOCUMENT_H

#include "base/vector.h"
#include "plait/base.h"

enum { PLAIT__XML_TEXT_BYTES = 64, PLAIT__XML_ABSENT = INT32_MIN };

typedef struct plait__xml_step {
	uint32_t line;
	int32_t s, srcoff, dstoff, cnt, depid, deps, hasdep;
	char type[8], srcbuf[8], dstbuf[8];
} plait__xml_step;

typedef struct plait__xml_block {
	uint32_t line;
	int32_t id, send, recv, chan;
	uint32_t first_step, step_count;
} plait__xml_block;

typedef struct plait__xml_gpu {
	uint32_t line;
	int32_t id, i_chunks, o_chunks, s_chunks;
	uint32_t first_block, block_count;
} plait__xml_gpu;

typedef struct plait__xml_document {
	uint32_t line;		/* of the algo element */
	char name[PLAIT__XML_TEXT_BYTES];
	char proto[PLAIT__XML_TEXT_BYTES], coll[PLAIT__XML_TEXT_BYTES];
	int32_t nchannels, nchunksperloop, ngpus, inplace;
	int32_t outofplace;	/* PLAIT__XML_ABSENT: not written */
	int64_t min_bytes, max_bytes; /* -1: not written */
	plait__vector gpus, blocks, steps;
} plait__xml_document;

#endif
