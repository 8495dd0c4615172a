/* SPDX-License-Identifier: MIT */
/* Systems with the stand-in for CUDA, on each of which random flows run. */
#ifndef T_PLUGINS_CUDA_STANDIN_SYSTEMS_H
#define T_PLUGINS_CUDA_STANDIN_SYSTEMS_H

#include "flow/flows.h"
#include "standin/cuda/place.h"

/* Defined by the test: run some, on the system that is set. */
static void run_random(void);

static void choose_system(const char *backends, uint32_t devices)
{
	static char options[1200];

	snprintf(options, sizeof(options), "cuda:driver=%s", standin_path);
	flow_backends = backends;
	flow_options = options;
	flow_devices = devices;
}

static void run_on(const char *backends, uint32_t devices)
{
	choose_system(backends, devices);
	run_random();
}

static void alone(void)
{
	standin_prepare("devices=3");
	run_on("host,cuda", 3);
}

/* Copies that no wait keeps apart meet, and end the process. */
static void slow_copies(void)
{
	standin_prepare("devices=3,copies=slow");
	run_on("host,cuda", 3);
}

static void mixed(void)
{
	standin_prepare("devices=2");
	run_on("host,cuda,chaos", 4);
	run_on("host,cuda", 3);
}

#endif
