/* SPDX-License-Identifier: MIT */
/*
 * A plan made ready to run: what its engine compiled, and the instances that
 * runs are given.  Made by the first run, ended with the plan.
 *
 * Instances are taken and given back without a lock.  Who finds none sleeps
 * until one is given back, if it may.
 */
#ifndef PLAIT_SRC_RUN_PROGRAM_H
#define PLAIT_SRC_RUN_PROGRAM_H

#include "run/args/frame.h"
#include "run/command_text.h"
#include "run/engine.h"
#include "run/run_instance.h"

#include "base/vector.h"
#include "sys/mutex.h"

/* Kernels that took others' places, and what the engine made of them; see
 * kernel_versions.c. */
struct plait__kernel_version {
	uint32_t holders;	/* instances, and the program; under its lock */
	plait__object **kernels; /* held; one per kernel of the plan */
	void *code;		/* the engine's */
	uint64_t number;	/* 1 and more */
};

struct plait__program {
	plait__plan_object *frozen;	/* which owns it */
	const plait__plan *plan;
	plait__context *context;
	const plait__engine *engine;
	void *compiled;		/* the engine's */
	struct plait__rehearsal *rehearsal; /* or null: see rehearse.h */
	plait__frame_layout layout;
	plait__instance *instances;
	uint32_t instance_count;
	at_u64 free;		/* tag << 32 | index + 1 of the first one */
	at_u32 first_free;	/* instance 0, which is not on that list */
	at_u32 waiters;		/* threads that sleep until one is free */
	bool asymmetric_fence;		/* who sleeps pays for both fences */
	at_ptr version;		/* the newest plait__kernel_version, or null */
	struct plait__mutex exchanging; /* guards versions; a leaf but for
					 * allocation */
	at_ptr recorder;	/* null: runs cannot be recorded; recorder.h */
	uint32_t callbacks;		/* reserved in the pool */
	bool submits;		/* the engine's: runs need other threads */
};

static inline const plait_allocator *
plait__program_allocator(const plait__program *program)
{
	return plait__context_allocator(program->context);
}

/* Null until the plan was told to record. */
static inline plait__recorder *
plait__program_recorder(const plait__program *program)
{
	/* Acquire: pairs with the store in program.c. */
	return at_load_acquire_ptr(&program->recorder);
}

/* The engine of a plan that has no program yet. */
typedef const plait__engine *
plait__engine_choice(const plait__plan_object *frozen);

/* The plan's program: makes it unless another thread was faster. */
plait_status plait__program_make(plait__plan_object *frozen,
				 plait__engine_choice *choose,
				 plait__program **out, plait_error *error);

/* Makes runs recordable.  Caller holds the plan's `preparing`. */
plait_status plait__program_make_recorder(plait__program *program,
					  uint32_t capacity,
					  plait_error *error);

/* The function of the plan that decides `region`; null: a word in memory. */
const plait__store_function *
plait__program_predicate(const plait__program *program, uint32_t region);

#endif
