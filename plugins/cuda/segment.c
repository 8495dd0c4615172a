/* SPDX-License-Identifier: MIT */
/*
 * Segments: graphs of the driver, made node by node, and one executable of
 * each.  It is launched by one queue at a time, so it never has to wait for
 * itself.  The graph is kept: its nodes say what is to be changed.
 *
 * A fill may take several nodes, one behind the other, and what does nothing
 * takes an empty one, so every command has a last node.
 */
#include <string.h>

#include "graph.h"

/* --- nodes; the device's context is the thread's --------------------------- */

static CUDA_KERNEL_NODE_PARAMS_v2
kernel_params(const plait_backend_launch *launch)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = launch->function,
		.gridDimX = launch->grid[0], .gridDimY = launch->grid[1],
		.gridDimZ = launch->grid[2], .blockDimX = launch->block[0],
		.blockDimY = launch->block[1], .blockDimZ = launch->block[2],
		.kernelParams = launch->arguments
	};
}

/* One line, of which no device has to know how far it is to the next: they refuse
 * more than 2 GiB.  And memory of the host that was wrapped has an address, too. */
static CUDA_MEMCPY3D_v2 copy_params(const plait_work *work)
{
	bool wrapped = work->target->wrapped != NULL ||
		       work->source->wrapped != NULL;
	CUmemorytype type = wrapped ? CU_MEMORYTYPE_UNIFIED :
				      CU_MEMORYTYPE_DEVICE;

	if (work->rows != NULL)
		return plaitp_cuda_copy3d(work);
	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = type, .dstMemoryType = type,
		.srcDevice = work->source->address + work->source_offset,
		.dstDevice = work->target->address + work->target_offset,
		.WidthInBytes = work->bytes, .Height = 1, .Depth = 1
	};
}

static const struct cuda_loop no_loop;

/* A launch knows no loop but during the call that takes its arguments. */
static void tell_loop(const plait_backend_launch *launch,
		      const struct cuda_loop *loop)
{
	if (launch->loop != NULL)
		*launch->loop = *loop;
}

static bool add_launch(struct cuda_graph_builder *maker, CUgraph graph,
		       uint32_t index, const plait_work *work)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 params = kernel_params(work->launch);
	plait_backend_segment *segment = maker->segment;
	CUresult code;

	if (segment->loops[index].word != 0 && work->launch->may_skip &&
	    !plaitp_cuda_guard_loop(maker, index))
		return false;
	tell_loop(work->launch, &segment->loops[index]);
	code = maker->self->cu.cuGraphAddKernelNode(
		&segment->nodes[index], graph, maker->before, maker->count,
		&params);
	tell_loop(work->launch, &no_loop);
	return plaitp_cuda_check_call(maker, "cuGraphAddKernelNode", code);
}

static bool add_copy(struct cuda_graph_builder *maker, CUgraph graph,
		     CUgraphNode *out, const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 params = copy_params(work);

	if (work->rows != NULL && !plaitp_cuda_is_copy3d(work))
		return plaitp_cuda_check_call(maker, "a copy of rows that far "
					      "apart", CUDA_ERROR_NOT_SUPPORTED);
	return plaitp_cuda_check_call(maker, "cuGraphAddMemcpyNode",
				      maker->self->cu.cuGraphAddMemcpyNode(
					  out, graph, maker->before,
					  maker->count, &params,
					  maker->segment->device->context));
}

static bool add_fill(struct cuda_graph_builder *maker, CUgraph graph,
		     CUgraphNode *out, const plait_work *work)
{
	CUDA_MEMSET_NODE_PARAMS_v1 pieces[CUDA_FILL_PARTS];
	uint32_t count = plaitp_cuda_split_fill(work, pieces), i;

	for (i = 0; i < count; i++) {
		if (!plaitp_cuda_check_call(maker, "cuGraphAddMemsetNode",
					    maker->self->cu.cuGraphAddMemsetNode(
						out, graph, maker->before,
						maker->count, &pieces[i],
						maker->segment->device
							->context)))
			return false;
		maker->before[0] = *out;
		maker->count = 1;
	}
	return true;
}

static bool add_node(struct cuda_graph_builder *maker, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(maker->request, index);
	CUgraphNode *out = &maker->segment->nodes[index];
	CUgraph graph = maker->graphs[index];

	if (plaitp_driven_work_is_empty(work))
		return plaitp_cuda_check_call(maker, "cuGraphAddEmptyNode",
					      maker->self->cu.cuGraphAddEmptyNode(
						  out, graph, maker->before,
						  maker->count));
	switch (work->kind) {
	case PLAIT_WORK_LAUNCH:
		return add_launch(maker, graph, index, work);
	case PLAIT_WORK_COPY:
		return add_copy(maker, graph, out, work);
	case PLAIT_WORK_REGION:
		return plaitp_cuda_add_region(maker, index);
	default:
		return add_fill(maker, graph, out, work);
	}
}

