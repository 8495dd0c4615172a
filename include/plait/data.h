/* SPDX-License-Identifier: MIT */
/*
 * plait/data.h - data of a flow (plait/flow.h): arrays and tokens, their parts,
 * accesses of tasks to them, and accesses of the host.
 *
 * Data belongs to one flow.  Tasks name it, all of it or boxes of it, and how
 * they access it; a part is a name for a box.  A call that accesses elements on
 * the host waits for the tasks that it has to wait for, and for no other.
 *
 * Example:
 *
 *     plait_data_desc desc = { .size = sizeof(desc), .dimensions = 2,
 *                              .element_bytes = 4, .extent = { 640, 480 } };
 *     float pixels[640 * 240];
 *     plait_box rows = { { 0, 0, 0 }, { 640, 240, 1 } };
 *     plait_data_create(flow, &desc, &u, &error);
 *     plait_data_part(u, &rows, &v, &error);
 *     plait_flow_launch(flow, kernel, PLAIT_ITEMS(640, 240),
 *                       PLAIT_ARGUMENTS(PLAIT_DATA(v)), NULL, &error);
 *     plait_data_read(u, &rows, pixels, &error);
 */
#ifndef PLAIT_DATA_H
#define PLAIT_DATA_H

#include "plait/kernel.h"
#include "plait/mapper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plait_flow plait_flow;
typedef struct plait_data plait_data;

/* Data of a flow: an array of 0 to 3 dimensions, or a token. */
typedef struct plait_data_desc {
	uint32_t size;
	uint32_t flags;
	/* 0: one element. */
	uint32_t dimensions;
	/* 0: a token, which has no memory: it stands for a side effect or an
	 * object of the program, and orders the tasks that name it. */
	uint32_t element_bytes;
	/* Elements in each dimension, at least 1. */
	uint64_t extent[3];
	/* Null: new memory, zeroed.  Else memory of the host that becomes the
	 * data's, without gaps, from `buffer_offset` on, with its contents.  The
	 * offset is 0 without a buffer. */
	plait_buffer *buffer;
	uint64_t buffer_offset;
	/* Copied; names the data in errors. */
	const char *label;
} plait_data_desc;

/* Properties of data; filled by plait_data_query. */
typedef struct plait_data_info {
	uint32_t size;
	uint32_t dimensions;
	uint32_t element_bytes;
	uint32_t reserved0;
	uint64_t extent[3];
	/* Bytes from element to element in each dimension. */
	uint64_t pitch[3];
	/* The first element, null for a token.  The elements may be accessed
	 * while a task that accesses them runs: in its function. */
	void *pointer;
} plait_data_info;

/* Mode of an access. */
typedef uint32_t plait_access_mode;
enum {
	/* For arguments: as the kernel's signature says. */
	PLAIT_ACCESS_BY_SIGNATURE = 0,
	PLAIT_ACCESS_READ = 1,
	/* Every element of the box gets a new value. */
	PLAIT_ACCESS_WRITE = 2,
	PLAIT_ACCESS_READ_WRITE = 3,
	/* Of an argument of a launch, an inout pointer: each piece updates a
	 * partial result of its own, which begins as `identity`; `combine` adds
	 * them to the data in the order of the chunks, so the bits depend on
	 * their number, and on nothing else.  Of all of dense data, of elements
	 * of 1, 2, 4 or 8 bytes; at most 8 of a launch. */
	PLAIT_ACCESS_REDUCE = 4
};

/* Flags of an access. */
typedef uint32_t plait_access_flags;
enum {
	/* REDUCE: the data keeps its value, to which partial results are added;
	 * else it begins as `identity`, too. */
	PLAIT_ACCESS_ACCUMULATE = 1 << 0
};

/* Access of a task to data. */
typedef struct plait_access {
	uint32_t size;
	plait_access_mode mode;
	plait_data *data;
	/* Null: all.  In coordinates of `data`, which may be a part. */
	const plait_box *box;
	/* Null, or instead of `box`, of a launch: what each piece accesses, in
	 * the same coordinates. */
	const plait_mapper *mapper;
	/* REDUCE: f(into: inout pointer T, from: in pointer T, n: u64), launched
	 * on the host with n items; into[i] becomes the sum of both. */
	plait_kernel *combine;
	/* REDUCE: its low bytes are the first value of each element. */
	uint64_t identity;
	plait_access_flags flags;
	uint32_t reserved0;
} plait_access;

/* Initialisers of a plait_argument, for PLAIT_ARGUMENT_DATA and _ACCESS. */
#define PLAIT_DATA(data) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_DATA, (data), 0, 0, 0, 0, 0, \
	  0, 0 }
#define PLAIT_ACCESS(access) \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_ACCESS, (access), 0, 0, 0, \
	  0, 0, 0, 0 }
#define PLAIT_CHUNK() \
	{ sizeof(plait_argument), PLAIT_ARGUMENT_CHUNK, 0, 0, 0, 0, 0, 0, 0, 0 }

