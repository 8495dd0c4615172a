/* SPDX-License-Identifier: MIT */
/* Mail of worlds: receipt, check, and the box. */
#include "world/world_mail.h"

#include "base/error.h"

#include <string.h>

void plait__world_mail_init(plait__world_mailbox *box,
			    const plait_allocator *allocator)
{
	plait__mutex_init(&box->lock);
	at_init_u32(&box->count, 0);
	plait__vector_init(&box->kept, allocator, sizeof(plait__kept_mail));
}

void plait__world_mail_fini(plait__world_mailbox *box)
{
	plait__vector_fini(&box->kept);
}

static void remove_at(plait__world_mailbox *box, uint32_t index)
{
	plait__kept_mail *at = plait__vector_at(&box->kept, index);

	memmove(at, at + 1, (box->kept.count - index - 1) * sizeof(*at));
	plait__vector_truncate(&box->kept, box->kept.count - 1);
	at_store_relaxed_u32(&box->count, box->kept.count);
}

static plait_status check_mail(const plait__kept_mail *kept, uint64_t bytes,
			       plait_error *error)
{
	const plait__world_mail *mail = &kept->mail;

	if (bytes >= 8 && mail->magic == __builtin_bswap32(PLAIT__WORLD_MAGIC))
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "rank %u is on a machine with another byte "
				   "order", kept->peer);
	if (bytes >= 8 && mail->magic == PLAIT__WORLD_MAGIC &&
	    mail->version != PLAIT__WORLD_VERSION)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "rank %u speaks version %u of worlds, this "
				   "rank version %u; use one libplait on all "
				   "ranks", kept->peer, mail->version,
				   PLAIT__WORLD_VERSION);
	if (bytes != sizeof(*mail) || mail->magic != PLAIT__WORLD_MAGIC)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "a record of %llu bytes from rank %u is none "
				   "of a world", (unsigned long long)bytes,
				   kept->peer);
	return PLAIT_OK;
}

static plait_status read_one(const plait__world_port *port,
			     plait__kept_mail *kept, plait_error *error)
{
	unsigned char room[PLAIT__WORLD_MAIL_BYTES] = { 0 };
	uint64_t bytes;
	plait_status status = plait__world_port_next(port, &kept->peer, room,
						     &bytes, error);

	if (status != PLAIT_OK)
		return status;
	memcpy(&kept->mail, room, sizeof(kept->mail));
	return check_mail(kept, bytes, error);
}

/* The place comes first, so that no record is lost without memory.  Caller holds
 * the lock. */
static plait_status fetch_one(plait__world_mailbox *box,
			      const plait__world_port *port, plait_error *error)
{
	plait__kept_mail none = { 0 };
	plait__kept_mail *kept;
	plait_status status;

	kept = PLAIT__VECTOR_ADD(&box->kept, &none);
	if (kept == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for mail");
	status = read_one(port, kept, error);
	if (status != PLAIT_OK)
		plait__vector_truncate(&box->kept, box->kept.count - 1);
	else if (box->kept.count > PLAIT__WORLD_BOX_MAX)
		remove_at(box, 0);
	at_store_relaxed_u32(&box->count, box->kept.count);
	return status;
}

plait_status plait__world_mail_fetch(plait__world_mailbox *box,
				     const plait__world_port *port,
				     plait_error *error)
{
	plait_status status = PLAIT_OK;

	/* Another thread that fetches does so for this one. */
	if (!plait__mutex_trylock(&box->lock))
		return PLAIT_OK;
	while (status == PLAIT_OK)
		status = fetch_one(box, port, error);
	plait__mutex_unlock(&box->lock);
	return status == PLAIT_PENDING ? PLAIT_OK : status;
}

static bool is_wanted(const plait__world_mail *mail, uint32_t kind,
		      uint64_t number, uint64_t call_max)
{
	return mail->kind == kind && mail->number == number &&
	       (kind != PLAIT__MAIL_STOP || mail->of.stop.call <= call_max);
}

bool plait__world_mail_take(plait__world_mailbox *box, uint32_t kind,
			    uint64_t number, uint64_t call_max,
			    plait__kept_mail *out)
{
	bool found = false;

	if (at_load_relaxed_u32(&box->count) == 0)
		return false;
	plait__mutex_lock(&box->lock);
	for (uint32_t i = 0; i < box->kept.count && !found; i++) {
		const plait__kept_mail *kept = plait__vector_at(&box->kept, i);

		found = is_wanted(&kept->mail, kind, number, call_max);
		if (found) {
			*out = *kept;
			remove_at(box, i);
		}
	}
	plait__mutex_unlock(&box->lock);
	return found;
}
