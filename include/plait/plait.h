/* SPDX-License-Identifier: MIT */
/*
 * plait/plait.h - everything a program needs; plait/plugin.h, for those who
 * write backends, is apart.
 */
#ifndef PLAIT_PLAIT_H
#define PLAIT_PLAIT_H

#include "plait/array.h"
#include "plait/base.h"
#include "plait/callable.h"
#include "plait/device.h"
#include "plait/graph.h"
#include "plait/inbox.h"
#include "plait/kernel.h"
#include "plait/native.h"
#include "plait/node.h"
#include "plait/plan.h"
#include "plait/queue.h"
#include "plait/run.h"
#include "plait/source.h"
#include "plait/trace.h"

#endif
