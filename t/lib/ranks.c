/* SPDX-License-Identifier: MIT */
/* Ranks of a transport; see ranks.h. */
#include "ranks.h"

#include "tap.h"

#include <stdio.h>
#include <string.h>

plait_status rank_load(struct rank *rank, const char *transport, const char *options)
{
	memset(rank, 0, sizeof(*rank));
	rank->error.size = sizeof(rank->error);
	fakehost_init(&rank->host, options);
	if (!OK(fakehost_load(transport, &rank->table)))
		return PLAIT_E_UNAVAILABLE;
	return fakehost_open(&rank->host, &rank->table, &rank->self,
			     &rank->error);
}

void rank_unload(struct rank *rank)
{
	if (rank->self)
		rank->table.close(rank->self);
	rank->self = NULL;
	IS_UINT(rank->host.live_bytes, 0);
	fakehost_fini(&rank->host);
}

plait_status rank_open(struct rank *rank, const plait_port_request *request)
{
	const plait_port_request none = { .size = sizeof(none) };
	plait_status status = rank->table.port_open(
		rank->self, request ? request : &none, &rank->port,
		&rank->error);

	rank->facts = (plait_port){ .size = sizeof(rank->facts) };
	if (status == PLAIT_OK)
		IS_INT(rank->table.port_query(rank->self, rank->port,
					      &rank->facts, &rank->error),
		       PLAIT_OK);
	return status;
}

void rank_close(struct rank *rank)
{
	if (rank->port)
		rank->table.port_close(rank->self, rank->port);
	rank->port = NULL;
}

bool ranks_open(struct rank *ranks, uint32_t count, const char *transport,
		const char *name)
{
	char options[128];

	for (uint32_t i = 0; i < count; i++) {
		snprintf(options, sizeof(options), "rank=%u ranks=%u name=%s",
			 i, count, name);
		if (!IS_INT(rank_load(&ranks[i], transport, options),
			    PLAIT_OK) ||
		    !IS_INT(rank_open(&ranks[i], NULL), PLAIT_OK)) {
			NOTE("%s", ranks[i].error.text);
			return false;
		}
	}
	return true;
}

void ranks_close(struct rank *ranks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		rank_close(&ranks[i]);
		rank_unload(&ranks[i]);
	}
}

void rank_pump(struct rank *rank)
{
	if (rank->facts.flags & PLAIT_PORT_NEEDS_PUMP)
		(void)rank->table.pump(rank->self, &rank->error);
}

plait_status rank_send(struct rank *rank, uint32_t peer, const void *bytes,
		       uint64_t count)
{
	uint64_t since = 0;
	plait_status status;

	do {
		status = rank->table.mail_send(rank->self, rank->port, peer,
					       bytes, count, &rank->error);
		rank_pump(rank);
	} while (status == PLAIT_E_BUSY && !tap_late(&since));
	return status;
}

plait_status rank_look(struct rank *rank, uint32_t *out_peer, void *buffer,
		       uint64_t *out_bytes)
{
	rank_pump(rank);
	return rank->table.mail_next(rank->self, rank->port, out_peer, buffer,
				     rank->facts.mail_bytes, out_bytes,
				     &rank->error);
}

uint64_t rank_receive(struct rank *rank, uint32_t *out_peer, void *buffer)
{
	uint64_t since = 0, bytes = 0;
	plait_status status;

	do
		status = rank_look(rank, out_peer, buffer, &bytes);
	while (status == PLAIT_PENDING && !tap_late(&since));
	return IS_INT(status, PLAIT_OK) ? bytes : 0;
}

plait_link_request rank_link_to(uint32_t peer, plait_link_direction direction,
				uint64_t number, uint32_t depth,
				uint64_t slot_bytes)
{
	return (plait_link_request){
		.size = sizeof(plait_link_request), .direction = direction,
		.peer = peer, .number = number, .depth = depth,
		.slot_bytes = slot_bytes,
	};
}

plait_status rank_link(struct rank *rank, const struct rank *to,
		       plait_link_request request, struct half *out)
{
	plait_status status;

	memset(out, 0, sizeof(*out));
	if (to) {
		request.address = to->facts.address;
		request.address_bytes = to->facts.address_bytes;
	}
	status = rank->table.link_create(rank->self, rank->port, &request,
					 &out->link, &rank->error);
	if (status != PLAIT_OK)
		return status;
	out->view.size = sizeof(out->view);
	IS_INT(rank->table.link_view(rank->self, out->link, &out->view,
				     &rank->error), PLAIT_OK);
	return status;
}

void half_close(struct rank *rank, struct half *half)
{
	if (half->link)
		rank->table.link_destroy(rank->self, half->link);
	half->link = NULL;
}

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

bool half_can_send(const struct half *half)
{
	return half->count - load(half->view.taken) < half->view.depth;
}

bool half_can_receive(const struct half *half)
{
	return load(half->view.ready) > half->count;
}

static unsigned char *slot_of(const struct half *half)
{
	return half->view.slots +
		half->count % half->view.depth * half->view.stride;
}

void half_send(struct half *half, uint64_t word, const void *bytes, uint64_t count)
{
	unsigned char *slot = slot_of(half);
	plait_link_slot *head = (plait_link_slot *)(void *)slot;

	head->bytes = count;
	head->words[0] = word;
	if (count)
		memcpy(slot + sizeof(*head), bytes, count);
	__atomic_store_n(half->view.ready, ++half->count, __ATOMIC_RELEASE);
}

uint64_t half_receive(struct half *half, void *bytes, uint64_t *out_count)
{
	unsigned char *slot = slot_of(half);
	const plait_link_slot *head = (plait_link_slot *)(void *)slot;
	uint64_t word = head->words[0];

	if (out_count)
		*out_count = head->bytes;
	if (bytes)
		memcpy(bytes, slot + sizeof(*head), head->bytes);
	__atomic_store_n(half->view.taken, ++half->count, __ATOMIC_RELEASE);
	return word;
}
