/* SPDX-License-Identifier: MIT */
/* A wait that takes too long says who has not done his part; see owner_call.h and
 * wait_loop.h. */
#include "object/queue/owner_call.h"

#include "object/inbox/inbox.h"
#include "object/queue/queue.h"
#include "object/signal/signal.h"
#include "object/progress/notification.h"
#include "object/progress/wait_loop.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

/* What to do about a notification that a backend owes. */
#define UNTOLD "plugin %s has yet to tell; if it never does (P-S10): " \
	"plait conform %s --only S14"

/* --- calls of the owners of inboxes */

enum debtor { NOBODY, PLUGIN, OWNER };

/* Who keeps it from being answered?  The queue's lock is held. */
static enum debtor find_debtor(plait__queue *queue, plait__call *call)
{
	plait__inbox *inbox = call->notice.inbox;
	enum debtor debtor;

	plait__mutex_lock(&inbox->lock);
	if (call->notice.answered)
		debtor = NOBODY;
	else
		debtor = call->notice.state == PLAIT__INBOX_EVENT_PROMISED ?
			 PLUGIN : OWNER;
	plait__mutex_unlock(&inbox->lock);
	/* The queue may not have come there. */
	if (debtor == PLUGIN &&
	    plait__queue_poll(queue, call->sequence, NULL, NULL) != PLAIT_OK)
		debtor = NOBODY;
	return debtor;
}

/* The queue's lock is held. */
static plait__call *find_owed(plait__queue *queue, enum debtor *out)
{
	plait__object *object;
	uint32_t i;

	for (i = 0; (object = plait__inflight_ring_at(&queue->inflight, i)) != NULL;
	     i++) {
		plait__call *call = (plait__call *)(void *)object;

		if (object->class != &plait__call_class)
			continue;
		*out = find_debtor(queue, call);
		if (*out != NOBODY)
			return call;
	}
	return NULL;
}

static void describe_call(const plait__call *call, enum debtor debtor,
			  char *out, uint32_t bytes)
{
	plait__inbox *inbox = call->notice.inbox;
	const char *label = call->label != NULL ? call->label : "";
	const char *plugin = call->port->backend->name;
	char room[PLAIT__OBJECT_NAME_BYTES];
	int32_t owner;
	int length;

	plait__mutex_lock(&inbox->lock);
	owner = inbox->owner_id;
	plait__mutex_unlock(&inbox->lock);
	length = snprintf(out, bytes, ": %s%.*s%s waits for %s, ",
			  label[0] != '\0' ? "command \"" : "a host function",
			  PLAIT__TEXT_FIT(label, 60),
			  label[0] != '\0' ? "\"" : "",
			  plait__object_name(&inbox->object, room));
	if (length < 0 || (uint32_t)length >= bytes)
		return;
	out += length;
	bytes -= (uint32_t)length;
	if (debtor == OWNER)
		(void)snprintf(out, bytes, "which its owner, thread %d, has to "
			       "pump", (int)owner);
	else
		(void)snprintf(out, bytes, "of which " UNTOLD, plugin, plugin);
}

void plait__wait_diagnosis_describe_call(plait__queue *queue, char *out, uint32_t bytes)
{
	const plait__call *call;
	enum debtor debtor;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	/* Under the lock, because what is not in flight may be used again. */
	call = find_owed(queue, &debtor);
	if (call != NULL)
		describe_call(call, debtor, out, bytes);
	plait__mutex_unlock(&queue->lock);
}

/* --- gates */

/* The first that is used by what is not done: a queue can only wait for it.  The
 * queue's lock is held. */
static const plait__signal *find_awaited(plait__queue *queue)
{
	const plait__inflight_ring *flight = &queue->inflight;
	uint64_t done = 0;
	uint32_t i;

	(void)plait__queue_poll(queue, plait__queue_submitted(queue), &done,
				NULL);
	for (i = 0; i < flight->committed; i++) {
		const plait__inflight_entry *entry =
			&flight->entries[(flight->first + i) &
					 (flight->capacity - 1)];
		const plait__signal *signal = (const void *)entry->object;

		if (entry->object->class->type == PLAIT_OBJECT_SIGNAL &&
		    entry->sequence > done && signal->is_gate)
			return signal;
	}
	return NULL;
}

