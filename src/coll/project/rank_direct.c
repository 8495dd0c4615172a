/* SPDX-License-Identifier: MIT */
/* Direct messages of a step machine. */
#include "coll/project/rank_direct.h"

#include "coll/project/rank_compute.h"
#include "base/alloc.h"
#include "base/error.h"
#include "world/world_port.h"

#include <string.h>

enum { MAPS = 4 };	/* pieces of a peer that a link has mapped */

/* Memory of a message that was offered. */
struct offer {
	const unsigned char *start, *end;
	uint64_t message;	/* of the link, from 1; 0: withdrawn */
};

struct map {
	uint64_t place, bytes;
	const unsigned char *memory;
};

/* Of half a link; zeros: it has no direct messages. */
struct plait__direct_link {
	struct offer *offers;	/* sender: by slot */
	uint64_t last;		/* sender: no later message is offered */
	bool maps_pieces;	/* receiver */
	uint32_t next_map;
	struct map maps[MAPS];
	uint64_t refused;	/* message whose piece could not be mapped */
};

static at_u64 *state_of(const plait__slot_link *link, uint64_t message)
{
	unsigned char *slot = link->slots +
		((message - 1) & (link->depth - 1)) * link->stride;

	return (at_u64 *)(void *)(slot + offsetof(plait_link_slot, words) +
				  PLAIT__DIRECT_STATE * sizeof(uint64_t));
}

/* ---- memory ---- */

plait_status plait__rank_direct_enable(plait__rank_machine *machine,
				       uint32_t number)
{
	uint64_t count = machine->program->links.count;
	plait__slot_link *link = &machine->links[number];
	const plait__rank_link *half =
		plait__vector_at(&machine->program->links, number);
	struct plait__direct_link *direct;

	if (machine->direct == NULL)
		machine->direct = plait__alloc_array(machine->allocator, count,
						     sizeof(*direct));
	if (machine->direct == NULL)
		goto no_memory;
	direct = &machine->direct[number];
	direct->maps_pieces = half->receives;
	if (half->receives)
		return PLAIT_OK;
	direct->offers = plait__alloc_array(machine->allocator, link->depth,
					    sizeof(*direct->offers));
	if (direct->offers != NULL)
		return PLAIT_OK;
no_memory:
	return plait__fail(machine->error, PLAIT_E_NOMEM,
			   "no memory for direct messages");
}

static void free_link(plait__rank_machine *machine, uint32_t number)
{
	struct plait__direct_link *direct = &machine->direct[number];
	const plait__slot_link *link = &machine->links[number];

	plait__free(machine->allocator, direct->offers,
		    link->depth * sizeof(*direct->offers));
	for (uint32_t i = 0; i < MAPS; i++)
		if (direct->maps[i].memory != NULL)
			plait__world_port_unmap(link, direct->maps[i].memory,
						direct->maps[i].bytes);
}

void plait__rank_direct_free(plait__rank_machine *machine)
{
	uint64_t count = machine->program->links.count;

	if (machine->direct == NULL)
		return;
	for (uint32_t i = 0; i < count; i++)
		free_link(machine, i);
	plait__free(machine->allocator, machine->direct,
		    count * sizeof(*machine->direct));
	machine->direct = NULL;
}

/* ---- sender ---- */

bool plait__rank_direct_may(const plait__rank_machine *machine,
			    const plait__rank_step *step, uint32_t link,
			    uint64_t bytes)
{
	uint32_t buffer = step->kind == PLAIT__STEP_SEND ?
				  step->source.buffer : step->target.buffer;

	return machine->direct != NULL && bytes >= PLAIT__DIRECT_LEAST &&
	       machine->direct[link].offers != NULL &&
	       step->kind != PLAIT__STEP_RECV_REDUCE_SEND &&
	       machine->call.pieces[buffer].bytes > 0;
}

bool plait__rank_direct_offer(plait__rank_machine *machine,
			      const plait__rank_step *step, uint32_t number,
			      uint64_t tile, plait_link_slot *head)
{
	plait__slot_link *link = &machine->links[number];
	struct plait__direct_link *direct;
	const plait__machine_piece *piece;
	bool target = step->kind != PLAIT__STEP_SEND;
	unsigned char *range[2];

	if (!plait__rank_direct_may(machine, step, number, head->bytes) ||
	    !plait__rank_compute_range(machine, step, target, tile, range) ||
	    (uintptr_t)range[0] % machine->call.element_bytes != 0)
		return false;
	direct = &machine->direct[number];
	piece = &machine->call.pieces[target ? step->target.buffer :
					       step->source.buffer];
	head->words[PLAIT__DIRECT_PLACE] = piece->place;
	head->words[PLAIT__DIRECT_BYTES] = piece->bytes;
	head->words[PLAIT__DIRECT_OFFSET] = (uint64_t)(range[0] - piece->start);
	head->words[PLAIT__DIRECT_STATE] = PLAIT__DIRECT_OFFERED;
	machine->offers = true;
	direct->last = link->own + 1;
	direct->offers[link->own & (link->depth - 1)] = (struct offer){
		range[0], range[1], direct->last
	};
	return true;
}

