/* SPDX-License-Identifier: MIT */
/* Links of a collective: created with the peers, destroyed when they are empty. */
#include "coll/project/collective_object.h"

#include "coll/project/rank_direct.h"
#include "coll/project/rank_message.h"
#include "base/error.h"
#include "world/world_buffer.h"
#include "sys/clock.h"

enum { DRAIN_NS = 1000000000 };

/* Returns true if both ends of a link map the same slots: a stamp is seen before the
 * counter, and the state of a direct message is a word that either of them changes. */
static bool has_one_memory(const plait__world *world, uint32_t peer,
			   const plait__slot_link *link)
{
	const plait__world_port *port = plait__world_route(world, peer);
	const plait__world_end *end = plait__world_end_at(world, peer,
							  world->routes[peer]);

	return link->lent == NULL &&
	       !((port->info.flags | end->flags) & PLAIT_PORT_NEEDS_PUMP);
}

/* Let the link have stamps and direct messages, if the peer can read this rank's
 * memory and this rank the peer's. */
static plait_status share_slots(const plait__world *world,
				  plait__collective_part *part,
				  uint32_t number, plait_error *error)
{
	const plait__rank_link *half =
		plait__vector_at(&part->program.links, number);

	if (!plait__world_buffer_reaches(world, half->peer) ||
	    !has_one_memory(world, half->peer, &part->machine.links[number]))
		return PLAIT_OK;
	if (half->receives)
		plait__rank_message_enable(&part->machine,
					   &part->machine.links[number]);
	part->machine.error = error;
	return plait__rank_direct_enable(&part->machine, number);
}

static plait_status make_link(plait__collective *collective, uint32_t index,
			      uint32_t number, plait_error *error)
{
	plait__collective_part *part = &collective->parts[index];
	plait__world *world = collective->world;
	const plait__rank_link *half =
		plait__vector_at(&part->program.links, number);
	const plait__world_end *end = plait__world_end_at(
		world, half->peer, world->routes[half->peer]);
	const plait_link_request request = {
		.size = sizeof(request),
		.direction = half->receives ? PLAIT_LINK_RECEIVE :
					      PLAIT_LINK_SEND,
		.peer = half->peer, .address = end->address,
		.address_bytes = end->address_bytes,
		.number = collective->number << 32 | (uint64_t)index << 24 |
			  half->channel,
		.depth = part->depth, .slot_bytes = part->machine.slot_bytes,
		.flags = world->is_crowded ? PLAIT_LINK_CROWDED : 0,
	};

	plait_status status = plait__world_port_link(
		plait__world_route(world, half->peer), &request,
		&part->raw[number], &part->machine.links[number], error);

	return status != PLAIT_OK ? status :
		       share_slots(world, part, number, error);
}

/* Create the halves of a part that are still missing; PLAIT_PENDING: some are. */
static plait_status make_some(plait__collective *collective, uint32_t index,
			      uint32_t *out_peer, plait_error *error)
{
	plait__collective_part *part = &collective->parts[index];
	bool pending = false;

	for (uint32_t i = 0; i < part->program.links.count; i++) {
		plait_status status = PLAIT_OK;

		if (part->raw[i] == NULL)
			status = make_link(collective, index, i, error);
		if (status == PLAIT_PENDING) {
			*out_peer = ((const plait__rank_link *)plait__vector_at(
				&part->program.links, i))->peer;
			pending = true;
		} else if (status != PLAIT_OK) {
			return status;
		}
	}
	return pending ? PLAIT_PENDING : PLAIT_OK;
}

/* Find out how calls wait: by a bell, and by pumps of their links' ports. */
static void find_waiting(plait__collective *collective,
			 plait__collective_part *part)
{
	const plait__slot_link *links = part->machine.links;

	part->bell = links[0].bell != NULL ? &links[0] : NULL;
	for (uint32_t i = 0; i < part->program.links.count; i++) {
		if (links[i].bell != links[0].bell)
			part->bell = NULL;
		part->machine.is_pumped |= plait__world_route(
			collective->world, links[i].peer)->info.flags &
			PLAIT_PORT_NEEDS_PUMP;
	}
}

static plait_status make_part(plait__collective *collective, uint32_t index,
			      uint64_t deadline_ns, plait_error *error)
{
	plait__collective_part *part = &collective->parts[index];
	plait__world *world = collective->world;
	plait_status status;
	uint32_t peer = 0;

	for (;;) {
		status = make_some(collective, index, &peer, error);
		if (status == PLAIT_OK)
			find_waiting(collective, part);
		if (status != PLAIT_PENDING)
			return status;
		if (plait__clock_now_ns() >= deadline_ns)
			return plait__fail(error, PLAIT_E_TIMEOUT,
					   "rank %u did not create its half of a "
					   "link within %llu ms", peer,
					   (unsigned long long)world->open_ns /
						   1000000);
		status = plait__world_progress(world, error);
		if (status == PLAIT_OK)
			status = plait__collective_links_check(collective,
							       error);
		if (status != PLAIT_OK)
			return status;
		plait__world_rest();
	}
}

plait_status plait__collective_links_check(plait__collective *collective,
					   plait_error *error)
{
	plait__kept_mail kept;

	if (collective->refused_by == 0) {
		if (!plait__world_mail_take(&collective->world->mailbox,
					    PLAIT__MAIL_COLLECTIVE,
					    collective->number, 0, &kept))
			return PLAIT_OK;
		collective->refused_by = kept.peer + UINT64_C(1);
	}
	return plait__fail(error, PLAIT_E_CANCELLED,
			   "rank %llu could not create this collective",
			   (unsigned long long)collective->refused_by - 1);
}

plait_status plait__collective_links_make(plait__collective *collective,
					  plait_error *error)
{
	uint64_t deadline = plait__clock_deadline(collective->world->open_ns);
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < collective->part_count && !status; i++)
		status = make_part(collective, i, deadline, error);
	return status;
}

/* ---- end ---- */

/* Returns true if a peer that has not ended has not taken all messages yet. */
static bool is_draining(const plait__collective *collective,
			plait__collective_part *part)
{
	for (uint32_t i = 0; i < part->program.links.count; i++) {
		const plait__rank_link *half =
			plait__vector_at(&part->program.links, i);
		const plait__slot_link *link = &part->machine.links[i];

		/* Acquire: pairs with the release in plait__slot_link_pop. */
		if (part->raw[i] != NULL && !half->receives &&
		    at_load_acquire_u64(link->taken) != link->own &&
		    plait__world_port_check_peer(
			    plait__world_route(collective->world, half->peer),
			    half->peer, NULL) == PLAIT_OK)
			return true;
	}
	return false;
}

void plait__collective_links_free(plait__collective *collective)
{
	uint64_t deadline = plait__clock_now_ns() + DRAIN_NS;

	for (uint32_t i = 0; i < collective->part_count; i++) {
		plait__collective_part *part = &collective->parts[i];

		if (part->raw == NULL)
			continue;
		while (is_draining(collective, part) &&
		       plait__clock_now_ns() < deadline &&
		       plait__world_progress(collective->world, NULL) ==
			       PLAIT_OK)
			plait__world_rest();
		plait__rank_direct_free(&part->machine);
		for (uint32_t k = 0; k < part->program.links.count; k++) {
			const plait__rank_link *half = plait__vector_at(
				&part->program.links, k);

			plait__world_port_unlink(
				plait__world_route(collective->world,
						   half->peer), part->raw[k]);
		}
	}
}
