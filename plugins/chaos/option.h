/* SPDX-License-Identifier: MIT */
/* Options of the simulated system; README.md has their defaults. */
#ifndef PLAIT_PLUGINS_CHAOS_OPTION_H
#define PLAIT_PLUGINS_CHAOS_OPTION_H

#include "plait/plugin.h"

/* Behaviour of real drivers that the rules permit; option `quirks`. */
enum {
	/* Notifications come long after the emission. */
	CHAOS_LATE_NOTIFY = 1 << 0,
	/* A point that has happened is notified inside signal_notify. */
	CHAOS_INLINE_NOTIFY = 1 << 1,
	/* The host sees emissions long after the queues do. */
	CHAOS_SLOW_HOST = 1 << 2,
	/* Work starts only after its queue was flushed. */
	CHAOS_NEEDS_FLUSH = 1 << 3,
	/* Delays vary by a factor of 1024, so queues overtake each other. */
	CHAOS_SHUFFLE = 1 << 4,
	/* Waiting queues have spurious wake-ups. */
	CHAOS_SPURIOUS = 1 << 5,
	/* A mapping is a copy, written back by unmap. */
	CHAOS_STAGED_MAP = 1 << 6
};

typedef struct chaos_range {
	uint64_t min;
	uint64_t max;
} chaos_range;

/* Time of a copy: both 0, that of any command. */
typedef struct chaos_link {
	uint64_t latency_ns;
	uint64_t bytes_per_us;
} chaos_link;

/* Devices with a speed of their own; those beyond have that of the last one. */
enum { CHAOS_SPEEDS = 16 };

/* Devices between which there are copies; option `peers`. */
enum { CHAOS_PEERS_ALL, CHAOS_PEERS_RING, CHAOS_PEERS_NONE };

typedef struct chaos_options {
	uint64_t seed;
	uint64_t devices;
	uint64_t memory_bytes;
	uint64_t parallel;
	uint64_t host_calls;
	uint64_t kernels;
	uint64_t segments;
	uint64_t patches;
	uint64_t repeats;
	uint64_t rows;
	uint64_t regions; /* in segments */
	uint64_t alignment_bytes;
	uint64_t patience_ms;
	uint64_t log;
	chaos_range submit_ns;
	chaos_range command_ns;
	chaos_range hop_ns;
	uint64_t item_ns[CHAOS_SPEEDS]; /* of launches; 0: as other commands */
	uint32_t quirks;
	uint32_t peers;
	uint64_t shared; /* the devices have one memory */
	chaos_link link; /* between devices */
	chaos_link host_link; /* between a device and the host */
	chaos_range wire_ns; /* of mail, messages and credits between ranks */
	uint64_t mail_lost, mail_twice, mail_late, mail_cut; /* 0: none */
	uint64_t dead_rank; /* UINT64_MAX: none */
	uint64_t death_ns;
} chaos_options;

plait_status plaitp_chaos_options(plait_host *host,
				  const plait_host_services *services,
				  chaos_options *out, plait_error *error);

#endif
