/* SPDX-License-Identifier: MIT */
/*
 * Segments as device graphs: a graph made node by node, and one executable of
 * it.  One queue at a time launches the executable, so a launch never waits for
 * an earlier one.  The graph is kept, because its nodes identify what to
 * update.
 *
 * Every command has a last node: a fill may take several, one after the other,
 * and an empty command takes an empty node.
 */
#include <string.h>

#include "fill.h"
#include "graph.h"
#include "image.h"

/* First driver whose conditional nodes take any command. */
enum { ANY_BODY_VERSION = 12040 };

/* --- nodes; context is current -------------------------------------------- */

static CUDA_KERNEL_NODE_PARAMS_v2
kernel_params(const plait_backend_launch *launch)
{
	return (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = launch->function,
		.gridDimX = launch->grid[0], .gridDimY = launch->grid[1],
		.gridDimZ = launch->grid[2], .blockDimX = launch->block[0],
		.blockDimY = launch->block[1], .blockDimZ = launch->block[2],
		.sharedMemBytes = launch->shared_bytes,
		.kernelParams = launch->arguments
	};
}

/* A copy of one row without a pitch, of which devices allow at most 2 GiB.
 * Wrapped host memory has a device address, too. */
static CUDA_MEMCPY3D_v2 copy_params(const plait_work *work)
{
	bool wrapped = work->target->wrapped != NULL ||
		       work->source->wrapped != NULL;
	CUmemorytype type = wrapped ? CU_MEMORYTYPE_UNIFIED :
				      CU_MEMORYTYPE_DEVICE;

	if (work->rows != NULL)
		return plaitp_cuda_copy3d(work);
	if (plaitp_cuda_image_of(work) != NULL)
		return plaitp_cuda_image_rows(work);
	return (CUDA_MEMCPY3D_v2){
		.srcMemoryType = type, .dstMemoryType = type,
		.srcDevice = work->source->address + work->source_offset,
		.dstDevice = work->target->address + work->target_offset,
		.WidthInBytes = work->bytes, .Height = 1, .Depth = 1
	};
}

static const struct cuda_loop no_loop;

/* A launch has loop arguments only during the call that copies them. */
static void set_loop_arguments(const plait_backend_launch *launch,
			       const struct cuda_loop *loop)
{
	if (launch->loop != NULL)
		*launch->loop = *loop;
}

static bool add_launch(struct cuda_graph_builder *builder, CUgraph graph,
		       uint32_t index, const plait_work *work)
{
	const CUDA_KERNEL_NODE_PARAMS_v2 params = kernel_params(work->launch);
	plait_backend_segment *segment = builder->segment;
	CUresult code;

	if (segment->loops[index].word != 0 && work->launch->may_skip &&
	    !plaitp_cuda_guard_loop(builder, index))
		return false;
	set_loop_arguments(work->launch, &segment->loops[index]);
	code = builder->self->cu.cuGraphAddKernelNode(
		&segment->nodes[index], graph, builder->before, builder->count,
		&params);
	set_loop_arguments(work->launch, &no_loop);
	return plaitp_cuda_check_call(builder, "cuGraphAddKernelNode", code);
}

/* Without a path the driver may refuse the node, or copy through the host. */
static void open_paths(const struct cuda_graph_builder *builder,
		       const plait_work *work)
{
	struct cuda_device *to = work->target->device;
	struct cuda_device *from = work->source->device;

	if (to == from || work->target->wrapped != NULL ||
	    work->source->wrapped != NULL)
		return;
	(void)plaitp_cuda_has_path(builder->self, to, from);
	(void)plaitp_cuda_has_path(builder->self, from, to);
}

static bool add_copy(struct cuda_graph_builder *builder, CUgraph graph,
		     CUgraphNode *out, const plait_work *work)
{
	const CUDA_MEMCPY3D_v2 params = copy_params(work);

	if (work->rows != NULL && !plaitp_cuda_is_copy3d(work))
		return plaitp_cuda_decline(builder, "copies of such rows");
	if (plaitp_cuda_image_of(work) != NULL &&
	    !plaitp_cuda_image_stays(work, builder->segment->device))
		return plaitp_cuda_decline(builder, "copies of images between "
					   "devices");
	open_paths(builder, work);
	return plaitp_cuda_check_call(builder, "cuGraphAddMemcpyNode",
				      builder->self->cu.cuGraphAddMemcpyNode(
					  out, graph, builder->before,
					  builder->count, &params,
					  builder->segment->device->context));
}

