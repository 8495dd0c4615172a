/* SPDX-License-Identifier: MIT */
/*
 * Fills as one launch, where no single memset call of the driver does: patterns of
 * 8 bytes, ranges that do not begin at a multiple of the pattern, rests.  The
 * kernel is PTX that the driver compiles at first use; a driver that refuses it
 * leaves the calls of fill.c.
 */
#include <string.h>

#include "fill.h"

enum {
	BLOCK_THREADS = 256,
	/* Each thread stores this many bytes at a time. */
	CHUNK_BYTES = 16,
	/* Enough for any device; threads then go on by the whole grid. */
	MOST_BLOCKS = 4096
};

static const char fill_name[] = "plait_fill";

/*
 * A thread stores chunks at multiples of 16, or the bytes of a chunk that lie
 * in the range.  The pattern's first byte is for addresses that are multiples
 * of 8.
 */
static const char fill_text[] =
	".version 6.0\n"
	".target sm_52\n"
	".address_size 64\n"
	".visible .entry plait_fill(\n"
	".param .u64 plait_to,\n"
	".param .u64 plait_bytes,\n"
	".param .u64 plait_pattern\n"
	")\n"
	"{\n"
	".reg .pred %done;\n"
	".reg .b32 %block, %threads, %thread;\n"
	".reg .b64 %to, %end, %pattern, %at, %last, %step;\n"
	".reg .b64 %byte, %value, %low, %high;\n"
	"ld.param.u64 %to, [plait_to];\n"
	"ld.param.u64 %end, [plait_bytes];\n"
	"ld.param.u64 %pattern, [plait_pattern];\n"
	"cvta.to.global.u64 %to, %to;\n"
	"add.s64 %end, %end, %to;\n"
	"mov.u32 %block, %ctaid.x;\n"
	"mov.u32 %threads, %ntid.x;\n"
	"mov.u32 %thread, %tid.x;\n"
	"mul.wide.u32 %at, %block, %threads;\n"
	"cvt.u64.u32 %low, %thread;\n"
	"add.s64 %at, %at, %low;\n"
	"shl.b64 %at, %at, 4;\n"
	"and.b64 %low, %to, -16;\n"
	"add.s64 %at, %at, %low;\n"
	"mov.u32 %block, %nctaid.x;\n"
	"mul.wide.u32 %step, %block, %threads;\n"
	"shl.b64 %step, %step, 4;\n"
	"chunk:\n"
	"setp.ge.u64 %done, %at, %end;\n"
	"@%done bra finish;\n"
	"add.s64 %last, %at, 16;\n"
	"setp.lt.u64 %done, %at, %to;\n"
	"@%done bra part;\n"
	"setp.gt.u64 %done, %last, %end;\n"
	"@%done bra part;\n"
	"st.global.v2.u64 [%at], {%pattern, %pattern};\n"
	"bra next;\n"
	"part:\n"
	"mov.u64 %byte, %at;\n"
	"mov.u64 %value, %pattern;\n"
	"each:\n"
	"setp.lt.u64 %done, %byte, %to;\n"
	"@%done bra rotate;\n"
	"setp.ge.u64 %done, %byte, %end;\n"
	"@%done bra next;\n"
	"st.global.u8 [%byte], %value;\n"
	"rotate:\n"
	"shr.u64 %low, %value, 8;\n"
	"shl.b64 %high, %value, 56;\n"
	"or.b64 %value, %low, %high;\n"
	"add.s64 %byte, %byte, 1;\n"
	"setp.lt.u64 %done, %byte, %last;\n"
	"@%done bra each;\n"
	"next:\n"
	"add.s64 %at, %at, %step;\n"
	"bra chunk;\n"
	"finish:\n"
	"ret;\n"
	"}\n";

/* --- the kernel; context is current --------------------------------------- */

static struct cuda_fill_kernel read_kernel(plait_backend *self,
					   const struct cuda_device *device)
{
	struct cuda_fill_kernel kernel;

	pthread_mutex_lock(&self->accounting_lock);
	kernel = device->fill_kernel;
	pthread_mutex_unlock(&self->accounting_lock);
	return kernel;
}

/* Another thread may have been faster. */
static void keep_kernel(plait_backend *self, struct cuda_device *device,
			const struct cuda_fill_kernel *loaded)
{
	bool kept;

	pthread_mutex_lock(&self->accounting_lock);
	kept = device->fill_kernel.module == NULL;
	if (kept)
		device->fill_kernel = *loaded;
	pthread_mutex_unlock(&self->accounting_lock);
	if (!kept && loaded->module != NULL)
		self->cu.cuModuleUnload(loaded->module);
}

