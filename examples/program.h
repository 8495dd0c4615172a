/* SPDX-License-Identifier: MIT */
/* What the example programs share: ending with an error's text, kernels from
 * files, short ways to say arguments. */
#ifndef EXAMPLES_PROGRAM_H
#define EXAMPLES_PROGRAM_H

#include <plait/plait.h>

extern plait_error error;

/* End the program, and say why, when a call has failed. */
void must(plait_status status);

/* A kernel of portable source: kernels/FOLDER/NAME.plk beside this file; its
 * comment with NAME(...) is the signature. */
plait_kernel *read_kernel(plait_context *context, const char *folder,
			  const char *name);

/* A buffer with a copy of what is at `data`; null: of zeros. */
plait_buffer *new_buffer(plait_device *device, const void *data,
			 uint64_t bytes);
void read_buffer(plait_buffer *buffer, void *data, uint64_t bytes);

/* Arguments. */
#define VALUE(v) { .size = sizeof(plait_argument), .value = &(v), \
		   .bytes = sizeof(v) }
#define BUFFER(b) { .size = sizeof(plait_argument), \
		    .kind = PLAIT_ARGUMENT_BUFFER, .buffer = (b) }
#define TURN(r, n) { .size = sizeof(plait_argument), \
		     .kind = PLAIT_ARGUMENT_ROTATION, .rotation = (r), \
		     .ahead = (n) }

/* A launch of `kernel` after `after` (0: after nothing). */
#define LAUNCH(graph, kernel, arguments, items, after) \
	add_launch(graph, kernel, arguments, \
		   sizeof(arguments) / sizeof((arguments)[0]), items, after, \
		   __FILE__, __LINE__)
plait_node add_launch(plait_graph *graph, plait_kernel *kernel,
		      const plait_argument *arguments, uint64_t count,
		      plait_launch items, plait_node after, const char *file,
		      int line);
plait_launch items(uint64_t x, uint64_t y);

/* A loop while the word in `go` is not 0; the body is the caller's. */
plait_graph *add_loop(plait_graph *graph, plait_buffer *go, uint64_t times);

/* Freeze, and run once. */
void run_graph(plait_graph *graph);

#endif