/* Returns true if a message may be offered still; then link->seen is new. */
static bool has_offers(const plait__rank_machine *machine, uint32_t number)
{
	plait__slot_link *link = &machine->links[number];
	const struct plait__direct_link *direct = &machine->direct[number];

	if (direct->last <= link->seen)
		return false;
	/* Acquire: pairs with the release in plait__slot_link_pop, behind the
	 * peer's last access to the memory. */
	link->seen = at_load_acquire_u64(link->taken);
	return direct->last > link->seen;
}

static bool is_open(const plait__slot_link *link, const struct offer *offer)
{
	return offer->message > link->seen;
}

bool plait__rank_direct_is_over(const plait__rank_machine *machine,
				uint32_t number)
{
	return machine->direct == NULL || number == PLAIT__RANK_NONE ||
	       !has_offers(machine, number);
}

static bool reads(const plait__rank_machine *machine, uint32_t number,
		  unsigned char *const range[2])
{
	const plait__slot_link *link = &machine->links[number];
	const struct offer *offers = machine->direct[number].offers;

	for (uint32_t i = 0; i < link->depth; i++)
		if (is_open(link, &offers[i]) && offers[i].start < range[1] &&
		    range[0] < offers[i].end)
			return true;
	return false;
}

uint32_t plait__rank_direct_reader(const plait__rank_machine *machine,
				   unsigned char *const range[2])
{
	if (machine->direct == NULL)
		return PLAIT__RANK_NONE;
	for (uint32_t i = 0; i < machine->program->links.count; i++)
		if (machine->direct[i].offers != NULL &&
		    has_offers(machine, i) && reads(machine, i, range))
			return i;
	return PLAIT__RANK_NONE;
}

/* Returns true if the peer reads the message, or has read it. */
static bool withdraw_offer(const plait__slot_link *link, struct offer *offer)
{
	at_u64 *state = state_of(link, offer->message);
	unsigned char *slot = (unsigned char *)(void *)state -
		offsetof(plait_link_slot, words) -
		PLAIT__DIRECT_STATE * sizeof(uint64_t);
	uint64_t before = PLAIT__DIRECT_OFFERED;

	/* Relaxed: the exchange decides. */
	if (at_load_relaxed_u64(state) != PLAIT__DIRECT_OFFERED)
		return true;
	memcpy(slot + sizeof(plait_link_slot), offer->start,
	       (uint64_t)(offer->end - offer->start));
	/* Release: pairs with the acquire in plait__rank_direct_claim. */
	if (!at_cas_u64(state, &before, PLAIT__DIRECT_KEPT))
		return true;
	offer->message = 0;
	return false;
}

static void withdraw_link(plait__rank_machine *machine, uint32_t number)
{
	struct plait__direct_link *direct = &machine->direct[number];
	plait__slot_link *link = &machine->links[number];
	uint64_t last = 0;

	if (!has_offers(machine, number))
		return;
	for (uint32_t i = 0; i < link->depth; i++)
		if (is_open(link, &direct->offers[i]) &&
		    withdraw_offer(link, &direct->offers[i]) &&
		    direct->offers[i].message > last)
			last = direct->offers[i].message;
	direct->last = last;
	plait__slot_link_ring(link);
}

void plait__rank_direct_withdraw(plait__rank_machine *machine)
{
	if (!machine->offers)
		return;
	for (uint32_t i = 0; i < machine->program->links.count; i++)
		if (machine->direct[i].offers != NULL)
			withdraw_link(machine, i);
}

/* The peer may have stopped in the middle of a message; or it has given the message
 * back since the withdrawal, and waits for the copy. */
static void let_go_of(const plait__slot_link *link, struct offer *offer)
{
	uint64_t before = PLAIT__DIRECT_READ;

	/* Acquire: pairs with the release in plait__rank_direct_take. */
	if (!at_cas_u64(state_of(link, offer->message), &before,
			PLAIT__DIRECT_GONE) &&
	    before == PLAIT__DIRECT_OFFERED)
		(void)withdraw_offer(link, offer);
}

static void let_go(plait__rank_machine *machine, uint32_t number)
{
	struct plait__direct_link *direct = &machine->direct[number];
	const plait__slot_link *link = &machine->links[number];

	for (uint32_t i = 0; i < link->depth; i++) {
		if (is_open(link, &direct->offers[i]))
			let_go_of(link, &direct->offers[i]);
		direct->offers[i].message = 0;
	}
	direct->last = 0;
	plait__slot_link_ring(link);
}

