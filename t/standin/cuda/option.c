/* SPDX-License-Identifier: MIT */
/* A stand-in for libcuda.so.1: its options, as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

/* fail=cuMemAlloc:3:2, the last a number of CUresult, by default
 * CUDA_ERROR_UNKNOWN; without a name, of any call: fail=:17. */
static void read_fail(char *text)
{
	char *number = strchr(text, ':'), *code;

	if (number == NULL)
		return;
	*number++ = '\0';
	code = strchr(number, ':');
	standin_fail_later(*text != '\0' ? text : NULL,
			   strtoull(number, NULL, 10),
			   code != NULL ? atoi(code + 1) : CUDA_ERROR_UNKNOWN,
			   false);
}

/* refuse=cuGraphLaunch, or cuGraphLaunch:1. */
static void read_refusal(char *text)
{
	char *code = strchr(text, ':');

	if (code != NULL)
		*code++ = '\0';
	standin_fail_later(text, 1, code != NULL ? atoi(code) :
						   CUDA_ERROR_NOT_SUPPORTED,
			   true);
}

static void read_locks(const char *text)
{
	bool both = strcmp(text, "both") == 0;

	standin.options.locked_callbacks =
		both || strcmp(text, "callbacks") == 0;
	standin.options.locked_frees = both || strcmp(text, "frees") == 0;
}

static void read_fault(char *text)
{
	char *code = strchr(text, ':');

	standin.faults_until = strtoull(text, NULL, 10);
	standin.fault = code != NULL ? (CUresult)atoi(code + 1) :
				       CUDA_ERROR_ILLEGAL_ADDRESS;
}

static void read_timer(const char *text)
{
	char *end;

	standin.options.timer_steps = strcmp(text, "clock") != 0;
	standin.options.timer_step = strtoull(text, &end, 10);
	if (*end == ':')
		standin.timer = strtoull(end + 1, NULL, 10);
}

static void read_option(const char *key, char *value)
{
	struct standin_options *options = &standin.options;

	if (strcmp(key, "devices") == 0)
		options->devices = atoi(value);
	else if (strcmp(key, "version") == 0)
		options->driver_version = atoi(value);
	else if (strcmp(key, "arch") == 0)
		options->arch = atoi(value);
	else if (strcmp(key, "peers") == 0)
		options->apart = strcmp(value, "none") == 0;
	else if (strcmp(key, "workers") == 0)
		options->workers = (unsigned)atoi(value);
	else if (strcmp(key, "seed") == 0)
		options->seed = strtoull(value, NULL, 10);
	else if (strcmp(key, "memory") == 0)
		options->memory_bytes = strtoull(value, NULL, 10);
	else if (strcmp(key, "pitch") == 0)
		options->most_pitch = atoi(value);
	else if (strcmp(key, "connections") == 0)
		options->shared = strcmp(value, "1") == 0;
	else if (strcmp(key, "pageable") == 0)
		options->pageable_waits = strcmp(value, "waits") == 0;
	else if (strcmp(key, "locked") == 0)
		read_locks(value);
	else if (strcmp(key, "copies") == 0)
		options->slow_copies = strcmp(value, "slow") == 0;
	else if (strcmp(key, "mute") == 0)
		options->mute = strcmp(value, "1") == 0;
	else if (strcmp(key, "writes") == 0)
		options->writes = strcmp(value, "1") == 0;
	else if (strcmp(key, "captured") == 0)
		options->captured = strcmp(value, "1") == 0;
	else if (strcmp(key, "waits") == 0)
		options->waits = strcmp(value, "1") == 0;
	else if (strcmp(key, "mode") == 0)
		options->mode = atoi(value);
	else if (strcmp(key, "depth") == 0)
		options->depth = (unsigned)atoi(value);
	else if (strcmp(key, "timer") == 0)
		read_timer(value);
	else if (strcmp(key, "stub") == 0)
		options->stub = strcmp(value, "1") == 0;
	else if (strcmp(key, "refuse") == 0)
		read_refusal(value);
	else if (strcmp(key, "report") == 0)
		snprintf(options->report, sizeof(options->report), "%s",
			 value);
	else if (strcmp(key, "fail") == 0)
		read_fail(value);
	else if (strcmp(key, "fault") == 0)
		read_fault(value);
	else
		fprintf(stderr, "stand-in for CUDA: no option %s\n", key);
}

void standin_read_options(const char *text)
{
	static const struct standin_options defaults = {
		.devices = 1, .driver_version = 12080, .arch = 90,
		.memory_bytes = (size_t)1 << 30, .most_pitch = INT32_MAX,
		.pageable_waits = true, .locked_callbacks = true,
		.locked_frees = true, .writes = true, .waits = true,
		.depth = 1024,
	};
	char copy[1024], *rest = copy, *word, *value;

	standin.options = defaults;
	standin.timer = 0;
	snprintf(copy, sizeof(copy), "%s", text != NULL ? text : "");
	while ((word = strsep(&rest, ",")) != NULL) {
		value = strchr(word, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		read_option(word, value);
	}
	if (standin.options.devices > STANDIN_MAX_DEVICES)
		standin.options.devices = STANDIN_MAX_DEVICES;
	if (standin.options.workers == 0)
		standin.options.workers = standin.options.seed != 0 ? 1 : 3;
	standin.random = standin.options.seed + 1;
}
