/* SPDX-License-Identifier: MIT */
/* Error text of a wait for an inbox: the event that it was promised. */
#include "object/inbox/inbox_diagnosis.h"

#include "object/signal/signal.h"
#include "object/wait/wait_diagnosis.h"

#include <stdio.h>

/* Number of promised signal events that are inspected. */
enum { SOME = 8 };

/* The promised events of an inbox that have not come. */
struct promised {
	uint32_t count; /* all of them */
	uint32_t some;	/* those of signals */
	plait__signal *signals[SOME]; /* held */
	uint64_t sequences[SOME];
};

/* Count the promised events, and hold the signals of some. */
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

/* Choose an event with a reached point, else one with a point still to come;
 * *out_reached is where its signal is. Returns true for the former.  There is
 * at least one event of a signal. */
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
		(void)snprintf(out, bytes,
			       "%s has no event; %s has come to "
			       "%llu, of which " PLAIT__WAIT_DIAGNOSIS_OWED,
			       inbox, room,
			       (unsigned long long)promised->sequences[i],
			       plugin, plugin);
	else
		(void)snprintf(out, bytes, "%s has no event; %s of %s is at "
			       "%llu, and %llu was asked for", inbox, room,
			       plugin, (unsigned long long)reached,
			       (unsigned long long)promised->sequences[i]);
}

void plait__inbox_diagnosis_describe(void *arg, char *out, uint32_t bytes)
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
