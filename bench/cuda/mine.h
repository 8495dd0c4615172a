/* SPDX-License-Identifier: MIT */
/* Interface between the files of plait's side. */
#ifndef BENCH_CUDA_MINE_H
#define BENCH_CUDA_MINE_H

#include "plait/plait.h"

#include "bench.h"

/* Objects of all sides. */
struct mine {
	plait_error error;
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_buffer *word;
	plait_kernel *tiny;
};

extern struct mine mine;

#define IN(b) { .size = sizeof(plait_argument), \
		.kind = PLAIT_ARGUMENT_BUFFER, .buffer = (b) }
#define WITH(v) { .size = sizeof(plait_argument), .value = &(v), \
		  .bytes = sizeof(v) }
#define COUNTED(list) list, sizeof(list) / sizeof((list)[0])

/* A graph under construction, in sequence. */
struct builder {
	plait_graph *graph;
	plait_node last; /* 0: none yet */
};

/* --- mine.c: graphs and plans */

/* End the program, or the current step of a side, on failure. */
void mine_must(plait_status status);
plait_kernel *mine_kernel(const char *signature, const char *text);
plait_buffer *mine_buffer(uint64_t bytes);
void mine_begin(struct builder *builder);
void mine_append_launch(struct builder *builder, plait_kernel *what,
			uint64_t number, uint64_t group,
			const plait_argument *arguments, uint64_t some);
void mine_append_fill(struct builder *builder, plait_buffer *target,
		      uint32_t value);
/* Append a loop while the word in `go` is not 0; the caller fills the body. */
void mine_append_loop(struct builder *builder, plait_buffer *go,
		      uint64_t times, struct builder *body);
/* Return a plan that is prepared; the graph is released. */
plait_plan *mine_freeze(struct builder *builder);
/* Return the plan of the chain. */
plait_plan *mine_chain(uint32_t instances);

/* --- mine_cost.c */

void mine_drop_costs(void);

#endif
