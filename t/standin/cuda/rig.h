/* SPDX-License-Identifier: MIT */
/* Rig for tests of the stand-ins for CUDA: the libraries, a context,
 * kernels. */
#ifndef STANDIN_RIG_H
#define STANDIN_RIG_H

#include "calls.h"
#include "control.h"
#include "lib/tap.h"

extern struct cuda_calls cu;
extern struct nvrtc_calls nvrtc;
extern cuda_get_proc_address *rig_find;
extern standin_configure_function *rig_configure;
extern standin_live_function *rig_live;
extern standin_leaked_function *rig_leaked;
extern standin_calls_function *rig_calls;
extern standin_fail_function *rig_fail;
extern standin_fault_function *rig_fault;
extern standin_overlaps_function *rig_overlaps;
extern standin_undecided_function *rig_undecided;
extern standin_failed_function *rig_failed;
extern standin_misused_function *rig_misused;
extern standin_speak_function *rig_speak;

extern CUcontext rig_context;

/* Load both libraries, once; returns false when that check failed. */
bool rig_load(void);
/* With these options: a current context of device 0. */
bool rig_open(const char *options);
/* Release it; nothing may have been left behind. */
void rig_close(void);
/* Does the same after an error that sticks: everything may be left. */
void rig_abandon(void);

/* A text as an image, to be freed; `arch` is "sm_90" or "compute_90". */
char *rig_compile(const char *text, const char *arch, bool ptx);
/* A kernel of the text that this file has, compiled once; see rig.c. */
CUfunction rig_kernel(CUmodule *module, const char *name);

CUstream rig_stream(void);
CUdeviceptr rig_memory(size_t bytes);
void rig_read(void *to, CUdeviceptr from, size_t bytes);
void rig_write(CUdeviceptr to, const void *from, size_t bytes);

/* Hold a stream until the gate is opened; for each stream its own. */
struct gate {
	int reached, open;
};
void rig_hold(CUstream stream, struct gate *gate);
/* Does the same as a host function, for a gate that is all zero. */
void rig_stand(void *gate);
void rig_release(struct gate *gate);
/* Wait until the stream stands there. */
void rig_meet(struct gate *gate);

#define WORKS(call) IS_INT(call, CUDA_SUCCESS)
#define GIVES(call, code) IS_INT(call, code)

#endif