static bool add_nodes(struct cuda_graph_builder *maker)
{
	const plait_segment_request *request = maker->request;
	plait_backend_segment *segment = maker->segment;
	uint32_t i, b;

	for (i = 0; i < request->work_count; i++)
		maker->graphs[i] = segment->graph;
	for (i = 0; i < request->work_count; i++) {
		maker->count = 0;
		for (b = request->before_first[i];
		     b < request->before_first[i + 1]; b++) {
			maker->followed[request->before[b]] = 1;
			maker->before[maker->count++] =
				segment->nodes[request->before[b]];
		}
		if (!add_node(maker, i))
			return false;
	}
	return plaitp_cuda_close_regions(maker);
}

/* --- making --------------------------------------------------------------- */

static bool make_graph(struct cuda_graph_builder *maker)
{
	const struct cuda_calls *cu = &maker->self->cu;
	plait_backend_segment *segment = maker->segment;
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUstream stream = segment->device->maps;

	if (!plaitp_cuda_prepare_regions(maker))
		return false;
	if (!plaitp_cuda_check_call(maker, "cuGraphCreate",
				    cu->cuGraphCreate(&segment->graph, 0))) {
		segment->graph = NULL;
		return false;
	}
	if (!add_nodes(maker))
		return false;
	if (!plaitp_cuda_check_call(maker, "cuGraphInstantiateWithParams",
				    cu->cuGraphInstantiateWithParams(
					&segment->exec, segment->graph,
					&params))) {
		segment->exec = NULL;
		return false;
	}
	/* Now, and not in front of the first launch. */
	if (!plaitp_cuda_check_call(maker, "cuGraphUpload",
				    cu->cuGraphUpload(segment->exec, stream)) ||
	    !plaitp_cuda_check_call(maker, "cuStreamSynchronize",
				    cu->cuStreamSynchronize(stream)))
		return false;
	segment->own_unsettled = false;
	return true;
}

static void end_graph(plait_backend *self, plait_backend_segment *segment)
{
	if (segment->exec != NULL)
		self->cu.cuGraphExecDestroy(segment->exec);
	if (segment->graph != NULL)
		self->cu.cuGraphDestroy(segment->graph);
}

/* Another kind of memory, another context, a node of a body, regions that it does
 * not know: what drivers do not make, or do not change, they say in many ways. */
static bool is_refused(CUresult code)
{
	return code != CUDA_ERROR_OUT_OF_MEMORY && !plaitp_cuda_is_sticky(code);
}

/* But for what is known beforehand, and is not about loops. */
static bool is_worth_a_word(const struct cuda_graph_builder *maker)
{
	return maker->segment->region_count > 0 ||
	       maker->call.code != CUDA_ERROR_NOT_SUPPORTED;
}

static plait_status fail(const struct cuda_graph_builder *maker, plait_error *error)
{
	const char *label = maker->request->label;
	uint32_t device = plaitp_cuda_number(maker->self,
					     maker->segment->device);
	plait_status status = plaitp_cuda_fail_call(
		maker->self, device, error, maker->call.name,
		maker->call.code, label != NULL ? label : "a segment");

	if (!is_refused(maker->call.code))
		return status;
	/* Then its commands come one by one, and the host decides. */
	error->status = status = PLAIT_E_UNSUPPORTED;
	if (is_worth_a_word(maker))
		maker->self->services->log(maker->self->host,
					   PLAIT_LOG_WARNING, error->text);
	return status;
}

static plait_backend_segment *new_segment(plait_backend *self,
					  const plait_segment_request *request)
{
	uint64_t bytes = sizeof(plait_backend_segment) +
			 (uint64_t)request->work_count *
				 (sizeof(CUgraphNode) +
				  sizeof(struct cuda_loop));
	plait_backend_segment *segment =
		self->services->resize(self->host, NULL, 0, bytes);

	if (segment == NULL)
		return NULL;
	memset(segment, 0, bytes);
	segment->total_bytes = bytes;
	segment->loops = (struct cuda_loop *)(void *)(segment + 1);
	segment->nodes = (CUgraphNode *)(void *)
		(segment->loops + request->work_count);
	segment->work_count = request->work_count;
	return segment;
}

