/* SPDX-License-Identifier: MIT */
/*
 * State of a flow over a world: links to each rank, transfers, horizons.
 *
 * A transfer is an op on both ranks: a send behind the writers of its box, a
 * receive that readers come behind.  A worker that begins one moves the bytes, if no
 * other thread moves any and the link has them; else it notes that the transfer is
 * ready, and the thread of the flow moves the bytes and ends the op.  Between two ranks
 * transfers move one by one in the order of the program.  So each waits for
 * earlier tasks only, here or there, and no rank for itself.
 *
 * Submissions take their turn (`is_submitting`), and own the fields that are
 * guarded by it.  `lock` is a leaf, but for the locks of commit.h's callees.
 */
#ifndef PLAIT_SRC_FLOW_RANK_STATE_H
#define PLAIT_SRC_FLOW_RANK_STATE_H

#include "flow/flow_object.h"
#include "flow/rank/program_hash.h"
#include "flow/rank/task_ranks.h"

#include "base/vector.h"
#include "sys/thread.h"
#include "world/world.h"

typedef struct plait__rank_record plait__rank_record;
typedef struct plait__rank_memo plait__rank_memo;

/* States of a record. */
enum {
	PLAIT__RANK_WAITING, /* its op has not begun */
	PLAIT__RANK_READY,
	PLAIT__RANK_SPOILED  /* its op was not run, and is done */
};

/* Rows of a box in memory; distances in bytes. */
typedef struct plait__rank_rows {
	char *memory;
	uint64_t row; /* bytes of one, without gaps; 0: a token */
	uint64_t rows;
	uint64_t row_pitch, slice_pitch;
	uint64_t bytes; /* of all */
} plait__rank_rows;

/* A transfer, or a wait for the other ranks, in preparation or in flight. */
struct plait__rank_record {
	plait__flow_arrival arrival;
	plait__rank_record *next;
	plait__flow_ranks *ranks;
	uint32_t state; /* guarded by lock, as `number` until it is ready */
	uint32_t peer;
	bool sends;
	bool has_begun;	/* the first slot was moved */
	uint64_t number; /* of the op */
	uint64_t transfer; /* equal on both ranks; of a wait: the horizon */
	uint64_t submission; /* that it is of, from 1 */
	uint64_t hash; /* of the program up to that */
	plait__rank_rows rows;
	uint64_t moved; /* bytes */
	plait_error why; /* PLAIT_OK, or why the op fails */
};

/* Records in the order of the program. */
typedef struct plait__rank_queue {
	plait__rank_record *first, *last;
} plait__rank_queue;

/* Another rank.  The links are guarded by `moving`. */
typedef struct plait__rank_peer {
	plait__slot_link send, receive;
	plait_backend_link *raw_send, *raw_receive;
	plait__rank_queue sends, receives; /* guarded by lock */
	char from[24], to[24]; /* labels of ops */
	/* Guarded by lock. */
	uint64_t horizon; /* the newest one that is over and the rank told */
	uint64_t tasks;	  /* submissions that it told of */
	bool is_over;	  /* it submits no more, */
	uint64_t slots;	  /* and has sent so many */
	bool has_left;	  /* its process ends, and tells no more */
	plait__horizon told[PLAIT__HORIZON_KEPT]; /* by number */
	bool knows_end;	  /* was told of this rank's; the thread's */
	/* Guarded by moving. */
	bool is_suspect; /* it has ended; what it sent may still be there */
	bool is_lost;
	plait_error why; /* of the loss */
} plait__rank_peer;

/* Step of a submission: a transfer, or a piece of the task that runs here. */
typedef struct plait__rank_step {
	plait__data *data; /* held; null: a piece */
	plait_box box;
	uint32_t peer;	/* or the piece */
	bool sends;
	uint64_t transfer;
} plait__rank_step;

struct plait__flow_ranks {
	plait__flow *flow;
	plait__world *world; /* held */
	uint64_t number;     /* among what the world has made; in mail */
	uint32_t rank, count;
	uint32_t pieces; /* of a split launch that says none */
	uint64_t window; /* the smallest one of a rank */
	bool has_equal_devices; /* all ranks have devices of these kinds */
	uint64_t slot_bytes;
	uint64_t data; /* number of the newest data; guarded by flow->lock */

