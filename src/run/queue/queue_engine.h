/* SPDX-License-Identifier: MIT */
/*
 * Engine for plans on the queues of any backend; implements run/engine.h.
 * Three layers, each of which calls only the ones above it in this list:
 *
 *     program	queue_program.h, queue_command.h, compile_*: the compiled form
 *		of a plan, immutable and shared by all its instances
 *     instance	queue_instance.h: queues, signals, backend launches and device
 *		graphs of one instance
 *     driver	run_driver.h: state machine that advances one run
 */
#ifndef PLAIT_SRC_RUN_QUEUE_QUEUE_ENGINE_H
#define PLAIT_SRC_RUN_QUEUE_QUEUE_ENGINE_H

#include "run/engine.h"

extern const plait__engine plait__queue_engine;

#endif
