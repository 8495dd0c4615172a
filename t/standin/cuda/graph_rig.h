/* SPDX-License-Identifier: MIT */
/* Rig for tests of the stand-in's graphs: nodes that leave a trace. */
#ifndef STANDIN_GRAPH_RIG_H
#define STANDIN_GRAPH_RIG_H

#include "rig.h"

enum { ROOM = 64 };

/* Kernel nodes write their numbers into a list: the count, then the numbers. */
struct graph_rig {
	CUmodule module;
	CUfunction append, decide, count_down;
	CUdeviceptr list, word;
	CUgraph graph;
	CUstream stream;
};

extern struct graph_rig rig;

bool graph_begin(const char *options);
void graph_end(void);
CUDA_KERNEL_NODE_PARAMS_v2 graph_params(CUfunction function,
					void **arguments);
/* A node of `graph` behind `before` (or null) that writes `value`. */
CUgraphNode graph_append(CUgraph graph, CUgraphNode before, int value);
/* A node that makes a condition of the word, as it is or less one. */
CUgraphNode graph_decide(CUgraph graph, CUgraphNode before,
			 CUfunction function, CUgraphConditionalHandle handle);
CUresult graph_instantiate(CUgraphExec *exec,
			   CUgraphInstantiateResult *result);
CUgraphExec graph_make(void);
/* Launch, and wait until it is done. */
void graph_launch(CUgraphExec exec);
/* The written values, as digits; the list is empty after that. */
const char *graph_written(void);
void graph_set_word(unsigned value);

#endif
