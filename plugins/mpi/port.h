/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the MPI transports: instance, process, port, link, record.
 *
 * One process has one MPI: slots of ports hold the process's lock.
 */
#ifndef PLAITP_MPI_PORT_H
#define PLAITP_MPI_PORT_H

#include <stdbool.h>
#include <stddef.h>

#include "driven/driven.h"

#include "calls.h"

enum {
	MAIL_BYTES = 2048,
	/* Receives posted for records. */
	MAIL_RECEIVES = 4,
	/* Records of mail in flight; more are refused with PLAIT_E_BUSY. */
	MAIL_MOST = 256,
	/* A process names its worlds with tags 0 to MAIL_TAGS - 1. */
	MAIL_TAGS = 1 << 16,
	/* Longest slot; with its head, a count of MPI fits in an int. */
	SLOT_MOST = 1 << 30
};

struct plait_backend {
	struct driven driven; /* host and services alone */
	struct mpi_calls calls;
	const struct mpi_calls *mpi; /* calls, once they are known */
	struct plait_backend_port *ports;
};

/* --- process: library.c --------------------------------------------------- */

/* Communicator of plait's own for one of the program's. */
struct mpi_base {
	enum { BASE_BEING_MADE, BASE_READY, BASE_FAILED } state;
	MPI_Comm comm;
	int rank;
	int ranks;
	uint32_t tags;	 /* MPI's largest tag */
	uint32_t worlds; /* ports opened so far: equal on all ranks */
	MPI_Request barrier;   /* when MPI ends */
	struct mpi_base *next; /* of the process */
};

/* Open the library and look up its functions; `out` becomes self->mpi. */
plait_status plaitp_mpi_library_open(plait_backend *self,
				     struct mpi_calls *out,
				     plait_error *error);
/* Returns true if MPI runs in this process. */
bool plaitp_mpi_is_initialized(const struct mpi_calls *mpi);

/* --- process: process.c --------------------------------------------------- */

/* Refuse a process that no launcher of this MPI has started. */
plait_status plaitp_mpi_process_check(plait_backend *self,
				      plait_error *error);
/* Lock of all slots of ports in this process. */
void plaitp_mpi_process_lock(void);
void plaitp_mpi_process_unlock(void);
/* Lock, unless MPI has ended: PLAIT_E_LOST.  Other slots of a port make no call
 * of MPI then, but let memory go. */
plait_status plaitp_mpi_process_enter(const plait_backend *self,
				      plait_error *error);
/* Initialise MPI if nothing else did, and get the communicator for that of the
 * request, or for MPI_COMM_WORLD.  Caller holds the lock, which is released while
 * other ranks are awaited. */
plait_status plaitp_mpi_process_base(plait_backend *self,
				     const plait_port_request *request,
				     struct mpi_base **out,
				     plait_error *error);
/* Number of a link, never used before in this process. */
uint32_t plaitp_mpi_process_next_link(void);

/* --- process: drain.c ----------------------------------------------------- */

/* Receive what nothing has received, until each rank of each communicator is here,
 * behind its last port.  Before MPI_Finalize. */
void plaitp_mpi_drain(const struct mpi_calls *mpi, struct mpi_base *first);

/* --- errors: code.c ------------------------------------------------------- */

plait_status plaitp_mpi_fail(plait_backend *self, plait_error *error,
			     const char *call, int code);
/* Write MPI's text of a code. */
void plaitp_mpi_explain(const struct mpi_calls *mpi, int code, char *out,
			size_t room);

/* --- records: record.c ---------------------------------------------------- */

enum { RECORD_MAIL = 1, RECORD_LINK = 2, RECORD_END = 3 };

/* Message between two ports, with the tag of the world. */
struct mpi_record {
	uint32_t kind;
	uint32_t tag;	     /* LINK, END: of the link */
	uint64_t number;     /* LINK: of the request; END: slots sent */
	uint64_t slot_bytes; /* LINK */
	uint32_t depth;	     /* LINK */
	uint32_t bytes;	     /* MAIL: of `body` */
	unsigned char body[MAIL_BYTES];
};

/* Record in a list: being sent, or received and waiting. */
struct mpi_note {
	struct mpi_note *next;
	MPI_Request request;
	uint32_t peer;
	uint32_t room; /* bytes of `record` that exist */
	struct mpi_record record;
};

struct mpi_notes {
	struct mpi_note *first;
	struct mpi_note **last;
	uint32_t count;
};

/* Memory of records that are sent; sent.c.  Take: null without memory. */
struct mpi_note *plaitp_mpi_sent_take(void);
void plaitp_mpi_sent_give(struct mpi_note *note);
/* MPI still reads the note; its port goes away. */
void plaitp_mpi_sent_leave(struct mpi_note *note);
/* Give what MPI has sent meanwhile; returns true if nothing is left. */
bool plaitp_mpi_sent_sweep(const struct mpi_calls *mpi);

