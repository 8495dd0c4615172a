/* SPDX-License-Identifier: MIT */
/*
 * Regions of segments: conditional nodes.  A condition is set by a kernel of one
 * thread, which looks at the region's word, and at one that says that the
 * segment is to stop:
 *
 *     while	decide  WHILE { body  decide }
 *     do	decide by a word that is 1  WHILE { body  decide }
 *     case	decide  SWITCH { body } { body } ...
 *
 * The one at the end of a loop's body is not there where a kernel of the body says
 * itself what it decides: it is told of the condition, of the word that it is the
 * condition of, and of the one that stops.  A condition that nobody sets stays as
 * it was, and then nothing could end the loop; so where the kernel does not
 * promise to set it each time, one comes in front of it, which may be beside
 * the rest of the body.
 *
 * The kernel is text that the driver finishes, so no compiler has to be there.
 */
#include <string.h>

#include "graph.h"

/* From which driver on there are nodes for branches. */
enum { SWITCH_VERSION = 12080 };

/* Words of a segment's own: whether it is to stop, and one that is 1; and for
 * each loop that a command decides how many of its blocks are through. */
enum { STOP = 0, ONE = 4, ARRIVED = 8, ARRIVED_BYTES = 8 };

static const char decide_name[] = "plait_decide";

/* (condition, word, stop, otherwise): it becomes the word, or `otherwise` when
 * stop is not 0. */
static const char decide_text[] =
	".version 6.0\n"
	".target sm_52\n"
	".address_size 64\n"
	".extern .func cudaGraphSetConditional\n"
	"(\n"
	".param .b64 handle,\n"
	".param .b32 value\n"
	")\n"
	";\n"
	".visible .entry plait_decide(\n"
	".param .u64 plait_condition,\n"
	".param .u64 plait_word,\n"
	".param .u64 plait_stop,\n"
	".param .u32 plait_otherwise\n"
	")\n"
	"{\n"
	".reg .pred %stopped;\n"
	".reg .b32 %word, %stop, %value;\n"
	".reg .b64 %condition, %from;\n"
	"ld.param.u64 %condition, [plait_condition];\n"
	"ld.param.u64 %from, [plait_stop];\n"
	"cvta.to.global.u64 %from, %from;\n"
	"ld.volatile.global.u32 %stop, [%from];\n"
	"ld.param.u64 %from, [plait_word];\n"
	"cvta.to.global.u64 %from, %from;\n"
	"ld.volatile.global.u32 %word, [%from];\n"
	"ld.param.u32 %value, [plait_otherwise];\n"
	"setp.ne.u32 %stopped, %stop, 0;\n"
	"selp.b32 %value, %value, %word, %stopped;\n"
	"{\n"
	".param .b64 handle;\n"
	".param .b32 value;\n"
	"st.param.b64 [handle], %condition;\n"
	"st.param.b32 [value], %value;\n"
	"call.uni cudaGraphSetConditional, (handle, value);\n"
	"}\n"
	"ret;\n"
	"}\n";

bool plaitp_cuda_has_regions(const plait_backend *self)
{
	return self->cu.cuGraphConditionalHandleCreate != NULL &&
	       self->cu.cuGraphAddNode != NULL;
}

/* --- the kernel; the device's context is the thread's ---------------------- */

static struct cuda_call load_decide(plait_backend *self,
				    struct cuda_device *device, char *log)
{
	struct cuda_call call = { "cuModuleLoadDataEx", CUDA_SUCCESS };

	if (device->decider == NULL)
		call.code = plaitp_cuda_load_image(self, decide_text, log,
						   &device->decider);
	if (device->decider != NULL && device->decide == NULL) {
		call.name = "cuModuleGetFunction";
		call.code = self->cu.cuModuleGetFunction(
			&device->decide, device->decider, decide_name);
		if (call.code != CUDA_SUCCESS)
			device->decide = NULL;
	}
	return call;
}

/* Once for each device, when somebody needs it. */
static struct cuda_call find_decide(plait_backend *self,
				    struct cuda_device *device)
{
	char log[CUDA_LOG_BYTES] = "";
	struct cuda_call call;

	pthread_mutex_lock(&self->accounts);
	call = load_decide(self, device, log);
	pthread_mutex_unlock(&self->accounts);
	if (call.code != CUDA_SUCCESS && log[0] != '\0')
		self->services->log(self->host, PLAIT_LOG_WARNING, log);
	return call;
}

