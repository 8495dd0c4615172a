/* SPDX-License-Identifier: MIT */
/*
 * ICD loader: opened by name with the backend, never linked.  It is not
 * unloaded, because drivers do not survive that.  Errors of its calls.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "code.h"
#include "opencl.h"

/* --- failed calls --------------------------------------------------------- */

plait_status plaitp_opencl_fail_call(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *where)
{
	const struct opencl_code *of = plaitp_opencl_code(code);

	return plaitp_driven_fail(services, error, of->status, code,
				  "opencl: %s failed with %s (%d)%s%s%s%s",
				  name, of->name, (int)code,
				  where[0] != '\0' ? " for " : "", where,
				  of->hint[0] != '\0' ? "; " : "", of->hint);
}

enum { WHERE_BYTES = 160 };

static void describe_origin(char where[WHERE_BYTES], const char *label,
		       const char *queue)
{
	snprintf(where, WHERE_BYTES, "%s%.80s%s%s%.48s%s",
		 label != NULL ? "command \"" : "", label != NULL ? label : "",
		 label != NULL ? "\"" : "",
		 queue[0] == '\0' ? "" : label != NULL ? " in queue \"" :
		 "queue \"",
		 queue, queue[0] != '\0' ? "\"" : "");
}

plait_status plaitp_opencl_fail_work(const plait_host_services *services,
				     plait_error *error, const char *name,
				     cl_int code, const char *label,
				     const char *queue)
{
	char where[WHERE_BYTES];

	describe_origin(where, label, queue);
	return plaitp_opencl_fail_call(services, error, name, code, where);
}

plait_status plaitp_opencl_fail_end(const plait_host_services *services,
				    plait_error *error, const char *name,
				    cl_int code, const char *label,
				    const char *queue)
{
	char where[WHERE_BYTES];

	describe_origin(where, label, queue);
	/* OPENCL_UNKNOWN is a status of events that no call returns. */
	if (code != OPENCL_UNKNOWN)
		return plaitp_opencl_fail_call(services, error, name, code,
					       where);
	return plaitp_driven_fail(services, error, PLAIT_E_FAILED, code,
				  "opencl: %s ended with status %d; the "
				  "driver gives no cause%s%s", name, (int)code,
				  where[0] != '\0' ? ", for " : "", where);
}

/* --- note for packagers --------------------------------------------------- */

#define DLOPEN_NOTE \
	"[{\"feature\":\"opencl\",\"description\":\"Runs kernels on " \
	"OpenCL devices\",\"priority\":\"recommended\"," \
	"\"soname\":[\"libOpenCL.so.1\"]}]"

/* ELF note of libraries that are opened and not linked, which the linker cannot
 * record. */
static const struct {
	uint32_t owner_bytes, text_bytes, type;
	char owner[4];
	char text[(sizeof(DLOPEN_NOTE) + 3) / 4 * 4];
} dlopen_note __attribute__((section(".note.dlopen"), used, aligned(4))) = {
	4, sizeof(DLOPEN_NOTE), 0x407c0c0a, "FDO", DLOPEN_NOTE
};

const char plaitp_opencl_default_loader[] = "libOpenCL.so.1";

/* --- functions ------------------------------------------------------------ */

#define OPENCL_STATUS_NAME(name, parameters, arguments) \
	{ #name, offsetof(struct opencl_calls, name) },
#define OPENCL_MAKES_NAME(type, name, parameters, arguments) \
	{ #name, offsetof(struct opencl_calls, name) },

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	OPENCL_CALLS(OPENCL_STATUS_NAME, OPENCL_MAKES_NAME)
	{ "clGetExtensionFunctionAddressForPlatform",
	  offsetof(struct opencl_calls,
		   clGetExtensionFunctionAddressForPlatform) },
};

/* Returns true with the functions of a library that was preloaded or linked:
 * tools watch calls that way. */
static bool look_up_global(plait_backend *self)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(RTLD_DEFAULT, functions[i].name);

		if (found == NULL)
			return false;
		memcpy((char *)&self->cl + functions[i].offset, &found,
		       sizeof(found));
	}
	return true;
}

static plait_status look_up(plait_backend *self, void *library,
			    const char *loader, plait_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = dlsym(library, functions[i].name);

		if (found == NULL)
			return plaitp_driven_fail(
				self->services, error, PLAIT_E_UNAVAILABLE, 0,
				"opencl: %.80s has no %s, which OpenCL 1.2 "
				"has", loader, functions[i].name);
		memcpy((char *)&self->cl + functions[i].offset, &found,
		       sizeof(found));
	}
	return PLAIT_OK;
}

plait_status plaitp_opencl_load(plait_backend *self, const char *loader,
				plait_error *error)
{
	void *library;

	/* Loader and drivers load code that environment variables name. */
	if (getauxval(AT_SECURE) != 0)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "opencl: not for a privileged "
					  "process: environment variables "
					  "choose the code that its loader "
					  "loads");
	if (loader == NULL && look_up_global(self))
		return PLAIT_OK;
	if (loader == NULL)
		loader = plaitp_opencl_default_loader;
	library = dlopen(loader, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return plaitp_driven_fail(self->services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  "opencl: no ICD loader: %.120s; "
					  "Debian has it in "
					  "ocl-icd-libopencl1", dlerror());
	return look_up(self, library, loader, error);
}
