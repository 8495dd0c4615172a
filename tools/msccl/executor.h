/* SPDX-License-Identifier: MIT */
/*
 * ABI of the scheduler of collectives that an executor of MSCCL schedules
 * loads: the Azure executor, an NCCL.  The library exports `mscclScheduler`;
 * the executor exports mscclLoadAlgo and mscclUnloadAlgo.  Enumerations of the
 * executor are ints.
 */
#ifndef PLAIT_TOOLS_EXECUTOR_H
#define PLAIT_TOOLS_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>

/* ncclResult_t */
enum { EXECUTOR_SUCCESS = 0, EXECUTOR_SYSTEM_ERROR = 2 };

/* ncclRedOp_t: from the mean on, an operation needs work before or after. */
enum { EXECUTOR_MEAN = 4 };

/* mscclFunc_t: collectives that plait schedules */
enum {
	EXECUTOR_REDUCE = 0,
	EXECUTOR_BROADCAST = 1,
	EXECUTOR_ALLREDUCE = 2,
	EXECUTOR_REDUCE_SCATTER = 3,
	EXECUTOR_ALLGATHER = 4,
	EXECUTOR_ALLTOALL = 9
};

/* struct mscclSchedulerParam: a call; the scheduler writes the last two. */
typedef struct executor_call {
	const void *send;
	const size_t *send_counts, *send_offsets;
	void *receive;
	const size_t *receive_counts, *receive_offsets;
	size_t count;	/* elements of a rank's share */
	int type;	/* ncclDataType_t */
	int root, peer;
	int operation;
	int collective;
	int rank, ranks;
	bool is_scheduled;
	int handle;	/* of the schedule, by mscclLoadAlgo */
} executor_call;

/* mscclSchedulerInterface */
typedef struct executor_scheduler {
	const char *name;
	int (*init)(void);
	int (*choose)(executor_call *call);
	int (*fini)(void);
} executor_scheduler;

typedef int executor_load_function(const char *path, int *handle, int rank);
typedef int executor_unload_function(int handle);

#endif
