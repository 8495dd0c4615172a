/* SPDX-License-Identifier: MIT */
/* External sections: pool, gate, submission; see external_section.h. */
#include "object/queue/external_section.h"

#include "object/context/backend_result.h"
#include "object/queue/entered_sections.h"
#include "object/queue/idle_section.h"
#include "object/queue/queue_state.h"
#include "object/queue/submission.h"
#include "object/queue/submitted_section.h"

#include "base/alloc.h"
#include "base/error.h"

enum { RAISE_TRIES = 8 };

/* --- create and destroy */

static void destroy_section(plait__object *object)
{
	plait__section *section = (plait__section *)(void *)object;
	plait__backend *backend = section->port->backend;

	if (section->gate != NULL)
		backend->table.signal_destroy(backend->self, section->gate);
	plait__free(plait__context_allocator(object->context), section,
		    sizeof(*section));
}

static const plait__class section_class = { .destroy = destroy_section };

/* The pool has one user at a time, so it has no lock. */
static void put_idle(plait__section *section)
{
	section->next = section->home->idle;
	section->home->idle = section;
}

/* A gate only advances, so queues that have yet to pass it are not disturbed by
 * its reuse; but a failure has to stay until they have passed. */
static bool is_usable(const plait__section *section,
		      const plait__backend_port *port)
{
	return section->port == port &&
	       (!section->gate_failed ||
		plait__object_uses(&section->object) == 0);
}

static plait__section *pop_idle(plait__section_pool *home,
				const plait__backend_port *port)
{
	plait__section **link = &home->idle;
	plait__section *found;

	while (*link != NULL && !is_usable(*link, port))
		link = &(*link)->next;
	found = *link;
	if (found != NULL)
		*link = found->next;
	return found;
}

/* Cold: each run on a queue acquires a section.  The section is idle, so
 * nothing waits for its gate. */
static __attribute__((cold, noinline)) bool reset_gate(plait__section *section)
{
	plait__backend *backend = section->port->backend;
	plait_error ignored = { .size = sizeof(ignored) };

	section->gate_failed = false;
	return backend->table.signal_reset(backend->self, section->gate,
					   &ignored) == PLAIT_OK;
}

static plait__section *find_idle(plait__section_pool *home,
				 const plait__backend_port *port)
{
	plait__section *section = pop_idle(home, port);

	if (section == NULL || !section->gate_failed || reset_gate(section))
		return section;
	plait__object_drop(&section->object);
	return NULL;
}

static plait_status make_gate(plait__section *section, uint32_t device,
			      plait_error *error)
{
	plait__backend *backend = section->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_create(backend->self, device,
					      PLAIT_BACKEND_SIGNAL_GATE,
					      &section->gate, &room);
	status = plait__backend_result_check_created(section->port, status,
						     "signal_create",
						     section->gate, &room,
						     error);
	if (status != PLAIT_OK)
		section->gate = NULL;
	return status;
}

static plait_status create(plait__section_pool *home,
			   const plait__device *device, plait__section **out,
			   plait_error *error)
{
	plait__context *context = device->object.context;
	plait__section *section;
	plait_status status;

	status = plait__device_check_can(device,
					 PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY,
					 "a plan on a queue", error);
	if (status != PLAIT_OK)
		return status;
	section = plait__alloc(plait__context_allocator(context),
			       sizeof(*section));
	if (section == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a run on a queue");
	(void)plait__object_init(&section->object, &section_class, context,
				 NULL);
	section->port = device->port;
	section->home = home;
	status = make_gate(section, device->index, error);
	if (status != PLAIT_OK)
		plait__object_drop(&section->object);
	else
		*out = section;
	return status;
}

plait_status plait__section_pool_add(plait__section_pool *home,
				     const plait__device *device,
				     plait_error *error)
{
	plait__section *section;
	plait_status status = create(home, device, &section, error);

	if (status == PLAIT_OK)
		put_idle(section);
	return status;
}

plait_status plait__section_acquire(plait__section_pool *home,
				    plait__queue *queue, plait__section **out,
				    plait_error *error)
{
	plait__section *section = find_idle(home, queue->port);
	plait_status status = PLAIT_OK;

	if (section == NULL)
		status = create(home, queue->device, &section, error);
	if (status != PLAIT_OK)
		return status;
	section->queue = queue;
	section->gate_sequence++;
	*out = section;
	return PLAIT_OK;
}

void plait__section_pool_free(plait__section_pool *home)
{
	plait__section *next;

	for (; home->idle != NULL; home->idle = next) {
		next = home->idle->next;
		plait__object_drop(&home->idle->object);
	}
}

/* --- enter and leave */

/* Called once per submission of the section. */
static void raise_gate(plait__section *section, const plait_error *failure)
{
	plait__backend *backend = section->port->backend;
	const plait_backend_point point = { section->gate,
					    section->gate_sequence };
	plait__context *context = section->object.context;
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_E_BUSY;

	section->gate_failed = failure != NULL;
	/* A failed raise has changed nothing, and no other thread raises this
	 * gate. */
	for (int i = 0; i < RAISE_TRIES && status != PLAIT_OK; i++)
		status = backend->table.signal_raise(backend->self, &point,
						     failure, &why);
	if (status != PLAIT_OK)
		plait__log_line(&context->settings.log, PLAIT_LOG_ERROR,
				"the gate of a run could not be raised; its "
				"queue stays blocked: %s", why.text);
	plait__context_notify_waiters(context);
}

/* Fill a submission: the queue's lock is held. */
static plait_status add_alone(struct plait__submission_builder *builder,
			      const void *arg, plait_error *error)
{
	plait__section *section = *(plait__section *const *)arg;
	plait_status status = plait__section_add(section, builder, error);

	builder->queue->tail = (plait__queue_tail){
		.gate = section->gate,
		.gate_sequence = section->gate_sequence,
		.before = section->sequence,
	};
	return status;
}

static plait_status submit(plait__section *section, plait_error *error)
{
	struct plait__submission_builder builder = { .queue = section->queue };
	plait_status status = plait__submission_submit(
		&builder, 1, add_alone, &section, error);

	if (status != PLAIT_OK)
		plait__section_withdraw(section);
	return status;
}

plait_status plait__section_enter(plait__section *section, bool *out_now,
				  plait_error *error)
{
	plait_status status;

	*out_now = plait__idle_section_enter(section);
	if (*out_now)
		return PLAIT_OK;
	status = submit(section, error);
	if (status == PLAIT_OK)
		plait__section_submitted(section);
	return status;
}

bool plait__section_precedes_emission(const plait__section *section,
				      const plait__object *signal,
				      uint64_t emission)
{
	plait__queue *queue = section->queue;
	bool precedes;

	plait__mutex_lock(&queue->lock);
	precedes = plait__inflight_ring_emits_behind(
		&queue->inflight, signal, section->sequence, emission);
	plait__mutex_unlock(&queue->lock);
	return precedes;
}

void plait__section_leave(plait__section *section, const plait_error *failure)
{
	plait__queue *queue = section->queue;
	bool was_idle = section->was_idle;

	if (failure != NULL)
		plait__queue_note_failure(queue, failure);
	if (!was_idle)
		plait__section_withdraw(section);
	if (!was_idle || !plait__idle_section_leave(section, failure != NULL))
		raise_gate(section, failure);
	put_idle(section);
	if (!was_idle)
		plait__object_drop_deferred(&queue->object);
}

void plait__section_cancel(plait__section *section)
{
	section->gate_sequence--;
	put_idle(section);
}