/* Peer that is lost, and why. */
struct mpi_loss {
	struct mpi_loss *next;
	uint32_t peer;
	char text[PLAIT_ERROR_TEXT_BYTES];
};

/* --- ports ---------------------------------------------------------------- */

struct plait_backend_port {
	plait_backend *self;
	struct plait_backend_port *next;
	const struct mpi_calls *mpi;
	struct mpi_base *base;
	int mail_tag;
	uint64_t close_ns; /* end of the wait in close, or 0 */
	struct plait_backend_link *links; /* also those that still end */
	struct mpi_loss *losses;
	struct mpi_notes sending;
	struct mpi_notes mail;	    /* for mail_next */
	struct mpi_notes announced; /* LINK, before its half is created */
	/* Receives of records; the oldest is in requests[0]. */
	struct mpi_record *records;
	MPI_Request record_requests[MAIL_RECEIVES];
	uint32_t oldest_record;
	bool has_record; /* the oldest was received and not yet taken */
	int record_peer;
	int record_bytes;
	/* Requests that are tested: the oldest record; then for each place the
	 * oldest slot and the credit of a link. */
	MPI_Request *requests;
	int *indices;
	MPI_Status *statuses;
	struct plait_backend_link **places;
	uint32_t room; /* places */
};

plait_status plaitp_mpi_port_open(plait_backend *self,
				  const plait_port_request *request,
				  plait_backend_port **out,
				  plait_error *error);
void plaitp_mpi_port_close(plait_backend *self, plait_backend_port *port);
void plaitp_mpi_port_describe(const plait_backend_port *port,
			      plait_port *out);
/* PLAIT_OK, or PLAIT_E_LOST with the reason. */
plait_status plaitp_mpi_port_peer(plait_backend_port *port, uint32_t peer,
				  plait_error *error);
