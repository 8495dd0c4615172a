/* SPDX-License-Identifier: MIT */
/* Worlds: opening of transports and ports, release, properties, report. */
#include "world/world.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/text.h"

#include <string.h>

enum { OPEN_S = 60, RANKS_MAX = 65536 };

/* ---- release ---- */

static void free_world(plait__context *context, plait__world *world)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	uint64_t ends = (uint64_t)world->ranks * world->port_count;

	for (uint32_t i = world->port_count; i > 0; i--)
		plait__world_port_close(&world->ports[i - 1]);
	plait__world_mail_fini(&world->mailbox);
	plait__free(allocator, world->ports,
		    world->port_count * sizeof(*world->ports));
	plait__free(allocator, world->ends, ends * sizeof(*world->ends));
	plait__free(allocator, world->routes,
		    world->ranks * sizeof(*world->routes));
	plait__free(allocator, world, sizeof(*world));
}

static void destroy_world(plait__object *object)
{
	free_world(object->context, (plait__world *)object);
}

static const plait__class world_class = {
	.type = PLAIT_OBJECT_WORLD, .destroy = destroy_world
};

PLAIT__OBJECT_REFERENCES(world, PLAIT_OBJECT_WORLD);

/* ---- ports ---- */

static plait_status parse_names(plait__context *context,
				const plait_world_desc *desc,
				plait__list *names, plait_error *error)
{
	const plait__list *given =
		plait__transport_names(context->registry);

	if (desc->transports != NULL)
		return plait__list_parse(names, desc->transports,
					 "plait_world_desc.transports", false,
					 error);
	*names = *given;
	return PLAIT_OK;
}

static plait_status load_ports(plait__context *context, plait__world *world,
			       const plait__list *names, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait_status status = PLAIT_OK;

	if (names->count == 0)
		return PLAIT_OK;
	world->ports = plait__alloc_array(allocator, names->count,
					  sizeof(*world->ports));
	if (world->ports == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u transports", names->count);
	world->port_count = names->count;
	for (uint32_t i = 0; i < names->count && status == PLAIT_OK; i++) {
		world->ports[i].allocator = allocator;
		status = plait__world_port_load(&world->ports[i],
						context->registry,
						names->names[i], error);
	}
	return status;
}

/* Open the first port that knows ranks, by the request or without it. */
static plait_status open_first(plait__world *world,
			       plait_port_request *request, plait_error *error)
{
	plait_status status = PLAIT_OK, first = PLAIT_OK;
	plait_error why = { .size = sizeof(why) };

	for (uint32_t i = 0; i < world->port_count; i++) {
		plait__world_port *port = &world->ports[i];

		status = plait__world_port_open(port, request,
						first == PLAIT_OK ? &why :
								    NULL);
		if (first == PLAIT_OK)
			first = status;
		if (status != PLAIT_OK ||
		    !(port->info.flags & PLAIT_PORT_KNOWS_RANKS))
			continue;
		world->mail = i;
		world->rank = request->rank = port->info.rank;
		world->ranks = request->ranks = port->info.ranks;
		return PLAIT_OK;
	}
	if (first != PLAIT_OK)
		return plait__error_copy(error, &why);
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "none of %u transports knows the ranks; start the "
			   "program by a launcher, or set rank and ranks",
			   world->port_count);
}

static plait_status open_others(plait__world *world,
				const plait_port_request *request,
				plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < world->port_count && status == PLAIT_OK; i++)
		if (world->ports[i].raw == NULL)
			status = plait__world_port_open(&world->ports[i],
							request, error);
	return status;
}

static plait_status open_ports(plait__world *world,
			       const plait_world_desc *desc,
			       plait_error *error)
{
	plait_port_request request = {
		.size = sizeof(request), .rank = desc->rank,
		.ranks = desc->ranks, .native_kind = desc->native_kind,
		.native = desc->native,
	};
	plait_status status;

	world->ranks = 1;
	if (world->port_count == 0)
		return desc->ranks <= 1 ? PLAIT_OK :
			plait__fail(error, PLAIT_E_INVALID,
				    "%u ranks without transports; set "
				    "PLAIT_TRANSPORT, as PLAIT_TRANSPORT=shm",
				    desc->ranks);
	status = open_first(world, &request, error);
	return status == PLAIT_OK ? open_others(world, &request, error) :
				    status;
}

/* ---- opening ---- */