plait_status plait__rank_direct_reclaim(plait__rank_machine *machine,
					bool lets_go)
{
	if (machine->direct == NULL)
		return PLAIT_OK;
	plait__rank_direct_withdraw(machine);
	for (uint32_t i = 0; i < machine->program->links.count; i++) {
		const plait__slot_link *link = &machine->links[i];

		if (!has_offers(machine, i))
			continue;
		if (!lets_go &&
		    plait__world_port_check_peer(link->port, link->peer,
						 NULL) == PLAIT_OK)
			return PLAIT_PENDING;
		/* That of a peer that has ended, too: the memory may be freed. */
		let_go(machine, i);
	}
	return PLAIT_OK;
}

/* ---- receiver ---- */

static void unmap(const plait__slot_link *link, struct map *map)
{
	if (map->memory != NULL)
		plait__world_port_unmap(link, map->memory, map->bytes);
	*map = (struct map){ .memory = NULL };
}

/* Returns null if the piece cannot be mapped. */
static const struct map *find_map(plait__rank_machine *machine,
				  uint32_t number, const plait_link_slot *head)
{
	struct plait__direct_link *direct = &machine->direct[number];
	const plait__slot_link *link = &machine->links[number];
	const struct map wanted = { head->words[PLAIT__DIRECT_PLACE],
				    head->words[PLAIT__DIRECT_BYTES], NULL };
	struct map *map;

	for (uint32_t i = 0; i < MAPS; i++) {
		map = &direct->maps[i];
		if (map->memory != NULL && map->place == wanted.place &&
		    map->bytes == wanted.bytes)
			return map;
	}
	map = &direct->maps[direct->next_map++ % MAPS];
	unmap(link, map);
	*map = wanted;
	map->memory = plait__world_port_map(link, wanted.place, wanted.bytes);
	return map->memory != NULL ? map : NULL;
}

/* All numbers are the peer's. */
static plait_status check_head(const plait__rank_machine *machine,
			       uint32_t number, const plait_link_slot *head)
{
	uint64_t bytes = head->words[PLAIT__DIRECT_BYTES];
	uint64_t offset = head->words[PLAIT__DIRECT_OFFSET];

	if (machine->direct != NULL && machine->direct[number].maps_pieces &&
	    bytes > 0 && offset <= bytes && head->bytes <= bytes - offset &&
	    offset % machine->call.element_bytes == 0)
		return PLAIT_OK;
	return plait__fail(machine->error, PLAIT_E_INTERNAL,
			   "a message of rank %u is in memory that is none",
			   machine->links[number].peer);
}

static plait_status fail_left(const plait__rank_machine *machine,
			      const plait__slot_link *link)
{
	return plait__fail(machine->error, PLAIT_E_CANCELLED,
			   "rank %u has left call %llu of the collective",
			   link->peer,
			   (unsigned long long)machine->call.number);
}

/* The message cannot be read in place: its sender has to copy it, unless it has
 * left the call. */
static plait_status give_back(const plait__rank_machine *machine,
			      uint32_t number)
{
	const plait__slot_link *link = &machine->links[number];
	uint64_t before = PLAIT__DIRECT_READ;

	/* Release: nothing was read. */
	if (!at_cas_u64(state_of(link, link->own + 1), &before,
			PLAIT__DIRECT_OFFERED))
		return fail_left(machine, link);
	machine->direct[number].refused = link->own + 1;
	plait__slot_link_ring(link);
	return PLAIT_PENDING;
}

plait_status plait__rank_direct_claim(plait__rank_machine *machine,
				      uint32_t number,
				      const plait_link_slot *head,
				      const unsigned char **out)
{
	plait__slot_link *link = &machine->links[number];
	uint64_t before = PLAIT__DIRECT_OFFERED;
	plait_status status = check_head(machine, number, head);
	const struct map *map;

	if (status != PLAIT_OK)
		return status;
	if (machine->direct[number].refused == link->own + 1)
		return PLAIT_PENDING;
	*out = plait__slot_link_front(link) + sizeof(plait_link_slot);
	/* Before the memory is mapped: a sender that withdraws it may free it, and
	 * a mapping would bring its pages back.  Acquire: pairs with the release
	 * in withdraw_offer. */
	if (!at_cas_u64(state_of(link, link->own + 1), &before,
			PLAIT__DIRECT_READ))
		return PLAIT_OK;
	map = find_map(machine, number, head);
	if (map == NULL)
		return give_back(machine, number);
	*out = map->memory + head->words[PLAIT__DIRECT_OFFSET];
	return PLAIT_OK;
}

plait_status plait__rank_direct_take(plait__rank_machine *machine,
				     uint32_t number)
{
	const plait__slot_link *link = &machine->links[number];
	uint64_t before = PLAIT__DIRECT_READ;

	/* Release: pairs with the acquire in let_go, behind the last access. */
	if (at_cas_u64(state_of(link, link->own + 1), &before,
		       PLAIT__DIRECT_TAKEN))
		return PLAIT_OK;
	return fail_left(machine, link);
}
