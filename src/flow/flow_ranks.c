/* SPDX-License-Identifier: MIT */
/* Flows over a world: agreement, links, end; see flow_ranks.h. */
#include "flow/flow_ranks.h"

#include "flow/flow.h"
#include "flow/flow_devices.h"
#include "flow/rank_engine.h"
#include "flow/rank_exit.h"
#include "flow/rank_memo.h"
#include "flow/rank_place.h"
#include "flow/rank_poll.h"
#include "flow/rank_slots.h"
#include "flow/rank_stop.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/clock.h"

#include <stdio.h>

enum { DEPTH = 8, REFUSAL_NS = 1000000000 };

/* ---- agreement ---- */

static plait_status compare(void *arg, uint32_t peer,
			    const plait__world_mail *mail, plait_error *error)
{
	plait__mail_flow *own = arg;
	const plait__mail_flow *other = &mail->of.flow;

	if (other->is_refused != 0)
		return plait__fail(error, PLAIT_E_CANCELLED,
				   "rank %u could not create this flow: %.*s",
				   peer, (int)sizeof(other->reason),
				   other->reason);
	if (other->horizon != own->horizon)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_flow_desc: horizon is %u on rank %u, "
				   "%u on this rank", other->horizon, peer,
				   own->horizon);
	/* Of pieces as many on all ranks; of slots what all take. */
	if (other->lanes < own->lanes)
		own->lanes = other->lanes;
	if (other->window < own->window)
		own->window = other->window;
	own->has_other_devices |= other->kinds != own->kinds;
	if (other->slot_bytes < own->slot_bytes)
		own->slot_bytes = other->slot_bytes;
	return PLAIT_OK;
}

static plait_status check(const plait__flow *flow, const plait__world *world,
			  const plait_flow_desc *desc, plait_error *error)
{
	if (world->ranks > PLAIT__TASK_RANKS_MOST)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: the world has %u ranks; a "
				   "flow takes at most %d", world->ranks,
				   PLAIT__TASK_RANKS_MOST);
	if (desc->flags != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: a flow over a world keeps "
				   "no record and no proof; leave flags 0");
	if (world->slot_limit < PLAIT__RANK_SLOT_LEAST)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_flow_desc: the slots of the "
				   "transports have %llu bytes; a flow needs %d",
				   (unsigned long long)world->slot_limit,
				   PLAIT__RANK_SLOT_LEAST);
	return plait__context_check_same(&flow->object, &world->object, error);
}

/* Tell all ranks that this one has no flow, and why. */
static void refuse(plait__world *world, plait__world_mail *mail,
		   const plait_error *error)
{
	uint64_t deadline = plait__clock_now_ns() + REFUSAL_NS;
	plait__mail_flow *own = &mail->of.flow;

	own->is_refused = 1;
	if (error != NULL)
		(void)snprintf(own->reason, sizeof(own->reason), "%.*s",
			       (int)sizeof(own->reason) - 1, error->text);
	for (uint32_t i = 0; i < world->ranks; i++)
		if (i != world->rank)
			(void)plait__world_send(world, i, mail, deadline, NULL);
}

void plait__flow_ranks_refuse(plait_world *given, const plait_error *error)
{
	plait__world_mail mail;
	plait__world *world;

	if (given == NULL || plait__world_enter(given, &world, NULL) != PLAIT_OK)
		return;
	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_FLOW;
	plait__mutex_lock(&world->order_lock);
	if (world->ranks > 1) {
		mail.number = world->next_collective++;
		refuse(world, &mail, error);
	}
	plait__mutex_unlock(&world->order_lock);
	plait__object_leave(&world->object);
}

bool plait__flow_ranks_has_others(plait_world *given)
{
	plait__world *world;
	bool has_others;

	if (given == NULL || plait__world_enter(given, &world, NULL) != PLAIT_OK)
		return false;
	has_others = world->ranks > 1;
	plait__object_leave(&world->object);
	return has_others;
}

