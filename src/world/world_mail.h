/* SPDX-License-Identifier: MIT */
/*
 * Mail of worlds: records of a fixed form, and a box for those that came before
 * they were wanted.  All ranks have one byte order, which hello checks.
 */
#ifndef PLAIT_SRC_WORLD_WORLD_MAIL_H
#define PLAIT_SRC_WORLD_WORLD_MAIL_H

#include "world/world_port.h"
#include "base/vector.h"

enum {
	/* "plWm"; in the other byte order it reads differently. */
	PLAIT__WORLD_MAGIC = 0x706c576d,
	PLAIT__WORLD_VERSION = 4,
	/* Kept records; beyond it the oldest is dropped. */
	PLAIT__WORLD_BOX_MAX = 65536
};

enum plait__world_mail_kind {
	PLAIT__MAIL_HELLO = 1,	/* number: the port's place in the list */
	PLAIT__MAIL_COLLECTIVE = 2, /* number: the collective's */
	PLAIT__MAIL_STOP = 3,	/* number: the collective's; a call has ended */
	PLAIT__MAIL_FLOW = 4,	/* number: the flow's; it is created */
	PLAIT__MAIL_LINKED = 7,	/* the same; its links are made */
	PLAIT__MAIL_HORIZON = 5, /* the same; what the rank has submitted */
	PLAIT__MAIL_FLOW_STOP = 6 /* the same; the flow has failed */
};

/* Contents of a hello. */
typedef struct plait__mail_hello {
	uint32_t ports;		/* of the sender */
	uint32_t flags;
	uint64_t slot_bytes;
	uint64_t process;
	uint32_t ranks;
	uint32_t address_bytes;
	unsigned char address[64];
	unsigned char machine[16];
	char name[32];		/* the transport's */
	uint64_t cpu_set;	/* number of the affinity mask */
	uint32_t cpus;		/* that the process may keep busy */
	uint32_t reserved0;
} plait__mail_hello;

/* Contents of a record about a collective. */
typedef struct plait__mail_collective {
	unsigned char hash[16];
	uint64_t schedules;
	uint64_t slot_bytes;
} plait__mail_collective;

/* Contents of a record about a flow; `is_refused`: the rank has none. */
typedef struct plait__mail_flow {
	uint32_t is_refused;
	uint32_t horizon;
	uint64_t lanes;
	uint64_t slot_bytes;
	uint64_t window;
	uint64_t kinds; /* of devices */
	uint64_t has_other_devices; /* of what was received, not told */
	char reason[112]; /* why it is refused */
} plait__mail_flow;

/* Contents of a record about a horizon, as src/flow/rank/program_hash.h has it. */
typedef struct plait__mail_horizon {
	uint64_t words[21];
} plait__mail_horizon;

typedef struct plait__mail_stop {
	uint64_t call;
	int32_t status;
	char text[172];
} plait__mail_stop;

typedef struct plait__world_mail {
	uint32_t magic, version;
	uint32_t kind;		/* enum plait__world_mail_kind */
	uint32_t reserved0;
	uint64_t number;
	union {
		plait__mail_hello hello;
		plait__mail_collective collective;
		plait__mail_stop stop;
		plait__mail_flow flow;
		plait__mail_horizon horizon;
	} of;
} plait__world_mail;

_Static_assert(sizeof(plait__world_mail) <= PLAIT__WORLD_MAIL_BYTES,
	       "each port takes a record");

/* A record that was received. */
typedef struct plait__kept_mail {
	uint32_t peer, reserved0;
	plait__world_mail mail;
} plait__kept_mail;

typedef struct plait__world_mailbox {
	struct plait__mutex lock;
	plait__vector kept;	/* plait__kept_mail, in order; guarded by lock */
	at_u32 count;		/* of them: a hint without the lock */
} plait__world_mailbox;

void plait__world_mail_init(plait__world_mailbox *box,
			    const plait_allocator *allocator);
void plait__world_mail_fini(plait__world_mailbox *box);

/* Fetch all records of a port into the box.  PLAIT_E_UNSUPPORTED: a record of
 * another version or byte order. */
plait_status plait__world_mail_fetch(plait__world_mailbox *box,
				     const plait__world_port *port,
				     plait_error *error);

/* Take the oldest record of a kind and number out of the box; false: none.  Of
 * stops, one of a call up to `call_max`. */
bool plait__world_mail_take(plait__world_mailbox *box, uint32_t kind,
			    uint64_t number, uint64_t call_max,
			    plait__kept_mail *out);

#endif