static bool add_memset(struct cuda_graph_builder *builder, CUgraph graph,
		       CUgraphNode *out,
		       const CUDA_MEMSET_NODE_PARAMS_v1 *params)
{
	if (!plaitp_cuda_check_call(builder, "cuGraphAddMemsetNode",
				    builder->self->cu.cuGraphAddMemsetNode(
					out, graph, builder->before,
					builder->count, params,
					builder->segment->device->context)))
		return false;
	builder->before[0] = *out;
	builder->count = 1;
	return true;
}

static bool add_memsets(struct cuda_graph_builder *builder, CUgraph graph,
			CUgraphNode *out, const plait_work *work)
{
	CUDA_MEMSET_NODE_PARAMS_v1 chunks[CUDA_FILL_PARTS], rows;
	uint32_t count = plaitp_cuda_split_fill(work, chunks), i;

	for (i = 0; i < count; i++)
		while (plaitp_cuda_next_rows(&chunks[i], &rows))
			if (!add_memset(builder, graph, out, &rows))
				return false;
	return true;
}

static bool add_fill(struct cuda_graph_builder *builder, CUgraph graph,
		     CUgraphNode *out, const plait_work *work)
{
	struct cuda_fill fill;

	if (!plaitp_cuda_fill_kernel(builder->self, builder->segment->device,
				     work, &fill))
		return add_memsets(builder, graph, out, work);
	return plaitp_cuda_check_call(builder, "cuGraphAddKernelNode",
				      builder->self->cu.cuGraphAddKernelNode(
					  out, graph, builder->before,
					  builder->count, &fill.params));
}

/* The first drivers with conditional nodes take only kernels, and further
 * conditional nodes, in bodies. */
static bool is_missing_in_bodies(const struct cuda_graph_builder *builder,
				 const plait_work *work)
{
	return builder->self->driver_version < ANY_BODY_VERSION &&
	       ((work->kind != PLAIT_WORK_LAUNCH &&
		 work->kind != PLAIT_WORK_REGION) ||
		plaitp_driven_work_is_empty(work));
}

/* Add the command behind its predecessors (`before`), to the graph of its
 * body. */
static bool add_node(struct cuda_graph_builder *builder, uint32_t index)
{
	const plait_work *work = plaitp_cuda_work_at(builder->request, index);
	CUgraphNode *out = &builder->segment->nodes[index];
	CUgraph graph = builder->graphs[index];

	if (is_missing_in_bodies(builder, work) && graph != builder->segment->graph)
		return plaitp_cuda_decline(builder, "copies, fills or empty "
					   "commands in loops and branches");
	if (plaitp_driven_work_is_empty(work))
		return plaitp_cuda_check_call(builder, "cuGraphAddEmptyNode",
					      builder->self->cu.cuGraphAddEmptyNode(
						  out, graph, builder->before,
						  builder->count));
	switch (work->kind) {
	case PLAIT_WORK_LAUNCH:
		return add_launch(builder, graph, index, work);
	case PLAIT_WORK_COPY:
		return add_copy(builder, graph, out, work);
	case PLAIT_WORK_REGION:
		return plaitp_cuda_add_region(builder, index);
	default:
		return add_fill(builder, graph, out, work);
	}
}

/* In the order of the request, where predecessors come first.  The graph of the
 * commands of a body is set when its region is added. */
static bool add_nodes(struct cuda_graph_builder *builder)
{
	const plait_segment_request *request = builder->request;
	plait_backend_segment *segment = builder->segment;
	uint32_t i, b;

	for (i = 0; i < request->work_count; i++)
		builder->graphs[i] = segment->graph;
	for (i = 0; i < request->work_count; i++) {
		builder->count = 0;
		for (b = request->before_first[i];
		     b < request->before_first[i + 1]; b++) {
			builder->followed[request->before[b]] = 1;
			builder->before[builder->count++] =
				segment->nodes[request->before[b]];
		}
		if (!add_node(builder, i))
			return false;
	}
	return plaitp_cuda_close_regions(builder);
}

/* --- creation ------------------------------------------------------------- */

/* Retry with an empty pool if the driver has no memory. */
static bool instantiate(struct cuda_graph_builder *builder)
{
	const struct cuda_calls *cu = &builder->self->cu;
	plait_backend_segment *segment = builder->segment;
	CUDA_GRAPH_INSTANTIATE_PARAMS params = { .flags = 0 };
	CUresult code = cu->cuGraphInstantiateWithParams(
		&segment->exec, segment->graph, &params);

	if (code == CUDA_ERROR_OUT_OF_MEMORY) {
		plaitp_cuda_pool_clear(builder->self, segment->device, true);
		code = cu->cuGraphInstantiateWithParams(
			&segment->exec, segment->graph, &params);
	}
	if (code != CUDA_SUCCESS)
		segment->exec = NULL;
	return plaitp_cuda_check_call(builder, "cuGraphInstantiateWithParams",
				      code);
}

