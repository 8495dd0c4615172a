/* SPDX-License-Identifier: MIT */
/* Built kernel: made by program.c, used by launch.c and warm.c. */
#ifndef PLAITP_OPENCL_KERNEL_H
#define PLAITP_OPENCL_KERNEL_H

#include "opencl.h"

enum {
	OPENCL_ENTRY_BYTES = 256,
	OPENCL_PARAMETER_BYTES = 40,
	OPENCL_VALUE_BYTES = 4096, /* at most, of a struct */
	OPENCL_PADDED_BYTES = 32, /* at most, of a vector of 3 */
	OPENCL_WARMED = 64,
	OPENCL_OBJECTS = 8 /* kernel objects, which launches share */
};

/* Global and local sizes that the driver has compiled for. */
struct opencl_geometry {
	size_t items[3];
	size_t group[3];
};

struct opencl_parameter {
	uint64_t bytes; /* size of the value, or of an element */
	uint64_t padded_bytes; /* as the kernel takes the value */
	bool pointer; /* to a buffer */
	bool local;
	bool image;
	bool sampler; /* plait_sampler_flags: a sampler_t */
	char name[OPENCL_PARAMETER_BYTES];
};

/* Kernel object of launches (object.h).  Guarded by arguments_lock; `kernel` is
 * also constant while there are users. */
struct opencl_object {
	uint32_t users; /* guarded by accounting_lock */
	cl_kernel kernel; /* null without users */
	const plait_backend_launch *last; /* that set all arguments; or null */
	uint64_t *values; /* that are set, placed as those of a launch */
	uint32_t word_count;
};

struct plait_backend_kernel {
	uint64_t total_bytes;
	struct opencl_device *device;
	cl_program program;
	struct opencl_program *shared; /* owns the program; or null */
	cl_kernel kernel; /* for queries and warm-up, not for launches */
	struct opencl_object objects[OPENCL_OBJECTS];
	size_t group_max;
	uint64_t local_bytes; /* without those of parameters */
	bool guarded; /* one more parameter: with 0 the kernel does nothing */
	char *text; /* of portable source, for shift.c; or null */
	uint64_t text_bytes; /* without the NUL */
	uint32_t flags; /* of its code */
	plait_backend_kernel *shifted; /* or null; guarded by shift_lock */
	char name[OPENCL_ENTRY_BYTES]; /* of the kernel, with `text` */
	/* Guarded by accounting_lock. */
	struct opencl_geometry warmed[OPENCL_WARMED];
	uint32_t warmed_count;
	char entry[OPENCL_ENTRY_BYTES];
	uint32_t parameter_count;
	struct opencl_parameter parameters[];
};

/* --- share.c */

/* Find the program of a device and a key, and use it once more; or null. */
cl_program plaitp_opencl_share_find(plait_backend *self,
				    const struct opencl_device *device,
				    const char *key, uint64_t key_bytes,
				    struct opencl_program **out);
/* Share a program, which becomes the callee's.  Returns the program to use: it,
 * or an equal one that was shared before.  *out has a use of it, to be dropped;
 * null without memory: the caller releases the program itself. */
cl_program plaitp_opencl_share_add(plait_backend *self,
				   const struct opencl_device *device,
				   const char *key, uint64_t key_bytes,
				   cl_program program,
				   struct opencl_program **out);
/* End a use; the last one releases the program. */
void plaitp_opencl_share_drop(plait_backend *self,
			      struct opencl_program *program);

/* --- shift.c: views that no sub-buffer can begin at */

/* Builds portable source with an offset for each pointer, as last parameters. */
#define OPENCL_SHIFTED " -DPLAIT_SHIFTED=1"

/* Keep what a later build needs, if the kernel can have such a variant.  Returns
 * false without memory. */
bool plaitp_opencl_shift_keep(plait_backend *self, const plait_code *code,
			      plait_backend_kernel *kernel);
/* Get that variant of the kernel, which owns it; the first call builds it, under
 * shift_lock.  PLAIT_OK with null: it can have none. */
plait_status plaitp_opencl_shift_get(plait_backend *self,
				     plait_backend_kernel *kernel,
				     plait_backend_kernel **out,
				     plait_error *error);
/* Number of parameters that are pointers. */
uint32_t plaitp_opencl_shift_count(const plait_backend_kernel *kernel);

/* --- program.c */

plait_status plaitp_opencl_kernel_build_shifted(plait_backend *self,
						struct opencl_device *device,
						const plait_code *code,
						plait_backend_kernel **out,
						plait_error *error);

/* --- facts.c */

/* Ask for the facts that launches need, before an argument is set: local memory
 * would include what arguments ask for. */
plait_status plaitp_opencl_facts_find(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_error *error);

/* --- signature.c */

/* Compare the signature with the function's parameters, as the driver, or else
 * the text, describes them.  PLAIT_E_INVALID names the parameter. */
plait_status plaitp_opencl_signature_check(plait_backend *self,
					   const plait_code *code,
					   cl_kernel kernel,
					   plait_error *error);
/* The size that clSetKernelArg wants of a value: a vector of 3 has the room of
 * 4, but in portable source. */
uint64_t plaitp_opencl_signature_bytes(const plait_code *code,
				       const plait_code_parameter *parameter);
const plait_code_parameter *
plaitp_opencl_signature_parameter(const plait_code *code, uint32_t index);

/* Returns true if a parameter is an image or a sampler: a warm-up has none to
 * pass. */
bool plaitp_opencl_signature_has_images(const plait_code *code);

/* Report that clSetKernelArg returned `code` for a parameter. */
plait_status plaitp_opencl_fail_argument(const plait_host_services *services,
					 plait_error *error, cl_int code,
					 uint32_t index, const char *name,
					 const char *entry);

#endif
