/* SPDX-License-Identifier: MIT */
/*
 * Regions of segments as conditional nodes.  A kernel of one thread, decide,
 * sets the condition from the region's word, and from the stop word of the
 * segment, which the host writes without the driver, and which decisions read
 * now and then:
 *
 *     while	decide  WHILE { body  decide }
 *     do	decide by a word that is 1  WHILE { body  decide }
 *     case	decide  SWITCH { body } { body } ...
 *     if	decide  IF { body }
 *
 * Drivers without SWITCH nodes have IF nodes: choice.c.
 *
 * The decide at the end of a loop's body is omitted if a kernel of the body
 * sets the condition itself; that kernel gets the condition, the word that it
 * stores, and the stop word as arguments.  A condition that is not set keeps
 * its value, so the loop would never end; a kernel that may leave it unset
 * therefore has a decide before it, which may run beside the rest of the body.
 */
#include <string.h>

#include "graph.h"

/* First driver with SWITCH nodes. */
enum { SWITCH_VERSION = 12080 };

/* Words of a segment on the device: one that is 1, and a block for each region
 * (struct cuda_control). */
enum { ONE = 0, BLOCKS = 16 };

bool plaitp_cuda_has_regions(const plait_backend *self)
{
	return self->cu.cuGraphConditionalHandleCreate != NULL &&
	       self->cu.cuGraphAddNode != NULL;
}

/* --- nodes ---------------------------------------------------------------- */

static bool add_decide(struct cuda_graph_builder *builder, CUgraph graph,
		       CUgraphConditionalHandle condition, CUdeviceptr word,
		       CUdeviceptr block, unsigned otherwise, CUgraphNode *out)
{
	return plaitp_cuda_add_setter(builder, graph,
				      builder->segment->device->decide_kernel,
				      condition, word, block, otherwise, out);
}

static uint32_t count_regions(const plait_segment_request *request)
{
	uint32_t count = 0, i;

	for (i = 0; i < request->work_count; i++)
		count += plaitp_cuda_work_at(request, i)->kind ==
			 PLAIT_WORK_REGION;
	return count;
}

static bool set_periods(struct cuda_graph_builder *builder)
{
	const plait_backend_segment *segment = builder->segment;
	CUdeviceptr first = segment->control + BLOCKS +
			    offsetof(struct cuda_control, period);

	return plaitp_cuda_check_call(
		builder, "cuMemsetD2D32Async",
		builder->self->cu.cuMemsetD2D32Async(
			first, sizeof(struct cuda_control),
			builder->self->look_ns, 1, segment->region_count,
			segment->device->service_stream));
}

/* They are set before the graph is uploaded, on the same stream. */
static bool create_control_words(struct cuda_graph_builder *builder)
{
	const struct cuda_calls *cu = &builder->self->cu;
	plait_backend_segment *segment = builder->segment;
	CUstream stream = segment->device->service_stream;
	uint64_t bytes = BLOCKS + sizeof(struct cuda_control) *
					  (uint64_t)segment->region_count;

	builder->call = plaitp_cuda_word_acquire(builder->self, segment->device,
						 &segment->stop);
	if (builder->call.code != CUDA_SUCCESS)
		return false;
	if (!plaitp_cuda_check_call(builder, "cuMemAlloc",
				    plaitp_cuda_pool_acquire(
					builder->self, segment->device,
					bytes, &segment->control_block,
					&segment->control))) {
		segment->control = 0;
		return false;
	}
	segment->control_pending = true;
	return plaitp_cuda_check_call(builder, "cuMemsetD32Async",
				      cu->cuMemsetD32Async(segment->control, 0,
							   bytes / 4, stream)) &&
	       plaitp_cuda_check_call(builder, "cuMemsetD32Async",
				      cu->cuMemsetD32Async(segment->control + ONE, 1,
							   1, stream)) &&
	       set_periods(builder);
}

bool plaitp_cuda_prepare_regions(struct cuda_graph_builder *builder)
{
	plait_backend_segment *segment = builder->segment;

	segment->region_count = count_regions(builder->request);
	if (segment->region_count == 0)
		return true;
	if (!plaitp_cuda_has_regions(builder->self))
		return plaitp_cuda_decline(builder, "loops and branches");
	builder->call = plaitp_cuda_find_setters(builder->self, segment->device);
	return builder->call.code == CUDA_SUCCESS &&
	       create_control_words(builder);
}

static CUdeviceptr condition_word(const plait_work *work)
{
	return work->source->address + work->source_offset;
}

/* No decide is needed if a launch of the body sets the condition. */
static void assign_decider(struct cuda_graph_builder *builder, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(builder->request, index);
	plait_backend_segment *segment = builder->segment;
	uint32_t decider = work->region->decider;

	if (decider == 0 ||
	    plaitp_cuda_work_at(builder->request,
				decider)->launch->loop == NULL)
		return;
	segment->loops[decider] = (struct cuda_loop){
		.condition = builder->handles[index],
		.word = condition_word(work), .stop = segment->stop->address,
		.arrived = builder->blocks[index],
	};
}

static bool is_decided(const struct cuda_graph_builder *builder, uint32_t index)
{
	uint32_t decider =
		plaitp_cuda_work_at(builder->request, index)->region->decider;

	return decider != 0 && builder->segment->loops[decider].word != 0;
}

/* The loop of a launch is in the element of that launch. */
bool plaitp_cuda_guard_loop(struct cuda_graph_builder *builder, uint32_t index)
{
	struct cuda_loop *loop = &builder->segment->loops[index];
	CUgraphNode node;
	size_t count = builder->count;

	loop->guarded = true;
	builder->count = 0;
	if (!add_decide(builder, builder->graphs[index], loop->condition,
			loop->word, loop->arrived, 0, &node))
		return false;
	builder->before[count] = node;
	builder->count = count + 1;
	return true;
}

