/* SPDX-License-Identifier: MIT */
/* Collectives of a world: creation, agreement of the ranks, release. */
#include "coll/project/collective_object.h"

#include "coll/prove/prove.h"
#include "coll/schedule/schedule_bytes.h"
#include "coll/use/schedule_object.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "object/context/host_span.h"
#include "sys/clock.h"

#include <string.h>

enum {
	SCHEDULES_MAX = 64,
	REFUSAL_NS = 1000000000
};

/* ---- release ---- */

static void free_part(plait__collective_part *part)
{
	const plait_allocator *allocator = part->program.allocator;

	if (allocator == NULL)
		return;
	plait__free(allocator, part->raw,
		    (part->program.links.count + 1ull) * sizeof(*part->raw));
	plait__rank_machine_free(&part->machine);
	plait__rank_program_free(&part->program);
}

static void free_collective(plait__context *context,
			    plait__collective *collective)
{
	const plait_allocator *allocator = plait__context_allocator(context);

	if (collective->free_submits != NULL)
		collective->free_submits(collective);
	if (collective->parts != NULL) {
		plait__collective_links_free(collective);
		for (uint32_t i = 0; i < collective->part_count; i++)
			free_part(&collective->parts[i]);
	}
	plait__free(allocator, collective->parts,
		    collective->part_count * sizeof(*collective->parts));
	plait__free(allocator, collective->scratch, collective->scratch_bytes);
	plait__object_drop(&collective->world->object);
	plait__free(allocator, collective, sizeof(*collective));
}

static void destroy_collective(plait__object *object)
{
	free_collective(object->context, (plait__collective *)object);
}

static const plait__class collective_class = {
	.type = PLAIT_OBJECT_COLLECTIVE, .destroy = destroy_collective
};

PLAIT__OBJECT_REFERENCES(collective, PLAIT_OBJECT_COLLECTIVE);

/* ---- parts ---- */

static plait_status prove(const plait__world *world,
			  const plait__schedule *schedule, plait_error *error)
{
	const plait__prove_request request = {
		.flags = PLAIT__PROVE_TARGET, .target = PLAIT__TARGET_PLAIT,
	};
	plait__proof proof;

	if (schedule->rank_count != world->ranks)
		return plait__fail(error, PLAIT_E_INVALID,
				   "the schedule has %u ranks, the world %u",
				   schedule->rank_count, world->ranks);
	return plait__prove_schedule(schedule, &request, &proof, error);
}

static plait_status make_part(const plait__world *world,
			      const plait__schedule *schedule,
			      plait__collective_part *part, plait_error *error)
{
	uint64_t slot_bytes;
	plait_status status = prove(world, schedule, error);

	if (status == PLAIT_OK)
		status = plait__rank_program_make(&part->program, schedule,
						  world->rank, error);
	if (status == PLAIT_OK)
		status = plait__collective_slots_choose(world, schedule, part,
							&slot_bytes, error);
	if (status != PLAIT_OK)
		return status;
	part->chunks = schedule->chunks;
	part->min_bytes = schedule->min_bytes;
	part->max_bytes = schedule->max_bytes;
	status = plait__rank_machine_init(&part->machine, &part->program,
					  slot_bytes, error);
	if (status != PLAIT_OK)
		return status;
	part->raw = plait__alloc_array(part->program.allocator,
				       part->program.links.count + 1ull,
				       sizeof(*part->raw));
	return part->raw != NULL ? PLAIT_OK :
		plait__fail(error, PLAIT_E_NOMEM, "no memory for %u links",
			    part->program.links.count);
}

/* Make all parts, and the record that other ranks compare. */
static plait_status make_parts(plait__collective *collective,
			       plait_schedule *const *schedules,
			       plait__world_mail *mail, plait_error *error)
{
	plait__mail_collective *record = &mail->of.collective;
	plait_status status = PLAIT_OK;
	plait__hash all;

	plait__hash_init(&all);
	for (uint32_t i = 0; i < collective->part_count && !status; i++) {
		plait__schedule_object *entered;
		unsigned char hash[PLAIT__HASH_BYTES];

		status = plait__schedule_object_enter(schedules[i], &entered,
						      error);
		if (status != PLAIT_OK)
			return status;
		status = make_part(collective->world, entered->schedule,
				   &collective->parts[i], error);
		plait__schedule_bytes_hash(entered->schedule, hash);
		plait__hash_add(&all, hash, sizeof(hash));
		plait__object_leave(&entered->object);
		record->slot_bytes += collective->parts[i].machine.slot_bytes;
	}
	plait__hash_get(&all, record->hash);
	record->schedules = collective->part_count;
	return status;
}

/* ---- agreement ---- */

typedef struct agreement {
	plait__mail_collective own;
	bool is_over; /* by what another rank has sent, as on all ranks */
} agreement;

