/* SPDX-License-Identifier: MIT */
/* Scenarios of the receives that a half has posted; see receives.h. */
#include <string.h>

#include "rank.h"
#include "receives.h"

/* Receives are posted one at a time where each rank has a CPU, in Open MPI; all of them
 * where ranks share CPUs.  The second port tells that the peer has sent. */
static void posts(bool crowded)
{
	plait_port_request request = { .size = sizeof(request) };
	bool is_few = strcmp(rank.plugin, "openmpi") == 0 && !crowded;
	plait_backend_port *port = NULL;
	plait_backend *other = NULL;
	unsigned char bytes[1 << 16];
	struct half half;
	uint32_t peer, i;

	rank_open(0);
	MUST(fakehost_open(&rank.host, &rank.table, &other, &rank.error) ==
	     PLAIT_OK);
	MUST(rank.table.port_open(other, &request, &port, &rank.error) ==
	     PLAIT_OK);
	rank.link_flags = crowded ? PLAIT_LINK_CROWDED : 0;
	half = rank_half(rank.facts.rank == 0 ? PLAIT_LINK_SEND :
						PLAIT_LINK_RECEIVE,
			 rank.facts.rank == 0, 13, 8, 64);
	if (rank.facts.rank == 0) {
		while (rank_can_fill(&half))
			rank_fill(&half, 64);
		/* MPI has all of them. */
		rank_await(half.view.lent, 8);
		rank_swap(&other, &port);
		rank_mail(1, "sent", 5);
		rank_next(&peer, bytes);
	} else {
		/* The peer learns of the half by this port. */
		rank_pump();
		rank_swap(&other, &port);
		rank_next(&peer, bytes);
		rank_swap(&other, &port);
		/* Fewer than those behind which all receives are posted. */
		for (i = 0; i < 16; i++)
			rank_pump();
		MUST(*half.view.ready == (is_few ? 1 : 8));
		while (half.count < 8) {
			rank_await(half.view.ready, half.count + 1);
			rank_read(&half);
		}
		rank_swap(&other, &port);
		rank_mail(0, "seen", 5);
	}
	rank_swap(&other, &port);
	rank_destroy(&half);
	rank_meet();
	rank.table.port_close(other, port);
	rank.table.close(other);
	rank_close();
}

void receives_few(void)
{
	posts(false);
}

void receives_crowded(void)
{
	posts(true);
}
