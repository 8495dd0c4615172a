/* SPDX-License-Identifier: MIT */
/* Slots of links, and what both ends do with counters. */
#include <string.h>

#include "driven/atomic.h"

#include "port.h"

/* --- counters */

static void report_counters(check *self, enum check_party party,
			    const char *slot, check_link *link,
			    const char *what)
{
	if (link->reported)
		return;
	link->reported = true;
	plaitp_check_report(self, party, slot,
			    "link %llu %s rank %u: %s: %llu sent, %llu taken, "
			    "%u slots (P-N08)",
			    (unsigned long long)link->number,
			    link->direction == PLAIT_LINK_SEND ?
			    "to" : "from", link->peer, what,
			    (unsigned long long)link->ready,
			    (unsigned long long)link->taken, link->depth);
}

/* Messages that may be taken before their sender has counted them: a receiver that
 * shares the slots knows one by its mark, which is stored before the counter. */
static uint64_t may_be_ahead(const check_link *link)
{
	const plait_port *facts = &link->port->facts;

	return link->view.lent == NULL &&
	       (facts->flags & PLAIT_PORT_SHARES_MEMORY) != 0 &&
	       (facts->flags & PLAIT_PORT_NEEDS_PUMP) == 0;
}

/* Own words are the core's to store, the others come from the backend, or from
 * the core of the peer. */
static void look_at(check *self, const char *slot, check_link *link)
{
	bool sends = link->direction == PLAIT_LINK_SEND;
	uint64_t before, ready, taken, allowed;

	if (link->view.size == 0)
		return;
	/* Other threads fill and read slots meanwhile, and both counters only
	 * grow: `before` is within the depth of `taken`, and `ready` above it. */
	before = plaitp_driven_load64(link->view.ready);
	taken = plaitp_driven_load64(link->view.taken);
	ready = plaitp_driven_load64(link->view.ready);
	if (ready < link->ready || taken < link->taken) {
		bool own = sends ? ready < link->ready : taken < link->taken;

		link->ready = ready;
		link->taken = taken;
		report_counters(self, own ? CHECK_CORE : CHECK_EITHER, slot,
				link, "a counter went back");
		return;
	}
	link->ready = ready;
	link->taken = taken;
	allowed = ready + may_be_ahead(link);
	if (sends && (taken > allowed ||
		      (before > taken && before - taken > link->depth)))
		report_counters(self, taken > allowed ? CHECK_EITHER :
				CHECK_CORE, slot, link,
				"more than its depth is sent");
	if (!sends && taken > allowed)
		report_counters(self, CHECK_CORE, slot, link,
				"more is taken than was sent");
}

void plaitp_check_link_look(check *self, const char *slot, check_port *port)
{
	for (check_link *link = port->links; link; link = link->next)
		look_at(self, slot, link);
}

/* --- create and destroy */

/* Return a description of the violation, or null. */
static const char *find_violation(const check_port *port,
				  const plait_link_request *request)
{
	if (request->size < sizeof(*request))
		return "the request is too short";
	if (request->direction > PLAIT_LINK_RECEIVE)
		return "its direction is not known";
	if (request->depth == 0 ||
	    (request->depth & (request->depth - 1)) != 0)
		return "its depth is no power of two";
	if (request->slot_bytes == 0 ||
	    (port->facts.size && request->slot_bytes > port->facts.slot_bytes))
		return "its slots are longer than the port's, or empty";
	if (port->facts.size && request->peer >= port->facts.ranks)
		return "there is no such rank";
	for (const check_link *link = port->links; link; link = link->next)
		if (link->direction == request->direction &&
		    link->peer == request->peer &&
		    link->number == request->number)
			return "its number is in use";
	return NULL;
}

static check_link *add_link(check *self, check_port *port,
			    const plait_link_request *request)
{
	check_link *link = plaitp_check_add(self, CHECK_LINK, sizeof(*link));

	if (!link)
		return NULL;
	link->port = port;
	link->direction = request->direction;
	link->peer = request->peer;
	link->depth = request->depth;
	link->number = request->number;
	link->slot_bytes = request->slot_bytes;
	return link;
}