static void describe_awaited(plait__queue *queue, char *out, uint32_t bytes)
{
	const plait__signal *signal;
	char room[PLAIT__OBJECT_NAME_BYTES];
	uint64_t reached = 0;

	out[0] = '\0';
	plait__mutex_lock(&queue->lock);
	signal = find_awaited(queue);
	if (signal != NULL) {
		(void)plait__signal_poll(signal, 0, &reached, NULL);
		(void)snprintf(out, bytes, "; it has a wait for %s, which is "
			       "at %llu", plait__object_name(&signal->object,
							     room),
			       (unsigned long long)reached);
	}
	plait__mutex_unlock(&queue->lock);
}

/* --- notifications of signals */

/* How many are looked at. */
enum { SOME = 8 };

/* What an inbox was promised and has not got. */
struct promised {
	uint32_t count; /* all */
	uint32_t some;	/* of signals */
	plait__signal *signals[SOME]; /* held */
	uint64_t sequences[SOME];
};

static void collect(plait__inbox *inbox, struct promised *out)
{
	const plait__inbox_event *at;

	out->count = 0;
	out->some = 0;
	plait__mutex_lock(&inbox->lock);
	for (at = inbox->records; at != NULL; at = at->next) {
		if (at->state != PLAIT__INBOX_EVENT_PROMISED)
			continue;
		out->count++;
		if (at->signal == NULL || out->some == SOME)
			continue;
		plait__object_hold(&at->signal->object);
		out->signals[out->some] = at->signal;
		out->sequences[out->some++] = at->event.sequence;
	}
	plait__mutex_unlock(&inbox->lock);
}

/* One that has come, or else is on its way; where it is.  True: it has come. */
static bool choose(const struct promised *promised, uint32_t *out,
		   uint64_t *out_reached)
{
	*out = 0;
	for (uint32_t i = promised->some; i-- > 0; *out = i) {
		const plait__signal *signal = promised->signals[i];
		const plait__backend *backend = signal->port->backend;
		const plait_backend_point point = { signal->raw,
						    promised->sequences[i] };
		plait_error ignored = { .size = sizeof(ignored) };

		*out_reached = 0;
		if (backend->table.signal_poll(backend->self, &point,
					       out_reached, &ignored) !=
		    PLAIT_PENDING) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void describe_promised(const struct promised *promised,
			      const char *inbox, char *out, uint32_t bytes)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	const char *plugin;
	uint64_t reached;
	uint32_t i;
	bool come = choose(promised, &i, &reached);

	plugin = promised->signals[i]->port->backend->name;
	(void)plait__object_name(&promised->signals[i]->object, room);
	if (come)
		(void)snprintf(out, bytes, "%s has no event; %s has come to "
			       "%llu, of which " UNTOLD, inbox, room,
			       (unsigned long long)promised->sequences[i],
			       plugin, plugin);
	else
		(void)snprintf(out, bytes, "%s has no event; %s of %s is at "
			       "%llu, and %llu was asked for", inbox, room,
			       plugin, (unsigned long long)reached,
			       (unsigned long long)promised->sequences[i]);
}

void plait__wait_diagnosis_describe_inbox(void *arg, char *out, uint32_t bytes)
{
	plait__inbox *inbox = arg;
	struct promised promised;
	char room[PLAIT__OBJECT_NAME_BYTES];

	collect(inbox, &promised);
	(void)plait__object_name(&inbox->object, room);
	if (promised.some > 0)
		describe_promised(&promised, room, out, bytes);
	else if (promised.count > 0)
		(void)snprintf(out, bytes, "%s has no event; %u are to come",
			       room, promised.count);
	else
		(void)snprintf(out, bytes, "%s has no event, and none was "
			       "asked for", room);
	while (promised.some > 0)
		plait__object_drop(&promised.signals[--promised.some]->object);
}

/* --- all that is owed */

void plait__wait_diagnosis_describe_backends(plait__context *context, char *out, uint32_t bytes)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < context->port_count; i++) {
		const plait__backend_port *port = &context->ports[i];
		uint32_t owed = plait__notification_count_owed(port);

		if (owed == 0)
			continue;
		(void)snprintf(out, bytes, "; of %u points " UNTOLD, owed,
			       port->backend->name, port->backend->name);
		return;
	}
}

