/* SPDX-License-Identifier: MIT */
/*
 * Mail between ranks: each record is an event.  Records of a pair arrive in order.
 * Options lose, double, cut or delay the k-th record of the system, which breaks
 * the rules: they test how worlds cope.
 */
#include <string.h>

#include "port.h"

enum { LATE_FACTOR = 1000 };

static void free_mail(chaos *system, chaos_mail *mail)
{
	plaitp_chaos_free(system, mail, sizeof(*mail) + mail->bytes);
}

static void unlink_flying(chaos_mail *mail)
{
	*mail->link = mail->next;
	if (mail->next)
		mail->next->link = mail->link;
	mail->next = NULL;
}

static void drop_flying(chaos *system, chaos_mail *mail)
{
	plaitp_chaos_clock_cancel(system, &mail->event);
	plaitp_chaos_clock_unreserve(system);
	unlink_flying(mail);
	free_mail(system, mail);
}

/* Event: the record is at the port, if that is still there. */
static void arrive(chaos *system, void *owner)
{
	chaos_mail *mail = owner;
	chaos_port *to = mail->world->ports[mail->to];

	plaitp_chaos_clock_unreserve(system);
	unlink_flying(mail);
	if (!to || to->dead) {
		free_mail(system, mail);
		return;
	}
	plaitp_chaos_log(system, "mail of %llu bytes from rank %u to %u",
			 (unsigned long long)mail->bytes, mail->from,
			 mail->to);
	if (to->last)
		to->last->next = mail;
	else
		to->first = mail;
	to->last = mail;
}

static plait_status fly(chaos_port *port, uint32_t peer, const void *bytes,
			uint64_t count, uint64_t factor, plait_error *error)
{
	struct chaos_pair *pair = &port->pairs[peer];
	chaos *system = port->system;
	chaos_mail *mail = plaitp_chaos_allocate(system,
						 sizeof(*mail) + count);
	uint64_t arrives_ns;

	if (!mail || plaitp_chaos_clock_reserve(system, error) != PLAIT_OK) {
		plaitp_chaos_free(system, mail, sizeof(*mail) + count);
		return plaitp_chaos_fail(system, error, PLAIT_E_NOMEM, 0,
					 "chaos: no memory for mail");
	}
	mail->bytes = count;
	memcpy(mail->data, bytes, count);
	mail->world = port->world;
	mail->from = port->rank;
	mail->to = peer;
	mail->event.callback = arrive;
	mail->event.owner = mail;
	mail->next = port->world->flying;
	mail->link = &port->world->flying;
	if (mail->next)
		mail->next->link = &mail->next;
	port->world->flying = mail;
	arrives_ns = system->now_ns + factor * plaitp_chaos_random_delay(
		system, &system->options.wire_ns);
	/* Events of one time run in random order. */
	if (arrives_ns <= pair->last_ns)
		arrives_ns = pair->last_ns + 1;
	pair->last_ns = arrives_ns;
	pair->pending++;
	plaitp_chaos_clock_schedule(system, &mail->event,
				    arrives_ns - system->now_ns);
	return PLAIT_OK;
}

/* Send once, or as the options say for this record. */
static plait_status send(chaos_port *port, uint32_t peer, const void *bytes,
			 uint64_t count, plait_error *error)
{
	chaos *system = port->system;
	const chaos_options *options = &system->options;
	uint64_t number = ++system->mail_number;
	uint64_t factor = number == options->mail_late ? LATE_FACTOR : 1;
	plait_status status;

	if (number == options->mail_lost)
		return PLAIT_OK;
	if (number == options->mail_cut)
		count = (count + 1) / 2;
	status = fly(port, peer, bytes, count, factor, error);
	if (status == PLAIT_OK && number == options->mail_twice)
		status = fly(port, peer, bytes, count, factor, error);
	return status;
}

plait_status plaitp_chaos_mail_send(plait_backend *self,
				    plait_backend_port *port, uint32_t peer,
				    const void *bytes, uint64_t count,
				    plait_error *error)
{
	chaos *system = chaos_of(self);
	plait_status status;

	plaitp_chaos_lock(system);
	status = plaitp_chaos_port_check(port, peer, error);
	if (status != PLAIT_OK)
		goto unlock;
	if (count == 0 || count > CHAOS_MAIL_BYTES)
		status = plaitp_chaos_fail(system, error, PLAIT_E_INVALID, 0,
					   "chaos: mail of %llu bytes; 1 to %d "
					   "are possible",
					   (unsigned long long)count,
					   CHAOS_MAIL_BYTES);
	else if (!port->world->ports[peer] ||
		 port->pairs[peer].pending >= CHAOS_MAILS)
		status = plaitp_chaos_fail(system, error, PLAIT_E_BUSY, 0,
					   "chaos: rank %u %s", peer,
					   port->world->ports[peer] ?
					   "reads no mail" :
					   "has not opened its port yet");
	else
		status = send(port, peer, bytes, count, error);
unlock:
	plaitp_chaos_unlock(system);
	return status;
}

plait_status plaitp_chaos_mail_next(plait_backend *self,
				    plait_backend_port *port,
				    uint32_t *out_peer, void *buffer,
				    uint64_t capacity, uint64_t *out_bytes,
				    plait_error *error)
{
	chaos *system = chaos_of(self);
	chaos_mail *mail;

	if (capacity < CHAOS_MAIL_BYTES)
		return plaitp_chaos_fail(system, error, PLAIT_E_INVALID, 0,
					 "chaos: a buffer of %llu bytes for "
					 "mail of up to %d",
					 (unsigned long long)capacity,
					 CHAOS_MAIL_BYTES);
	plaitp_chaos_lock(system);
	mail = port->first;
	if (mail) {
		chaos_port *from = port->world->ports[mail->from];

		port->first = mail->next;
		if (!port->first)
			port->last = NULL;
		if (from)
			from->pairs[port->rank].pending--;
		*out_peer = mail->from;
		*out_bytes = mail->bytes;
		memcpy(buffer, mail->data, mail->bytes);
		free_mail(system, mail);
	}
	plaitp_chaos_unlock(system);
	return mail ? PLAIT_OK : PLAIT_PENDING;
}

/* Mail that the port has sent arrives all the same. */
void plaitp_chaos_mail_drop(chaos_port *port)
{
	chaos_mail *mail = port->world->flying, *next;

	for (; mail; mail = next) {
		next = mail->next;
		if (mail->to == port->rank || port->world->open == 1)
			drop_flying(port->system, mail);
	}
	while (port->first) {
		mail = port->first;
		port->first = mail->next;
		free_mail(port->system, mail);
	}
}
