/* SPDX-License-Identifier: MIT */
/*
 * Hello of a world's ranks: each sends a record for each of its ports, and from
 * all of them each computes the same routes.
 */
#include "world/world.h"

#include "base/error.h"
#include "sys/cpu.h"

#include <string.h>
#include <unistd.h>

/* ---- records ---- */

/* Number of this process: PIDs repeat in containers, addresses rarely do. */
static uint64_t process_number(void)
{
	static char here;

	return (uint64_t)(uintptr_t)&here ^ (uint64_t)getpid() << 48;
}

static void write_hello(const plait__world *world, uint32_t index,
			plait__world_mail *out)
{
	const plait__world_port *port = &world->ports[index];
	plait__mail_hello *hello = &out->of.hello;

	memset(out, 0, sizeof(*out));
	out->kind = PLAIT__MAIL_HELLO;
	out->number = index;
	hello->ports = world->port_count;
	hello->flags = port->info.flags;
	hello->slot_bytes = port->info.slot_bytes;
	hello->process = process_number();
	hello->ranks = world->ranks;
	hello->address_bytes = port->info.address_bytes;
	memcpy(hello->address, port->info.address, sizeof(hello->address));
	memcpy(hello->machine, port->info.machine, sizeof(hello->machine));
	memcpy(hello->name, port->name, strnlen(port->name, 31));
	hello->cpu_set = plait__cpu_set_number();
	hello->cpus = plait__cpu_count();
}

/* The sizes of a peer's record are the peer's. */
static plait_status check_hello(const plait__world *world, uint32_t peer,
				uint32_t index, const plait__mail_hello *hello,
				plait_error *error)
{
	const char *name = world->ports[index].name;

	if (hello->ranks != world->ranks)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u is one of %u ranks, this rank one of "
				   "%u", peer, hello->ranks, world->ranks);
	if (hello->ports != world->port_count ||
	    strncmp(hello->name, name, sizeof(hello->name)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rank %u has %u transports, number %u is "
				   "\"%.31s\"; this rank has %u, number %u is "
				   "\"%s\": give all ranks one list", peer,
				   hello->ports, index, hello->name,
				   world->port_count, index, name);
	return PLAIT_OK;
}

typedef struct hello_taker {
	plait__world *world;
	uint32_t port;
} hello_taker;

static plait_status take_hello(void *arg, uint32_t peer,
			       const plait__world_mail *mail,
			       plait_error *error)
{
	const hello_taker *taker = arg;
	const plait__mail_hello *hello = &mail->of.hello;
	plait__world_end *end = plait__world_end_at(taker->world, peer,
						    taker->port);
	plait_status status = check_hello(taker->world, peer, taker->port,
					  hello, error);

	if (status != PLAIT_OK)
		return status;
	end->is_known = true;
	end->flags = hello->flags;
	end->slot_bytes = hello->slot_bytes;
	if (hello->slot_bytes < taker->world->slot_limit)
		taker->world->slot_limit = hello->slot_bytes;
	end->process = hello->process;
	end->cpu_set = hello->cpu_set;
	end->cpus = hello->cpus;
	end->address_bytes = hello->address_bytes <= sizeof(end->address) ?
		hello->address_bytes : (uint32_t)sizeof(end->address);
	memcpy(end->address, hello->address, sizeof(end->address));
	memcpy(end->machine, hello->machine, sizeof(end->machine));
	return PLAIT_OK;
}

/* ---- routes ---- */

const char *plait__hello_why_not(const plait__world *world, uint32_t peer,
				 uint32_t port)
{
	const plait__world_end *own = plait__world_end_at(world, world->rank,
							  port);
	const plait__world_end *end = plait__world_end_at(world, peer, port);
	plait_port_flags flags = own->flags | end->flags;
	bool here = memcmp(own->machine, end->machine,
			   sizeof(own->machine)) == 0;

	if ((flags & PLAIT_PORT_SAME_PROCESS) &&
	    !(here && own->process == end->process))
		return "is in another process";
	if ((flags & PLAIT_PORT_SAME_MACHINE) && !here)
		return "is on another machine";
	return NULL;
}

static plait_status choose_route(plait__world *world, uint32_t peer,
				 plait_error *error)
{
	const char *why = "";

	world->routes[peer] = PLAIT__WORLD_NO_ROUTE;
	if (peer == world->rank)
		return PLAIT_OK;
	for (uint32_t i = 0; i < world->port_count; i++) {
		why = plait__hello_why_not(world, peer, i);
		if (why != NULL)
			continue;
		world->routes[peer] = i;
		return PLAIT_OK;
	}
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "no transport reaches rank %u: it %s (%s); name a "
			   "further transport, as PLAIT_TRANSPORT=shm,mpi", peer,
			   why, world->ports[world->port_count - 1].name);
}

static const plait__world_end *mail_end(const plait__world *world,
					uint32_t rank)
{
	return plait__world_end_at(world, rank, world->mail);
}

static bool has_same_machine(const plait__world *world, uint32_t a,
			     uint32_t b)
{
	return memcmp(mail_end(world, a)->machine, mail_end(world, b)->machine,
		      sizeof(mail_end(world, a)->machine)) == 0;
}

/* Returns the lowest rank of the machine and the CPUs of a rank. */
static uint32_t find_first(const plait__world *world, uint32_t rank)
{
	uint32_t first = 0;

	while (!has_same_machine(world, first, rank) ||
	       mail_end(world, first)->cpu_set != mail_end(world, rank)->cpu_set)
		first++;
	return first;
}

/* Launchers bind each rank to CPUs of its own, or none of them: affinity masks are
 * equal or disjoint.  Others overlap, and count some CPUs twice, but no more of them
 * are there than the machine has. */
static bool find_crowd(const plait__world *world)
{
	uint32_t quota = plait__cpu_count_quota(""), ranks = 0, cpus = 0;
	uint32_t online = plait__cpu_count_online();

	for (uint32_t i = 0; i < world->ranks; i++) {
		if (!has_same_machine(world, i, world->rank))
			continue;
		ranks++;
		if (find_first(world, i) == i)
			cpus += mail_end(world, i)->cpus;
	}
	return ranks > cpus || ranks > online || (quota != 0 && ranks > quota);
}

static void count_machines(plait__world *world)
{
	world->is_crowded = find_crowd(world);
	world->machines = 0;
	for (uint32_t i = 0; i < world->ranks; i++) {
		uint32_t k = 0;

		while (!has_same_machine(world, i, k))
			k++;
		world->machines += k == i;
	}
}

/* ---- all ---- */

static plait_status exchange_port(plait__world *world, uint32_t index,
				  plait_error *error)
{
	hello_taker taker = { world, index };
	plait__world_mail mail;
	plait_status status;

	write_hello(world, index, &mail);
	status = take_hello(&taker, world->rank, &mail, error);
	return status != PLAIT_OK ? status :
		plait__world_exchange(world, &mail, "open the world",
				      take_hello, &taker, error);
}

plait_status plait__hello_exchange(plait__world *world, plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < world->port_count && status == PLAIT_OK; i++)
		status = exchange_port(world, i, error);
	for (uint32_t i = 0; i < world->ranks && status == PLAIT_OK; i++)
		status = choose_route(world, i, error);
	if (status == PLAIT_OK)
		count_machines(world);
	return status;
}