/* Make the graph, instantiate and upload it.  Context is current.  The caller
 * destroys what a failure leaves. */
static bool build_graph(struct cuda_graph_builder *builder)
{
	const struct cuda_calls *cu = &builder->self->cu;
	plait_backend_segment *segment = builder->segment;
	CUstream stream = segment->device->service_stream;

	if (!plaitp_cuda_prepare_regions(builder))
		return false;
	if (!plaitp_cuda_check_call(builder, "cuGraphCreate",
				    cu->cuGraphCreate(&segment->graph, 0))) {
		segment->graph = NULL;
		return false;
	}
	if (!add_nodes(builder))
		return false;
	if (!instantiate(builder))
		return false;
	/* Uploaded now, so that the first launch does not wait for it. */
	if (!plaitp_cuda_check_call(builder, "cuGraphUpload",
				    cu->cuGraphUpload(segment->exec, stream)) ||
	    !plaitp_cuda_check_call(builder, "cuStreamSynchronize",
				    cu->cuStreamSynchronize(stream)))
		return false;
	segment->control_pending = false;
	return true;
}

/* Graphs belong to no context, executables to one: `entered`. */
static void destroy_graph(plait_backend *self, plait_backend_segment *segment,
			  bool entered)
{
	if (entered && segment->exec != NULL)
		self->cu.cuGraphExecDestroy(segment->exec);
	if (segment->graph != NULL)
		self->cu.cuGraphDestroy(segment->graph);
}

/* Memory of another kind, another context, a node of a body, unsupported
 * regions: drivers refuse to create or to update with various codes. */
static bool is_refused(CUresult code)
{
	return code != CUDA_ERROR_OUT_OF_MEMORY && !plaitp_cuda_is_sticky(code);
}

/* Log refusals, except for those known beforehand that are not about loops. */
static bool should_log(const struct cuda_graph_builder *builder)
{
	return builder->segment->region_count > 0 || !builder->declined;
}

/* Write the error: the call that the driver refused, or what it lacks. */
static plait_status describe(const struct cuda_graph_builder *builder,
			     plait_error *error)
{
	const char *label = builder->request->label;
	plait_backend *self = builder->self;
	uint32_t device = plaitp_cuda_number(self, builder->segment->device);

	if (label == NULL)
		label = "a segment";
	if (!builder->declined)
		return plaitp_cuda_fail_call(self, device, error,
					     builder->call.name,
					     builder->call.code, label);
	return plaitp_driven_fail(self->services, error, PLAIT_E_FAILED, 0,
				  "cuda:%u: the driver of CUDA %d.%d has no "
				  "graphs with %s, for %s", device,
				  self->driver_version / 1000,
				  self->driver_version % 1000 / 10,
				  builder->call.name, label);
}

static plait_status fail(const struct cuda_graph_builder *builder,
			 plait_error *error)
{
	plait_status status = describe(builder, error);

	if (!is_refused(builder->call.code))
		return status;
	plaitp_cuda_count_graph(builder->segment->device, builder->declined ?
				CUDA_GRAPHS_LEFT : CUDA_GRAPHS_REFUSED);
	if (builder->self->strict)
		return status;
	/* The core then submits the commands one by one, and the host decides
	 * regions. */
	error->status = status = PLAIT_E_UNSUPPORTED;
	if (should_log(builder))
		builder->self->services->log(builder->self->host,
					     PLAIT_LOG_WARNING, error->text);
	return status;
}

/* Zeroed, with its arrays; null without memory. */
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

/* Allocate the arrays of the build and the segment.  Returns false without
 * memory; the caller frees the arrays. */
static bool init_builder(struct cuda_graph_builder *builder)
{
	uint64_t count = builder->request->work_count;
	uint64_t bytes = (count + 1) * sizeof(CUgraphNode) +
		count * (2 * sizeof(CUgraph) + sizeof(CUdeviceptr) +
			 sizeof(CUgraphConditionalHandle) + 1);
	char *arrays = builder->self->services->resize(builder->self->host,
						       NULL, 0, bytes);

	if (arrays == NULL)
		return false;
	memset(arrays, 0, bytes);
	builder->total_bytes = bytes;
	builder->before = (CUgraphNode *)(void *)arrays;
	builder->graphs = (CUgraph *)(void *)(builder->before + count + 1);
	builder->loops = builder->graphs + count;
	builder->handles = (CUgraphConditionalHandle *)(void *)
		(builder->loops + count);
	builder->blocks = (CUdeviceptr *)(void *)(builder->handles + count);
	builder->followed = (unsigned char *)(builder->blocks + count);
	builder->segment = new_segment(builder->self, builder->request);
	return builder->segment != NULL;
}

