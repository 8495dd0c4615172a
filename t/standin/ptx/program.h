/* SPDX-License-Identifier: MIT */
/* Decoded PTX: types, operations, functions, modules. */
#ifndef PTX_PROGRAM_H
#define PTX_PROGRAM_H

#include "ptx.h"

enum ptx_type {
	PTX_NONE, PTX_PRED, PTX_B8, PTX_B16, PTX_B32, PTX_B64, PTX_U8, PTX_U16,
	PTX_U32, PTX_U64, PTX_S8, PTX_S16, PTX_S32, PTX_S64, PTX_F16, PTX_F32,
	PTX_F64, PTX_TYPES
};

enum ptx_space {
	PTX_GENERIC, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_PARAM
};

/* Generic addresses of spaces other than global memory have this on top. */
#define PTX_WINDOW_SHIFT 56
#define PTX_WINDOW(space) ((uint64_t)(0x70 + (space)) << PTX_WINDOW_SHIFT)

enum ptx_rounding { PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNA };

/* Flags of an operation. */
enum {
	PTX_FTZ = 1, PTX_SAT = 2, PTX_APPROX = 4, PTX_NEGATE_C = 8,
	PTX_STRONG = 16, /* no plain access: volatile, relaxed, ... */
	PTX_INTEGRAL = 32, /* rounds to an integral number */
	PTX_NAN = 64, /* min, max: a NaN stays one */
	PTX_ALIGNED = 128,
};

/* Where .extern .shared begins. */
#define PTX_DYNAMIC_SHARED (1u << 24)

struct ptx_thread;
struct ptx_op;
typedef void ptx_run(struct ptx_thread *t, const struct ptx_op *o);

/* Slots: indices of registers, or of constants among these. */
enum { PTX_SLOT_TRUE, PTX_SLOT_SINK, PTX_FIRST_SLOT };

struct ptx_op {
	ptx_run *run;
	uint32_t d, a, b, c;
	uint32_t v[4];  /* of a vector; more operands */
	int64_t offset; /* of an address; or the index of the target */
	const void *more; /* calls, tables of targets */
	uint32_t guard; /* skipped if this slot has the value `negate` */
	uint32_t line;
	const char *text;
	uint32_t text_bytes;
	uint8_t negate, type, from; /* types of result and source */
	uint8_t width; /* bytes of the register that gets the result */
	uint8_t count; /* elements of a vector */
	uint8_t rounding, flags, space, mode;
};

struct ptx_parameter {
	char *name;
	uint32_t offset, bytes;
};

/* A slot that each frame, or thread, has another value for. */
struct ptx_special {
	uint32_t slot, what;
	uint64_t offset;
};

enum {
	PTX_TID, PTX_NTID = PTX_TID + 3, PTX_CTAID = PTX_NTID + 3,
	PTX_NCTAID = PTX_CTAID + 3, PTX_LANEID = PTX_NCTAID + 3, PTX_WARPID,
	PTX_NWARPID, PTX_LANEMASK_EQ, PTX_LANEMASK_LE, PTX_LANEMASK_LT,
	PTX_LANEMASK_GE, PTX_LANEMASK_GT, PTX_CLOCK, PTX_CLOCK64, PTX_TIMER,
	PTX_TIMER_LO, PTX_ZERO,
	PTX_NSMID, PTX_SHARED_SIZE, PTX_SPECIALS, PTX_LOCAL_ADDRESS
};

struct ptx_function {
	struct ptx_function *next;
	char *name;
	bool entry, defined;
	struct ptx_op *code;
	uint32_t op_count, op_room;
	uint64_t *initial; /* values of the slots */
	bool *constant; /* the slot is one, for look-ups */
	uint32_t slot_count, slot_room;
	struct ptx_special *specials;
	uint32_t special_count;
	struct ptx_parameter *parameters, *results;
	uint32_t parameter_count, result_count;
	uint32_t param_bytes, local_bytes;
	uint32_t most_threads;
	struct ptx_kernel kernel;
};

/* Copies of a call: from or to the parameters of the caller. */
struct ptx_call {
	struct ptx_function *target;
	uint32_t argument_count, result_count;
	uint32_t arguments[64], results[4]; /* offsets in the caller's */
};

struct ptx_targets {
	uint32_t count;
	uint32_t at[256];
};

struct ptx_variable {
	struct ptx_variable *next;
	char *name;
	enum ptx_space space;
	uint64_t address; /* in its space */
	size_t bytes;
};

struct ptx_chunk {
	struct ptx_chunk *next;
};

struct ptx_module {
	struct ptx_chunk *chunks;
	char *text;
	struct ptx_function *functions;
	struct ptx_variable *variables;
	const struct ptx_kernel **kernels;
	unsigned kernel_count, target;
	uint32_t shared_bytes;
	bool sets_conditions;
};

/* Zeroed; freed with the module. */
void *ptx_parse_allocate(struct ptx_module *module, size_t bytes);

static inline unsigned ptx_bytes_of(enum ptx_type type)
{
	static const uint8_t bytes[PTX_TYPES] = {
		0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8
	};

	return bytes[type];
}

static inline bool ptx_is_signed(enum ptx_type type)
{
	return type >= PTX_S8 && type <= PTX_S64;
}

static inline bool ptx_is_float(enum ptx_type type)
{
	return type >= PTX_F16;
}

#endif
