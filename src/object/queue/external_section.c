/* SPDX-License-Identifier: MIT */
/* Passages; see external_section.h. */
#include "object/queue/external_section.h"

#include "object/context/backend_result.h"
#include "object/queue/queue.h"
#include "object/progress/notification.h"

#include "base/alloc.h"
#include "base/error.h"

enum { RAISE_TRIES = 8 };

/* --- life */

static void destroy_passage(plait__object *object)
{
	plait__passage *passage = (plait__passage *)(void *)object;
	plait__backend *backend = passage->port->backend;

	if (passage->gate != NULL)
		backend->table.signal_destroy(backend->self, passage->gate);
	plait__free(plait__context_allocator(object->context), passage,
		    sizeof(*passage));
}

static const plait__class passage_class = { .destroy = destroy_passage };

static void put_idle(plait__passage *passage)
{
	passage->next = passage->home->idle;
	passage->home->idle = passage;
}

/* A gate only goes up, so queues that have yet to go past it do not mind that
 * it is used again; but a failure is theirs until they have. */
static bool is_usable(const plait__passage *passage, const plait__port *port)
{
	return passage->port == port &&
	       (!passage->gate_failed ||
		plait__object_uses(&passage->object) == 0);
}

static plait__passage *pop_idle(plait__passages *home, const plait__port *port)
{
	plait__passage **link = &home->idle;
	plait__passage *found;

	while (*link != NULL && !is_usable(*link, port))
		link = &(*link)->next;
	found = *link;
	if (found != NULL)
		*link = found->next;
	return found;
}

/* Out of the way of a path that all runs on queues take. */
static __attribute__((cold, noinline)) bool reset_gate(plait__passage *passage)
{
	plait__backend *backend = passage->port->backend;
	plait_error ignored = { .size = sizeof(ignored) };

	passage->gate_failed = false;
	return backend->table.signal_reset(backend->self, passage->gate,
					   &ignored) == PLAIT_OK;
}

static plait__passage *find_idle(plait__passages *home,
				 const plait__port *port)
{
	plait__passage *passage = pop_idle(home, port);

	if (passage == NULL || !passage->gate_failed || reset_gate(passage))
		return passage;
	plait__object_drop(&passage->object);
	return NULL;
}

static plait_status make_gate(plait__passage *passage, uint32_t device,
			      plait_error *error)
{
	plait__backend *backend = passage->port->backend;
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	status = backend->table.signal_create(backend->self, device,
					      PLAIT_BACKEND_SIGNAL_GATE,
					      &passage->gate, &room);
	status = plait__port_judge_made(passage->port, status, "signal_create",
					passage->gate, &room, error);
	if (status != PLAIT_OK)
		passage->gate = NULL;
	return status;
}

