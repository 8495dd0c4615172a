/* SPDX-License-Identifier: MIT */
/*
 * plait/world.h - worlds: ranks of several processes and machines.
 *
 * A world is a set of ranks that run the same program; each opens the world and
 * learns its rank.  Transports (plugins: loopback, shm, mpi) carry what ranks say
 * to each other; for each peer the world uses the first transport of its list
 * that reaches it.
 *
 * A collective is made of proved schedules (plait/schedule.h) on all ranks of a
 * world, and called on all of them.  The bits of its results are those of
 * plait_schedule_graph.
 *
 * Failure.  A call ends on every rank.  If a rank cannot take part (an argument
 * is wrong, it calls with another count, it has ended) the others end the call
 * with an error that names it; then the next call works, unless the rank has
 * ended.  Ranks that have all they need may have ended the call with success.
 *
 * Order.  Worlds are opened, collectives are created, and each collective is
 * called in the same order on all ranks.  Calls of queues and graphs count when
 * they begin: put those of one world on one queue, or order queues by signals.
 *
 * Example: the sum of an array over all ranks, in place.
 *
 *     static float numbers[1000];
 *     plait_world_info info = { .size = sizeof(info) };
 *     plait_collective_run run = {
 *             .size = sizeof(run), .element = PLAIT_ELEMENT_FLOAT,
 *             .element_bits = 32, .count = 1000, .output_memory = numbers };
 *     plait_world *world;
 *     plait_collective *sum;
 *
 *     plait_world_open(context, NULL, &world, &error);
 *     plait_world_query(world, &info, &error);
 *     plait_collective_create(world, &schedule, 1, &sum, &error);
 *     plait_collective_call(sum, &run, &error);
 */
#ifndef PLAIT_WORLD_H
#define PLAIT_WORLD_H

#include "plait/collective.h"
#include "plait/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ranks that reach each other. */
typedef struct plait_world plait_world;

/* A collective operation of a world. */
typedef struct plait_collective plait_collective;

typedef struct plait_world_desc {
	uint32_t size;
	uint32_t flags;
	/* Names of transports, as "shm,mpi"; null: PLAIT_TRANSPORT; none: a world
	 * of one rank. */
	const char *transports;
	/* Rank of this process, and number of ranks; 0 ranks: what a launcher or
	 * the options of the transports say. */
	uint32_t rank;
	uint32_t ranks;
	/* Existing communicator, borrowed, of a kind that the transport defines;
	 * 0: none. */
	uint64_t native;
	uint32_t native_kind;
	uint32_t reserved0;
	/* Time that the other ranks have to open the world, and to create a
	 * collective; 0: 60 s. */
	uint64_t open_ns;
	/* Time without progress of a call, or of a flow that waits for another rank,
	 * after which it ends, with an error that names a rank that owes something;
	 * 0: none. */
	uint64_t silence_ns;
} plait_world_desc;

typedef struct plait_world_info {
	uint32_t size;
	uint32_t flags;
	uint32_t rank;
	uint32_t ranks;
	/* Machines that the ranks are on. */
	uint32_t machines;
	uint32_t reserved0;
} plait_world_info;

/* Arguments of a call of a collective: this rank's. */
typedef struct plait_collective_run {
	uint32_t size;
	uint32_t flags;
	/* Element, reduction and count as in plait_collective_desc; the same on
	 * all ranks. */
	plait_element element;
	uint32_t element_bits;
	plait_reduction reduction;
	uint32_t reserved0;
	uint64_t count;
	/* Buffers, and first bytes of the data in them; or memory of the program.
	 * In place: the output alone.  A rank whose schedule reads no input, or
	 * writes no output, needs none. */
	plait_buffer *input;
	plait_buffer *output;
	uint64_t input_offset;
	uint64_t output_offset;
	const void *input_memory;
	void *output_memory;
} plait_collective_run;

