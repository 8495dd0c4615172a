/* SPDX-License-Identifier: MIT */
/*
 * The reference side: direct driver calls, with the necessary checks only.  Graphs
 * are in hand_graph.c.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "texts.h"

struct hand hand;

static char name[256];

void hand_must(const char *what, CUresult code)
{
	char why[64];

	if (code == CUDA_SUCCESS)
		return;
	(void)snprintf(why, sizeof(why), "gave %d", (int)code);
	die(what, why);
}

/* --- the libraries -------------------------------------------------------- */

static void *find(void *library, const char *symbol)
{
	void *found = dlsym(library, symbol);

	if (found == NULL)
		die("cannot be found", symbol);
	return found;
}

/* A missing function stays null: an old driver has no conditional nodes. */
#define LOOK_UP(version, name, symbol, parameters, arguments) \
	(void)get(#name, (void **)&hand.cu.name, version, 0, NULL);
#define LOOK_UP_NVRTC(version, name, symbol, parameters, arguments) \
	found = find(library, #name); \
	memcpy(&hand.nvrtc.name, &found, sizeof(found));

/* End the program with the message of dlopen and a remedy. */
static void give_up(const char *what, const char *help)
{
	char why[600];

	(void)snprintf(why, sizeof(why), "%.400s; %s", dlerror(), help);
	die(what, why);
}

static void load_driver(const char *file)
{
	void *library = dlopen(file, RTLD_NOW), *found;
	cuda_get_proc_address *get;

	if (library == NULL)
		give_up("no driver", "it comes with that of NVIDIA's devices: "
			"install it, or name it: driver=FILE");
	found = find(library, CUDA_GET_PROC_ADDRESS);
	memcpy(&get, &found, sizeof(found));
	CUDA_CALLS(LOOK_UP)
}

/* Load the newest compiler; one newer than the driver is tried last. */
static void load_compiler(const char *file, int driver_version)
{
	static const char *const usual[] = {
		"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
		"libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12",
	};
	void *library = file != NULL ? dlopen(file, RTLD_NOW) : NULL;
	void *found;

	for (size_t i = 0; library == NULL && file == NULL &&
	     i < sizeof(usual) / sizeof(*usual); i++)
		library = dlopen(usual[(i + (driver_version < 13000 ? 2 : 0)) % 4],
				 RTLD_NOW);
	if (library == NULL)
		give_up("no compiler", "it is NVRTC, of CUDA's toolkit or "
			"pip's nvidia-cuda-nvrtc: nvrtc=FILE names it");
	NVRTC_CALLS(LOOK_UP_NVRTC)
}

/* --- kernels -------------------------------------------------------------- */

static int arch(void)
{
	int major = 0, minor = 0;

	DO(cuDeviceGetAttribute(&major,
				CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
				0));
	DO(cuDeviceGetAttribute(&minor,
				CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
				0));
	return 10 * major + minor;
}

static void complain(nvrtcProgram program, const char *kernel)
{
	size_t bytes = 0;
	char *log;

	if (hand.nvrtc.nvrtcGetProgramLogSize(program, &bytes) !=
	    NVRTC_SUCCESS || (log = calloc(1, bytes + 1)) == NULL ||
	    hand.nvrtc.nvrtcGetProgramLog(program, log) != NVRTC_SUCCESS)
		die(kernel, "cannot be compiled");
	die(kernel, log);
}

static bool fetch(nvrtcProgram program, bool ptx, char **image)
{
	const struct nvrtc_calls *rtc = &hand.nvrtc;
	size_t bytes = 0;

	if ((ptx ? rtc->nvrtcGetPTXSize(program, &bytes) :
		   rtc->nvrtcGetCUBINSize(program, &bytes)) != NVRTC_SUCCESS)
		return false;
	*image = malloc(bytes);
	return *image != NULL &&
	       (ptx ? rtc->nvrtcGetPTX(program, *image) :
		      rtc->nvrtcGetCUBIN(program, *image)) == NVRTC_SUCCESS;
}

char *hand_compile(const char *kernel, const char *text, bool ptx)
{
	char option[64];
	const char *options[] = { option, "-default-device" };
	nvrtcProgram program;
	char *image = NULL;

	(void)snprintf(option, sizeof(option), "--gpu-architecture=%s_%d",
		       ptx ? "compute" : "sm", arch());
	if (hand.nvrtc.nvrtcCreateProgram(&program, text, kernel, 0, NULL,
					  NULL) != NVRTC_SUCCESS)
		die(kernel, "no program");
	if (hand.nvrtc.nvrtcCompileProgram(program, 2, options) !=
	    NVRTC_SUCCESS || !fetch(program, ptx, &image))
		complain(program, kernel);
	hand.nvrtc.nvrtcDestroyProgram(&program);
	return image;
}

CUfunction hand_function_of(const char *kernel, const char *text)
{
	char *image = hand_compile(kernel, text, false);
	CUfunction found;
	CUmodule module;

	DO(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	DO(cuModuleGetFunction(&found, module, kernel));
	free(image);
	return found;
}

/* The arguments are static. */
#define SHOT(target, kernel, text, blocks, size, ...) \
	do { \
		static void *list[] = { __VA_ARGS__ }; \
		(target) = (struct shot){ .function = hand_function_of(kernel, text), \
					.grid = (blocks), .block = (size), \
					.arguments = list }; \
	} while (0)

static uint32_t which[2] = { 0, 1 }, parts;
static double tolerance = TOLERANCE;

static void make_small(void)
{
	static void *works[BRANCHES][2];
	CUfunction work = hand_function_of("work", WORK_TEXT);

	SHOT(hand.stamp[0], "stamp", STAMP_TEXT, 1, 1, &hand.stamps,
	     &which[0]);
	SHOT(hand.stamp[1], "stamp", STAMP_TEXT, 1, 1, &hand.stamps,
	     &which[1]);
	SHOT(hand.tiny, "tiny", TINY_TEXT, 1, TINY_GROUP, &hand.word);
	SHOT(hand.less, "less", LESS_TEXT, 1, TINY_GROUP, &hand.left);
	for (int i = 0; i < BRANCHES; i++) {
		works[i][0] = &hand.branches[i];
		works[i][1] = &sizes.turns;
		hand.work[i] = (struct shot){ .function = work, .grid = 1,
					      .block = TINY_GROUP,
					      .arguments = works[i] };
	}
}

CUfunction hand_decide(void)
{
	if (hand.decide == NULL)
		hand.decide = hand_function_of("decide", DECIDE_TEXT);
	return hand.decide;
}

CUfunction hand_last(void)
{
	return hand_function_of("last", LAST_TEXT);
}

void hand_make_solver(void)
{
	struct hand *h = &hand;

	if (h->begin.function != NULL)
		return;
	parts = groups();
	SHOT(h->steps[APPLY], "apply", APPLY_TEXT, parts, GROUP, &hand.p,
	     &hand.q, &hand.parts, &sizes.square);
	SHOT(h->steps[ALPHA], "alpha", ALPHA_TEXT, 1, GROUP, &hand.parts,
	     &hand.numbers, &parts);
	SHOT(h->steps[STEP], "step", STEP_TEXT, parts, GROUP, &hand.x, &hand.r,
	     &hand.p, &hand.q, &hand.numbers, &hand.parts, &sizes.square);
	SHOT(h->steps[BETA], "beta", BETA_TEXT, 1, GROUP, &hand.parts,
	     &hand.numbers, &hand.go, &hand.count, &parts, &tolerance);
	SHOT(h->steps[TURN], "turn", TURN_TEXT, parts, GROUP, &hand.p, &hand.r,
	     &hand.numbers, &sizes.square);
	SHOT(h->begin, "begin", BEGIN_TEXT, parts, GROUP, &hand.x, &hand.r,
	     &hand.p, &hand.numbers, &hand.go, &hand.count, &sizes.square);
}

/* --- life ----------------------------------------------------------------- */

static void allocate(void)
{
	const struct {
		CUdeviceptr *at;
		size_t bytes;
	} all[] = {
		{ &hand.stamps, 16 }, { &hand.word, 64 }, { &hand.left, 64 },
		{ &hand.branches[0], 64 }, { &hand.branches[1], 64 },
		{ &hand.branches[2], 64 }, { &hand.branches[3], 64 },
		{ &hand.go, 64 }, { &hand.count, 64 },
		{ &hand.x, 8 * (size_t)points() },
		{ &hand.r, 8 * (size_t)points() },
		{ &hand.p, 8 * (size_t)points() },
		{ &hand.q, 8 * (size_t)points() },
		{ &hand.parts, 8 * (size_t)groups() }, { &hand.numbers, 24 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		DO(cuMemAlloc(all[i].at, all[i].bytes));
}

void hand_begin(const char *driver, const char *compiler)
{
	char device[128];
	int version;

	load_driver(driver != NULL ? driver : "libcuda.so.1");
	DO(cuDriverGetVersion(&version));
	load_compiler(compiler, version);
	DO(cuInit(0));
	DO(cuDeviceGetName(device, sizeof(device), 0));
	(void)snprintf(name, sizeof(name), "%s, sm_%d, driver for CUDA %d.%d",
		       device, arch(), version / 1000, version % 1000 / 10);
	DO(cuDevicePrimaryCtxRetain(&hand.context, 0));
	DO(cuCtxSetCurrent(hand.context));
}

void hand_open(void)
{
	for (int i = 0; i < STREAMS; i++)
		DO(cuStreamCreateWithPriority(&hand.streams[i],
					      CU_STREAM_NON_BLOCKING, 0));
	for (int i = 0; i < 2 * STREAMS; i++)
		DO(cuEventCreate(&hand.events[i], CU_EVENT_DISABLE_TIMING));
	allocate();
	make_small();
}

const char *hand_name(void)
{
	return name;
}

bool hand_has_conditions(void)
{
	return hand.cu.cuGraphAddNode != NULL &&
	       hand.cu.cuGraphConditionalHandleCreate != NULL;
}

/* Destroying the context frees memory, streams and modules. */
void hand_close(void)
{
	hand_drop_costs();
	hand_drop_graphs();
	DO(cuCtxSetCurrent(NULL));
	DO(cuDevicePrimaryCtxRelease(0));
}

/* --- commands ------------------------------------------------------------- */

void hand_launch(CUstream stream, const struct shot *shot)
{
	DO(cuLaunchKernel(shot->function, shot->grid, 1, 1, shot->block, 1, 1,
			  0, stream, shot->arguments, NULL));
}

void hand_fill(CUstream stream, CUdeviceptr at, uint32_t value)
{
	DO(cuMemsetD32Async(at, value, 1, stream));
}

/* Read a word and wait for it. */
uint32_t hand_read(CUdeviceptr at)
{
	uint32_t value;

	DO(cuMemcpyDtoHAsync(&value, at, sizeof(value), hand.streams[0]));
	DO(cuStreamSynchronize(hand.streams[0]));
	return value;
}

static void finish(void)
{
	DO(cuStreamSynchronize(hand.streams[0]));
}

/* --- runs ----------------------------------------------------------------- */

void hand_chain_launches(void)
{
	CUstream stream = hand.streams[0];

	hand_fill(stream, hand.word, 0);
	hand_launch(stream, &hand.stamp[0]);
	for (uint32_t i = 0; i < sizes.chain; i++)
		hand_launch(stream, &hand.tiny);
	hand_launch(stream, &hand.stamp[1]);
	finish();
}

static void wait_for(int waits, int event, int records)
{
	DO(cuEventRecord(hand.events[event], hand.streams[records]));
	DO(cuStreamWaitEvent(hand.streams[waits], hand.events[event], 0));
}

static void diamond(void)
{
	hand_launch(hand.streams[0], &hand.tiny);
	DO(cuEventRecord(hand.events[0], hand.streams[0]));
	for (int i = 1; i < BRANCHES; i++)
		DO(cuStreamWaitEvent(hand.streams[i], hand.events[0], 0));
	for (int i = 0; i < BRANCHES; i++)
		hand_launch(hand.streams[i], &hand.work[i]);
	for (int i = 1; i < BRANCHES; i++)
		wait_for(0, i, i);
}

void hand_diamonds_streams(void)
{
	CUstream stream = hand.streams[0];

	hand_fill(stream, hand.word, 0);
	for (int i = 0; i < BRANCHES; i++)
		hand_fill(stream, hand.branches[i], 1);
	hand_launch(stream, &hand.stamp[0]);
	for (uint32_t i = 0; i < sizes.diamonds; i++)
		diamond();
	hand_launch(stream, &hand.stamp[1]);
	finish();
}

void hand_while_host(void)
{
	CUstream stream = hand.streams[0];

	hand_fill(stream, hand.word, 0);
	hand_fill(stream, hand.left, sizes.times);
	hand_launch(stream, &hand.stamp[0]);
	do {
		hand_launch(stream, &hand.tiny);
		hand_launch(stream, &hand.tiny);
		hand_launch(stream, &hand.less);
	} while (hand_read(hand.left) != 0);
	hand_launch(stream, &hand.stamp[1]);
	finish();
}

void hand_cg_host(void)
{
	CUstream stream = hand.streams[0];

	hand_launch(stream, &hand.begin);
	hand_launch(stream, &hand.stamp[0]);
	do {
		for (int i = 0; i < STEPS; i++)
			hand_launch(stream, &hand.steps[i]);
	} while (hand_read(hand.go) != 0);
	hand_launch(stream, &hand.stamp[1]);
	finish();
}

void hand_submit(void)
{
	for (uint32_t i = 0; i < sizes.submits; i++)
		hand_launch(hand.streams[0], &hand.tiny);
}

void hand_make_fill(void)
{
	if (hand.filled == 0)
		DO(cuMemAlloc(&hand.filled, (size_t)sizes.fill << 20));
}

void hand_fill_words(void)
{
	DO(cuMemsetD32Async(hand.filled, 1, (size_t)sizes.fill << 18,
			    hand.streams[0]));
	finish();
}

void hand_fill_columns(void)
{
	for (unsigned i = 0; i < 2; i++)
		DO(cuMemsetD2D32Async(hand.filled + 4 * i, 8, i, 1,
				      (size_t)sizes.fill << 17,
				      hand.streams[0]));
	finish();
}

void hand_finish(void)
{
	finish();
	device_ns = 0;
}

static void take(CUdeviceptr from)
{
	uint64_t at[2];

	DO(cuMemcpyDtoHAsync(at, hand.stamps, sizeof(at), hand.streams[0]));
	finish();
	device_ns = (double)(at[1] - at[0]);
	result = hand_read(from);
}

void hand_take_word(void) { take(hand.word); }
void hand_take_branch(void) { take(hand.branches[BRANCHES - 1]); }
void hand_take_count(void) { take(hand.count); }
