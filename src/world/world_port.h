/* SPDX-License-Identifier: MIT */
/*
 * Ports of a world: a transport, opened by name, and this rank's end of it.
 * Functions hold the transport's lock around its slots, and check what slots
 * return; any thread may call them.
 */
#ifndef PLAIT_SRC_WORLD_WORLD_PORT_H
#define PLAIT_SRC_WORLD_WORLD_PORT_H

#include "world/slot_link.h"
#include "plugin/transport.h"

/* Longest record of mail; each port takes it. */
enum { PLAIT__WORLD_MAIL_BYTES = 256 };

typedef struct plait__world_port {
	plait__registry *registry;
	plait__transport *transport;
	plait_backend_port *raw;
	plait_port info;
	const char *name;	/* the transport's */
	const plait_allocator *allocator; /* the caller sets it */
	/* Room for a record, of info.mail_bytes; used under the lock. */
	unsigned char *room;
} plait__world_port;

/* Open the transport alone: its port is still to be opened.  Zeroed memory, but
 * for `allocator`. */
plait_status plait__world_port_load(plait__world_port *port,
				    plait__registry *registry,
				    const char *name, plait_error *error);
plait_status plait__world_port_open(plait__world_port *port,
				    const plait_port_request *request,
				    plait_error *error);
/* Close the port and the transport, as far as they are open. */
void plait__world_port_close(plait__world_port *port);

/* PLAIT_E_BUSY: try again later. */
plait_status plait__world_port_send(const plait__world_port *port,
				    uint32_t peer, const void *bytes,
				    uint64_t count, plait_error *error);
/* Take a record.  PLAIT_PENDING: there is none. */
plait_status plait__world_port_next(const plait__world_port *port,
				    uint32_t *out_peer,
				    unsigned char out[PLAIT__WORLD_MAIL_BYTES],
				    uint64_t *out_bytes, plait_error *error);

/* Make a port with PLAIT_PORT_NEEDS_PUMP progress, unless another thread is in
 * the transport. */
void plait__world_port_pump(const plait__world_port *port);

/* Create half a link, and fill `link` from its view.  PLAIT_PENDING: try again
 * later. */
plait_status plait__world_port_link(const plait__world_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out_raw,
				    plait__slot_link *link,
				    plait_error *error);
void plait__world_port_unlink(const plait__world_port *port,
			      plait_backend_link *raw);

/* Lend memory for the next message of a link with `lent`; see link_lend in
 * plait/plugin.h.  Returns false if the transport takes none. */
bool plait__world_port_lend(const plait__slot_link *link, const void *memory,
			    uint64_t bytes);
/* Take it back.  PLAIT_PENDING: call again, behind a pump. */
plait_status plait__world_port_reclaim(const plait__slot_link *link);

/* Memory of a port with PLAIT_PORT_SHARES_MEMORY, and its name for peers; see
 * shared_create in plait/plugin.h. */
plait_status plait__world_port_share(const plait__world_port *port,
				     uint64_t bytes, void **out,
				     uint64_t *out_place, plait_error *error);
void plait__world_port_unshare(const plait__world_port *port, void *memory,
			       uint64_t place, uint64_t bytes);
/* Map memory of a link's peer.  Returns null if that fails. */
const unsigned char *plait__world_port_map(const plait__slot_link *link,
					   uint64_t place, uint64_t bytes);
void plait__world_port_unmap(const plait__slot_link *link,
			     const unsigned char *memory, uint64_t bytes);

/* PLAIT_E_LOST: the peer has ended. */
plait_status plait__world_port_check_peer(const plait__world_port *port,
					  uint32_t peer, plait_error *error);

#endif