/*
 * plait_world_open - open a world, on all ranks.
 *
 * Returns when each rank has said hello.
 *
 * @param context borrowed, non-null: the context that the world belongs to
 * @param desc    borrowed, nullable: how; null: all defaults
 * @param out     owned, non-null: the world, one reference
 * @param error   borrowed, nullable: filled on failure: the transport that cannot
 *                work and why, the ranks that did not come, or the rank that
 *                differs in version, byte order or transports
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNAVAILABLE (a transport cannot
 *         work, or none reaches a rank), PLAIT_E_UNSUPPORTED (a rank of another
 *         version or byte order), PLAIT_E_TIMEOUT, PLAIT_E_LOST (a rank has
 *         ended), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_world_open(plait_context *context,
					const plait_world_desc *desc,
					plait_world **out, plait_error *error);

/*
 * plait_world_retain - add one reference.
 *
 * @param world borrowed, nullable: the world; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_world_retain(plait_world *world);

/*
 * plait_world_release - give one reference back.
 *
 * @param world consumed, nullable: the world; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_world_release(plait_world *world);

/*
 * plait_world_query - get the properties of a world.
 *
 * @param world borrowed, non-null: the world
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_world_query(plait_world *world,
					 plait_world_info *info,
					 plait_error *error);

/*
 * plait_world_report - tell how each rank is reached, and why not otherwise.
 *
 * @param world          borrowed, non-null: the world
 * @param buffer         borrowed, nullable: receives lines of text with a NUL;
 *                       null asks for the size
 * @param capacity_bytes value: size of `buffer`; a longer text is cut
 * @param out_bytes      borrowed, nullable: size of the text, NUL included
 * @param error          borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_world_report(plait_world *world, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes,
					  plait_error *error);

/*
 * plait_world_buffer - allocate a buffer that the ranks of this machine read in
 * place.
 *
 * A collective sends large messages of such a buffer without a copy: the receiver
 * reads them where they are, so each byte moves once.  In all else the buffer is
 * one of plait_buffer_create.  Each rank decides alone: a call may have buffers
 * of both kinds.
 *
 * Where nothing can be shared it is an ordinary buffer: without a transport that
 * shares memory (shm and loopback do), for images, temporaries, alignments above
 * 4096 and 0 bytes, and for devices that cannot wrap memory of the program.
 *
 * The memory is freed with the buffer, whatever other ranks do, and ends with
 * the process.  A buffer holds its world.
 *
 * @param world  borrowed, non-null: the world
 * @param device borrowed, nullable: a device of the world's context; null: its
 *               host device
 * @param desc   borrowed, non-null: size and alignment; the contents are
 *               undefined
 * @param out    owned, non-null: the buffer, one reference
 * @param error  borrowed, nullable: filled on failure
 * @return as plait_buffer_create; PLAIT_E_UNSUPPORTED also for a null device of a
 *         context without a host device
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_world_buffer(plait_world *world,
					  plait_device *device,
					  const plait_buffer_desc *desc,
					  plait_buffer **out,
					  plait_error *error);

/*
 * plait_collective_create - make a collective of schedules, on all ranks.
 *
 * The schedules are proved first, and compared with those of the other ranks.  A
 * call takes the first one whose sizes (min_bytes, max_bytes of
 * plait_compile_desc) fit its buffers.
 *
 * @param world     borrowed, non-null: the world; has as many ranks as each
 *                  schedule
 * @param schedules borrowed, non-null: the schedules
 * @param count     value: their number, 1 to 64
 * @param out       owned, non-null: the collective, one reference
 * @param error     borrowed, nullable: filled on failure: why a schedule is
 *                  refused, or the rank that has others
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_DEADLOCK, PLAIT_E_UNSUPPORTED (a
 *         message does not fit the slots of a transport), PLAIT_E_TIMEOUT (a rank
 *         did not come), PLAIT_E_LOST, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_collective_create(plait_world *world,
					       plait_schedule *const *schedules,
					       uint64_t count,
					       plait_collective **out,
					       plait_error *error);

/*
 * plait_collective_retain - add one reference.
 *
 * @param collective borrowed, nullable: the collective; null and stale are
 *                   ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_collective_retain(plait_collective *collective);

/*
 * plait_collective_release - give one reference back.
 *
 * @param collective consumed, nullable: the collective; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_collective_release(plait_collective *collective);

/*
 * plait_collective_call - execute a collective, on all ranks, and wait.
 *
 * The calling thread moves and reduces the elements.  Buffers are accessed as the
 * program accesses a mapping: work that writes them has to be complete.
 *
 * @param collective borrowed, non-null: the collective
 * @param run        borrowed, non-null: elements and memory of this rank
 * @param error      borrowed, nullable: filled on failure: the rank that differs,
 *                   left the call, is silent or has ended
 * @return PLAIT_OK, PLAIT_E_INVALID (a wrong argument, or a rank called with
 *         another count or type), PLAIT_E_UNSUPPORTED (the buffer's device maps
 *         no memory), PLAIT_E_CANCELLED (a rank left the call), PLAIT_E_TIMEOUT
 *         (silence), PLAIT_E_LOST, PLAIT_E_STATE (another thread is in a call of
 *         it), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_collective_call(plait_collective *collective,
					     const plait_collective_run *run,
					     plait_error *error);

/*
 * plait_collective_submit - submit a call of a collective to a queue.
 *
 * The caller returns at once; the queue executes the call when it has reached
 * it, and goes on when this rank's part is done.  A worker of the context moves
 * the elements and does other work while ranks are late, so no thread waits;
 * without workers, threads that wait for the queue do.  A failure is that of the
 * queue.  If a command before it fails, or the run is cancelled, the rank leaves
 * the call, which counts on all ranks before the queue tells the failure, and the
 * other ranks' calls fail with its name.  After 64 submissions in flight the call
 * waits for one.
 *
 * @param collective borrowed, non-null: the collective
 * @param queue      borrowed, non-null: a queue of any device of the context
 * @param run        borrowed, non-null: elements and memory of this rank, copied;
 *                   memory of the program is valid until completion
 * @param out        owned, nullable: the run, one reference, to wait for, cancel
 *                   or be notified of; null: no handle
 * @param error      borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (a wrong argument, a range outside its
 *         buffer), PLAIT_E_UNSUPPORTED (the context has no host device, or no
 *         coroutines), PLAIT_E_BUSY, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED; the queue fails as plait_collective_call does, and
 *         with PLAIT_E_STATE if another call of the collective is in progress
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_collective_submit(plait_collective *collective,
					       plait_queue *queue,
					       const plait_collective_run *run,
					       plait_run **out,
					       plait_error *error);

/*
 * plait_graph_collective - add a call of a collective to a graph.
 *
 * Each run of the plan executes the call, as plait_collective_submit does; its
 * lane is parked while other ranks are late, so nodes of other lanes go on.  The
 * node accesses its buffers (PLAIT_FREEZE_CHECK), not memory of the program.
 * When a run fails or is cancelled it leaves its calls that have not ended, and
 * the other ranks' runs fail with its name and failure.
 *
 * Rules, which the freeze checks: paths order the collectives of one world, so
 * that all ranks execute them in one order whatever their lanes are; none is in
 * the body of a loop or branch; the plan has one instance.  A plan with devices
 * other than the host cannot have one (plait/coroutine.h).  Such a plan can be
 * drawn and written as JSON, but not saved: its world ends with the processes.
 *
 * @param graph      borrowed, non-null: the graph
 * @param collective borrowed, non-null: the collective; held
 * @param run        borrowed, non-null: elements and memory of this rank,
 *                   copied; memory of the program is valid in all runs
 * @param label      borrowed, nullable: names the node; copied
 * @param after      value: the predecessor, 0 for none
 * @param out        borrowed, nullable: the node's number
 * @param error      borrowed, nullable: filled on failure
 * @return as plait_graph_add; PLAIT_E_UNSUPPORTED also for a context without a
 *         host device
 * @thread one
 * @since 1
 */
PLAIT_API plait_status plait_graph_collective(plait_graph *graph,
					      plait_collective *collective,
					      const plait_collective_run *run,
					      const char *label,
					      plait_node after,
					      plait_node *out,
					      plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
