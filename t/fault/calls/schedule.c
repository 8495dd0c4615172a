/* SPDX-License-Identifier: MIT */
/* Schedules of collectives, tried while something fails. */
#include "fault/calls.h"

/* Two ranks exchange a chunk. */
static const char exchange[] =
	"<algo name=\"exchange\" proto=\"LL\" nchannels=\"1\" "
	"nchunksperloop=\"1\" ngpus=\"2\" coll=\"custom\" inplace=\"0\">"
#define RANK(own, peer) \
	"<gpu id=\"" own "\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">" \
	"<tb id=\"0\" send=\"" peer "\" recv=\"" peer "\" chan=\"0\">" \
	"<step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" " \
	"dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>" \
	"<step s=\"1\" type=\"r\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" " \
	"dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>" \
	"</tb></gpu>"
	RANK("0", "1") RANK("1", "0") "</algo>";

static plait_status check(plait_schedule *schedule, plait_error *error)
{
	static const uint32_t ranks[] = { 1, 0 };
	static const uint64_t index;
	const plait_coll_promise promises[] = {
		{ sizeof(*promises), 0, 0, 1, &ranks[0], &index },
		{ sizeof(*promises), 1, 0, 1, &ranks[1], &index },
	};
	const plait_proof_desc desc = { .size = sizeof(desc),
					.flags = PLAIT_PROOF_HAS_PROMISES,
					.promise_count = 2,
					.promises = promises };
	plait_proof proof = { .size = sizeof(proof) };
	plait_status status = plait_schedule_check(schedule, &desc, &proof,
						   error);

	if (status == PLAIT_OK && proof.depth_min != 1)
		return calls_wrong(error, "another depth");
	return status;
}

static plait_status read_check_write(struct place *place, plait_error *error)
{
	plait_schedule *schedule = NULL;
	char bytes[2048];
	plait_status status = plait_schedule_read(place->context, exchange,
						  sizeof(exchange) - 1, "x",
						  &schedule, error);

	if (status == PLAIT_E_UNSUPPORTED)
		return PLAIT_OK;	/* built without expat */
	if (status == PLAIT_OK)
		status = check(schedule, error);
	if (status == PLAIT_OK)
		status = plait_schedule_write(schedule,
					      PLAIT_SCHEDULE_XML_MSCCL, bytes,
					      sizeof(bytes), NULL, error);
	plait_schedule_retain(schedule);
	plait_schedule_release(schedule);
	plait_schedule_release(schedule);
	return status;
}

const struct calls_entry calls_schedule[] = {
	{ "plait_schedule_read plait_schedule_check plait_schedule_write "
	  "plait_schedule_retain plait_schedule_release",
	  read_check_write, NULL },
	{ NULL, NULL, NULL }
};
