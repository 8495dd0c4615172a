/* SPDX-License-Identifier: MIT */
/* Limits of flows on devices; see flow_gate.c. */
#ifndef BENCH_FLOW_GATE_H
#define BENCH_FLOW_GATE_H

/* Measure and print each row, and whether its limit is held; `self` is the path of
 * the running program.  Returns how many are missed. */
int flow_gate_devices(const char *self);

#endif
