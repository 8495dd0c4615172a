/* SPDX-License-Identifier: MIT */
/* Rig for tests of the stand-ins for CUDA; see rig.h. */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

struct cuda_calls cu;
struct nvrtc_calls nvrtc;
cuda_get_proc_address *rig_find;
standin_configure_function *rig_configure;
standin_live_function *rig_live;
standin_leaked_function *rig_leaked;
standin_calls_function *rig_calls;
standin_fail_function *rig_fail;
standin_fault_function *rig_fault;
standin_overlaps_function *rig_overlaps;
standin_undecided_function *rig_undecided;
standin_failed_function *rig_failed;
standin_misused_function *rig_misused;
standin_speak_function *rig_speak;
CUcontext rig_context;

/* --- libraries ------------------------------------------------------------ */

static void *open_library(const char *name)
{
	const char *build = getenv("abs_top_builddir");
	char path[1024];

	snprintf(path, sizeof(path), "%s/t/standin/cuda/.libs/%s",
		 build != NULL ? build : ".", name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool find(void *library, const char *name, void *pointer)
{
	void *found = dlsym(library, name);

	memcpy(pointer, &found, sizeof(found));
	return found != NULL;
}

#define FIND(version, name, symbol, parameters, arguments) \
	held &= rig_find(#name, (void **)&cu.name, version, 0, NULL) == \
			CUDA_SUCCESS && cu.name != NULL;
#define FIND_NVRTC(version, name, symbol, parameters, arguments) \
	held &= find(library, #name, &nvrtc.name);

static bool load_driver(void)
{
	void *library = open_library("standin_cuda.so");
	bool held = library != NULL;

	if (!held)
		return false;
	held &= find(library, CUDA_GET_PROC_ADDRESS, &rig_find);
	held &= find(library, "standin_configure", &rig_configure);
	held &= find(library, "standin_live", &rig_live);
	held &= find(library, "standin_leaked", &rig_leaked);
	held &= find(library, "standin_calls", &rig_calls);
	held &= find(library, "standin_fail", &rig_fail);
	held &= find(library, "standin_fault", &rig_fault);
	held &= find(library, "standin_overlaps", &rig_overlaps);
	held &= find(library, "standin_undecided", &rig_undecided);
	held &= find(library, "standin_failed", &rig_failed);
	held &= find(library, "standin_misused", &rig_misused);
	held &= find(library, "standin_speak", &rig_speak);
	if (!held)
		return false;
	rig_configure("");
	CUDA_CALLS(FIND)
	return held;
}

static bool load_compiler(void)
{
	void *library = open_library("standin_nvrtc.so");
	bool held = library != NULL;

	if (!held)
		return false;
	NVRTC_CALLS(FIND_NVRTC)
	return held;
}

bool rig_load(void)
{
	static bool loaded;

	if (!loaded)
		loaded = load_driver() && load_compiler();
	return OK_THAT(loaded, "both stand-ins can be loaded");
}

bool rig_open(const char *options)
{
	char all[512];

	if (!rig_load())
		return false;
	/* Host functions of these tests wait for calls. */
	snprintf(all, sizeof(all), "locked=no,waits=0,%s", options);
	rig_configure(all);
	return WORKS(cu.cuInit(0)) &&
	       WORKS(cu.cuDevicePrimaryCtxRetain(&rig_context, 0)) &&
	       WORKS(cu.cuCtxPushCurrent(rig_context));
}

static void let_go(void)
{
	WORKS(cu.cuCtxPopCurrent(NULL));
	WORKS(cu.cuDevicePrimaryCtxRelease(0));
	IS_UINT(rig_live(STANDIN_CONTEXT), 0);
}

void rig_close(void)
{
	unsigned kind;

	let_go();
	for (kind = 0; kind < STANDIN_KINDS; kind++)
		if (rig_live(kind) != 0 || rig_leaked(kind) != 0)
			OK_THAT(false, "kind %u: %" PRIu64 " live, %" PRIu64
				" left behind", kind, rig_live(kind),
				rig_leaked(kind));
}

void rig_abandon(void)
{
	let_go();
}

/* --- kernels -------------------------------------------------------------- */

char *rig_compile(const char *text, const char *arch, bool ptx)
{
	char option[64];
	const char *options[] = { option };
	nvrtcProgram program;
	nvrtcResult result;
	char *image = NULL, log[2048];
	size_t bytes = 0;

	snprintf(option, sizeof(option), "--gpu-architecture=%s", arch);
	if (nvrtc.nvrtcCreateProgram(&program, text, "rig.cu", 0, NULL,
				     NULL) != NVRTC_SUCCESS)
		return NULL;
	result = nvrtc.nvrtcCompileProgram(program, 1, options);
	if (!OK_THAT(result == NVRTC_SUCCESS, "it compiles for %s", arch) &&
	    nvrtc.nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS &&
	    bytes <= sizeof(log) &&
	    nvrtc.nvrtcGetProgramLog(program, log) == NVRTC_SUCCESS)
		NOTE("%s", log);
	if (ptx)
		nvrtc.nvrtcGetPTXSize(program, &bytes);
	else
		nvrtc.nvrtcGetCUBINSize(program, &bytes);
	image = malloc(bytes + 1);
	if (ptx)
		nvrtc.nvrtcGetPTX(program, image);
	else
		nvrtc.nvrtcGetCUBIN(program, image);
	nvrtc.nvrtcDestroyProgram(&program);
	return image;
}

static const char kernels[] =
	"extern \"C\" __device__ int counter = 7;\n"
	"#define KERNEL extern \"C\" __global__ void\n"
	"KERNEL add(int *x, int y, unsigned n) {\n"
	"  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
	"  if (i < n) x[i] += y; }\n"
	"KERNEL __launch_bounds__(64) turn(int *x) {\n"
	"  __shared__ int part[64]; unsigned i = threadIdx.x;\n"
	"  x += blockIdx.x * 64; part[i] = x[i]; __syncthreads();\n"
	"  x[threadIdx.x] = part[63 - threadIdx.x]; }\n"
	"KERNEL sum(int *x, int *out) {\n"
	"  extern __shared__ int part[]; unsigned i = threadIdx.x;\n"
	"  part[i] = x[i]; __syncthreads();\n"
	"  for (unsigned n = blockDim.x / 2; n > 0; n /= 2) {\n"
	"    if (i < n) part[i] += part[i + n];\n"
	"    __syncthreads(); }\n"
	"  if (i == 0) atomicAdd(out, part[0]); }\n"
	"KERNEL count() { atomicAdd(&counter, 1); }\n"
	"KERNEL fail(int at) { if ((int)threadIdx.x == at) __trap(); }\n"
	"KERNEL append(int *list, int value) { list[++list[0]] = value; }\n"
	"extern \"C\" __device__ void cudaGraphSetConditional(\n"
	"  unsigned long long handle, unsigned value);\n"
	"KERNEL decide(unsigned long long handle, unsigned *word) {\n"
	"  cudaGraphSetConditional(handle, *word); }\n"
	"KERNEL count_down(unsigned long long handle, unsigned *word) {\n"
	"  cudaGraphSetConditional(handle, --*word); }\n"
	"__global__ void mangled() {}\n";

CUfunction rig_kernel(CUmodule *module, const char *name)
{
	static char *image;
	CUfunction function = NULL;

	if (image == NULL)
		image = rig_compile(kernels, "sm_90", false);
	if (*module == NULL)
		WORKS(cu.cuModuleLoadDataEx(module, image, 0, NULL, NULL));
	WORKS(cu.cuModuleGetFunction(&function, *module, name));
	return function;
}

/* --- streams and memory --------------------------------------------------- */

CUstream rig_stream(void)
{
	CUstream stream = NULL;

	WORKS(cu.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
					    0));
	return stream;
}

CUdeviceptr rig_memory(size_t bytes)
{
	CUdeviceptr pointer = 0;

	WORKS(cu.cuMemAlloc(&pointer, bytes));
	return pointer;
}

void rig_read(void *to, CUdeviceptr from, size_t bytes)
{
	WORKS(cu.cuCtxSynchronize());
	WORKS(cu.cuMemcpyDtoHAsync(to, from, bytes, NULL));
	WORKS(cu.cuStreamSynchronize(NULL));
}

void rig_write(CUdeviceptr to, const void *from, size_t bytes)
{
	WORKS(cu.cuMemcpyHtoDAsync(to, from, bytes, NULL));
	WORKS(cu.cuStreamSynchronize(NULL));
}

void rig_stand(void *user_data)
{
	struct gate *gate = user_data;

	__atomic_store_n(&gate->reached, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&gate->open, __ATOMIC_ACQUIRE))
		sched_yield();
}

void rig_hold(CUstream stream, struct gate *gate)
{
	gate->open = 0;
	gate->reached = 0;
	WORKS(cu.cuLaunchHostFunc(stream, rig_stand, gate));
}

void rig_release(struct gate *gate)
{
	__atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE);
}

void rig_meet(struct gate *gate)
{
	uint64_t since = 0;

	while (!__atomic_load_n(&gate->reached, __ATOMIC_ACQUIRE) &&
	       !tap_late(&since))
		sched_yield();
}