static void free_builder(struct cuda_graph_builder *builder)
{
	if (builder->before != NULL)
		builder->self->services->resize(builder->self->host,
						builder->before,
						builder->total_bytes, 0);
}

/* Destroys graph and regions after a failure; the record stays the caller's. */
static plait_status build_segment(struct cuda_graph_builder *builder,
				  uint32_t device, plait_error *error)
{
	plait_backend *self = builder->self;
	plait_status status;
	bool made;

	builder->segment->device = &self->devices[device];
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	made = build_graph(builder);
	if (!made) {
		destroy_graph(self, builder->segment, true);
		plaitp_cuda_free_regions(self, builder->segment, true);
	}
	plaitp_cuda_leave(self);
	if (!made)
		return fail(builder, error);
	plaitp_cuda_count_graph(builder->segment->device, CUDA_GRAPHS_MADE);
	return PLAIT_OK;
}

plait_status plaitp_cuda_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error)
{
	struct cuda_graph_builder builder = { .self = self,
					      .request = request };
	plait_status status;

	*out = NULL;
	if (!init_builder(&builder)) {
		free_builder(&builder);
		return plaitp_driven_fail(self->services, error, PLAIT_E_NOMEM,
					  0, "cuda: no memory for a segment");
	}
	status = build_segment(&builder, device, error);
	free_builder(&builder);
	if (status == PLAIT_OK)
		*out = builder.segment;
	else
		self->services->resize(self->host, builder.segment,
				       builder.segment->total_bytes, 0);
	return status;
}

void plaitp_cuda_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	plait_error ignored = { .size = sizeof(ignored) };
	bool entered = plaitp_cuda_enter(self, device, &ignored) == PLAIT_OK;

	destroy_graph(self, segment, entered);
	plaitp_cuda_free_regions(self, segment, entered);
	if (entered)
		plaitp_cuda_leave(self);
	self->services->resize(self->host, segment, segment->total_bytes, 0);
}

/* --- updates -------------------------------------------------------------- */

/* Change the node of a launch or a copy, in the executable graph alone. */
static void patch(plait_backend *self, const plait_backend_segment *segment,
		  uint32_t index, const plait_work *work,
		  struct cuda_call *call)
{
	CUDA_KERNEL_NODE_PARAMS_v2 kernel;
	CUDA_MEMCPY3D_v2 copy;

	if (work->kind == PLAIT_WORK_LAUNCH) {
		kernel = kernel_params(work->launch);
		set_loop_arguments(work->launch, &segment->loops[index]);
		call->name = "cuGraphExecKernelNodeSetParams";
		call->code = self->cu.cuGraphExecKernelNodeSetParams(
			segment->exec, segment->nodes[index], &kernel);
		set_loop_arguments(work->launch, &no_loop);
		return;
	}
	copy = copy_params(work);
	call->name = "cuGraphExecMemcpyNodeSetParams";
	call->code = self->cu.cuGraphExecMemcpyNodeSetParams(
		segment->exec, segment->nodes[index], &copy,
		segment->device->context);
}

/* Nodes of a fill depend on its value and address; the driver changes copies of
 * one row only.  A kernel that does not set the condition, or not
 * always, cannot replace one that does. */
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
	       plaitp_cuda_image_of(work) == NULL && work->rows == NULL;
}

plait_status plaitp_cuda_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error)
{
	uint32_t device = plaitp_cuda_number(self, segment->device);
	struct cuda_call call;
	plait_status status;

	if (!can_patch(segment, index, work)) {
		plaitp_cuda_count_graph(segment->device, CUDA_GRAPHS_ANEW);
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNSUPPORTED, 0,
					  "cuda: command %u cannot be updated; "
					  "the segment must be created again",
					  index);
	}
	status = plaitp_cuda_enter(self, device, error);
	if (status != PLAIT_OK)
		return status;
	patch(self, segment, index, work, &call);
	plaitp_cuda_leave(self);
	if (call.code == CUDA_SUCCESS) {
		plaitp_cuda_count_graph(segment->device, CUDA_GRAPHS_PATCHED);
		return PLAIT_OK;
	}
	status = plaitp_cuda_fail_call(self, device, error, call.name,
				       call.code, work->label != NULL ?
				       work->label : "a segment");
	if (!is_refused(call.code))
		return status;
	/* A copy between other kinds of memory may be refused; a kernel is
	 * not. */
	if (work->kind == PLAIT_WORK_LAUNCH) {
		plaitp_cuda_count_graph(segment->device, CUDA_GRAPHS_REFUSED);
		if (self->strict)
			return status;
	}
	/* The core then creates the segment again. */
	plaitp_cuda_count_graph(segment->device, CUDA_GRAPHS_ANEW);
	return error->status = PLAIT_E_UNSUPPORTED;
}
