/* SPDX-License-Identifier: MIT */
/* A launch: its blocks, their threads, and services for operations. */
#ifndef PTX_MACHINE_H
#define PTX_MACHINE_H

#include <string.h>

#include "program.h"

enum ptx_state {
	PTX_RUNNING,
	PTX_YIELDED, /* runs, but others first */
	PTX_AT_BARRIER,
	PTX_IN_WARP, /* waits for threads of the warp */
	PTX_ENDED
};

struct ptx_frame {
	const struct ptx_function *function;
	const struct ptx_op *back; /* the operation behind the call */
	const struct ptx_call *call;
	uint32_t base; /* of its slots and parameters, in words */
	uint32_t local_base;
};

struct ptx_thread {
	uint64_t *r; /* slots of the newest frame */
	char *params; /* its parameters */
	const struct ptx_op *at; /* the next one */
	struct ptx_block *block;
	struct ptx_machine *machine;
	uint64_t *words; /* of all frames */
	uint32_t word_room;
	struct ptx_frame *frames;
	uint32_t frame_count, frame_room;
	char *local;
	uint32_t local_bytes, local_room;
	uint32_t number; /* in the block */
	uint32_t tid[3];
	uint32_t mask, wait; /* of a warp; the barrier */
	uint8_t state;
	bool carry;
};

struct ptx_barrier {
	uint32_t arrived, wanted, red_count, red_all, red_any;
	bool used;
};

/* The last accesses to a byte of shared memory. */
struct ptx_shadow {
	uint32_t written, read; /* epochs of the block */
	uint32_t write_turn, read_turn; /* and of the warp */
	uint16_t writer, reader;
	bool strong; /* the write was */
	bool agreed; /* others stored the value again */
};

enum { PTX_BARRIERS = 16, PTX_WARP = 32, PTX_SEVERAL = 0xffff };

struct ptx_block {
	struct ptx_machine *machine;
	struct ptx_thread *threads;
	uint32_t live;
	uint32_t ctaid[3];
	char *shared;
	struct ptx_shadow *shadow;
	uint32_t epoch;
	uint32_t turns[1024 / PTX_WARP];
	struct ptx_barrier barriers[PTX_BARRIERS];
};

struct ptx_range {
	uint64_t begin, end;
};

enum { PTX_RANGES = 64 };

struct ptx_machine {
	const struct ptx_module *module;
	const struct ptx_function *function;
	const struct ptx_launch *launch;
	uint32_t threads, shared_bytes, static_bytes;
	uint64_t random, steps;
	enum ptx_result result;
	char *message;
	struct ptx_range ranges[PTX_RANGES];
};

/* The operation fails the launch; t->at is the one behind it. */
__attribute__((format(printf, 3, 4)))
void ptx_machine_fail(struct ptx_thread *t, enum ptx_result result,
		      const char *format, ...);
/* Enter a function; its parameters are rubbish. */
void ptx_machine_enter(struct ptx_thread *t,
		       const struct ptx_function *function,
		       const struct ptx_call *call);
/* Leave it; the last frame ends the thread. */
void ptx_machine_leave(struct ptx_thread *t);

/* --- memory.c */

/* The bytes at an address, which are checked; or null, and the launch failed. */
char *ptx_memory_at(struct ptx_thread *t, const struct ptx_op *o,
		    uint64_t address, uint32_t bytes, bool writes);
uint64_t ptx_memory_load(const char *at, uint32_t bytes);
void ptx_memory_store(char *at, uint64_t value, uint32_t bytes);
/* Space and address in it, of an address in `space`. */
enum ptx_space ptx_memory_space(enum ptx_space space, uint64_t *address);

/* --- race.c: shared memory; returns false if the launch failed */

bool ptx_race_read(struct ptx_thread *t, const struct ptx_op *o, uint32_t at,
		   uint32_t bytes);
bool ptx_race_write(struct ptx_thread *t, const struct ptx_op *o, uint32_t at,
		    uint64_t value, uint32_t bytes);

/* --- numbers */

static inline float ptx_f32(uint64_t bits)
{
	uint32_t narrow = (uint32_t)bits;
	float value;

	memcpy(&value, &narrow, sizeof(value));
	return value;
}

static inline double ptx_f64(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t ptx_of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline uint64_t ptx_of_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* The value of a register of `bytes` with the sign of an integer type. */
static inline uint64_t ptx_extend(uint64_t value, enum ptx_type type,
				  uint32_t width)
{
	uint32_t bits = 8 * ptx_bytes_of(type);

	if (bits < 64)
		value &= (1ull << bits) - 1;
	if (ptx_is_signed(type) && bits < 64 && (value >> (bits - 1) & 1))
		value |= ~0ull << bits;
	return width >= 8 || width == 0 ? value :
	       value & ((1ull << 8 * width) - 1);
}

#endif