/*
 * plait_data_create - create data of a flow.
 *
 * @param flow  borrowed, non-null: the flow; the data keeps it
 * @param desc  borrowed, non-null: the data
 * @param out   owned, non-null: the data, one reference
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_UNSUPPORTED (a buffer that is not
 *         of the host), PLAIT_E_NOMEM, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_create(plait_flow *flow,
					 const plait_data_desc *desc,
					 plait_data **out, plait_error *error);

/*
 * plait_data_part - name a box of data: accesses of the part and of the whole
 * order each other.
 *
 * @param data  borrowed, non-null: the data, or a part of it
 * @param box   borrowed, non-null: in coordinates of `data`
 * @param out   owned, non-null: the part, one reference; it keeps the whole
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_NOMEM, PLAIT_E_HANDLE,
 *         PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_part(plait_data *data, const plait_box *box,
				       plait_data **out, plait_error *error);

/*
 * plait_data_query - get the properties of data.
 *
 * @param data  borrowed, non-null: the data
 * @param info  borrowed, non-null: set `size`; the rest is filled
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID, PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_query(plait_data *data, plait_data_info *info,
					plait_error *error);

/*
 * plait_data_retain - add one reference.
 *
 * @param data borrowed, nullable: the data; null and stale are ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_data_retain(plait_data *data);

/*
 * plait_data_release - give one reference back; its tasks still run.
 *
 * The last one ends the mappings made with this handle, by any thread: the addresses
 * are no longer valid, as tasks behind them run and memory may be freed.  Retain
 * data, or a part, that may be released while it is mapped.
 *
 * @param data consumed, nullable: the data; null is ignored
 * @thread any
 * @since 1
 */
PLAIT_API void plait_data_release(plait_data *data);

/*
 * plait_data_map - wait for data, and access its memory until unmapped.
 *
 * A mapping is an access like that of a task: later tasks that conflict with
 * it wait until it ends.  It belongs to the coroutine that the caller is directly
 * in, which may await meanwhile; else to the thread.  Two threads that each wait for
 * data that the other one has mapped wait for ever, without an error: so map in the same
 * order on all threads, and unmap before other waits, reads and writes.
 *
 * @param data  borrowed, non-null: the data
 * @param box   borrowed, nullable: null means all of it
 * @param flags value: PLAIT_MAP_READ, PLAIT_MAP_WRITE or both; without READ
 *              every element gets a new value
 * @param out   borrowed, non-null: the address of the first element of the
 *              box; rows have the distance that they have in the whole data
 * @param error borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_DEADLOCK (in a function of a task, see Threads; or
 *         behind a mapping of the caller), the status of the failure
 *         that poisoned the data, PLAIT_E_INVALID (also: a token),
 *         and as plait_flow_submit
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_map(plait_data *data, const plait_box *box,
				      plait_map_flags flags, void **out,
				      plait_error *error);

/*
 * plait_data_unmap - end one mapping.
 *
 * @param data    borrowed, non-null: the data that was mapped
 * @param pointer borrowed, non-null: the address from plait_data_map
 * @param error   borrowed, nullable: filled on failure
 * @return PLAIT_OK, PLAIT_E_INVALID (not a mapping of this data),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_unmap(plait_data *data, void *pointer,
					plait_error *error);

/*
 * plait_data_read - copy elements to host memory, and wait.
 *
 * @param data  borrowed, non-null: the data
 * @param box   borrowed, nullable: null means all of it
 * @param host  borrowed, non-null: receives the elements, without gaps
 * @param error borrowed, nullable: filled on failure
 * @return as plait_data_map
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_read(plait_data *data, const plait_box *box,
				       void *host, plait_error *error);

/*
 * plait_data_write - copy elements from host memory, and wait.
 *
 * @param data  borrowed, non-null: the data
 * @param box   borrowed, nullable: null means all of it
 * @param host  borrowed, non-null: the elements, without gaps
 * @param error borrowed, nullable: filled on failure
 * @return as plait_data_map
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_write(plait_data *data, const plait_box *box,
					const void *host, plait_error *error);

/* Advice on data in the memory of a device. */
typedef uint32_t plait_advice;
enum {
	/* Tasks there will read the box: copy what the device lacks, behind the
	 * tasks that write it. */
	PLAIT_ADVISE_PREFETCH = 0,
	/* Tasks there will use the box: make a block with it. */
	PLAIT_ADVISE_RESERVE = 1,
	/* No task there will use the data for a time: give its buffer back, behind
	 * the tasks so far.  Values that no other memory has are copied to the
	 * host's before. */
	PLAIT_ADVISE_EVICT = 2
};

/*
 * plait_data_advise - tell a flow where data will be used, or not used.
 *
 * A hint: no result depends on it.  A memory has one block of a data, around what
 * is used there (doc/flow-devices.md); other data is not evicted for it, so that
 * without room a hint has no effect.  Nor has one in a capture, or on data of
 * repetitions that is to be evicted.  The call waits for room in the window, but for
 * no task that uses the data.
 *
 * @param data   borrowed, non-null: the data
 * @param box    borrowed, nullable: not of EVICT; null means all of it
 * @param device borrowed, nullable: one of the flow's; null, or the host: its memory,
 *               to which only PREFETCH has an effect
 * @param what   value: PLAIT_ADVISE_PREFETCH, _RESERVE or _EVICT
 * @param error  borrowed, nullable: filled on failure
 * @return PLAIT_OK (also: no effect), PLAIT_E_INVALID (an unknown advice, a token, a
 *         box that is not in the data, a device that is not the flow's),
 *         PLAIT_E_HANDLE, PLAIT_E_FORKED
 * @thread any
 * @since 1
 */
PLAIT_API plait_status plait_data_advise(plait_data *data, const plait_box *box,
					 plait_device *device,
					 plait_advice what,
					 plait_error *error);

#ifdef __cplusplus
}
#endif

#endif