/* Caller holds the lock.  Returns the status with the link in its list, or
 * without the link. */
static plait_status keep(check *self, check_link *link, plait_status status,
			 plait_error *error)
{
	static const char slot[] = "link_create";

	if (status == PLAIT_OK && !link->inner) {
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "succeeded without a link (P-N07)");
		status = plaitp_check_report_error(self, error);
	}
	if (status != PLAIT_OK) {
		plaitp_check_retire(self, &link->object);
		return status;
	}
	link->next = link->port->links;
	link->port->links = link;
	return PLAIT_OK;
}

plait_status plaitp_check_link_create(plait_backend *backend,
				      plait_backend_port *handle,
				      const plait_link_request *request,
				      plait_backend_link **out,
				      plait_error *error)
{
	static const char slot[] = "link_create";
	check *self = check_of(backend);
	check_port *port = plaitp_check_port_enter(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	check_link *link = NULL;
	plait_status status = PLAIT_OK;
	const char *fault;

	*out = NULL;
	if (!port)
		return PLAIT_E_INTERNAL;
	fault = find_violation(port, request);
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, slot, "link %llu: %s "
				    "(P-N12)",
				    (unsigned long long)request->number,
				    fault);
		status = plaitp_check_report_error(self, error);
	} else if (!(link = add_link(self, port, request))) {
		status = self->services->fail(error, PLAIT_E_NOMEM, 0,
					      "check: no memory for a link");
	}
	self->in_ports = link != NULL;
	plaitp_check_leave(self);
	if (!link)
		return status;
	status = self->inner_table->link_create(self->inner, port->inner,
						request, &link->inner, &mine);
	status = plaitp_check_result(self, slot, status, true, &mine, error);
	pthread_mutex_lock(&self->lock);
	self->in_ports = false;
	status = keep(self, link, status, error);
	pthread_mutex_unlock(&self->lock);
	if (status == PLAIT_OK)
		*out = link;
	return status;
}

/* Enter with a link; null after a report, with the lock released. */
static check_link *enter_link(check *self, const char *slot,
			      const plait_backend_link *handle,
			      plait_error *error)
{
	check_link *link;

	plaitp_check_port_begin(self, slot);
	link = plaitp_check_find(self, slot, CHECK_LINK, handle);
	if (link) {
		plaitp_check_link_look(self, slot, link->port);
		return link;
	}
	(void)plaitp_check_report_error(self, error);
	self->in_ports = false;
	plaitp_check_leave(self);
	return NULL;
}

void plaitp_check_link_destroy(plait_backend *backend,
			       plait_backend_link *handle)
{
	check *self = check_of(backend);
	check_link *link = enter_link(self, "link_destroy", handle, NULL);
	check_link **place;

	if (!link)
		return;
	place = &link->port->links;
	while (*place != link)
		place = &(*place)->next;
	*place = link->next;
	plaitp_check_retire(self, &link->object);
	plaitp_check_leave(self);
	self->inner_table->link_destroy(self->inner, link->inner);
	plaitp_check_port_end(self);
}

/* --- views */

/* Return a description of the violation, or null. */
static const char *find_fault(const check_link *link,
			      const plait_link_view *view)
{
	uint64_t apart = (uint64_t)((char *)view->ready - (char *)view->taken);
	bool bells = view->bell != NULL;

	if (!view->slots || !view->ready || !view->taken)
		return "slots or counters are null";
	if (view->depth != link->depth)
		return "its depth is not that of the request";
	if ((uintptr_t)view->slots % 64 != 0 || view->stride % 64 != 0 ||
	    view->stride < sizeof(plait_link_slot) ||
	    view->stride - sizeof(plait_link_slot) < link->slot_bytes)
		return "its slots are too short, or not aligned to 64";
	if (apart + 63 < 127)
		return "its counters share a cache line";
	if ((view->sleeping != NULL) != bells ||
	    (view->peer_bell != NULL) != bells ||
	    (view->peer_sleeping != NULL) != bells)
		return "it has some of the bells";
	if (view->lent == view->ready || (view->lent == view->taken))
		return "a counter has two names";
	return NULL;
}

