/* SPDX-License-Identifier: MIT */
/*
 * Ranks of a transport without the library: each has an instance of the plugin
 * and a port, and calls the slots directly.
 */
#ifndef RANKS_H
#define RANKS_H

#include "fakehost.h"

struct rank {
	fakehost host;
	plait_backend_table table;
	plait_backend *self;
	plait_backend_port *port;
	plait_port facts;
	plait_error error;
};

/* Half a link with its own count of messages. */
struct half {
	plait_backend_link *link;
	plait_link_view view;
	uint64_t count;
};

/* Open an instance; `options` as of fakehost_init.  Returns the status of
 * `open`. */
plait_status rank_load(struct rank *rank, const char *transport, const char *options);
/* Close the instance, and check that no memory was leaked. */
void rank_unload(struct rank *rank);
/* Open a port of a loaded rank, and query it; `request` may be null. */
plait_status rank_open(struct rank *rank, const plait_port_request *request);
void rank_close(struct rank *rank);
/* Load and open `count` ranks by options, or stop with failed checks. */
bool ranks_open(struct rank *ranks, uint32_t count, const char *transport,
		const char *name);
void ranks_close(struct rank *ranks, uint32_t count);

/* Send until the mailbox has room; pumps in between. */
plait_status rank_send(struct rank *rank, uint32_t peer, const void *bytes,
		       uint64_t count);
/* Wait for the next mail. Returns its bytes, or 0 after a failed check. */
uint64_t rank_receive(struct rank *rank, uint32_t *out_peer, void *buffer);
/* Returns PLAIT_PENDING or PLAIT_OK of one mail_next. */
plait_status rank_look(struct rank *rank, uint32_t *out_peer, void *buffer,
		       uint64_t *out_bytes);
void rank_pump(struct rank *rank);

plait_link_request rank_link_to(uint32_t peer, plait_link_direction direction,
				uint64_t number, uint32_t depth,
				uint64_t slot_bytes);
/* One link_create; the address is that of `to` if it is given. */
plait_status rank_link(struct rank *rank, const struct rank *to, plait_link_request request,
		       struct half *out);
void half_close(struct rank *rank, struct half *half);
/* Returns true if a credit, or a message, is there. */
bool half_can_send(const struct half *half);
bool half_can_receive(const struct half *half);
void half_send(struct half *half, uint64_t word, const void *bytes, uint64_t count);
/* Returns the word; copies the bytes, if `bytes` is not null. */
uint64_t half_receive(struct half *half, void *bytes, uint64_t *out_count);

#endif