static plait_status allocate_ranks(plait__context *context,
				   plait__world *world, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	uint64_t ends = (uint64_t)world->ranks * world->port_count;

	if (world->ranks > RANKS_MAX) {
		world->ranks = 0;
		return plait__fail(error, PLAIT_E_INVALID,
				   "more than %u ranks", RANKS_MAX);
	}
	world->ends = plait__alloc_array(allocator, ends,
					 sizeof(*world->ends));
	world->routes = plait__alloc_array(allocator, world->ranks,
					   sizeof(*world->routes));
	if ((ends > 0 && world->ends == NULL) || world->routes == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %u ranks", world->ranks);
	return PLAIT_OK;
}

/* Returns the first port that shares memory, or NO_ROUTE. */
static uint32_t find_shared(const plait__world *world)
{
	for (uint32_t i = 0; i < world->port_count; i++)
		if (world->ports[i].info.flags & PLAIT_PORT_SHARES_MEMORY)
			return i;
	return PLAIT__WORLD_NO_ROUTE;
}

static plait_status connect_world(plait__context *context, plait__world *world,
				  const plait_world_desc *desc,
				  plait_error *error)
{
	plait__list names = { 0 };
	plait_status status = parse_names(context, desc, &names, error);

	if (status == PLAIT_OK)
		status = load_ports(context, world, &names, error);
	if (status == PLAIT_OK)
		status = open_ports(world, desc, error);
	if (status == PLAIT_OK)
		status = allocate_ranks(context, world, error);
	return status;
}

static plait_status make_world(plait__context *context,
			       const plait_world_desc *desc,
			       plait_world **out, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__world *world = plait__alloc(allocator, sizeof(*world));
	plait_status status;

	if (world == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a world");
	plait__world_mail_init(&world->mailbox, allocator);
	plait__mutex_init(&world->order_lock);
	plait__mutex_init(&world->memory_lock);
	at_init_u32(&world->memory_count, 0);
	world->open_ns = desc->open_ns > 0 ? desc->open_ns :
					     OPEN_S * UINT64_C(1000000000);
	world->silence_ns = desc->silence_ns;
	world->machines = 1;
	world->slot_limit = UINT64_MAX;
	status = connect_world(context, world, desc, error);
	world->shared_port = find_shared(world);
	if (status == PLAIT_OK)
		status = plait__object_init(&world->object, &world_class,
					    context, error);
	if (status != PLAIT_OK) {
		free_world(context, world);
		return status;
	}
	if (world->port_count > 0)
		status = plait__hello_exchange(world, error);
	*out = plait__object_handle(&world->object);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	plait_world_release(*out);
	*out = NULL;
	return status;
}

static plait_status read_desc(const plait_world_desc *given,
			      plait_world_desc *desc, plait_error *error)
{
	plait_status status;

	memset(desc, 0, sizeof(*desc));
	if (given == NULL)
		return PLAIT_OK;
	status = PLAIT__STRUCT_READ(plait_world_desc, desc, given, error);
	if (status != PLAIT_OK)
		return status;
	if (desc->flags != 0 || desc->reserved0 != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_world_desc: flags %#x", desc->flags);
	if (desc->ranks > 0 && desc->rank >= desc->ranks)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_world_desc: rank %u of %u ranks",
				   desc->rank, desc->ranks);
	return PLAIT_OK;
}

PLAIT_API plait_status plait_world_open(plait_context *context,
					const plait_world_desc *desc,
					plait_world **out, plait_error *error)
{
	plait__context *entered;
	plait_world_desc ours;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	status = plait__context_enter(context, &entered, error);
	if (status != PLAIT_OK)
		return status;
	status = read_desc(desc, &ours, error);
	if (status == PLAIT_OK)
		status = make_world(entered, &ours, out, error);
	plait__object_leave(&entered->object);
	return status;
}

/* ---- properties ---- */

PLAIT_API plait_status plait_world_query(plait_world *world,
					 plait_world_info *info,
					 plait_error *error)
{
	plait__world *entered;
	plait_world_info ours = { .size = sizeof(ours) };
	plait_status status = plait__world_enter(world, &entered, error);

	if (status != PLAIT_OK)
		return status;
	ours.rank = entered->rank;
	ours.ranks = entered->ranks;
	ours.machines = entered->machines;
	status = info == NULL ?
		plait__fail(error, PLAIT_E_INVALID, "info is null") :
		PLAIT__STRUCT_WRITE(plait_world_info, info, &ours, error);
	plait__object_leave(&entered->object);
	return status;
}

/* "rank 2: mpi (shm: is on another machine)" */
static void describe_peer(const plait__world *world, uint32_t peer,
			  plait__text *text)
{
	uint32_t route = world->routes[peer];

	plait__text_add(text, "rank %u: %s", peer, world->ports[route].name);
	for (uint32_t i = 0; i < route; i++)
		plait__text_add(text, "%s%s: %s", i == 0 ? " (" : ", ",
				world->ports[i].name,
				plait__hello_why_not(world, peer, i));
	plait__text_add(text, "%s\n", route > 0 ? ")" : "");
}

PLAIT_API plait_status plait_world_report(plait_world *world, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes,
					  plait_error *error)
{
	plait__world *entered;
	plait__text text;
	plait_status status = plait__world_enter(world, &entered, error);

	if (status != PLAIT_OK)
		return status;
	plait__text_init(&text, plait__world_allocator(entered));
	plait__text_add(&text, "rank %u of %u, machines: %u\n", entered->rank,
			entered->ranks, entered->machines);
	for (uint32_t i = 0; i < entered->ranks; i++)
		if (i != entered->rank)
			describe_peer(entered, i, &text);
	if (text.failed)
		status = plait__fail(error, PLAIT_E_NOMEM,
				     "no memory for the report of a world");
	else
		plait__text_copy(plait__text_get(&text), buffer,
				 buffer == NULL ? 0 : capacity_bytes,
				 out_bytes);
	plait__text_fini(&text);
	plait__object_leave(&entered->object);
	return status;
}
