/* SPDX-License-Identifier: MIT */
/*
 * plait/plait.h - all headers of the API for applications; backends include
 * plait/plugin.h.
 *
 * Example:
 *
 *     static const char code[] = "KERNEL(twice) { EACH(i, n) x[i] *= 2; }";
 *     uint32_t n = 1024, words[1024];
 *     plait_node filled;
 *
 *     plait_kernel_compile(context, "twice(x: pointer u32, n: u32)", code,
 *                          &kernel, &error);
 *     plait_graph_create(context, &graph, &error);
 *     plait_graph_fill(graph, buffer, 0, 4 * n, 21, 4, 0, &filled, &error);
 *     plait_graph_launch(graph, kernel, PLAIT_ITEMS(n),
 *                        PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
 *                                        PLAIT_VALUE(n)),
 *                        filled, NULL, &error);
 *     plait_graph_freeze(graph, NULL, &plan, &error);
 *     plait_plan_run(plan, queue, NULL, NULL, &error);
 *     plait_queue_read(queue, buffer, 0, words, sizeof(words), &error);
 */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include "plait/array.h"
#include "plait/base.h"
#include "plait/callable.h"
#include "plait/capture.h"
#include "plait/coroutine.h"
#include "plait/data.h"
#include "plait/device.h"
#include "plait/flow.h"
#include "plait/graph.h"
#include "plait/image.h"
#include "plait/inbox.h"
#include "plait/kernel.h"
#include "plait/launch.h"
#include "plait/link.h"
#include "plait/mapper.h"
#include "plait/native.h"
#include "plait/node.h"
#include "plait/placement.h"
#include "plait/plan.h"
#include "plait/queue.h"
#include "plait/record.h"
#include "plait/repeat.h"
#include "plait/run.h"
#include "plait/schedule.h"
#include "plait/coll.h"
#include "plait/collective.h"
#include "plait/world.h"
#include "plait/signal.h"
#include "plait/source.h"
#include "plait/trace.h"

#endif
