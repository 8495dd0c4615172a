/* SPDX-License-Identifier: MIT */
/* Choices as text; see why.h. */
#include "flow/policy/why.h"

static void add_ns(plait__text *out, uint64_t ns)
{
	if (ns == UINT64_MAX)
		plait__text_add(out, "never");
	else
		plait__text_add(out, "%llu ns", (unsigned long long)ns);
}

static void add_number(plait__text *out, uint64_t number)
{
	plait__text_add(out, "%llu", (unsigned long long)number);
}

/* ---- devices ---- */

/* One number of a device that was compared. */
static void add_figure(plait__text *out, const plait__device_request *request,
		       uint32_t reason, const plait__device_figures *figures,
		       uint32_t device)
{
	switch (reason) {
	case PLAIT__REASON_LANES:
		add_number(out, request->devices[device].busy_lanes);
		break;
	case PLAIT__REASON_BYTES:
		add_number(out, figures[device].valid_bytes);
		break;
	case PLAIT__REASON_MOVES:
		add_ns(out, figures[device].move_ns);
		break;
	default:
		add_ns(out, figures[device].finish_ns);
		break;
	}
}

static void add_figures(plait__text *out, const plait__device_request *request,
			const plait__device_choice *choice,
			const plait__device_figures *figures)
{
	const char *before = " (";

	for (uint32_t d = 0; d < request->device_count; d++) {
		if ((choice->good >> d & 1) == 0)
			continue;
		plait__text_add(out, "%s%u: ", before, d);
		add_figure(out, request, choice->reason, figures, d);
		before = ", ";
	}
	plait__text_add(out, ")");
}

/* The parts of a predicted end. */
static void add_parts(plait__text *out, const plait__device_request *request,
		      uint32_t device, const plait__device_figures *figures)
{
	const plait__device_figures *f = &figures[device];

	plait__text_add(out, "; lane ");
	add_ns(out, f->lane_ns);
	plait__text_add(out, ", predecessors ");
	add_ns(out, f->preds_ns);
	plait__text_add(out, ", copies ");
	add_ns(out, f->copies_ns);
	plait__text_add(out, ", cost ");
	add_ns(out, request->devices[device].cost_ns);
}

void plait__why_device(plait__text *out, const plait__device_request *request,
		       const plait__device_choice *choice,
		       const plait__device_figures *figures)
{
	static const char *const reasons[] = {
		[PLAIT__REASON_FIRST] = "the first",
		[PLAIT__REASON_TURN] = "its turn",
		[PLAIT__REASON_NO_DATA] = "its turn; none has enough data",
		[PLAIT__REASON_LANES] = "fewest busy lanes",
		[PLAIT__REASON_BYTES] = "most bytes of the data",
		[PLAIT__REASON_MOVES] = "least time to move the data",
		[PLAIT__REASON_FINISH] = "finishes first",
		[PLAIT__REASON_NEAR] = "finishes nearly first, has most bytes",
	};

	plait__text_add(out, "device %u: %s", choice->device,
			reasons[choice->reason]);
	if (choice->reason >= PLAIT__REASON_LANES)
		add_figures(out, request, choice, figures);
	if (choice->reason >= PLAIT__REASON_FINISH)
		add_parts(out, request, choice->device, figures);
}

/* ---- lanes ---- */

void plait__why_lane(plait__text *out, const plait__parent_choice *choice)
{
	const plait__lane_choice *lane = &choice->by_lane;

	if (lane->reason == PLAIT__LANE_REASON_NEW) {
		plait__text_add(out, "a new lane: %u of %u are busy",
				lane->busy_count, lane->lane_count);
		return;
	}
	plait__text_add(out, "lane %u: ", lane->lane);
	switch (lane->reason) {
	case PLAIT__LANE_REASON_PARENT:
		plait__text_add(out, "that of parent %u", choice->parent);
		break;
	case PLAIT__LANE_REASON_IDLE:
		plait__text_add(out, "idle");
		break;
	case PLAIT__LANE_REASON_FREE_FIRST:
		plait__text_add(out, "free first of %u, at ",
				lane->lane_count);
		add_ns(out, lane->free_ns);
		break;
	default:
		plait__text_add(out, "starts first, at ");
		add_ns(out, choice->start_ns);
		break;
	}
}

/* ---- times and shares ---- */

void plait__why_time(plait__text *out, const plait__estimate *estimate)
{
	add_ns(out, estimate->ns);
	if (estimate->source == PLAIT__ESTIMATE_GIVEN) {
		plait__text_add(out, ": given");
		return;
	}
	if (estimate->source == PLAIT__ESTIMATE_DEVICE)
		plait__text_add(out, ": %llu.%03llu times device %u's,",
				(unsigned long long)(estimate->ratio >> 16),
				(unsigned long long)((estimate->ratio & 65535)
						     * 1000 >> 16),
				estimate->device);
	else
		plait__text_add(out, ":");
	if (estimate->source != PLAIT__ESTIMATE_MEASURED)
		plait__text_add(out, " scaled from size class %u,",
				estimate->size_class);
	plait__text_add(out, " mean of %u", estimate->count);
}

void plait__why_split(plait__text *out, const plait__split_choice *choice,
		      bool is_first)
{
	plait__text_add(out, choice->kept ? "the last split, " :
					    "a new split, ");
	add_ns(out, choice->kept ? choice->last_ns : choice->next_ns);
	if (is_first)
		return;
	plait__text_add(out, choice->kept ? "; a new one " : "; the last one ");
	add_ns(out, choice->kept ? choice->next_ns : choice->last_ns);
	plait__text_add(out, choice->kept ? ", with %llu units moved in " :
					    "; %llu units move in ",
			(unsigned long long)choice->moved_units);
	add_ns(out, choice->move_ns);
}
