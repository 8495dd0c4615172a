/* SPDX-License-Identifier: MIT */
/*
 * A command as a lane stores it: a plait_work, a wait or an emission, packed
 * into 32 bytes because every command moves from one core's cache to another's.
 * Copies and fills, which need no lane, are executed here.
 */
#ifndef PLAIT_SRC_POOL_COMMAND_H
#define PLAIT_SRC_POOL_COMMAND_H

#include "plait/plugin.h"

typedef struct plait__counter plait__counter;

/* Kinds beyond those of plait_work. */
enum {
	PLAIT__COMMAND_WAIT = 64,
	PLAIT__COMMAND_EMIT = 65
};

struct plait__command {
	uint64_t kind : 8;
	uint64_t pattern_bytes : 8; /* FILL; else nonzero: `rows` is set */
	uint64_t bytes : 48;        /* the addressable range */
	union {
		int32_t (*function)(void *user_data);
		void *target;
		plait__counter *counter;
	};
	union {
		void *user_data;
		const void *source;
		uint64_t pattern;
		uint64_t sequence;
	};
	union {
		const char *label;
		/* commands with rows cannot fail */
		const plait_work_rows *rows;
	};
};

#define PLAIT__COMMAND_MAX_BYTES (((uint64_t)1 << 48) - 1)

/* Pack a copy or a fill; the out-of-line part of plait__command_pack. */
void plait__command_pack_move(struct plait__command *out,
			      const plait_work *work);

/* Pack a work of a kind that plait_work defines. */
static inline void plait__command_pack(struct plait__command *out,
				       const plait_work *work)
{
	out->kind = work->kind & 0xff;
	out->label = work->label;
	if (work->kind == PLAIT_WORK_CALL) {
		out->function = work->function;
		out->user_data = work->user_data;
	} else if (work->kind != PLAIT_WORK_NOP) {
		plait__command_pack_move(out, work);
	}
}

/* Execute a COPY, READ, WRITE or FILL. */
void plait__command_move(const struct plait__command *command);

#endif
