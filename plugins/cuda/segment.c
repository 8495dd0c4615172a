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

#include "backend.h"

/* What a graph is made with. */
struct maker {
	plait_backend *self;
	const plait_segment_request *request;
	plait_backend_segment *segment;
	CUgraphNode *before; /* of the command in hand */
	size_t count;
	struct cuda_call call; /* the last one */
};

static const plait_work *work_at(const plait_segment_request *request,
				 uint32_t index)
{
	return (const void *)((const char *)request->work +
			      (size_t)request->work->size * index);
}

static bool worked(struct maker *maker, const char *name, CUresult code)
{
	maker->call.name = name;
	maker->call.code = code;
	return code == CUDA_SUCCESS;
}

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

/* One line, and memory of the host that was wrapped has an address, too. */
static CUDA_MEMCPY3D_v2 copy_params(const plait_work *work)
{
	bool wrapped = work->target->wrapped != NULL ||
		       work->source->wrapped != NULL;
	CUmemorytype type = wrapped ? CU_MEMORYTYPE_UNIFIED :
				      CU_MEMORYTYPE_DEVICE;

	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = type, .dstMemoryType = type,
		.srcDevice = work->source->address + work->source_offset,
		.dstDevice = work->target->address + work->target_offset,
		.srcPitch = work->bytes, .srcHeight = 1,
		.dstPitch = work->bytes, .dstHeight = 1,
		.WidthInBytes = work->bytes, .Height = 1, .Depth = 1
	};
}

static bool add_launch(struct maker *maker, CUgraphNode *out,
		       const plait_work *work)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 params = kernel_params(work->launch);

	return worked(maker, "cuGraphAddKernelNode",
		      maker->self->cu.cuGraphAddKernelNode(
			      out, maker->segment->graph, maker->before,
			      maker->count, &params));
}

static bool add_copy(struct maker *maker, CUgraphNode *out,
		     const plait_work *work)
{
	const plait_backend_segment *segment = maker->segment;
	const CUDA_MEMCPY3D_v2 params = copy_params(work);

	return worked(maker, "cuGraphAddMemcpyNode",
		      maker->self->cu.cuGraphAddMemcpyNode(
			      out, segment->graph, maker->before, maker->count,
			      &params, segment->device->context));
}

static bool add_fill(struct maker *maker, CUgraphNode *out,
		     const plait_work *work)
{
	const plait_backend_segment *segment = maker->segment;
	CUDA_MEMSET_NODE_PARAMS_v1 pieces[CUDA_PIECES];
	uint32_t count = plaitp_cuda_divide(work, pieces), i;
	CUgraphNode last;

	for (i = 0; i < count; i++) {
		if (!worked(maker, "cuGraphAddMemsetNode",
			    maker->self->cu.cuGraphAddMemsetNode(
				    out, segment->graph, maker->before,
				    maker->count, &pieces[i],
				    segment->device->context)))
			return false;
		last = *out;
		maker->before[0] = last;
		maker->count = 1;
	}
	return true;
}

static bool add_node(struct maker *maker, CUgraphNode *out,
		     const plait_work *work)
{
	if (plaitp_driven_is_empty(work))
		return worked(maker, "cuGraphAddEmptyNode",
			      maker->self->cu.cuGraphAddEmptyNode(
				      out, maker->segment->graph,
				      maker->before, maker->count));
	switch (work->kind) {
	case PLAIT_WORK_LAUNCH:
		return add_launch(maker, out, work);
	case PLAIT_WORK_COPY:
		return add_copy(maker, out, work);
	default:
		return add_fill(maker, out, work);
	}
}

static bool add_nodes(struct maker *maker)
{
	const plait_segment_request *request = maker->request;
	plait_backend_segment *segment = maker->segment;
	uint32_t i, b;

	for (i = 0; i < request->work_count; i++) {
		maker->count = 0;
		for (b = request->before_first[i];
		     b < request->before_first[i + 1]; b++)
			maker->before[maker->count++] =
				segment->nodes[request->before[b]];
		if (!add_node(maker, &segment->nodes[i], work_at(request, i)))
			return false;
	}
	return true;
}

/* --- making --------------------------------------------------------------- */