static plait_status create(plait__passages *home, const plait__device *device,
			   plait__passage **out, plait_error *error)
{
	plait__context *context = device->object.context;
	plait__passage *passage;
	plait_status status;

	status = plait__device_check_can(device,
					 PLAIT_CAP_GATE | PLAIT_CAP_NOTIFY,
					 "a plan on a queue", error);
	if (status != PLAIT_OK)
		return status;
	passage = plait__alloc(plait__context_allocator(context),
			       sizeof(*passage));
	if (passage == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a run on a queue");
	(void)plait__object_init(&passage->object, &passage_class, context,
				 NULL);
	passage->port = device->port;
	passage->home = home;
	status = make_gate(passage, device->index, error);
	if (status != PLAIT_OK)
		plait__object_drop(&passage->object);
	else
		*out = passage;
	return status;
}

plait_status plait__passages_make(plait__passages *home,
				  const plait__device *device,
				  plait_error *error)
{
	plait__passage *passage;
	plait_status status = create(home, device, &passage, error);

	if (status == PLAIT_OK)
		put_idle(passage);
	return status;
}

plait_status plait__passage_take(plait__passages *home, plait__queue *queue,
				 plait__passage **out, plait_error *error)
{
	plait__passage *passage = find_idle(home, queue->port);
	plait_status status = PLAIT_OK;

	if (passage == NULL)
		status = create(home, queue->device, &passage, error);
	if (status != PLAIT_OK)
		return status;
	passage->queue = queue;
	passage->gate_sequence++;
	*out = passage;
	return PLAIT_OK;
}

void plait__passages_free(plait__passages *home)
{
	plait__passage *next;

	for (; home->idle != NULL; home->idle = next) {
		next = home->idle->next;
		plait__object_drop(&home->idle->object);
	}
}

/* --- the end of the queue */

void plait__passage_be_last(const plait__passage *passage, bool idle,
			    uint64_t sequence)
{
	passage->queue->tail = (plait__tail){
		.gate = passage->gate,
		.gate_sequence = passage->gate_sequence,
		.before = idle ? 0 : passage->sequence,
		.sequence = sequence,
	};
}

/* The gate of the tail is there: what holds it is given back when `progress`
 * has come further, and under the lock. */
static bool has_left_tail(plait__queue *queue)
{
	plait__backend *backend = queue->port->backend;
	const plait_backend_point point = { queue->tail.gate,
					    queue->tail.gate_sequence };
	plait_error ignored = { .size = sizeof(ignored) };
	uint64_t reached;

	if (queue->tail.before != 0 &&
	    plait__queue_poll(queue, queue->tail.before, NULL, NULL) !=
		    PLAIT_OK)
		return false;
	return backend->table.signal_poll(backend->self, &point, &reached,
					  &ignored) == PLAIT_OK;
}

bool plait__queue_is_clear(plait__queue *queue)
{
	uint64_t submitted = plait__queue_submitted(queue);

	if (plait__queue_has_lone(queue))
		return false;
	if (queue->lasts && queue->clear == submitted)
		return true;
	if (plait__queue_poll(queue, submitted, NULL, NULL) == PLAIT_OK) {
		queue->clear = submitted;
		return true;
	}
	/* Somebody has to see that the queue goes on, lest it fill up. */
	return queue->tail.gate != NULL &&
	       queue->tail.sequence == submitted &&
	       queue->flight.committed < PLAIT__QUEUE_COLLECT_FROM &&
	       has_left_tail(queue);
}

/* --- the way */

static void raise_gate(plait__passage *passage, const plait_error *failure)
{
	plait__backend *backend = passage->port->backend;
	const plait_backend_point point = { passage->gate,
					    passage->gate_sequence };
	plait__context *context = passage->object.context;
	plait_error why = { .size = sizeof(why) };
	plait_status status = PLAIT_E_BUSY;

	passage->gate_failed = failure != NULL;
	/* What failed has changed nothing, and nobody else raises it. */
	for (int i = 0; i < RAISE_TRIES && status != PLAIT_OK; i++)
		status = backend->table.signal_raise(backend->self, &point,
						     failure, &why);
	if (status != PLAIT_OK)
		plait__log_line(&context->settings.log, PLAIT_LOG_ERROR,
				"the end of a run could not be told to its "
				"queue, which stands still: %s", why.text);
	plait__context_pulse(context);
}

/* Upcall. */
static void on_reached(void *user_data, plait_status status)
{
	plait__passage *passage = user_data;
	plait__queue *queue = passage->queue;
	plait__context *context = queue->object.context;

	/* When this returns it may be on its way through another queue. */
	passage->reached(passage->arg, status);
	/* Release: pairs with the load in queue_finish.c. */
	at_sub_u32(&queue->upcalls, 1);
	plait__context_pulse(context);
	plait__object_drop_later(&passage->object);
	plait__object_drop_later(&queue->object);
}

/* True: it will be called. */
static bool arm(plait__passage *passage)
{
	plait__queue *queue = passage->queue;
	const plait_backend_point point = { queue->progress,
					    passage->sequence };
	plait_error why = { .size = sizeof(why) };

	plait__object_hold(&passage->object);
	plait__object_hold(&queue->object);
	at_add_u32(&queue->upcalls, 1);
	if (plait__upcall_arm(queue->port, &point, on_reached, passage,
			      &why) == PLAIT_OK)
		return true;
	at_sub_u32(&queue->upcalls, 1);
	plait__object_drop(&passage->object);
	plait__object_drop(&queue->object);
	return false;
}

plait_status plait__passage_enter(plait__passage *passage, bool lone,
				  bool *out_now, plait_error *error)
{
	plait_status status;

	*out_now = lone && plait__passage_enter_lone(passage);
	if (*out_now)
		return PLAIT_OK;
	passage->lone = false;
	status = plait__queue_submit_passage(passage->queue, passage, out_now,
					     error);
	if (status != PLAIT_OK || *out_now || arm(passage))
		return status;
	/* Submitted it is, so it comes to its end with what is wrong. */
	passage->reached(passage->arg, PLAIT_E_NOMEM);
	return PLAIT_OK;
}

void plait__passage_leave(plait__passage *passage, const plait_error *failure)
{
	if (failure != NULL)
		plait__queue_note_failure(passage->queue, failure);
	if (!passage->lone ||
	    !plait__passage_leave_lone(passage, failure != NULL))
		raise_gate(passage, failure);
	put_idle(passage);
}

void plait__passage_cancel(plait__passage *passage)
{
	passage->gate_sequence--;
	put_idle(passage);
}