/* Note that a peer is lost; its links stand still.  The first reason stays. */
void plaitp_mpi_lose(plait_backend_port *port, uint32_t peer,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool plaitp_mpi_is_lost(const plait_backend_port *port, uint32_t peer);
/* Let go of a request: cancel a receive, give a send a little time.  Returns
 * false if MPI may still use its bytes; the request is left to MPI then. */
bool plaitp_mpi_settle(plait_backend_port *port, MPI_Request *request,
		       bool is_receive);

/* Memory that stays where it is if MPI does not let go of it. */
void *plaitp_mpi_map(uint64_t bytes);
void plaitp_mpi_unmap(void *memory, uint64_t bytes);

/* Table of tested requests; places.c. */
plait_status plaitp_mpi_places_open(plait_backend_port *port,
				    plait_error *error);
void plaitp_mpi_places_close(plait_backend_port *port);
/* Give a link a free place. */
plait_status plaitp_mpi_places_take(plait_backend_port *port,
				    struct plait_backend_link *link,
				    plait_error *error);

/* Post the receives of records; release them. */
plait_status plaitp_mpi_records_open(plait_backend_port *port,
				     plait_error *error);
void plaitp_mpi_records_close(plait_backend_port *port);
/* The oldest record has come. */
void plaitp_mpi_record_came(plait_backend_port *port,
			    const MPI_Status *status);
/* Deal with the record that has come.  PLAIT_E_NOMEM: later. */
plait_status plaitp_mpi_record_take(plait_backend_port *port,
				    plait_error *error);
plait_status plaitp_mpi_record_send(plait_backend_port *port, uint32_t peer,
				    const struct mpi_record *record,
				    plait_error *error);
/* Free the records that were sent. */
void plaitp_mpi_record_flush(plait_backend_port *port);
/* Take a LINK record for this half out of those that came before it. */
bool plaitp_mpi_record_find(plait_backend_port *port, uint32_t peer,
			    uint64_t number, struct mpi_record *out);

plait_status plaitp_mpi_record_mail(plait_backend_port *port, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error);
plait_status plaitp_mpi_record_next(plait_backend_port *port,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error);

plait_status plaitp_mpi_pump(plait_backend *self, plait_error *error);

/* --- links ---------------------------------------------------------------- */

/* Bytes of a message to be sent that are not in its slot; loan.c. */
struct mpi_loan {
	const void *memory; /* null: in the slot */
	MPI_Request head;
	bool is_paid; /* the bytes were given to MPI */
};

/* State of a message whose head came alone. */
enum mpi_split { SPLIT_NONE, SPLIT_HEAD, SPLIT_SLOT, SPLIT_LENT };

struct plait_backend_link {
	plait_backend_port *port;
	struct plait_backend_link *next;
	plait_link_direction direction;
	uint32_t peer;
	uint32_t depth;
	uint32_t place;
	uint64_t number;
	uint64_t slot_bytes;
	uint64_t stride;
	/* Counters, credit and slots. */
	unsigned char *memory;
	uint64_t memory_bytes;
	uint64_t *ready;
	uint64_t *taken;
	uint64_t *lent;
	uint64_t *credit_words; /* in flight: slots taken, permits */
	unsigned char *slots;
	MPI_Request *requests; /* of slot i at i % depth */
	uint64_t posted; /* slots given to MPI */
	uint64_t done;	 /* of these, the ones that MPI has completed */
	uint64_t credit; /* slots taken: told by, or to, the peer */
	uint64_t total;	 /* slots that the peer has sent, once it has ended */
	uint64_t permits; /* for split messages: received, or given */
	uint64_t used;	 /* permits: used by the sender, or told to it */
	struct mpi_loan *loans; /* sending: of slot i at i % depth */
	/* Receiving: room that the world lends, and the message at `done`. */
	void *room;
	uint64_t room_index;
	uint64_t room_bytes;
	uint64_t reclaim_ns; /* end of the wait for what has a permit, or 0 */
	enum mpi_split split;
	uint32_t patience; /* pumps since the head came */
	bool has_room;
	uint32_t tag;	 /* of slots; then those of credits and lent memory */
	uint32_t idle;	 /* pumps since a slot was taken and not told */
	uint32_t calm;	 /* receiving: pumps since `noticed` has changed */
	uint64_t noticed; /* receiving: slots taken, as the last pump saw it */
	bool has_few_receives; /* receiving: posted one at a time */
	bool is_connected; /* the other half is known */
	bool is_destroyed; /* by the world; filled slots are still sent */
	bool has_total;
	bool is_end_told;  /* sending: END; receiving: the last credit */
	bool has_last;	   /* sending: the last credit has come */
	bool is_broken; /* the peer is lost */
};

plait_status plaitp_mpi_link_create(plait_backend_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out,
				    plait_error *error);
void plaitp_mpi_link_destroy(plait_backend_link *link);
/* Unlink and free; memory that MPI may still use stays mapped. */
void plaitp_mpi_link_free(plait_backend_link *link);

plait_link_slot *plaitp_mpi_link_slot(const plait_backend_link *link,
				      uint64_t index);

/* The peer is lost: a request of the link failed. */
void plaitp_mpi_link_lose(plait_backend_link *link, const char *what,
			  int code);

/* Give slots and credits to MPI; returns true if it gave any. */
bool plaitp_mpi_stream_advance(plait_backend_link *link);
/* The oldest slot, or the credit, of a link is complete. */
void plaitp_mpi_stream_slot_done(plait_backend_link *link,
				 const MPI_Status *status);
void plaitp_mpi_stream_credit_done(plait_backend_link *link);
/* The receiving half is known. */
void plaitp_mpi_stream_connect(plait_backend_link *link,
			       const struct mpi_record *record);
/* Returns true if a destroyed link has nothing more to do. */
bool plaitp_mpi_stream_has_ended(const plait_backend_link *link);

/* --- lent memory: loan.c -------------------------------------------------- */

plait_status plaitp_mpi_loan_lend(plait_backend_link *link, void *memory,
				  uint64_t bytes, plait_error *error);
plait_status plaitp_mpi_loan_reclaim(plait_backend_link *link);
/* Sending: the loan of a message, or null. */
struct mpi_loan *plaitp_mpi_loan_at(const struct plait_backend_link *link,
				    uint64_t index);
/* Sending: send what has a permit; returns true if it gave any to MPI. */
bool plaitp_mpi_loan_pay(struct plait_backend_link *link);
/* Sending: MPI has let go of a message. */
void plaitp_mpi_loan_end(struct plait_backend_link *link, uint64_t index);
/* Receiving: the head of a split message has come. */
void plaitp_mpi_loan_head(struct plait_backend_link *link);
/* Receiving: receive its bytes, if the place is known; true if a permit is due. */
bool plaitp_mpi_loan_advance(struct plait_backend_link *link);
/* Receiving: its bytes have come, or their receive was cancelled and starts
 * again (*out_is_over is false); false: not as many as the head says. */
bool plaitp_mpi_loan_came(struct plait_backend_link *link,
			  const MPI_Status *status, bool *out_is_over);

static inline MPI_Request *plaitp_mpi_slot_request(plait_backend_link *link)
{
	return &link->port->requests[1 + 2 * link->place];
}

static inline MPI_Request *plaitp_mpi_credit_request(plait_backend_link *link)
{
	return &link->port->requests[2 + 2 * link->place];
}

#endif
