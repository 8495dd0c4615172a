/* SPDX-License-Identifier: MIT */
/*
 * Driver library: opened by name with the backend, never linked; functions are
 * looked up at the versions in calls.h.  It is not unloaded, because drivers do
 * not survive that.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "backend.h"

/* --- error codes ---------------------------------------------------------- */

#define NAMED(name, value) { name, #name },

static const struct {
	CUresult code;
	const char *name;
} codes[] = { CUDA_RESULTS(NAMED) };

/* A table, because callbacks must not call cuGetErrorName. */
const char *plaitp_cuda_code_name(CUresult code)
{
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code)
			return codes[i].name;
	return "an unknown error";
}

const char *plaitp_cuda_code_hint(CUresult code)
{
	switch ((int)code) {
	case CUDA_ERROR_STUB_LIBRARY:
		return "it is the toolkit's stub for linking, no driver; take "
		       "lib64/stubs out of LD_LIBRARY_PATH";
	case CUDA_ERROR_SYSTEM_NOT_READY:
		return "on machines with NVSwitch the service "
		       "nvidia-fabricmanager must run";
	case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
		return "the library and the kernel module are of different "
		       "drivers; load the new module, or start the machine "
		       "again";
	case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
		return "the library is one for compatibility (cuda-compat), "
		       "and this device does not support it; take it out of "
		       "LD_LIBRARY_PATH";
	case CUDA_ERROR_UNKNOWN:
		return "is the kernel module nvidia-uvm loaded? "
		       "nvidia-modprobe -u does it";
	default:
		return "the driver does not work";
	}
}

bool plaitp_cuda_is_sticky(CUresult code)
{
	switch (code) {
	case CUDA_ERROR_ECC_UNCORRECTABLE:
	case CUDA_ERROR_NVLINK_UNCORRECTABLE:
	case CUDA_ERROR_CONTAINED:
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_CONTEXT_IS_DESTROYED:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_TENSOR_MEMORY_LEAK:
	case CUDA_ERROR_MPS_CLIENT_TERMINATED:
	case CUDA_ERROR_EXTERNAL_DEVICE:
	case CUDA_ERROR_DEVICE_UNAVAILABLE:
	case CUDA_ERROR_DEINITIALIZED:
		return true;
	default:
		return false;
	}
}

static plait_status status_of(CUresult code, bool lost)
{
	if (code == CUDA_ERROR_DEVICE_UNAVAILABLE && !lost)
		return PLAIT_E_UNAVAILABLE;
	if (plaitp_cuda_is_sticky(code))
		return PLAIT_E_LOST;
	return code == CUDA_ERROR_OUT_OF_MEMORY ? PLAIT_E_NOMEM :
						  PLAIT_E_FAILED;
}

void plaitp_cuda_lose(plait_backend *self, uint32_t device, CUresult code)
{
	struct cuda_device *lost = &self->devices[device];

	/* The time first: a reader of the code finds it. */
	plaitp_driven_set_once64(&lost->lost_ns,
				 self->services->clock_ns(self->host));
	plaitp_driven_set_once(&lost->lost, (uint32_t)code);
}

plait_status plaitp_cuda_fail_call(plait_backend *self, uint32_t device,
				   plait_error *error, const char *name,
				   CUresult code, const char *where)
{
	/* Before the context is open the device may only be in use. */
	bool lost = plaitp_cuda_is_sticky(code) &&
		    plaitp_cuda_is_open(&self->devices[device]);

	if (lost)
		plaitp_cuda_lose(self, device, code);
	return plaitp_driven_fail(
		self->services, error, status_of(code, lost), code,
		"cuda:%u: %s failed with %s (%d)%s%s%s", device, name,
		plaitp_cuda_code_name(code), (int)code, where[0] != '\0' ? " for " : "", where,
		lost ? "; the device is lost to this process" : "");
}

bool plaitp_cuda_is_lost(plait_backend *self, uint32_t device)
{
	return plaitp_driven_load(&self->devices[device].lost) != 0;
}