/* Exchange what all ranks have to know, or say that this one has no flow. */
static plait_status exchange(plait__flow_ranks *ranks, uint32_t kind,
			     plait__mail_flow *own, plait_status status,
			     plait_error *error)
{
	plait__world_mail mail;

	memset(&mail, 0, sizeof(mail));
	mail.kind = kind;
	mail.number = ranks->number;
	mail.of.flow = *own;
	if (status == PLAIT_OK)
		status = plait__world_exchange(ranks->world, &mail,
					       "create the flow", compare, own,
					       error);
	if (status != PLAIT_OK && status != PLAIT_E_CANCELLED)
		refuse(ranks->world, &mail, error);
	return status;
}

/* Pieces of a split launch that run at a time. */
static uint32_t count_places(const plait__flow *flow)
{
	return flow->devices != NULL ? flow->devices->count : flow->lanes.count;
}

/* Agree with all ranks; caller holds order_lock. */
static plait_status agree(plait__flow_ranks *ranks,
			  const plait_flow_desc *desc, plait_status status,
			  plait_error *error)
{
	plait__world *world = ranks->world;
	uint64_t limit = world->slot_limit < PLAIT__RANK_SLOT_MOST ?
				 world->slot_limit : PLAIT__RANK_SLOT_MOST;
	plait__mail_flow own = { .horizon = desc->horizon,
				 .lanes = count_places(ranks->flow),
				 .window = plait__window_size(
					 &ranks->flow->window),
				 .kinds = plait__rank_place_kinds(ranks->flow),
				 .slot_bytes = limit & ~UINT64_C(63) };

	ranks->number = world->next_collective++;
	status = exchange(ranks, PLAIT__MAIL_FLOW, &own, status, error);
	ranks->slot_bytes = own.slot_bytes;
	ranks->pieces = (uint32_t)own.lanes * ranks->count;
	ranks->window = own.window;
	ranks->has_equal_devices = own.has_other_devices == 0;
	return status;
}

/* ---- links ---- */

static plait_status make_half(plait__flow_ranks *ranks, uint32_t rank,
			      bool sends, plait_error *error)
{
	plait__world *world = ranks->world;
	plait__rank_peer *peer = &ranks->peers[rank];
	const plait__world_end *end = plait__world_end_at(
		world, rank, world->routes[rank]);
	const plait_link_request request = {
		.size = sizeof(request),
		.direction = sends ? PLAIT_LINK_SEND : PLAIT_LINK_RECEIVE,
		.peer = rank, .address = end->address,
		.address_bytes = end->address_bytes,
		.number = ranks->number << 32, .depth = DEPTH,
		.slot_bytes = ranks->slot_bytes,
		.flags = world->is_crowded ? PLAIT_LINK_CROWDED : 0,
	};

	return plait__world_port_link(plait__world_route(world, rank), &request,
				      sends ? &peer->raw_send :
					      &peer->raw_receive,
				      sends ? &peer->send : &peer->receive,
				      error);
}

/* Create the halves that are missing; PLAIT_PENDING: some still are. */
static plait_status make_some(plait__flow_ranks *ranks, uint32_t *out_peer,
			      plait_error *error)
{
	bool is_pending = false;

	for (uint32_t i = 0; i < 2 * ranks->count; i++) {
		plait__rank_peer *peer = &ranks->peers[i / 2];
		plait_status status = PLAIT_OK;
		bool sends = i % 2 == 0;

		if (i / 2 != ranks->rank &&
		    (sends ? peer->raw_send : peer->raw_receive) == NULL)
			status = make_half(ranks, i / 2, sends, error);
		if (status == PLAIT_PENDING) {
			is_pending = true;
			*out_peer = i / 2;
		} else if (status != PLAIT_OK) {
			return status;
		}
	}
	return is_pending ? PLAIT_PENDING : PLAIT_OK;
}

static plait_status make_links(plait__flow_ranks *ranks, plait_error *error)
{
	plait__world *world = ranks->world;
	uint64_t deadline = plait__clock_deadline(world->open_ns);
	plait_status status;
	uint32_t peer = 0;

	while ((status = make_some(ranks, &peer, error)) == PLAIT_PENDING) {
		if (plait__clock_now_ns() >= deadline)
			return plait__fail(error, PLAIT_E_TIMEOUT,
					   "rank %u did not create its half of a "
					   "link within %llu ms", peer,
					   (unsigned long long)world->open_ns /
						   1000000);
		status = plait__world_progress(world, error);
		if (status != PLAIT_OK)
			return status;
		plait__rank_stop_look(ranks);
		status = plait__rank_stop_tell(ranks, error);
		if (status != PLAIT_OK)
			return status;
		plait__world_rest();
	}
	return status;
}

