/* SPDX-License-Identifier: MIT */
/*
 * One command as a lane keeps it: plait_work, a wait or an emission, packed
 * into 32 bytes, because they all travel from one core to another.  What can
 * be carried out without a lane is carried out here.
 */
#ifndef PLAIT_SRC_POOL_COMMAND_H
#define PLAIT_SRC_POOL_COMMAND_H

#include "plait/plugin.h"

typedef struct plait__counter plait__counter;

/* Kinds after those of plait_work. */
enum {
	PLAIT__COMMAND_WAIT = 64,
	PLAIT__COMMAND_EMIT = 65
};

struct plait__command {
	uint64_t kind : 8;
	uint64_t pattern_bytes : 8; /* FILL; else: `rows` is there */
	uint64_t bytes : 48;        /* more is not addressable */
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
		const plait_work_rows *rows; /* nothing of them can fail */
	};
};

#define PLAIT__COMMAND_MAX_BYTES (((uint64_t)1 << 48) - 1)

/* The rare half of pack. */
void plait__command_pack_move(struct plait__command *out,
			      const plait_work *work);

/* Of a kind that plait_work has. */
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

/* COPY, READ, WRITE and FILL. */
void plait__command_move(const struct plait__command *command);

#endif