static bool begin_making(struct cuda_graph_builder *maker)
{
	uint64_t count = maker->request->work_count;
	uint64_t bytes = (count + 1) * sizeof(CUgraphNode) +
		count * (2 * sizeof(CUgraph) +
			 sizeof(CUgraphConditionalHandle) + 1);
	char *arrays = maker->self->services->resize(maker->self->host, NULL,
						     0, bytes);

	if (arrays == NULL)
		return false;
	memset(arrays, 0, bytes);
	maker->total_bytes = bytes;
	maker->before = (CUgraphNode *)(void *)arrays;
	maker->graphs = (CUgraph *)(void *)(maker->before + count + 1);
	maker->loops = maker->graphs + count;
	maker->handles = (CUgraphConditionalHandle *)(void *)
		(maker->loops + count);
	maker->followed = (unsigned char *)(maker->handles + count);
	maker->segment = new_segment(maker->self, maker->request);
	return maker->segment != NULL;
}

static void end_making(struct cuda_graph_builder *maker)
{
	if (maker->before != NULL)
		maker->self->services->resize(maker->self->host,
					      maker->before,
					      maker->total_bytes, 0);
}

static plait_status make(struct cuda_graph_builder *maker, uint32_t device,
			 plait_error *error)
{
	plait_backend *self = maker->self;
	plait_status status;
	bool made;

	maker->segment->device = &self->devices[device];
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	made = make_graph(maker);
	if (!made) {
		end_graph(self, maker->segment);
		plaitp_cuda_end_regions(self, maker->segment, true);
	}
	plaitp_cuda_leave(self);
	return made ? PLAIT_OK : fail(maker, error);
}

plait_status plaitp_cuda_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error)
{
	struct cuda_graph_builder maker = { .self = self, .request = request };
	plait_status status;

	*out = NULL;
	if (!begin_making(&maker)) {
		end_making(&maker);
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a segment");
	}
	status = make(&maker, device, error);
	end_making(&maker);
	if (status == PLAIT_OK)
		*out = maker.segment;
	else
		self->services->resize(self->host, maker.segment,
				       maker.segment->total_bytes, 0);
	return status;
}

void plaitp_cuda_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	plait_error ignored = { .size = sizeof(ignored) };
	bool entered = plaitp_cuda_enter(self, device, &ignored) == PLAIT_OK;

	if (entered)
		end_graph(self, segment);
	plaitp_cuda_end_regions(self, segment, entered);
	if (entered)
		plaitp_cuda_leave(self);
	self->services->resize(self->host, segment, segment->total_bytes, 0);
}

/* --- changing ------------------------------------------------------------- */

static void patch(plait_backend *self, const plait_backend_segment *segment,
		  uint32_t index, const plait_work *work,
		  struct cuda_call *call)
{
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;
	CUDA_MEMCPY3D_v2 copy;

	if (work->kind == PLAIT_WORK_LAUNCH) {
		kernel = kernel_params(work->launch);
		tell_loop(work->launch, &segment->loops[index]);
		call->name = "cuGraphExecKernelNodeSetParams";
		call->code = self->cu.cuGraphExecKernelNodeSetParams(
			segment->exec, segment->nodes[index], &kernel);
		tell_loop(work->launch, &no_loop);
		return;
	}
	copy = copy_params(work);
	call->name = "cuGraphExecMemcpyNodeSetParams";
	call->code = self->cu.cuGraphExecMemcpyNodeSetParams(
		segment->exec, segment->nodes[index], &copy,
		segment->device->context);
}

/* The nodes of a fill depend on what it is filled with, and where; and another
 * kernel may not decide, or not each time. */
static bool can_patch(const plait_backend_segment *segment, uint32_t index,
		      const plait_work *work)
{
	const struct cuda_loop *loop = &segment->loops[index];

	if (work->kind == PLAIT_WORK_LAUNCH)
		return loop->word == 0 ||
		       (work->launch->loop != NULL &&
			(loop->guarded || !work->launch->may_skip));
	return work->kind == PLAIT_WORK_COPY &&
	       !plaitp_driven_work_is_empty(work) &&
	       (work->rows == NULL || plaitp_cuda_is_copy3d(work));
}

plait_status plaitp_cuda_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	struct cuda_call call;
	plait_status status;

	if (!can_patch(segment, index, work))
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNSUPPORTED, 0,
					  "cuda: command %u of a segment is "
					  "not changed but made anew", index);
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	patch(self, segment, index, work, &call);
	plaitp_cuda_leave(self);
	if (call.code == CUDA_SUCCESS)
		return PLAIT_OK;
	status = plaitp_cuda_fail_call(self, device, error, call.name,
				       call.code, work->label != NULL ?
				       work->label : "a segment");
	/* Then it is made anew. */
	if (is_refused(call.code))
		error->status = status = PLAIT_E_UNSUPPORTED;
	return status;
}
