/* SPDX-License-Identifier: MIT */
/* Submission of plain tasks; see plain_task.h. */
#include "flow/plain_task.h"

#include "flow/access/task_fields.h"
#include "flow/commit.h"
#include "flow/flow_data.h"
#include "flow/op_commit.h"

/* Accesses of a plain task, at most. */
enum { ACCESSES = 6 };

/* Fronts of an access: `row`, or if that has none those in the list of the flow from
 * `first` up to `end`. */
struct found {
	plait__front_row row;
	uint32_t first, end;
	uint32_t mode;
};

/* Returns true if any task of the flow may be plain now. */
static inline bool has_plain_tasks(const plait__flow *flow)
{
	return flow->capture == NULL &&
	       plait__outcomes_are_clean(&flow->lanes.outcomes) &&
	       flow->window.newest - flow->swept <
		       plait__window_size(&flow->window);
}

static inline bool is_plain(const plait_task_desc *desc)
{
	return desc->size == sizeof(*desc) && desc->kind == PLAIT_TASK_CALL &&
	       desc->function != NULL && desc->inbox == NULL &&
	       (desc->flags | desc->split | desc->pieces) == 0 &&
	       desc->access_count <= ACCESSES &&
	       (desc->access_count == 0 || desc->accesses != NULL);
}

static inline bool is_plain_access(const plait_access *access)
{
	return access->size == sizeof(*access) && access->mapper == NULL &&
	       access->combine == NULL &&
	       access->mode - 1 < PLAIT_ACCESS_READ_WRITE &&
	       (access->flags | access->reserved0) == 0;
}

/* The data of a handle, if the handle is one of this flow's whole data; or null. */
static inline plait__data *find_data(const plait__flow *flow,
				     const plait_data *handle,
				     plait__plain_data *known)
{
	plait__data *data;

	if (handle == known->handle && handle != NULL)
		return known->found;
	data = plait__handle_peek(handle, PLAIT_OBJECT_DATA);
	if (data == NULL || data->flow != flow)
		return NULL;
	*known = (plait__plain_data){ handle, data };
	return data;
}

/* List the rows of a box, and gather from them.  Not inline: most boxes are one row.
 * Returns false if a border is missing, or memory. */
static __attribute__((noinline)) bool
gather_list(plait__flow *flow, plait__front_map *map, const plait_box *box,
	    struct found *out)
{
	out->first = flow->fronts.count;
	if (plait__front_map_collect(map, box, &flow->fronts) !=
	    PLAIT__FRONT_MAP_COLLECTED)
		return false;
	out->end = flow->fronts.count;
	for (uint32_t i = out->first; i < out->end; i++)
		plait__front_access_gather_row(
			&flow->preds, &flow->fronts.items[i], out->mode);
	return true;
}

/* The data and the box of an access; null if the access is not plain. */
static inline plait__data *read_access(const plait__flow *flow,
				       const plait_access *access,
				       plait__plain_data *known,
				       const plait_box **box)
{
	plait__data *data;

	if (!is_plain_access(access))
		return NULL;
	data = find_data(flow, access->data, known);
	if (data == NULL)
		return NULL;
	*box = access->box != NULL ? access->box : &data->box;
	return plait__data_is_box(data, *box) ? data : NULL;
}

/* Find the fronts of an access, and gather its predecessors.  Returns null if the access
 * is not plain or lacks a border, else the data. */
static inline plait__data *gather(plait__flow *flow, const plait_access *access,
				  plait__plain_data *known,
				  struct found *out)
{
	const plait_box *box;
	plait__data *data = read_access(flow, access, known, &box);

	if (data == NULL)
		return NULL;
	out->mode = access->mode;
	out->row.first = plait__front_map_find_row(&data->map, box,
						   &out->row.count);
	if (out->row.first == NULL)
		return gather_list(flow, &data->map, box, out) ? data : NULL;
	for (uint32_t i = 0; i < out->row.count; i++)
		plait__front_access_gather(&flow->preds, &out->row.first[i],
					   out->mode);
	return data;
}

/* Make borders along the boxes of all accesses.  Returns false if one is not plain, or
 * the pieces are to be joined first. */
static __attribute__((noinline)) bool cut_all(plait__flow *flow,
					      const plait_task_desc *desc,
					      plait__plain_data *known)
{
	const plait_box *boxes[ACCESSES];
	plait__data *data[ACCESSES];

	for (uint64_t i = 0; i < desc->access_count; i++) {
		data[i] = read_access(flow, &desc->accesses[i], known,
				      &boxes[i]);
		if (data[i] == NULL ||
		    data[i]->map.pieces > data[i]->map.join_at)
			return false;
	}
	flow->cuts++;
	for (uint64_t i = 0; i < desc->access_count; i++)
		if (!plait__front_map_cut(&data[i]->map, boxes[i]))
			return false;
	return true;
}