	/* Guarded by flow->lock. */
	bool is_submitting;
	at_u32 is_closed; /* the process ends: no submission begins; see
			   * rank_exit.c */
	uint64_t ops[PLAIT__TASK_RANKS_MOST]; /* by rank; see rank_room.h */

	/* The submitter's. */
	uint64_t transfers;
	uint32_t tasks; /* pieces, host accesses */
	plait__vector accesses;	 /* plait__rank_access */
	plait__vector listed;	 /* plait__rank_transfer */
	plait__vector steps;	 /* plait__rank_step */
	plait__vector versions;	 /* room for task_ranks */
	plait__vector maps;	 /* plait__coherence *, of the launch */
	uint64_t submission, hash; /* as in the records that it commits */
	plait__vector memo_key;	 /* uint64_t */
	plait__rank_memo *memos[16]; /* by key, or null; see rank_memo.h */
	uint8_t memo_last;	/* place that was found last */
	uint8_t memo_next[16];	/* by place: the one that was found behind it */
	at_u32 freed; /* data; a count */

	struct plait__mutex lock;
	/* Guarded by lock. */
	plait__program_hash program;
	uint64_t told_newest; /* horizon that a rank has told of */
	plait__rank_record *spare;
	plait__rank_record *horizon_wait; /* or null */
	at_u32 has_horizon_wait; /* a copy to look at without the lock */
	plait_error broken; /* PLAIT_OK, or why the flow has failed */
	at_u32 is_broken;   /* a copy to look at without the lock */
	bool has_told;	    /* a wait for all has told it */
	bool is_reported;   /* a call that failed has, or may have */
	bool is_loss_told;  /* a call returned PLAIT_E_LOST */

	/* Bits by peer: its first record may be ready.  Written with the lock. */
	at_u64 ready_sends, ready_receives;

	/* Held by the thread that moves slots; before `lock`.  Guards the links
	 * and the losses of peers, and what follows. */
	struct plait__mutex moving;
	bool is_worker; /* moves them */
	/* Of a worker: begins, and not complete yet; or null. */
	plait__rank_record *begun;
	plait__rank_record *used; /* their ops are done */
	/* Complete; the worker ends them without the mutex. */
	plait__flow_arrival *finished;
	at_u32 moves; /* a count */

	plait__rank_peer *peers; /* by rank; this rank's is unused */
	struct plait__thread thread;
	bool has_thread;
	uint64_t silent_from_ns; /* the thread's; 0: not silent */
	/* The thread's: submissions that it saw, when first, and has told of. */
	uint64_t tasks_seen, tasks_seen_ns, tasks_told;
	/* The thread's: the end, and when it looks at what that waits for. */
	uint64_t ends_from_ns, end_look_ns;
	bool has_warned;
	at_u32 ends; /* no op comes any more */
	at_u32 stops; /* the thread is to leave at once */
	/* At the end of the process; see rank_exit.h. */
	plait__flow_ranks *next_exit; /* guarded by the list's lock, */
	bool is_awaited;	      /* as this */
	at_u32 leaves;	 /* the handler waits until all is sent */
	at_u32 has_left; /* it is */
	/* Where the thread sleeps: the bell of the port, or its own. */
	plait__slot_link bell;
	bool has_bell;
	at_u32 own_bell, own_sleeping;
	/* Where it naps while workers poll; see rank_poll.h. */
	plait__slot_link nap;
	at_u32 nap_bell, nap_sleeping;
	at_u32 is_polled; /* by a worker, since the last nap */
	uint32_t moves_seen; /* the thread's */
	/* Of the worker that polls: when it moved or found anything; 0: it looks. */
	uint64_t vain_from_ns;
	uint32_t moves_slept; /* its, at its last sleep */
};

static inline const plait_allocator *
plait__rank_allocator(const plait__flow_ranks *ranks)
{
	return plait__context_allocator(ranks->world->object.context);
}

/* Of a split launch: the first piece of a rank. */
static inline uint32_t plait__rank_first_piece(const plait__flow_ranks *ranks,
					       uint64_t rank, uint64_t pieces)
{
	return (uint32_t)((rank * pieces + ranks->count - 1) / ranks->count);
}

/* Keep a record for a later op.  Caller holds the lock. */
static inline void plait__rank_keep(plait__flow_ranks *ranks,
				    plait__rank_record *record)
{
	record->next = ranks->spare;
	ranks->spare = record;
}

#endif
