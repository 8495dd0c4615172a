/* SPDX-License-Identifier: MIT */
/*
 * The interposer fault around transports: a program of two ranks with each call
 * of a slot of ports failing once, or all behind it lost; it ends, and nothing is
 * left.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

enum { RANKS = 2, MOST_CALLS = 400 };

static plait_backend_port *ports[RANKS];
static plait_backend_link *halves[RANKS];
static plait_port facts[RANKS];
/* The first failure of the program that is no PENDING or BUSY. */
static plait_status failure;

/* Returns true while the program may go on. */
static bool keep(plait_status status)
{
	if (status < 0 && failure == PLAIT_OK)
		failure = status;
	return status >= 0;
}

static void pump(void)
{
	plait_error ignored = { .size = sizeof(ignored) };

	if (bed.table.pump && (facts[0].flags & PLAIT_PORT_NEEDS_PUMP))
		(void)bed.table.pump(bed.self, &ignored);
}

static bool open_ports(void)
{
	plait_port_request request = { .size = sizeof(request),
				       .ranks = RANKS };

	for (uint32_t i = 0; i < RANKS; i++) {
		request.rank = i;
		facts[i] = (plait_port){ .size = sizeof(facts[i]) };
		if (!keep(bed.table.port_open(bed.self, &request, &ports[i],
					      &bed.error)) ||
		    !keep(bed.table.port_query(bed.self, ports[i], &facts[i],
					       &bed.error)))
			return false;
	}
	return true;
}

static bool link_ports(void)
{
	for (uint32_t i = RANKS; i-- > 0;) {
		const plait_link_request request = {
			.size = sizeof(request), .direction = i,
			.peer = 1 - i, .number = 1, .depth = 2,
			.slot_bytes = 100,
			.address = facts[1 - i].address,
			.address_bytes = facts[1 - i].address_bytes,
		};
		plait_link_view view = { .size = sizeof(view) };

		if (!keep(bed.table.link_create(bed.self, ports[i], &request,
						&halves[i], &bed.error)) ||
		    !keep(bed.table.link_view(bed.self, halves[i], &view,
					      &bed.error)))
			return false;
	}
	return true;
}

static bool exchange(void)
{
	char in[4096];
	uint64_t bytes;
	uint32_t peer;
	plait_status status = PLAIT_PENDING;

	if (!keep(bed.table.mail_send(bed.self, ports[0], 1, "x", 1,
				      &bed.error)))
		return false;
	for (int i = 0; i < 100 && status == PLAIT_PENDING; i++) {
		pump();
		status = bed.table.mail_next(bed.self, ports[1], &peer, in,
					     sizeof(in), &bytes, &bed.error);
	}
	return keep(status) && IS_INT(status, PLAIT_OK) &&
		keep(bed.table.peer_query(bed.self, ports[1], 0, &bed.error));
}

/* Returns the failure that ended the program. */
static plait_status run_program(const char *transport, const char *options)
{
	char names[64];

	snprintf(names, sizeof(names), "fault,%s", transport);
	memset(ports, 0, sizeof(ports));
	memset(halves, 0, sizeof(halves));
	failure = PLAIT_OK;
	if (!OK(bed_open_quietly(names, options)))
		return PLAIT_E_INTERNAL;
	if (open_ports() && link_ports())
		(void)exchange();
	for (uint32_t i = 0; i < RANKS; i++)
		if (halves[i])
			bed.table.link_destroy(bed.self, halves[i]);
	for (uint32_t i = 0; i < RANKS; i++)
		if (ports[i])
			bed.table.port_close(bed.self, ports[i]);
	bed_close();
	return failure;
}

/* Fail the k-th call for each k, until the program has fewer. */
static void sweep(const char *transport, const char *option,
		  plait_status expected)
{
	char options[96];
	int k = 1;

	for (; k < MOST_CALLS; k++) {
		plait_status status;

		snprintf(options, sizeof(options), "%s=%d slot=port_open+"
			 "port_query+link_create+link_view+mail_send+mail_next+"
			 "peer_query", option, k);
		status = run_program(transport, options);
		if (status == PLAIT_OK)
			break;
		IS_INT(status, expected);
		HAS_STR(bed.error.text, "fault: call ");
	}
	OK_THAT(k > 10 && k < MOST_CALLS, "%s: %d calls failed", transport,
		k - 1);
}

static void calls_fail_in_loopback(void)
{
	sweep("loopback", "fail", PLAIT_E_NOMEM);
	sweep("loopback", "lost", PLAIT_E_LOST);
}

static void calls_fail_in_shm(void)
{
	sweep("shm", "fail", PLAIT_E_NOMEM);
	sweep("shm", "lost", PLAIT_E_LOST);
}

static void calls_fail_in_chaos(void)
{
	sweep("chaos", "fail", PLAIT_E_NOMEM);
	sweep("chaos", "lost", PLAIT_E_LOST);
}

static const struct tap_scenario all[] = {
	{ "calls fail in loopback", calls_fail_in_loopback },
	{ "calls fail in shm", calls_fail_in_shm },
	{ "calls fail in chaos", calls_fail_in_chaos },
};

TAP_MAIN(all)