static bool add_decide(struct cuda_graph_builder *maker, CUgraph graph,
		       CUgraphConditionalHandle condition, CUdeviceptr word,
		       unsigned otherwise, CUgraphNode *out)
{
	const plait_backend_segment *segment = maker->segment;
	CUdeviceptr stop = segment->own + STOP;
	void *arguments[] = { &condition, &word, &stop, &otherwise };
	const CUDA_KERNEL_NODE_PARAMS_v2 params = {
		.func = segment->device->decide, .gridDimX = 1, .gridDimY = 1,
		.gridDimZ = 1, .blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = arguments
	};

	return plaitp_cuda_check_call(maker, "cuGraphAddKernelNode",
				      maker->self->cu.cuGraphAddKernelNode(
					  out, graph, maker->before,
					  maker->count, &params));
}

/* --- nodes ---------------------------------------------------------------- */

static uint32_t count_regions(const plait_segment_request *request)
{
	uint32_t count = 0, i;

	for (i = 0; i < request->work_count; i++)
		count += plaitp_cuda_work_at(request, i)->kind ==
			 PLAIT_WORK_REGION;
	return count;
}

/* Set by the time that the graph is uploaded, on the same stream. */
static bool make_words(struct cuda_graph_builder *maker)
{
	const struct cuda_calls *cu = &maker->self->cu;
	plait_backend_segment *segment = maker->segment;
	CUstream stream = segment->device->maps;
	uint64_t bytes = ARRIVED + (uint64_t)ARRIVED_BYTES *
					   segment->region_count;

	if (!plaitp_cuda_check_call(maker, "cuMemAlloc",
				    plaitp_cuda_pool_acquire(
					maker->self, segment->device,
					bytes, &segment->own_block,
					&segment->own))) {
		segment->own = 0;
		return false;
	}
	segment->own_unsettled = true;
	return plaitp_cuda_check_call(maker, "cuMemsetD32Async",
				      cu->cuMemsetD32Async(segment->own, 0,
							   bytes / 4, stream)) &&
	       plaitp_cuda_check_call(maker, "cuMemsetD32Async",
				      cu->cuMemsetD32Async(segment->own + ONE, 1,
							   1, stream));
}

bool plaitp_cuda_prepare_regions(struct cuda_graph_builder *maker)
{
	plait_backend_segment *segment = maker->segment;

	segment->region_count = count_regions(maker->request);
	if (segment->region_count == 0)
		return true;
	if (!plaitp_cuda_has_regions(maker->self))
		return plaitp_cuda_check_call(maker,
					      "cuGraphConditionalHandleCreate",
					      CUDA_ERROR_NOT_SUPPORTED);
	maker->call = find_decide(maker->self, segment->device);
	return maker->call.code == CUDA_SUCCESS && make_words(maker);
}

static CUdeviceptr word_of(const plait_work *work)
{
	return work->source->address + work->source_offset;
}

/* Nobody has to look at the word if a launch of the body tells. */
static void tell_decider(struct cuda_graph_builder *maker, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(maker->request, index);
	plait_backend_segment *segment = maker->segment;
	uint32_t decider = work->region->decider;

	if (decider == 0 ||
	    plaitp_cuda_work_at(maker->request, decider)->launch->loop == NULL)
		return;
	segment->loops[decider] = (struct cuda_loop){
		.condition = maker->handles[index],
		.word = word_of(work), .stop = segment->own + STOP,
		.arrived = segment->own + ARRIVED +
			   ARRIVED_BYTES * segment->told_count++,
	};
}

static bool is_told(const struct cuda_graph_builder *maker, uint32_t index)
{
	uint32_t decider =
		plaitp_cuda_work_at(maker->request, index)->region->decider;

	return decider != 0 && maker->segment->loops[decider].word != 0;
}

/* What is told a kernel is in the entry of its launch. */
bool plaitp_cuda_guard_loop(struct cuda_graph_builder *maker, uint32_t index)
{
	struct cuda_loop *loop = &maker->segment->loops[index];
	CUgraphNode node;
	size_t count = maker->count;

	loop->guarded = true;
	maker->count = 0;
	if (!add_decide(maker, maker->graphs[index], loop->condition,
			loop->word, 0, &node))
		return false;
	maker->before[count] = node;
	maker->count = count + 1;
	return true;
}

/* What is in its bodies is in their graphs. */
static void give_bodies(struct cuda_graph_builder *maker, uint32_t index,
			const CUgraph *bodies)
{
	const plait_work_region *region =
		plaitp_cuda_work_at(maker->request, index)->region;
	uint32_t at = index + 1, body, i;

	maker->loops[index] = bodies[0];
	for (body = 0; body < region->body_count; body++)
		for (i = 0; i < region->body_work[body]; i++)
			maker->graphs[at++] = bodies[body];
}

