/* SPDX-License-Identifier: MIT */
/* Shared part of the example programs: a context and its first device, error
 * exit, kernels from files, buffers with contents. */
#ifndef EXAMPLES_PROGRAM_H
#define EXAMPLES_PROGRAM_H

#include <plait/plait.h>

extern plait_error error;
extern plait_context *context;
extern plait_device *device;

/* Exit with the text of `error` if a call has failed. */
void must(plait_status status);

/* Open the default context; `device` is its first device. */
void open_system(void);

/* Release the context and all objects that the functions below returned. */
void close_system(void);

/* Compile kernels/FOLDER/NAME.plk beside this file; its comment with NAME(...)
 * is the signature. */
plait_kernel *read_kernel(const char *folder, const char *name);

/* Create a buffer with a copy of `data`; null: with zeros. */
plait_buffer *new_buffer(const void *data, uint64_t bytes);

/* Map a buffer for reading and writing; plait_buffer_unmap ends it. */
void *map_buffer(plait_buffer *buffer, uint64_t bytes);

/* Copy the first bytes of a buffer to `data`. */
void read_buffer(plait_buffer *buffer, void *data, uint64_t bytes);

plait_graph *new_graph(void);
plait_plan *freeze(plait_graph *graph);

#endif