plait_status plaitp_check_link_view(plait_backend *backend,
				    plait_backend_link *handle,
				    plait_link_view *out, plait_error *error)
{
	static const char slot[] = "link_view";
	check *self = check_of(backend);
	check_link *link = enter_link(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_link_view view = { .size = sizeof(view) };
	plait_status status;
	const char *fault = NULL;

	if (!link)
		return PLAIT_E_INTERNAL;
	plaitp_check_leave(self);
	status = self->inner_table->link_view(self->inner, link->inner, &view,
					      &mine);
	pthread_mutex_lock(&self->lock);
	self->in_ports = false;
	view.size = sizeof(view);
	if (status == PLAIT_OK)
		fault = find_fault(link, &view);
	if (status == PLAIT_OK && !fault && link->view.size &&
	    memcmp(&view, &link->view, sizeof(view)) != 0)
		fault = "it differs from before";
	if (fault)
		plaitp_check_report(self, CHECK_BACKEND, slot,
				    "link %llu: %s (P-N09)",
				    (unsigned long long)link->number, fault);
	else if (status == PLAIT_OK)
		link->view = view;
	pthread_mutex_unlock(&self->lock);
	view.size = out->size < sizeof(view) ? out->size : sizeof(view);
	memcpy(out, &view, view.size);
	return plaitp_check_result(self, slot, status, false, &mine, error);
}

/* --- lent memory */

/* Return a description of the violation, or null. */
static const char *find_wrong_loan(const check_link *link, const void *memory,
				   uint64_t bytes)
{
	bool sends = link->direction == PLAIT_LINK_SEND;

	if (link->view.size == 0 || !link->view.lent)
		return "its view has no counter of lent memory";
	if (bytes == 0 || bytes > link->slot_bytes)
		return "it lends none, or more than a slot has";
	if (sends && !memory)
		return "a sender lends null";
	if (sends && link->ready - link->taken >= link->depth)
		return "no slot is free for the message";
	return NULL;
}

plait_status plaitp_check_link_lend(plait_backend *backend,
				    plait_backend_link *handle, void *memory,
				    uint64_t bytes, plait_error *error)
{
	static const char slot[] = "link_lend";
	check *self = check_of(backend);
	check_link *link = enter_link(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_status status = PLAIT_OK;
	const char *fault;

	if (!link)
		return PLAIT_E_INTERNAL;
	fault = find_wrong_loan(link, memory, bytes);
	if (fault) {
		plaitp_check_report(self, CHECK_CORE, slot, "link %llu: %s "
				    "(P-N12)",
				    (unsigned long long)link->number, fault);
		status = plaitp_check_report_error(self, error);
	}
	plaitp_check_leave(self);
	if (!fault)
		status = self->inner_table->link_lend(self->inner, link->inner,
						      memory, bytes, &mine);
	plaitp_check_port_end(self);
	return fault ? status : plaitp_check_result(self, slot, status, false,
						    &mine, error);
}

plait_status plaitp_check_link_reclaim(plait_backend *backend,
				       plait_backend_link *handle,
				       plait_error *error)
{
	static const char slot[] = "link_reclaim";
	check *self = check_of(backend);
	check_link *link = enter_link(self, slot, handle, error);
	plait_error mine = plaitp_check_record();
	plait_status status;
	bool lends;

	if (!link)
		return PLAIT_E_INTERNAL;
	lends = link->view.lent != NULL;
	plaitp_check_leave(self);
	status = !lends ? PLAIT_OK : self->inner_table->link_reclaim(
		self->inner, link->inner, &mine);
	plaitp_check_port_end(self);
	return plaitp_check_result(self, slot, status, true, &mine, error);
}
