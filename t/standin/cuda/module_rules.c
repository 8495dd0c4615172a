/* SPDX-License-Identifier: MIT */
/* Rules of modules and kernels in the stand-ins for CUDA's driver and compiler:
 * they run as CUDA has it, and CUDA's refusals are refused. */
#include <stdlib.h>
#include <string.h>

#include "rig.h"

enum { COUNT = 256 };

static void launches(void)
{
	int host[COUNT], i, wrong = 0, y = 5, total = 0;
	unsigned n = COUNT - 1;
	CUmodule module = NULL;
	CUdeviceptr x, out;
	void *add[] = { &x, &y, &n }, *sum[] = { &x, &out };
	CUfunction function;

	if (!rig_open("seed=1"))
		return;
	x = rig_memory(sizeof(host));
	out = rig_memory(4);
	WORKS(cu.cuMemsetD32Async(out, 0, 1, NULL));
	for (i = 0; i < COUNT; i++)
		host[i] = i;
	rig_write(x, host, sizeof(host));
	function = rig_kernel(&module, "add");
	WORKS(cu.cuLaunchKernel(function, COUNT / 32, 1, 1, 32, 1, 1, 0, NULL,
				add, NULL));
	y = 1000; /* arguments were taken by the call */
	function = rig_kernel(&module, "turn");
	WORKS(cu.cuLaunchKernel(function, COUNT / 64, 1, 1, 64, 1, 1, 0, NULL,
				add, NULL));
	function = rig_kernel(&module, "sum");
	WORKS(cu.cuLaunchKernel(function, 1, 1, 1, COUNT, 1, 1,
				sizeof(host), NULL, sum, NULL));
	rig_read(host, x, sizeof(host));
	rig_read(&total, out, sizeof(total));
	for (i = 0; i < COUNT; i++) {
		int from = i / 64 * 64 + 63 - i % 64;

		wrong += host[i] != from + (from < COUNT - 1 ? 5 : 0);
	}
	IS_INT(wrong, 0);
	IS_INT(total, COUNT * (COUNT - 1) / 2 + 5 * (COUNT - 1));
	WORKS(cu.cuMemFree(x));
	WORKS(cu.cuMemFree(out));
	WORKS(cu.cuModuleUnload(module));
	rig_close();
}