static void take_own_bell(plait__flow_ranks *ranks)
{
	plait__slot_link *bell = &ranks->bell;

	at_init_u32(&ranks->own_bell, 0);
	at_init_u32(&ranks->own_sleeping, 0);
	bell->bell = bell->peer_bell = &ranks->own_bell;
	bell->sleeping = bell->peer_sleeping = &ranks->own_sleeping;
}

/* The bell that all links share; else the thread's own. */
static void choose_bell(plait__flow_ranks *ranks)
{
	plait__slot_link *bell = &ranks->bell;

	for (uint32_t i = 0; i < ranks->count; i++) {
		const plait__slot_link *link = &ranks->peers[i].receive;

		if (i == ranks->rank)
			continue;
		if (!ranks->has_bell)
			*bell = *link;
		ranks->has_bell = true;
		if (link->bell != bell->bell)
			bell->bell = NULL;
	}
	ranks->has_bell = bell->bell != NULL;
	if (!ranks->has_bell)
		take_own_bell(ranks);
	/* Threads of this rank ring it. */
	bell->peer_bell = bell->bell;
	bell->peer_sleeping = bell->sleeping;
}

/* ---- creation ---- */

static plait_status allocate(plait__flow *flow, plait__world *world,
			     plait_error *error)
{
	const plait_allocator *allocator = plait__world_allocator(world);
	plait__flow_ranks *ranks = plait__alloc(allocator, sizeof(*ranks));

	if (ranks == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a flow over a world");
	flow->ranks = ranks;
	ranks->flow = flow;
	ranks->world = world;
	plait__object_hold(&world->object);
	ranks->rank = world->rank;
	ranks->count = world->ranks;
	ranks->broken.size = sizeof(ranks->broken);
	take_own_bell(ranks);
	plait__mutex_init(&ranks->lock);
	plait__mutex_init(&ranks->moving);
	plait__vector_init(&ranks->accesses, allocator,
			   sizeof(plait__rank_access));
	plait__vector_init(&ranks->listed, allocator,
			   sizeof(plait__rank_transfer));
	plait__vector_init(&ranks->steps, allocator, sizeof(plait__rank_step));
	plait__vector_init(&ranks->versions, allocator, sizeof(plait__version));
	plait__vector_init(&ranks->maps, allocator, sizeof(void *));
	plait__vector_init(&ranks->memo_key, allocator, sizeof(uint64_t));
	ranks->peers = plait__alloc_array(allocator, ranks->count,
					  sizeof(*ranks->peers));
	if (ranks->peers == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u ranks", ranks->count);
	for (uint32_t i = 0; i < ranks->count; i++) {
		(void)snprintf(ranks->peers[i].from,
			       sizeof(ranks->peers[i].from), "from rank %u", i);
		(void)snprintf(ranks->peers[i].to, sizeof(ranks->peers[i].to),
			       "to rank %u", i);
	}
	return PLAIT_OK;
}

/* Make the links.  A rank that has ended its flow may end its process: all have
 * their links before. */
static plait_status link_all(plait__flow_ranks *ranks,
			     const plait_flow_desc *desc, plait_error *error)
{
	plait__mail_flow own = { .horizon = desc->horizon };
	plait_status status = make_links(ranks, error);

	return exchange(ranks, PLAIT__MAIL_LINKED, &own, status, error);
}

/* Other ranks may wait for this one to link, or have their flows. */
static void abandon(plait__flow_ranks *ranks, const plait_error *why)
{
	plait__world_mail mail;

	if (ranks->peers == NULL)
		return;
	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_LINKED;
	mail.number = ranks->number;
	refuse(ranks->world, &mail, why);
	plait__rank_stop_all(ranks, why);
}

static plait_status make(plait__flow *flow, plait__world *world,
			 const plait_flow_desc *desc, bool *out_told,
			 plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status = check(flow, world, desc, &why);
	plait_status allocated = allocate(flow, world,
					  status == PLAIT_OK ? &why : NULL);

	if (flow->ranks == NULL)
		return plait__error_copy(error, &why);
	*out_told = true;
	if (status == PLAIT_OK)
		status = allocated;
	status = agree(flow->ranks, desc, status, &why);
	if (status == PLAIT_OK)
		status = link_all(flow->ranks, desc, &why);
	if (status == PLAIT_OK) {
		plait__program_hash_init(&flow->ranks->program, desc->horizon);
		choose_bell(flow->ranks);
		plait__rank_poll_init(flow->ranks);
		status = plait__rank_engine_start(flow->ranks, &why);
	}
	if (status == PLAIT_OK)
		return PLAIT_OK;
	if (status != PLAIT_E_CANCELLED)
		abandon(flow->ranks, &why);
	return plait__error_copy(error, &why);
}

static plait_status make_over(plait__flow *flow, const plait_flow_desc *desc,
			      bool *out_told, plait_error *error)
{
	plait__world *world;
	plait_status status;

	if (desc->horizon > PLAIT__HORIZON_TASKS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_flow_desc: a horizon of %u tasks; over "
				   "a world at most %d", desc->horizon,
				   PLAIT__HORIZON_TASKS);
	status = plait__world_enter(desc->world, &world, error);
	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&world->order_lock);
	if (world->ranks > 1)
		status = make(flow, world, desc, out_told, error);
	plait__mutex_unlock(&world->order_lock);
	plait__object_leave(&world->object);
	return status;
}

plait_status plait__flow_ranks_make(plait__flow *flow,
				    const plait_flow_desc *desc,
				    plait_error *error)
{
	bool is_told = false;
	plait_status status;

	if (desc->world == NULL)
		return PLAIT_OK;
	status = make_over(flow, desc, &is_told, error);
	if (status != PLAIT_OK && !is_told)
		plait__flow_ranks_refuse(desc->world, error);
	return status;
}

/* ---- end ---- */

void plait__flow_ranks_begin(plait__flow *flow)
{
	if (flow->ranks == NULL)
		return;
	plait__object_hold(&flow->object);
	plait__rank_exit_add(flow->ranks);
}

void plait__flow_ranks_end(plait__flow *flow)
{
	if (flow->ranks != NULL)
		plait__rank_engine_end(flow->ranks);
}

void plait__flow_ranks_stop(plait__flow *flow)
{
	if (flow->ranks != NULL)
		plait__rank_engine_stop(flow->ranks);
}

void plait__flow_ranks_free(plait__flow *flow)
{
	plait__flow_ranks *ranks = flow->ranks;
	const plait_allocator *allocator;
	plait__world *world;

	if (ranks == NULL)
		return;
	world = ranks->world;
	allocator = plait__world_allocator(world);
	plait__rank_engine_free(ranks);
	for (uint32_t i = 0; ranks->peers != NULL && i < ranks->count; i++) {
		plait__rank_peer *peer = &ranks->peers[i];

		if (i == ranks->rank)
			continue;
		plait__world_port_unlink(plait__world_route(world, i),
					 peer->raw_send);
		plait__world_port_unlink(plait__world_route(world, i),
					 peer->raw_receive);
	}
	plait__vector_fini(&ranks->accesses);
	plait__vector_fini(&ranks->listed);
	plait__vector_fini(&ranks->steps);
	plait__vector_fini(&ranks->versions);
	plait__vector_fini(&ranks->maps);
	plait__rank_memo_free_all(ranks);
	plait__free(allocator, ranks->peers,
		    ranks->count * sizeof(*ranks->peers));
	plait__free(allocator, ranks, sizeof(*ranks));
	flow->ranks = NULL;
	plait__object_drop(&world->object);
}

/* ---- data ---- */

bool plait__flow_ranks_add_data(plait__flow *flow, plait__data *data)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);

	if (flow->ranks == NULL)
		return true;
	data->owners = plait__alloc(allocator, sizeof(*data->owners));
	if (data->owners == NULL)
		return false;
	return plait__task_ranks_init(data->owners, allocator, &data->box,
				      flow->ranks->count);
}

void plait__flow_ranks_free_data(plait__data *data)
{
	if (data->owners == NULL)
		return;
	if (data->flow->ranks != NULL)
		plait__rank_memo_forget(data->flow->ranks);
	plait__coherence_fini(data->owners);
	plait__free(plait__flow_allocator(data->flow), data->owners,
		    sizeof(*data->owners));
	data->owners = NULL;
}