static bool make_graph(struct maker *maker)
{
	const struct cuda_calls *cu = &maker->self->cu;
	plait_backend_segment *segment = maker->segment;
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUstream stream = segment->device->maps;

	if (!worked(maker, "cuGraphCreate",
		    cu->cuGraphCreate(&segment->graph, 0))) {
		segment->graph = NULL;
		return false;
	}
	if (!add_nodes(maker))
		return false;
	if (!worked(maker, "cuGraphInstantiateWithParams",
		    cu->cuGraphInstantiateWithParams(&segment->exec,
						     segment->graph,
						     &params))) {
		segment->exec = NULL;
		return false;
	}
	/* Now, and not in front of the first launch. */
	return worked(maker, "cuGraphUpload",
		      cu->cuGraphUpload(segment->exec, stream)) &&
	       worked(maker, "cuStreamSynchronize",
		      cu->cuStreamSynchronize(stream));
}

static void end_graph(plait_backend *self, plait_backend_segment *segment)
{
	if (segment->exec != NULL)
		self->cu.cuGraphExecDestroy(segment->exec);
	if (segment->graph != NULL)
		self->cu.cuGraphDestroy(segment->graph);
}

static plait_status fail(const struct maker *maker, plait_error *error)
{
	const char *label = maker->request->label;
	uint32_t device = plaitp_cuda_number(maker->self,
					     maker->segment->device);
	plait_status status = plaitp_cuda_fail_call(
		maker->self, device, error, maker->call.name,
		maker->call.code, label != NULL ? label : "a segment");

	/* Then its commands come one by one. */
	if (maker->call.code == CUDA_ERROR_NOT_SUPPORTED)
		error->status = status = PLAIT_E_UNSUPPORTED;
	return status;
}

/* With room for its nodes, and for those that one of them is behind. */
static plait_backend_segment *new_segment(plait_backend *self,
					  const plait_segment_request *request)
{
	uint32_t count = request->work_count, most = 1, i;
	plait_backend_segment *segment;
	uint64_t bytes;

	for (i = 0; i < count; i++)
		if (request->before_first[i + 1] - request->before_first[i] >
		    most)
			most = request->before_first[i + 1] -
			       request->before_first[i];
	bytes = sizeof(*segment) +
		((uint64_t)count + most) * sizeof(CUgraphNode);
	segment = self->services->resize(self->host, NULL, 0, bytes);
	if (segment == NULL)
		return NULL;
	memset(segment, 0, bytes);
	segment->total_bytes = bytes;
	segment->nodes = (CUgraphNode *)(void *)(segment + 1);
	segment->work_count = count;
	return segment;
}

plait_status plaitp_cuda_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error)
{
	struct maker maker = { .self = self, .request = request,
			       .segment = new_segment(self, request) };
	plait_status status;

	*out = NULL;
	if (maker.segment == NULL)
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a segment");
	maker.segment->device = &self->devices[device];
	maker.before = maker.segment->nodes + request->work_count;
	status = plaitp_cuda_enter(self, device, error);
	if (status == PLAIT_OK) {
		if (make_graph(&maker))
			*out = maker.segment;
		else
			end_graph(self, maker.segment);
		plaitp_cuda_leave(self);
	}
	if (*out != NULL)
		return PLAIT_OK;
	if (status == PLAIT_OK)
		status = fail(&maker, error);
	self->services->resize(self->host, maker.segment,
			       maker.segment->total_bytes, 0);
	return status;
}

void plaitp_cuda_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	plait_error ignored = { .size = sizeof(ignored) };

	if (plaitp_cuda_enter(self, device, &ignored) == PLAIT_OK) {
		end_graph(self, segment);
		plaitp_cuda_leave(self);
	}
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
		call->name = "cuGraphExecKernelNodeSetParams";
		call->code = self->cu.cuGraphExecKernelNodeSetParams(
			segment->exec, segment->nodes[index], &kernel);
		return;
	}
	copy = copy_params(work);
	call->name = "cuGraphExecMemcpyNodeSetParams";
	call->code = self->cu.cuGraphExecMemcpyNodeSetParams(
		segment->exec, segment->nodes[index], &copy,
		segment->device->context);
}

plait_status plaitp_cuda_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	struct cuda_call call;
	plait_status status;

	/* The nodes of a fill depend on what it is filled with, and where. */
	if ((work->kind != PLAIT_WORK_LAUNCH &&
	     work->kind != PLAIT_WORK_COPY) || plaitp_driven_is_empty(work))
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNSUPPORTED, 0,
					  "cuda: command %u of a segment is "
					  "not changed but made anew", index);
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	patch(self, segment, index, work, &call);
	plaitp_cuda_leave(self);
	return call.code == CUDA_SUCCESS ? PLAIT_OK :
	       plaitp_cuda_fail_call(self, device, error, call.name, call.code,
				     work->label != NULL ? work->label :
							   "a segment");
}