static void refused_launches(void)
{
	CUmodule module = NULL;
	void *none[] = { NULL };
	CUdeviceptr x = 0;
	void *arguments[] = { &x };
	CUfunction turn;
	int most = 0;

	if (!rig_open(""))
		return;
	turn = rig_kernel(&module, "turn");
	WORKS(cu.cuFuncGetAttribute(
		&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, turn));
	IS_INT(most, 64);
	GIVES(cu.cuLaunchKernel(turn, 0, 1, 1, 64, 1, 1, 0, NULL, arguments,
				NULL), CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuLaunchKernel(turn, 1, 65536, 1, 64, 1, 1, 0, NULL,
				arguments, NULL), CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuLaunchKernel(turn, 1, 1, 1, 65, 1, 1, 0, NULL, arguments,
				NULL), CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuLaunchKernel(turn, 1, 1, 1, 64, 1, 1, 49153, NULL,
				arguments, NULL), CUDA_ERROR_INVALID_VALUE);
	WORKS(cu.cuFuncSetAttribute(
		turn, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
		65536));
	GIVES(cu.cuLaunchKernel(turn, 1, 1, 1, 64, 1, 1, 0, NULL, none, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	GIVES(cu.cuModuleGetFunction(&turn, module, "mangled"),
	      CUDA_ERROR_NOT_FOUND);
	WORKS(cu.cuModuleUnload(module));
	GIVES(cu.cuModuleGetFunction(&turn, module, "turn"),
	      CUDA_ERROR_INVALID_HANDLE);
	rig_close();
}

/* Each module has its own variables, which copies reach. */
static void variables(void)
{
	CUmodule modules[2] = { NULL, NULL };
	CUdeviceptr counters[2];
	size_t bytes = 0;
	int values[2], i;

	if (!rig_open(""))
		return;
	for (i = 0; i < 2; i++) {
		CUfunction count = rig_kernel(&modules[i], "count");

		WORKS(cu.cuModuleGetGlobal(&counters[i], &bytes, modules[i],
					   "counter"));
		IS_UINT(bytes, 4);
		WORKS(cu.cuLaunchKernel(count, 5, 1, 1, 2, 1, 1, 0, NULL, NULL,
					NULL));
	}
	for (i = 0; i < 2; i++)
		rig_read(&values[i], counters[i], sizeof(int));
	IS_INT(values[0], 17);
	IS_INT(values[1], 17);
	GIVES(cu.cuModuleGetGlobal(&counters[0], &bytes, modules[0], "none"),
	      CUDA_ERROR_NOT_FOUND);
	WORKS(cu.cuModuleUnload(modules[0]));
	WORKS(cu.cuModuleUnload(modules[1]));
	rig_close();
}

static void try_image(const char *image, int code)
{
	CUmodule module = NULL;

	GIVES(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL), code);
	if (module != NULL)
		WORKS(cu.cuModuleUnload(module));
}

/* Binaries are for a generation, PTX for all that come later. */
static void images(void)
{
	static const char text[] = "extern \"C\" __global__ void k() {}\n";
	char *binary, *family;

	if (!rig_open("arch=90"))
		return;
	binary = rig_compile(text, "sm_80", false);
	family = rig_compile(text, "compute_80", true);
	try_image(binary, CUDA_ERROR_NO_BINARY_FOR_GPU);
	try_image(family, CUDA_SUCCESS);
	rig_close();
	if (rig_open("arch=75"))
		try_image(family, CUDA_ERROR_NO_BINARY_FOR_GPU);
	rig_close();
	if (rig_open("arch=86"))
		try_image(binary, CUDA_SUCCESS);
	try_image("no image at all", CUDA_ERROR_INVALID_IMAGE);
	try_image(".version 8.0\n.target sm_80\n.entry k() { rot; }\n",
		  CUDA_ERROR_INVALID_PTX);
	rig_close();
	free(binary);
	free(family);
}

/* Run a kernel that stores the device's timer. */
static unsigned look_at_timer(const char *image)
{
	CUdeviceptr x = rig_memory(4);
	void *arguments[] = { &x };
	CUfunction function = NULL;
	CUmodule module = NULL;
	unsigned now = 0;

	WORKS(cu.cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	WORKS(cu.cuModuleGetFunction(&function, module, "look"));
	WORKS(cu.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments,
				NULL));
	rig_read(&now, x, sizeof(now));
	WORKS(cu.cuMemFree(x));
	WORKS(cu.cuModuleUnload(module));
	return now;
}

/* Of compiled code, and of PTX that is interpreted. */
static void timers(void)
{
	static const char text[] =
		"extern \"C\" __global__ void look(unsigned *x) {\n"
		"	unsigned now;\n"
		"	asm volatile(\"mov.u32 %0, %%globaltimer_lo;\" : "
		"\"=r\"(now));\n"
		"	*x = now; }\n";
	static const char ptx[] =
		".version 6.0\n.target sm_52\n.address_size 64\n"
		".visible .entry look(.param .u64 x)\n{\n"
		".reg .b32 %now;\n.reg .b64 %x;\n"
		"ld.param.u64 %x, [x];\ncvta.to.global.u64 %x, %x;\n"
		"mov.u32 %now, %globaltimer_lo;\n"
		"st.global.u32 [%x], %now;\nret;\n}\n";
	unsigned first;
	char *image;

	if (!rig_open("timer=7:500"))
		return;
	image = rig_compile(text, "sm_90", false);
	IS_UINT(look_at_timer(image), 507);
	IS_UINT(look_at_timer(ptx), 514);
	rig_close();
	if (rig_open("")) {
		first = look_at_timer(image);
		OK(look_at_timer(ptx) - first < 1u << 31);
		rig_close();
	}
	free(image);
}

static void compiler(void)
{
	static const char *const wrong[] = { "--gpu-architecture=sm_34" };
	nvrtcProgram program = NULL;
	char log[2048] = "";
	size_t bytes = 1;

	if (!rig_load())
		return;
	IS_INT(nvrtc.nvrtcCreateProgram(&program, "\n\nint f() { return x; }",
					"names.cu", 0, NULL, NULL),
	       NVRTC_SUCCESS);
	IS_INT(nvrtc.nvrtcCompileProgram(program, 1, wrong),
	       NVRTC_ERROR_INVALID_OPTION);
	IS_INT(nvrtc.nvrtcCompileProgram(program, 0, NULL),
	       NVRTC_ERROR_COMPILATION);
	IS_INT(nvrtc.nvrtcGetProgramLogSize(program, &bytes), NVRTC_SUCCESS);
	if (OK(bytes > 1 && bytes < sizeof(log)))
		IS_INT(nvrtc.nvrtcGetProgramLog(program, log), NVRTC_SUCCESS);
	HAS_STR(log, "names.cu:3");
	setenv("STANDIN_NVRTC", "nvrtcGetProgramLogSize:2:1", 1);
	IS_INT(nvrtc.nvrtcGetProgramLogSize(program, &bytes), NVRTC_SUCCESS);
	IS_INT(nvrtc.nvrtcGetProgramLog(program, log), NVRTC_SUCCESS);
	IS_INT(nvrtc.nvrtcGetProgramLogSize(program, &bytes),
	       NVRTC_ERROR_OUT_OF_MEMORY);
	setenv("STANDIN_NVRTC", ":1", 1);
	IS_INT(nvrtc.nvrtcGetProgramLog(program, log),
	       NVRTC_ERROR_INTERNAL_ERROR);
	unsetenv("STANDIN_NVRTC");
	IS_INT(nvrtc.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
}

static const struct tap_scenario all[] = {
	{ "launches", launches },
	{ "refused launches", refused_launches },
	{ "variables", variables },
	{ "images", images },
	{ "timers", timers },
	{ "the compiler", compiler },
};

TAP_MAIN(all)
