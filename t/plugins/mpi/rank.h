/* SPDX-License-Identifier: MIT */
/*
 * One rank of a test of the MPI transports: an open port on a fake host, and
 * short forms of its slots.  transport.t starts it under an mpirun.
 *
 * A rank that finds something wrong prints it and exits with status 1; the
 * launcher ends the others.
 */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>

#include "lib/fakehost.h"

struct rank {
	const char *plugin;
	fakehost host;
	plait_backend_table table;
	plait_backend *self;
	plait_backend_port *port;
	plait_port facts;
	plait_error error;
	uint64_t random;
	plait_link_request_flags link_flags; /* of halves */
};

extern struct rank rank;

/* Half of a link, and the world's counter of it. */
struct half {
	plait_backend_link *link;
	plait_link_view view;
	uint32_t peer;
	uint32_t number;
	uint64_t count; /* filled, or read */
};

#define MUST(expr) rank_must(!!(expr), __FILE__, __LINE__, #expr)
void rank_must(bool held, const char *file, int line, const char *text);

/* Open instance and port; `native` is a communicator, or 0. */
void rank_open(uint64_t native);
/* Close both; nothing may be left. */
void rank_close(void);
void rank_pump(void);
/* Go on with another port, of an instance of its own. */
void rank_swap(plait_backend **instance, plait_backend_port **port);
/* Pump until the word is at least `least`. */
void rank_await(const uint64_t *word, uint64_t least);
uint64_t rank_random(uint64_t below);

void rank_mail(uint32_t peer, const void *bytes, uint64_t count);
/* Wait for the next record; returns its bytes. */
uint64_t rank_next(uint32_t *out_peer, void *buffer);
/* Returns true if a process of this machine has stopped. */
bool rank_has_stopped(int process);
/* All ranks come here before one leaves. */
void rank_meet(void);

struct half rank_half(plait_link_direction direction, uint32_t peer,
		      uint64_t number, uint32_t depth, uint64_t slot_bytes);
void rank_destroy(struct half *half);
/* Returns true if a slot was free, or full. */
bool rank_can_fill(const struct half *half);
bool rank_can_read(const struct half *half);
/* Fill the next slot with `bytes` of a pattern; read and check the next one. */
void rank_fill(struct half *half, uint64_t bytes);
void rank_read(struct half *half);

#endif
