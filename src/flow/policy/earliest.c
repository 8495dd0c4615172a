/* SPDX-License-Identifier: MIT */
/* Predicted end of a task; see earliest.h. */
#include "flow/policy/earliest.h"

#include "flow/policy/saturating.h"

static uint64_t preds_end(const plait__device_request *request,
			  uint32_t device)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < request->pred_count; i++) {
		const plait__policy_pred *pred = &request->preds[i];
		uint64_t hop = pred->device != device ? request->hop_ns : 0;

		end = plait__saturating_max(
			end, plait__saturating_add(pred->finish_ns, hop));
	}
	return end;
}

/* Returns when the device has room; its memory is not the host's then. */
static uint64_t evictions_end(const plait__device_request *request,
			      uint32_t device)
{
	const plait__policy_device *d = &request->devices[device];
	const plait__booking_copy copy = {
		.bytes = d->evicted_bytes,
		.valid = (uint64_t)1 << d->memory,
		.ready_ns = request->now_ns,
		.to = request->links->host,
	};

	if (copy.bytes == 0 || d->memory == copy.to)
		return request->now_ns;
	return plait__bookings_copy(request->bookings, &copy, true).end_ns;
}

/* Copies begin when there is room, in the order of the pieces. */
static uint64_t copies_end(const plait__device_request *request,
			   uint32_t device)
{
	uint32_t memory = request->devices[device].memory;
	uint64_t room = evictions_end(request, device), end = room;

	for (uint32_t i = 0; i < request->piece_count; i++) {
		const plait__policy_piece *piece = &request->pieces[i];
		const plait__booking_copy copy = {
			.bytes = piece->bytes,
			.valid = piece->valid,
			.ready_ns = plait__saturating_max(piece->ready_ns,
							  room),
			.to = memory,
		};

		if (piece->overwritten || piece->valid == 0 ||
		    (piece->valid >> memory & 1))
			continue;
		end = plait__saturating_max(
			end, plait__bookings_copy(request->bookings, &copy,
						  true).end_ns);
	}
	return end;
}

/* Returns the time from now on; never stays never. */
static uint64_t from_now(const plait__device_request *request, uint64_t time)
{
	if (time == UINT64_MAX)
		return time;
	return time > request->now_ns ? time - request->now_ns : 0;
}

plait__device_figures
plait__earliest_figures(const plait__device_request *request, uint32_t device)
{
	const plait__policy_device *d = &request->devices[device];
	plait__device_figures figures = {
		.lane_ns = from_now(request, d->free_ns),
		.preds_ns = from_now(request, preds_end(request, device)),
	};

	plait__bookings_begin_trial(request->bookings);
	figures.copies_ns = from_now(request, copies_end(request, device));
	figures.finish_ns = plait__saturating_add(
		plait__saturating_max(
			figures.lane_ns,
			plait__saturating_max(figures.preds_ns,
					      figures.copies_ns)),
		d->cost_ns);
	return figures;
}