static bool add_conditional(struct cuda_graph_builder *maker, uint32_t index,
			    CUgraph graph)
{
	const plait_work_region *region =
		plaitp_cuda_work_at(maker->request, index)->region;
	CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };

	params.conditional.handle = maker->handles[index];
	params.conditional.type = region->kind == PLAIT_WORK_CASE ?
		CU_GRAPH_COND_TYPE_SWITCH : CU_GRAPH_COND_TYPE_WHILE;
	params.conditional.size = region->body_count;
	params.conditional.ctx = maker->segment->device->context;
	if (!plaitp_cuda_check_call(maker, "cuGraphAddNode",
				    maker->self->cu.cuGraphAddNode(
					&maker->segment->nodes[index], graph,
					maker->before, NULL, maker->count,
					&params)))
		return false;
	give_bodies(maker, index, params.conditional.phGraph_out);
	return true;
}

bool plaitp_cuda_add_region(struct cuda_graph_builder *maker, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(maker->request, index);
	plait_backend_segment *segment = maker->segment;
	CUgraph graph = maker->graphs[index];
	CUdeviceptr word = work->region->kind == PLAIT_WORK_DO ?
				   segment->own + ONE : word_of(work);
	bool is_case = work->region->kind == PLAIT_WORK_CASE;

	if (is_case &&
	    maker->self->driver_version < SWITCH_VERSION)
		return plaitp_cuda_check_call(maker, "cuGraphAddNode",
					      CUDA_ERROR_NOT_SUPPORTED);
	if (!plaitp_cuda_check_call(maker, "cuGraphConditionalHandleCreate",
				    maker->self->cu.cuGraphConditionalHandleCreate(
					&maker->handles[index], graph,
					segment->device->context, 0, 0)) ||
	    !add_decide(maker, graph, maker->handles[index], word,
			is_case ? UINT32_MAX : 0, &maker->before[0]))
		return false;
	maker->count = 1;
	tell_decider(maker, index);
	return add_conditional(maker, index, graph);
}

/* Behind all of its body that nothing of the body is behind. */
static bool close_loop(struct cuda_graph_builder *maker, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(maker->request, index);
	uint32_t end = index + 1 + work->region->body_work[0], i;
	CUgraph body = maker->loops[index];
	CUgraphNode node;

	maker->count = 0;
	for (i = index + 1; i < end; i++)
		if (maker->graphs[i] == body && !maker->followed[i])
			maker->before[maker->count++] =
				maker->segment->nodes[i];
	return add_decide(maker, body, maker->handles[index], word_of(work), 0,
			  &node);
}

bool plaitp_cuda_close_regions(struct cuda_graph_builder *maker)
{
	uint32_t i;

	for (i = 0; i < maker->request->work_count &&
	     maker->segment->region_count > 0; i++) {
		const plait_work *work = plaitp_cuda_work_at(maker->request,
							     i);

		if (work->kind == PLAIT_WORK_REGION &&
		    work->region->kind != PLAIT_WORK_CASE &&
		    !is_told(maker, i) && !close_loop(maker, i))
			return false;
	}
	return true;
}

void plaitp_cuda_end_regions(plait_backend *self,
			     plait_backend_segment *segment, bool entered)
{
	if (segment->own == 0)
		return;
	/* Whoever has the memory next must not be written to. */
	if (segment->own_unsettled && entered)
		(void)self->cu.cuStreamSynchronize(segment->device->maps);
	plaitp_cuda_pool_release(self, segment->device, segment->own_block);
	segment->own = 0;
}

/* --- stopping ------------------------------------------------------------- */

static struct cuda_call tell(plait_backend *self,
			     plait_backend_segment *segment, bool stop)
{
	CUstream stream = segment->device->maps;
	struct cuda_call call = { "cuMemsetD32Async", CUDA_SUCCESS };

	/* Beside the graph, which may run. */
	segment->own_unsettled = true;
	call.code = self->cu.cuMemsetD32Async(segment->own + STOP, stop, 1,
					      stream);
	if (stop || call.code != CUDA_SUCCESS)
		return call;
	call.name = "cuStreamSynchronize";
	call.code = self->cu.cuStreamSynchronize(stream);
	segment->own_unsettled = call.code != CUDA_SUCCESS;
	return call;
}

plait_status plaitp_cuda_segment_stop(plait_backend *self,
				      plait_backend_segment *segment,
				      uint32_t stop, plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	struct cuda_call call;
	plait_status status;

	if (segment->own == 0)
		return PLAIT_OK;
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	call = tell(self, segment, stop != 0);
	plaitp_cuda_leave(self);
	return call.code == CUDA_SUCCESS ? PLAIT_OK :
	       plaitp_cuda_fail_call(self, device, error, call.name, call.code,
				     "a segment that is to stop");
}
