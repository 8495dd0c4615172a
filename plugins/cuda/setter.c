/* SPDX-License-Identifier: MIT */
/*
 * Kernels of one thread that set conditions, as PTX that the driver compiles, so
 * that no compiler is needed.  Each device has a module of them, loaded at first
 * use.
 */
#include "graph.h"

static const char decide_name[] = "plait_decide";
static const char pick_name[] = "plait_pick";

/* Parameters of both kernels; the word is in %word, and the number in %number.
 * The stop word lies in memory of the host, so its load takes a microsecond; it
 * is read if the last look was longer ago than a period: both are in %last and
 * %period.  A timer that stands still makes each run look.  %stopped: the stop
 * word is not 0, as far as it is known. */
#define BEGIN_SETTER(name) \
	".visible .entry " name "(\n" \
	".param .u64 plait_condition,\n" \
	".param .u64 plait_word,\n" \
	".param .u64 plait_stop,\n" \
	".param .u64 plait_looked,\n" \
	".param .u32 plait_number\n" \
	")\n" \
	"{\n" \
	".reg .pred %quiet, %stopped, %picked;\n" \
	".reg .b32 %word, %number, %value;\n" \
	".reg .b32 %stop, %last, %period, %now, %age;\n" \
	".reg .b64 %condition, %from, %looked;\n" \
	"ld.param.u64 %condition, [plait_condition];\n" \
	"ld.param.u64 %from, [plait_word];\n" \
	"cvta.to.global.u64 %from, %from;\n" \
	"ld.volatile.global.u32 %word, [%from];\n" \
	"ld.param.u64 %looked, [plait_looked];\n" \
	"cvta.to.global.u64 %looked, %looked;\n" \
	"ld.volatile.global.v2.u32 {%last, %period}, [%looked];\n" \
	"ld.param.u32 %number, [plait_number];\n" \
	"mov.u32 %now, %globaltimer_lo;\n" \
	"mov.u32 %stop, 0;\n" \
	"sub.u32 %age, %now, %last;\n" \
	"sub.u32 %age, %age, 1;\n" \
	"setp.lt.u32 %quiet, %age, %period;\n" \
	"setp.ne.and.u32 %quiet, %last, 0, %quiet;\n" \
	"@%quiet bra DECIDED;\n" \
	"or.b32 %now, %now, 1;\n" \
	"st.volatile.global.u32 [%looked], %now;\n" \
	"ld.param.u64 %from, [plait_stop];\n" \
	"cvta.to.global.u64 %from, %from;\n" \
	"ld.volatile.global.u32 %stop, [%from];\n" \
	"DECIDED:\n" \
	"setp.ne.u32 %stopped, %stop, 0;\n"

/* Set the condition to %value. */
#define END_SETTER \
	"{\n" \
	".param .b64 handle;\n" \
	".param .b32 value;\n" \
	"st.param.b64 [handle], %condition;\n" \
	"st.param.b32 [value], %value;\n" \
	"call.uni cudaGraphSetConditional, (handle, value);\n" \
	"}\n" \
	"ret;\n" \
	"}\n"

/* decide sets the condition to the word, or to the number if it is stopped.
 * pick sets it to 1 if the word is the number and it is not stopped, else to
 * 0. */
static const char setters_text[] =
	".version 6.0\n"
	".target sm_52\n"
	".address_size 64\n"
	".extern .func cudaGraphSetConditional\n"
	"(\n"
	".param .b64 handle,\n"
	".param .b32 value\n"
	")\n"
	";\n"
	BEGIN_SETTER("plait_decide")
	"selp.b32 %value, %number, %word, %stopped;\n"
	END_SETTER
	BEGIN_SETTER("plait_pick")
	"setp.eq.u32 %picked, %word, %number;\n"
	"selp.b32 %value, 1, 0, %picked;\n"
	"selp.b32 %value, 0, %value, %stopped;\n"
	END_SETTER;

/* --- the module; context is current --------------------------------------- */

static bool has_setters(plait_backend *self, const struct cuda_device *device)
{
	bool has;

	pthread_mutex_lock(&self->accounting_lock);
	has = device->setter_module != NULL;
	pthread_mutex_unlock(&self->accounting_lock);
	return has;
}

/* Another thread may have been faster. */
static void keep_setters(plait_backend *self, struct cuda_device *device,
			CUmodule module, CUfunction decide, CUfunction pick)
{
	bool kept;

	pthread_mutex_lock(&self->accounting_lock);
	kept = device->setter_module == NULL;
	if (kept) {
		device->setter_module = module;
		device->decide_kernel = decide;
		device->pick_kernel = pick;
	}
	pthread_mutex_unlock(&self->accounting_lock);
	if (!kept)
		self->cu.cuModuleUnload(module);
}

/* Load the module of decide and pick; another thread may have been faster. */
static struct cuda_call load_setters(plait_backend *self,
				    struct cuda_device *device, char *log)
{
	struct cuda_call call = { "cuModuleLoadDataEx", CUDA_SUCCESS };
	CUfunction decide = NULL, pick = NULL;
	CUmodule module = NULL;

	call.code = plaitp_cuda_load_image(self, setters_text, log, &module);
	if (call.code != CUDA_SUCCESS)
		return call;
	call.name = "cuModuleGetFunction";
	call.code = self->cu.cuModuleGetFunction(&decide, module, decide_name);
	if (call.code == CUDA_SUCCESS)
		call.code = self->cu.cuModuleGetFunction(&pick, module,
							 pick_name);
	if (call.code == CUDA_SUCCESS)
		keep_setters(self, device, module, decide, pick);
	else
		self->cu.cuModuleUnload(module);
	return call;
}

/* Load the kernels once for each device, at first use. */
struct cuda_call plaitp_cuda_find_setters(plait_backend *self,
					  struct cuda_device *device)
{
	char log[CUDA_LOG_BYTES] = "";
	struct cuda_call call = { "cuModuleLoadDataEx", CUDA_SUCCESS };

	if (!has_setters(self, device))
		call = load_setters(self, device, log);
	if (call.code != CUDA_SUCCESS && log[0] != '\0')
		self->services->log(self->host, PLAIT_LOG_WARNING, log);
	return call;
}

/* --- nodes ---------------------------------------------------------------- */

bool plaitp_cuda_add_setter(struct cuda_graph_builder *builder, CUgraph graph,
			    CUfunction kernel,
			    CUgraphConditionalHandle condition,
			    CUdeviceptr word, CUdeviceptr block,
			    unsigned number, CUgraphNode *out)
{
	CUdeviceptr stop = builder->segment->stop->address;
	CUdeviceptr looked = block + offsetof(struct cuda_control, looked);
	void *arguments[] = { &condition, &word, &stop, &looked, &number };
	const CUDA_KERNEL_NODE_PARAMS_v2 params = {
		.func = kernel,
		.gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = 1, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = arguments
	};

	return plaitp_cuda_check_call(builder, "cuGraphAddKernelNode",
				      builder->self->cu.cuGraphAddKernelNode(
					  out, graph, builder->before,
					  builder->count, &params));
}