/* --- the texts */

/* The first point that has not come, and how many there are. */
static const plait__wait_point *find_missing(const plait__wait_request *request,
					     uint64_t *out_reached,
					     uint64_t *out_count)
{
	const plait__wait_point *first = NULL;
	uint64_t i;

	*out_count = 0;
	for (i = 0; i < request->count; i++) {
		const plait__wait_point *point = &request->points[i];
		plait__backend *backend = point->port->backend;
		plait_error ignored = { .size = sizeof(ignored) };
		uint64_t reached = 0;

		if (backend->table.signal_poll(backend->self, &point->point,
					       &reached, &ignored) !=
		    PLAIT_PENDING)
			continue;
		if (first == NULL)
			*out_reached = reached;
		if (first == NULL)
			first = point;
		++*out_count;
	}
	return first;
}

/* What is missing in the words of who waits; "" when he has none. */
static const char *describe(const plait__wait_request *request, char *room,
			    uint32_t bytes)
{
	room[0] = '\0';
	if (request->ready != NULL && request->describe != NULL)
		request->describe(request->arg, room, bytes);
	return room;
}

static plait_status fail_ready_time(const plait__wait_request *request,
				    plait_error *error)
{
	char room[PLAIT_ERROR_TEXT_BYTES];

	(void)describe(request, room, sizeof(room));
	return plait__fail(error, PLAIT_E_TIMEOUT, "%llu ns have passed%s%s%s",
			   (unsigned long long)request->timeout_ns,
			   room[0] != '\0' ? ": " : "", room,
			   request->advice != NULL ? request->advice : "");
}

static plait_status fail_queue_time(plait__object *object, const char *backend,
				    unsigned long long passed,
				    plait_error *error)
{
	plait__queue *queue = (plait__queue *)(void *)object;
	char room[PLAIT__OBJECT_NAME_BYTES];
	char owed[PLAIT_ERROR_TEXT_BYTES];

	plait__wait_diagnosis_describe_call(queue, owed, sizeof(owed));
	if (owed[0] == '\0')
		describe_awaited(queue, owed, sizeof(owed));
	return plait__fail(error, PLAIT_E_TIMEOUT,
			   "%s of %s is not done after %llu ns%s",
			   plait__object_name(object, room), backend, passed,
			   owed);
}

/* What is missing, and the time that the user gave: a backend knows neither
 * the name nor what had passed when it was asked. */
plait_status plait__wait_diagnosis_fail_timeout(const plait__wait_request *request,
						plait_error *error)
{
	const unsigned long long passed = request->timeout_ns;
	const plait__wait_point *missing;
	const char *backend;
	char room[PLAIT__OBJECT_NAME_BYTES];
	uint64_t reached = 0;
	uint64_t count;

	if (error == NULL)
		return PLAIT_E_TIMEOUT;
	missing = find_missing(request, &reached, &count);
	if (missing == NULL)
		return fail_ready_time(request, error);
	backend = missing->port->backend->name;
	(void)plait__object_name(missing->watch->object, room);
	if (missing->watch->object->class->type == PLAIT_OBJECT_QUEUE)
		return fail_queue_time(missing->watch->object, backend, passed,
				       error);
	if (request->count == 1)
		return plait__fail(error, PLAIT_E_TIMEOUT,
				   "%s of %s is at %llu after %llu ns, and "
				   "%llu was waited for", room, backend,
				   (unsigned long long)reached, passed,
				   (unsigned long long)missing->point.sequence);
	return plait__fail(error, PLAIT_E_TIMEOUT,
			   "%llu of %llu points are missing after %llu ns; the "
			   "first, %s of %s, is at %llu and %llu was waited for",
			   (unsigned long long)count,
			   (unsigned long long)request->count, passed, room,
			   backend, (unsigned long long)reached,
			   (unsigned long long)missing->point.sequence);
}

plait_status plait__wait_diagnosis_fail_deadlock(const plait__wait_request *request,
						 plait_error *error)
{
	char room[PLAIT_ERROR_TEXT_BYTES];

	(void)describe(request, room, sizeof(room));
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "nothing that is submitted can happen any more, and "
			   "the wait has no end%s%s",
			   room[0] != '\0' ? ": " : "", room);
}
