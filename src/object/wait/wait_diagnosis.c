/* SPDX-License-Identifier: MIT */
/* Error texts of waits that time out or can never end; see wait_diagnosis.h. */
#include "object/wait/wait_diagnosis.h"

#include "object/progress/notification.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>

void plait__wait_diagnosis_describe_backends(plait__context *context, char *out,
					     uint32_t bytes)
{
	out[0] = '\0';
	for (uint32_t i = 0; i < context->port_count; i++) {
		const plait__backend_port *port = &context->ports[i];
		uint32_t owed = plait__notification_count_owed(port);

		if (owed == 0)
			continue;
		(void)snprintf(out, bytes,
			       "; of %u points " PLAIT__WAIT_DIAGNOSIS_OWED,
			       owed, port->backend->name, port->backend->name);
		return;
	}
}


/* Find the first missing point, and count the missing ones. */
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

/* The waiter's own description; "" if it has none. */
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
	char time[PLAIT__TEXT_DURATION_BYTES];

	(void)describe(request, room, sizeof(room));
	return plait__fail(error, PLAIT_E_TIMEOUT, "%s have passed%s%s%s",
			   plait__text_duration(request->timeout_ns, time),
			   room[0] != '\0' ? ": " : "", room,
			   request->advice != NULL ? request->advice : "");
}

static plait_status fail_queue_time(const plait__wait_request *request,
				    plait__object *object, const char *backend,
				    plait_error *error)
{
	char room[PLAIT__OBJECT_NAME_BYTES];
	char owed[PLAIT_ERROR_TEXT_BYTES] = "";
	char time[PLAIT__TEXT_DURATION_BYTES];

	if (request->describe != NULL)
		request->describe(request->arg, owed, sizeof(owed));
	return plait__fail(error, PLAIT_E_TIMEOUT,
			   "%s of %s is not done after %s%s",
			   plait__object_name(object, room), backend,
			   plait__text_duration(request->timeout_ns, time),
			   owed);
}

/* Name the missing point and the user's timeout: the backend knows neither the
 * name nor the time that had passed before. */
plait_status plait__wait_diagnosis_fail_timeout(
	const plait__wait_request *request, plait_error *error)
{
	char time[PLAIT__TEXT_DURATION_BYTES];
	const char *passed = plait__text_duration(request->timeout_ns, time);
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
		return fail_queue_time(request, missing->watch->object, backend,
				       error);
	if (request->count == 1)
		return plait__fail(error, PLAIT_E_TIMEOUT,
				   "%s of %s is at %llu after %s, and "
				   "%llu was waited for", room, backend,
				   (unsigned long long)reached, passed,
				   (unsigned long long)missing->point.sequence);
	return plait__fail(
		error, PLAIT_E_TIMEOUT,
		"%llu of %llu points are missing after %s; the "
		"first, %s of %s, is at %llu and %llu was waited for",
		(unsigned long long)count, (unsigned long long)request->count,
		passed, room, backend, (unsigned long long)reached,
		(unsigned long long)missing->point.sequence);
}

plait_status plait__wait_diagnosis_fail_deadlock(
	const plait__wait_request *request, plait_error *error)
{
	char room[PLAIT_ERROR_TEXT_BYTES];

	(void)describe(request, room, sizeof(room));
	return plait__fail(error, PLAIT_E_DEADLOCK,
			   "nothing that is submitted can happen any more, and "
			   "the wait has no end%s%s",
			   room[0] != '\0' ? ": " : "", room);
}