/* Assign to the commands of each body the body's graph. */
static void assign_bodies(struct cuda_graph_builder *builder, uint32_t index,
			  const CUgraph *bodies)
{
	const plait_work_region *region =
		plaitp_cuda_work_at(builder->request, index)->region;
	uint32_t at = index + 1, body, i;

	builder->loops[index] = bodies[0];
	for (body = 0; body < region->body_count; body++)
		for (i = 0; i < region->body_work[body]; i++)
			builder->graphs[at++] = bodies[body];
}

bool plaitp_cuda_new_condition(struct cuda_graph_builder *builder,
			       CUgraph graph, CUgraphConditionalHandle *out)
{
	return plaitp_cuda_check_call(
		builder, "cuGraphConditionalHandleCreate",
		builder->self->cu.cuGraphConditionalHandleCreate(
			out, graph, builder->segment->device->context, 0, 0));
}

bool plaitp_cuda_add_conditional(struct cuda_graph_builder *builder,
				 uint32_t index,
				 CUgraphConditionalHandle condition,
				 CUgraphConditionalNodeType type,
				 unsigned count, const CUgraph **bodies)
{
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
	CUgraphNode node = NULL;

	params.conditional.handle = condition;
	params.conditional.type = type;
	params.conditional.size = count;
	params.conditional.ctx = builder->segment->device->context;
	if (!plaitp_cuda_check_call(builder, "cuGraphAddNode",
				    builder->self->cu.cuGraphAddNode(
					&node, builder->graphs[index],
					builder->before, NULL, builder->count,
					&params)))
		return false;
	builder->segment->nodes[index] = node;
	*bodies = params.conditional.phGraph_out;
	return true;
}

/* Add a region as one conditional node. */
static bool add_whole(struct cuda_graph_builder *builder, uint32_t index,
		      CUdeviceptr word)
{
	const plait_work_region *region =
		plaitp_cuda_work_at(builder->request, index)->region;
	CUgraph graph = builder->graphs[index];
	bool is_case = region->kind == PLAIT_WORK_CASE;
	CUgraphConditionalNodeType type =
		is_case ? CU_GRAPH_COND_TYPE_SWITCH :
		region->kind == PLAIT_WORK_IF ? CU_GRAPH_COND_TYPE_IF :
						CU_GRAPH_COND_TYPE_WHILE;
	const CUgraph *bodies;

	if (!plaitp_cuda_new_condition(builder, graph,
				       &builder->handles[index]) ||
	    !add_decide(builder, graph, builder->handles[index], word,
			builder->blocks[index], is_case ? UINT32_MAX : 0,
			&builder->before[0]))
		return false;
	builder->count = 1;
	assign_decider(builder, index);
	if (!plaitp_cuda_add_conditional(builder, index,
					 builder->handles[index], type,
					 region->body_count, &bodies))
		return false;
	assign_bodies(builder, index, bodies);
	return true;
}

bool plaitp_cuda_add_region(struct cuda_graph_builder *builder, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(builder->request, index);

	builder->blocks[index] = builder->segment->control + BLOCKS +
				 sizeof(struct cuda_control) *
					 builder->block_count++;
	if (work->region->kind == PLAIT_WORK_DO)
		return add_whole(builder, index,
				 builder->segment->control + ONE);
	if (work->region->kind == PLAIT_WORK_CASE &&
	    builder->self->driver_version < SWITCH_VERSION)
		return plaitp_cuda_add_choice(builder, index,
					      condition_word(work));
	return add_whole(builder, index, condition_word(work));
}

/* Add a decide after all commands of the body on which no other depends. */
static bool close_loop(struct cuda_graph_builder *builder, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(builder->request, index);
	uint32_t end = index + 1 + work->region->body_work[0], i;
	CUgraph body = builder->loops[index];
	CUgraphNode node;

	builder->count = 0;
	for (i = index + 1; i < end; i++)
		if (builder->graphs[i] == body && !builder->followed[i])
			builder->before[builder->count++] =
				builder->segment->nodes[i];
	return add_decide(builder, body, builder->handles[index],
			  condition_word(work), builder->blocks[index], 0,
			  &node);
}

bool plaitp_cuda_close_regions(struct cuda_graph_builder *builder)
{
	uint32_t i;

	for (i = 0; i < builder->request->work_count &&
	     builder->segment->region_count > 0; i++) {
		const plait_work *work = plaitp_cuda_work_at(builder->request,
							     i);

		if (work->kind == PLAIT_WORK_REGION &&
		    work->region->kind <= PLAIT_WORK_DO &&
		    !is_decided(builder, i) && !close_loop(builder, i))
			return false;
	}
	return true;
}

void plaitp_cuda_free_regions(plait_backend *self,
			      plait_backend_segment *segment, bool entered)
{
	plaitp_cuda_word_release(self, segment->device, segment->stop);
	segment->stop = NULL;
	if (segment->control == 0)
		return;
	/* The next owner of the memory must not see this write. */
	if (segment->control_pending && entered)
		(void)self->cu.cuStreamSynchronize(
			segment->device->service_stream);
	plaitp_cuda_pool_release(self, segment->device, segment->control_block);
	segment->control = 0;
}

/* --- stopping ------------------------------------------------------------- */

/* A store, and no call of the driver: calls wait while memory is freed, and the
 * driver may wait for this very loop before it frees. */
plait_status plaitp_cuda_segment_stop(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t stop, plait_error *error)
{
	(void)self;
	(void)error;
	if (segment->stop != NULL)
		plaitp_driven_store(segment->stop->host, stop != 0);
	return PLAIT_OK;
}