/* --- note for packagers --------------------------------------------------- */

#define DLOPEN_NOTE \
	"[{\"feature\":\"cuda\",\"description\":\"Runs kernels on CUDA " \
	"devices\",\"priority\":\"recommended\"," \
	"\"soname\":[\"libcuda.so.1\"]}," \
	"{\"feature\":\"nvrtc\",\"description\":\"Compiles CUDA C\"," \
	"\"priority\":\"recommended\"," \
	"\"soname\":[\"libnvrtc.so.13\",\"libnvrtc.so.12\"]}]"

/* ELF note of libraries that are opened and not linked, which the linker cannot
 * record. */
static const struct {
	uint32_t owner_bytes, text_bytes, type;
	char owner[4];
	char text[(sizeof(DLOPEN_NOTE) + 3) / 4 * 4];
} dlopen_note __attribute__((section(".note.dlopen"), used, aligned(4))) = {
	4, sizeof(DLOPEN_NOTE), 0x407c0c0a, "FDO", DLOPEN_NOTE
};

/* --- functions ------------------------------------------------------------ */

#define FUNCTION(version, name, symbol, parameters, arguments) \
	{ version, #name, offsetof(struct cuda_calls, name) },

static const struct {
	int version;
	const char *name;
	size_t offset;
} functions[] = { CUDA_CALLS(FUNCTION) };

static plait_status refuse(plait_backend *self, plait_error *error,
			   const char *driver, const char *what,
			   const char *name)
{
	return plaitp_driven_fail(self->services, error, PLAIT_E_UNAVAILABLE,
				  0, "cuda: %.80s %s%s; the driver of CUDA "
				  "12.0 or a newer one is needed", driver, what,
				  name);
}

/* Functions newer than CUDA_BASE may be missing and stay null. */
static plait_status look_up(plait_backend *self, cuda_get_proc_address *find,
			    const char *driver, plait_error *error)
{
	CUdriverProcAddressQueryResult result;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = NULL;
		CUresult code = find(functions[i].name, &found,
				     functions[i].version, 0, &result);

		if (code == CUDA_ERROR_STUB_LIBRARY)
			return plaitp_driven_fail(
				self->services, error, PLAIT_E_UNAVAILABLE,
				code, "cuda: %.80s: %s", driver,
				plaitp_cuda_code_hint(code));
		if (code != CUDA_SUCCESS)
			found = NULL;
		if (found == NULL && functions[i].version <= CUDA_BASE)
			return refuse(self, error, driver, "has no ",
				      functions[i].name);
		memcpy((char *)&self->cu + functions[i].offset, &found,
		       sizeof(found));
	}
	return PLAIT_OK;
}

static plait_status ask_version(plait_backend *self, const char *driver,
				plait_error *error)
{
	CUresult code = self->cu.cuDriverGetVersion(&self->driver_version);

	if (code != CUDA_SUCCESS)
		return plaitp_cuda_fail_call(self, 0, error,
					     "cuDriverGetVersion", code, "");
	if (self->driver_version < CUDA_BASE)
		return refuse(self, error, driver, "is too old", "");
	return PLAIT_OK;
}

plait_status plaitp_cuda_load(plait_backend *self, const char *driver,
			      plait_error *error)
{
	cuda_get_proc_address *find;
	void *library, *symbol;
	plait_status status;

	/* The driver loads code that environment variables name. */
	if (getauxval(AT_SECURE) != 0)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "cuda: not for a privileged process: "
					  "environment variables choose the "
					  "code that its driver loads");
	library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "cuda: no driver: %.120s; it is part "
					  "of NVIDIA's driver, in Debian in "
					  "libcuda1", dlerror());
	symbol = dlsym(library, CUDA_GET_PROC_ADDRESS);
	if (symbol == NULL)
		return refuse(self, error, driver, "has no ",
			      CUDA_GET_PROC_ADDRESS);
	memcpy(&find, &symbol, sizeof(find));
	status = look_up(self, find, driver, error);
	return status != PLAIT_OK ? status : ask_version(self, driver, error);
}
