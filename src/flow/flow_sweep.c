/* SPDX-License-Identifier: MIT */
/* Sweeps over the data and kernels of a flow: finished ops are forgotten, what was
 * released is dropped. */
#include "flow/flow.h"

#include "flow/device/data_copies.h"
#include "flow/flow_devices.h"
#include "flow/flow_fixed.h"
#include "flow/flow_history.h"
#include "flow/flow_proof.h"
#include "flow/flow_series.h"

#include "base/alloc.h"

/* ---- joining ---- */

enum { PIECES_MOST = 1 << 16, UNDONE_MOST = 256 };

/* One sweep.  An op that ends meanwhile, behind the first front that has it, stays in
 * the others, too, so that equal fronts stay equal.  Where two ops in flight have one
 * place, fronts may differ until the next sweep. */
struct sweep {
	plait__flow *flow;
	uint64_t undone[UNDONE_MOST]; /* found in flight, by the low bits */
};

static bool is_over(struct sweep *sweep, uint64_t number)
{
	uint64_t *place = &sweep->undone[number % UNDONE_MOST];

	if (*place == number)
		return false;
	if (plait__flow_counts_done(sweep->flow, number))
		return true;
	*place = number;
	return false;
}

static void forget_done(void *arg, plait__front *front)
{
	struct sweep *sweep = arg;
	plait__flow *flow = sweep->flow;
	uint64_t kept = 0;

	for (uint64_t i = 0; i < front->count; i++)
		if (!is_over(sweep, front->readers[i]))
			front->readers[kept++] = front->readers[i];
		else if (flow->proof != NULL)
			plait__flow_proof_note_done(flow, front->readers[i]);
	front->count = kept;
	if (front->writer == 0 || !is_over(sweep, front->writer) ||
	    plait__outcomes_has(&flow->lanes.outcomes, front->writer))
		return;
	if (flow->proof != NULL)
		plait__flow_proof_note_done(flow, front->writer);
	front->writer = 0;
}

void plait__flow_join(plait__flow *flow, plait__front_map *map)
{
	struct sweep sweep = { .flow = flow };

	plait__front_map_visit_all(map, forget_done, &sweep);
	plait__front_map_join(map);
}

bool plait__flow_join_pieces(plait__flow *flow, plait__front_map *map)
{
	do {
		plait__flow_join(flow, map);
		if (map->pieces <= PIECES_MOST)
			return true;
	} while (flow->is_fixed && plait__flow_fixed_begin_epoch(flow));
	plait__window_settle(&flow->window);
	return flow->window.settled == flow->window.newest;
}

static void keep_writer(void *arg, plait__front *front)
{
	plait__flow *flow = arg;

	if (front->writer != 0)
		plait__outcomes_keep(&flow->lanes.outcomes, front->writer);
}

/* A task in flight may have overwritten what it reads. */
static void keep_preds(plait__flow *flow, uint64_t number)
{
	const plait__op *op = plait__op_at(&flow->window.ring, number);
	uint64_t meta = at_load_relaxed_u64(&op->meta);

	for (uint32_t i = 0; i < plait__op_pred_count(meta); i++)
		plait__outcomes_keep(&flow->lanes.outcomes,
				     plait__op_pred(op, number, i));
}

void plait__flow_keep_writers(plait__flow *flow)
{
	for (uint64_t i = flow->window.settled + 1; i <= flow->window.newest;
	     i++)
		keep_preds(flow, i);
	for (plait__data *at = flow->data; at != NULL; at = at->next)
		if (at->whole == at) {
			plait__front_map_visit_all(&at->map, keep_writer,
						   flow);
			plait__data_copies_visit(at->copies, keep_writer,
						 flow);
		}
	plait__flow_series_keep(flow);
	if (at_load_relaxed_u64(&flow->lanes.cancel_cause) != 0)
		plait__outcomes_keep(
			&flow->lanes.outcomes,
			at_load_relaxed_u64(&flow->lanes.cancel_cause));
}

/* ---- data and kernels that were released ---- */

static void reap_data(plait__flow *flow)
{
	plait__data *next;

	for (plait__data *at = flow->data; at != NULL; at = next) {
		next = at->next;
		if (!at->closed || at->whole->last_use > flow->window.settled)
			continue;
		at->closed = false;
		at->whole->users--;
		flow->closed_data--;
		plait__object_drop_deferred(&at->object);
	}
}

void plait__flow_drop_kernel(plait__flow *flow, plait__flow_kernel *entry,
			     void (*drop)(plait__object *object))
{
	plait__free(plait__flow_allocator(flow), entry->geometry,
		    sizeof(*entry->geometry));
	plait__flow_history_forget(flow, entry);
	drop(&entry->kernel->object);
}

static void reap_kernels(plait__flow *flow)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < flow->kernel_count; i++) {
		plait__flow_kernel *entry = &flow->kernels[i];

		if (entry->last_use > flow->window.settled ||
		    plait__handle_is_live(entry->handle, PLAIT_OBJECT_KERNEL))
			flow->kernels[kept++] = *entry;
		else
			plait__flow_drop_kernel(flow, entry,
						plait__object_drop_deferred);
	}
	if (kept < flow->kernel_count)
		plait__flow_devices_drop_launches_deferred(flow);
	flow->kernel_count = kept;
}

void plait__flow_reap(plait__flow *flow)
{
	plait__window_settle(&flow->window);
	flow->swept = flow->window.newest;
	if (flow->closed_data > 0)
		reap_data(flow);
	reap_kernels(flow);
}