static inline bool gather_all(plait__flow *flow, const plait_task_desc *desc,
			      plait__plain_data *known, plait__data **data,
			      struct found *found)
{
	plait__preds_begin(&flow->preds, flow->window.settled, false);
	flow->fronts.count = 0;
	for (uint64_t i = 0; i < desc->access_count; i++) {
		data[i] = gather(flow, &desc->accesses[i], known, &found[i]);
		if (data[i] == NULL)
			return false;
	}
	plait__preds_add(&flow->preds, flow->barrier, false);
	return true;
}

/* Number the op, fill its entry and publish it. */
static inline uint64_t add_op(plait__flow *flow, const plait_task_desc *desc)
{
	const plait__preds *preds = &flow->preds;
	plait__op *op = plait__op_commit_number(flow, preds->items,
						preds->count, PLAIT__OP_CALL);

	op->call.host = desc->function;
	op->user_data = desc->user_data;
	op->label = desc->label;
	plait__op_commit_publish(flow, flow->window.newest, preds->items,
				 preds->count, false, desc->priority > 0);
	return flow->window.newest;
}

/* The rows of an access. */
static inline const plait__front_row *rows_of(const plait__flow *flow,
					      const struct found *found,
					      uint32_t *count)
{
	bool is_one = found->row.first != NULL;

	*count = is_one ? 1 : found->end - found->first;
	return is_one ? &found->row : &flow->fronts.items[found->first];
}

/* Note the accesses in fronts of which some have too many readers. */
static __attribute__((noinline)) void
record_all(plait__flow *flow, const struct found *found, uint64_t count,
	   uint64_t number)
{
	plait__front_record record = { .number = number,
				       .settled = flow->preds.settled,
				       .mark = plait__commit_mark,
				       .arg = flow };

	for (uint64_t i = 0; i < count; i++) {
		uint32_t of;
		const plait__front_row *rows = rows_of(flow, &found[i], &of);

		for (uint32_t k = 0; k < of; k++)
			plait__front_access_record_row(&record, &rows[k],
						       found[i].mode);
	}
}

/* Not inline: as gather_list. */
static __attribute__((noinline)) void
note_list(const plait__flow *flow, const struct found *found, uint64_t number)
{
	for (uint32_t i = found->first; i < found->end; i++)
		plait__front_access_note_row(&flow->fronts.items[i],
					     found->mode, number);
}

static inline void note_all(const plait__flow *flow, const struct found *found,
			    uint64_t count, uint64_t number)
{
	for (uint64_t i = 0; i < count; i++)
		if (found[i].row.first == NULL)
			note_list(flow, &found[i], number);
		else
			plait__front_access_note_row(&found[i].row,
						     found[i].mode, number);
}

plait_task plait__plain_task_submit(plait__flow *flow,
				    const plait_task_desc *desc,
				    plait__plain_data *known)
{
	const uint64_t count = desc->access_count;
	plait__preds *preds = &flow->preds;
	plait__data *data[ACCESSES];
	struct found found[ACCESSES];
	uint64_t number;

	if (!has_plain_tasks(flow) || !is_plain(desc) ||
	    !plait__task_fields_fit(desc))
		return 0;
	if (!gather_all(flow, desc, known, data, found) &&
	    (!cut_all(flow, desc, known) ||
	     !gather_all(flow, desc, known, data, found)))
		return 0;
	/* An op whose entry is used again may have failed since: the commit makes
	 * room for its failure. */
	if (preds->count > PLAIT__OP_PREDS ||
	    !plait__window_has_room(&flow->window,
				    1 + PLAIT__OP_COMMIT_KEPT + preds->marks,
				    0) ||
	    !plait__outcomes_are_clean(&flow->lanes.outcomes))
		return 0;
	number = add_op(flow, desc);
	if (preds->marks == 0)
		note_all(flow, found, count, number);
	else
		record_all(flow, found, count, number);
	for (uint64_t i = 0; i < count; i++)
		data[i]->last_use = number;
	return number;
}

bool plait__plain_task_submit_one(plait__flow *flow,
				  const plait_task_desc *desc, plait_task *out)
{
	plait__plain_data known = { NULL, NULL };
	plait_task number = 0;

	/* Relaxed: a hint. */
	if (at_load_relaxed_u32(&flow->is_simple) == 0 || desc == NULL ||
	    !is_plain(desc))
		return false;
	plait__flow_lock(flow);
	if (plait__plain_task_may_come(flow))
		number = plait__plain_task_submit(flow, desc, &known);
	plait__flow_unlock(flow);
	if (number != 0 && out != NULL)
		*out = number;
	return number != 0;
}