static plait_status compare(void *arg, uint32_t peer,
			    const plait__world_mail *mail, plait_error *error)
{
	agreement *at = arg;
	const plait__mail_collective *own = &at->own;
	const plait__mail_collective *other = &mail->of.collective;

	if (memcmp(own, other, sizeof(*own)) == 0)
		return PLAIT_OK;
	at->is_over = true;
	if (other->schedules == PLAIT__COLLECTIVE_REFUSED)
		return plait__fail(error, PLAIT_E_CANCELLED,
				   "rank %u could not create this collective",
				   peer);
	return plait__fail(error, PLAIT_E_INVALID,
			   "rank %u creates the collective of other schedules "
			   "(%llu of them, this rank %llu)", peer,
			   (unsigned long long)other->schedules,
			   (unsigned long long)own->schedules);
}

/* Tell all ranks that this one cannot create its part, in whatever state they
 * are. */
static void refuse(plait__world *world, uint64_t number)
{
	uint64_t deadline = plait__clock_now_ns() + REFUSAL_NS;
	plait__world_mail mail;

	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_COLLECTIVE;
	mail.number = number;
	mail.of.collective.schedules = PLAIT__COLLECTIVE_REFUSED;
	for (uint32_t i = 0; i < world->ranks; i++)
		if (i != world->rank)
			(void)plait__world_send(world, i, &mail, deadline, NULL);
}

static plait_status connect(plait__collective *collective,
			    plait_schedule *const *schedules,
			    bool *out_is_over, plait_error *error)
{
	plait__world *world = collective->world;
	agreement at = { .is_over = false };
	plait__world_mail mail;
	plait_status status;

	memset(&mail, 0, sizeof(mail));
	mail.kind = PLAIT__MAIL_COLLECTIVE;
	mail.number = collective->number;
	status = make_parts(collective, schedules, &mail, error);
	if (status != PLAIT_OK)
		return status;
	at.own = mail.of.collective;
	status = plait__world_exchange(world, &mail, "create the collective",
				       compare, &at, error);
	*out_is_over = at.is_over;
	return status == PLAIT_OK ?
		       plait__collective_links_make(collective, error) : status;
}

/* ---- creation ---- */

static plait_status allocate(plait__world *world, uint64_t count,
			     plait__collective **out, plait_error *error)
{
	const plait_allocator *allocator = plait__world_allocator(world);
	plait__collective *collective = plait__alloc(allocator,
						     sizeof(*collective));

	*out = collective;
	if (collective == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a collective");
	collective->world = world;
	collective->spans = plait__host_span_find(world->object.context);
	plait__object_hold(&world->object);
	plait__mutex_init(&collective->submit_lock);
	collective->part_count = (uint32_t)count;
	collective->parts = plait__alloc_array(allocator, count,
					       sizeof(*collective->parts));
	return collective->parts != NULL ? PLAIT_OK :
		plait__fail(error, PLAIT_E_NOMEM, "no memory for %llu "
			    "schedules", (unsigned long long)count);
}

/* Caller holds world->order_lock. */
static plait_status make_collective(plait__world *world,
				    plait_schedule *const *schedules,
				    uint64_t count, plait_collective **out,
				    plait_error *error)
{
	uint64_t number = world->next_collective++;
	plait__collective *collective;
	plait_status status = allocate(world, count, &collective, error);
	bool is_over = false;

	if (status == PLAIT_OK) {
		collective->number = number;
		status = connect(collective, schedules, &is_over, error);
	}
	if (status == PLAIT_OK)
		status = plait__object_init(&collective->object,
					    &collective_class,
					    world->object.context, error);
	if (status != PLAIT_OK && !is_over)
		refuse(world, number);
	if (status == PLAIT_OK)
		*out = plait__object_handle(&collective->object);
	else if (collective != NULL)
		free_collective(world->object.context, collective);
	return status;
}

PLAIT_API plait_status plait_collective_create(plait_world *world,
					       plait_schedule *const *schedules,
					       uint64_t count,
					       plait_collective **out,
					       plait_error *error)
{
	plait__world *entered;
	plait_status status;

	if (out == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "out is null");
	*out = NULL;
	if (schedules == NULL || count == 0 || count > SCHEDULES_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   schedules == NULL ? "schedules is null" :
				   "%llu schedules; 1 to %d are possible",
				   (unsigned long long)count, SCHEDULES_MAX);
	status = plait__world_enter(world, &entered, error);
	if (status != PLAIT_OK)
		return status;
	plait__mutex_lock(&entered->order_lock);
	status = make_collective(entered, schedules, count, out, error);
	plait__mutex_unlock(&entered->order_lock);
	plait__object_leave(&entered->object);
	return status;
}