/* A failure is kept, too, unless it is of memory or of the device. */
static void load_kernel(plait_backend *self, struct cuda_device *device)
{
	char log[CUDA_LOG_BYTES] = "";
	struct cuda_fill_kernel loaded = { .module = NULL };
	CUresult code = plaitp_cuda_load_image(self, fill_text, log,
					       &loaded.module);

	if (code == CUDA_SUCCESS) {
		code = self->cu.cuModuleGetFunction(&loaded.function,
						    loaded.module, fill_name);
		if (code != CUDA_SUCCESS)
			self->cu.cuModuleUnload(loaded.module);
	}
	if (code != CUDA_SUCCESS)
		loaded = (struct cuda_fill_kernel){ .refused = true };
	if (code == CUDA_ERROR_OUT_OF_MEMORY || plaitp_cuda_is_sticky(code))
		return;
	keep_kernel(self, device, &loaded);
	if (code != CUDA_SUCCESS)
		self->services->log(self->host, PLAIT_LOG_WARNING,
				    log[0] != '\0' ? log :
				    "cuda: the driver refuses the kernel that "
				    "fills; fills of 8 bytes are slow");
}

static CUfunction find_kernel(plait_backend *self, struct cuda_device *device)
{
	struct cuda_fill_kernel kernel = read_kernel(self, device);

	if (kernel.module == NULL && !kernel.refused) {
		load_kernel(self, device);
		kernel = read_kernel(self, device);
	}
	return kernel.function;
}

/* --- launches ------------------------------------------------------------- */

static bool is_one_call(const plait_work *work)
{
	CUDA_MEMSET_NODE_PARAMS_v1 parts[CUDA_FILL_PARTS];

	return plaitp_cuda_split_fill(work, parts) == 1 &&
	       parts[0].height == 1;
}

/* Kernels write memory of their device, or pinned memory of the host. */
static bool is_reachable(const struct cuda_device *device,
			 const plait_work *work)
{
	return work->target->device == device || work->target->wrapped != NULL;
}

/* Returns the pattern, repeated in 8 bytes, from an address on that is a
 * multiple of 8. */
static uint64_t align_pattern(const plait_work *work, CUdeviceptr to)
{
	unsigned char bytes[8], repeated[8], out[8];
	uint64_t pattern;
	size_t i;

	memcpy(bytes, &work->pattern, sizeof(bytes));
	for (i = 0; i < sizeof(repeated); i++)
		repeated[i] = bytes[i % work->pattern_bytes];
	plaitp_driven_rotate_pattern(out, repeated, sizeof(out), 8 - to % 8);
	memcpy(&pattern, out, sizeof(pattern));
	return pattern;
}

static unsigned count_blocks(CUdeviceptr to, uint64_t bytes)
{
	const uint64_t chunks = (to % CHUNK_BYTES + bytes - 1) / CHUNK_BYTES + 1;
	const uint64_t blocks = (chunks - 1) / BLOCK_THREADS + 1;

	return blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS;
}

bool plaitp_cuda_fill_kernel(plait_backend *self, struct cuda_device *device,
			     const plait_work *work, struct cuda_fill *out)
{
	if (self->fills_by_calls || is_one_call(work) ||
	    !is_reachable(device, work))
		return false;
	out->to = work->target->address + work->target_offset;
	out->bytes = work->bytes;
	out->pattern = align_pattern(work, out->to);
	out->arguments[0] = &out->to;
	out->arguments[1] = &out->bytes;
	out->arguments[2] = &out->pattern;
	out->params = (CUDA_KERNEL_NODE_PARAMS_v2){
		.func = find_kernel(self, device),
		.gridDimX = count_blocks(out->to, out->bytes),
		.gridDimY = 1, .gridDimZ = 1,
		.blockDimX = BLOCK_THREADS, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = out->arguments
	};
	return out->params.func != NULL;
}

void plaitp_cuda_free_fill_kernel(plait_backend *self,
				  struct cuda_device *device, bool entered)
{
	if (entered && device->fill_kernel.module != NULL)
		self->cu.cuModuleUnload(device->fill_kernel.module);
	device->fill_kernel = (struct cuda_fill_kernel){ .module = NULL };
}
