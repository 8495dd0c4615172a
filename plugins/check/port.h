/* SPDX-License-Identifier: MIT */
/* Ports and halves of links in the interposer check. */
#ifndef PLAIT_PLUGINS_CHECK_PORT_H
#define PLAIT_PLUGINS_CHECK_PORT_H

#include "check.h"

typedef struct plait_backend_port check_port;
typedef struct plait_backend_link check_link;
typedef struct check_shared check_shared;

struct plait_backend_port {
	check_object object;
	plait_backend_port *inner;
	plait_port facts; /* of the first port_query */
	check_link *links;
	check_shared *shared; /* shared.c */
};

struct plait_backend_link {
	check_object object;
	plait_backend_link *inner;
	check_link *next;
	check_port *port;
	plait_link_direction direction;
	uint32_t peer;
	uint32_t depth;
	uint64_t number;
	uint64_t slot_bytes;
	plait_link_view view; /* size 0: not seen yet */
	uint64_t ready; /* counters at the last look */
	uint64_t taken;
	bool reported; /* once for each link */
};

/* port.c: note that a thread is in a slot of ports; one is at a time.  Caller holds
 * the lock. */
void plaitp_check_port_claim(check *self, const char *slot);
/* port.c: begin and end a slot of ports; `begin` takes the lock, `end` needs it
 * free. */
void plaitp_check_port_begin(check *self, const char *slot);
void plaitp_check_port_end(check *self);
/* port.c: begin a slot of a port.  Returns null after a report, with the lock
 * released and `error` filled. */
check_port *plaitp_check_port_enter(check *self, const char *slot,
				    const plait_backend_port *handle,
				    plait_error *error);
/* link.c: look at the counters of all links.  Caller holds the lock. */
void plaitp_check_link_look(check *self, const char *slot, check_port *port);

plait_status plaitp_check_port_open(plait_backend *self,
				    const plait_port_request *request,
				    plait_backend_port **out,
				    plait_error *error);
void plaitp_check_port_close(plait_backend *self, plait_backend_port *port);
plait_status plaitp_check_port_query(plait_backend *self,
				     plait_backend_port *port, plait_port *out,
				     plait_error *error);
plait_status plaitp_check_mail_send(plait_backend *self,
				    plait_backend_port *port, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error);
plait_status plaitp_check_mail_next(plait_backend *self,
				    plait_backend_port *port,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error);
plait_status plaitp_check_peer_query(plait_backend *self,
				     plait_backend_port *port, uint32_t peer,
				     plait_error *error);
plait_status plaitp_check_link_create(plait_backend *self,
				      plait_backend_port *port,
				      const plait_link_request *request,
				      plait_backend_link **out,
				      plait_error *error);
void plaitp_check_link_destroy(plait_backend *self, plait_backend_link *link);
plait_status plaitp_check_link_view(plait_backend *self,
				    plait_backend_link *link,
				    plait_link_view *out, plait_error *error);
plait_status plaitp_check_link_lend(plait_backend *self,
				    plait_backend_link *link, void *memory,
				    uint64_t bytes, plait_error *error);
plait_status plaitp_check_link_reclaim(plait_backend *self,
				       plait_backend_link *link,
				       plait_error *error);
plait_status plaitp_check_shared_create(plait_backend *self,
					plait_backend_port *port,
					uint64_t bytes, void **out,
					uint64_t *out_place,
					plait_error *error);
void plaitp_check_shared_destroy(plait_backend *self, plait_backend_port *port,
				 void *memory, uint64_t place, uint64_t bytes);
plait_status plaitp_check_shared_map(plait_backend *self,
				     plait_backend_port *port, uint32_t peer,
				     uint64_t place, uint64_t bytes,
				     const void **out, plait_error *error);
void plaitp_check_shared_unmap(plait_backend *self, plait_backend_port *port,
			       const void *memory, uint64_t bytes);

#endif
