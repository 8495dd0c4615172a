/* SPDX-License-Identifier: MIT */
/*
 * Rig for checks of transports: the plugin's table, loaded by the suite, since no
 * part of the public API has ports; an instance, and its ranks in this process.
 */
#ifndef CONFORM_PORTS_H
#define CONFORM_PORTS_H

#include "plait/plugin.h"

#include "conform.h"

enum { PORTS_MAX = 3 };

struct ports {
	struct conform *check;
	plait_backend_table table;
	plait_backend *self;
	/* One rank if the transport has one for each process; a rank then
	 * exchanges with itself. */
	uint32_t count;
	plait_backend_port *port[PORTS_MAX];
	plait_port facts[PORTS_MAX];
	bool needs_pump;
};

/* Half a link, and the messages that it has sent or received. */
struct half {
	struct ports *ports;
	bool sends;
	plait_backend_link *link;
	plait_link_view view;
	uint64_t count;
};

/* Rank that a launcher gave to this process; 0 without one. */
uint32_t conform_launched_rank(void);
/* Remove the launcher from the environment. */
void conform_leave_launcher(void);

/* Load the plugin into `p`, and open an instance.  Returns the status of `open`;
 * skips the check if the plugin is no transport. */
plait_status conform_ports_load(struct conform *c, struct ports *p);
/* Does the transport open?  Ends the check if it declines. */
void conform_ports_probe(struct conform *c);
void conform_ports_unload(struct ports *p);
/* Open `wanted` ranks, or one. */
void conform_ports_open(struct ports *p, uint32_t wanted);
/* Load, and open; end the check if that fails. */
void conform_ports_begin(struct conform *c, struct ports *p, uint32_t wanted);
void conform_ports_close(struct ports *p, uint32_t rank);
/* Close ports and instance. */
void conform_ports_end(struct ports *p);
/* The rank after `rank`. */
uint32_t conform_ports_next(const struct ports *p, uint32_t rank);

/* Let the transport work, if it needs that. */
void conform_ports_pump(struct ports *p);
/* Send, and pump while there is no room. */
plait_status conform_ports_send(struct ports *p, uint32_t from, uint32_t to,
				const void *bytes, uint64_t count);
/* Wait for mail; returns its bytes, 0 after a failure. */
uint64_t conform_ports_receive(struct ports *p, uint32_t rank,
			       uint32_t *out_peer, void *buffer);

plait_link_request conform_ports_request(const struct ports *p, uint32_t peer,
					 plait_link_direction direction,
					 uint64_t number, uint32_t depth,
					 uint64_t slot_bytes);
plait_status conform_ports_half(struct ports *p, uint32_t rank,
				const plait_link_request *request,
				struct half *out);
/* Make both halves; end the check if that fails. */
void conform_ports_link(struct ports *p, uint32_t from, uint32_t to,
			uint64_t number, uint32_t depth, uint64_t slot_bytes,
			struct half *out_sender, struct half *out_receiver);
void conform_ports_drop(struct half *half);
unsigned char *conform_ports_slot(const struct half *half, uint64_t message);
bool conform_ports_has_credit(const struct half *half);
bool conform_ports_has_message(const struct half *half);
/* Wait for a credit or a message; false after a failure. */
bool conform_ports_await(struct half *half);
/* Fill a slot with words and bytes that `message` determines; compare the slot
 * `behind` messages after the oldest one. */
void conform_ports_put(struct half *half, uint64_t message, uint64_t bytes);
/* The same with bytes in memory that is lent. */
void conform_ports_put_lent(struct half *half, unsigned char *memory,
			    uint64_t message, uint64_t bytes);
bool conform_ports_holds(const struct half *half, uint64_t behind,
			 uint64_t message, uint64_t bytes);
void conform_ports_take(struct half *half);

/* Number of the allocation that fails, from 1; 0: none.  And what is live. */
extern long long conform_ports_fail_at;
extern long long conform_ports_live_bytes;

#endif
