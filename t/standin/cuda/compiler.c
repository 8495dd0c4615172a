/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for NVRTC: entries of its functions.  A call can be made to fail:
 * STANDIN_NVRTC="nvrtcCompileProgram:2:1", the second call of it returns 1
 * (NVRTC_ERROR_OUT_OF_MEMORY; default NVRTC_ERROR_INTERNAL_ERROR), or ":5", the
 * fifth of all but nvrtcDestroyProgram, which would release nothing then.  The
 * environment is read at each call, and counting begins when it changes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char setting[128];
static unsigned long left; /* calls until one fails; 0: none does */
static nvrtcResult failure;

static void read_setting(const char *text)
{
	const char *number = strchr(text, ':');
	char *code;

	snprintf(setting, sizeof(setting), "%s", text);
	left = 0;
	if (number == NULL)
		return;
	left = strtoul(number + 1, &code, 10);
	failure = *code == ':' ? (nvrtcResult)atoi(code + 1) :
				 NVRTC_ERROR_INTERNAL_ERROR;
}

static nvrtcResult enter(const char *name)
{
	const char *text = getenv("STANDIN_NVRTC");
	nvrtcResult result = NVRTC_SUCCESS;
	size_t length;

	pthread_mutex_lock(&lock);
	if (strcmp(text != NULL ? text : "", setting) != 0)
		read_setting(text != NULL ? text : "");
	length = strcspn(setting, ":");
	if (left != 0 && (length == 0 ? strcmp(name, "nvrtcDestroyProgram") :
			  length != strlen(name) ? 0 :
			  !memcmp(setting, name, length)) && --left == 0)
		result = failure;
	pthread_mutex_unlock(&lock);
	return result;
}

#define ENTRY(version, name, symbol, parameters, arguments) \
	__attribute__((visibility("default"))) nvrtcResult symbol parameters; \
	nvrtcResult symbol parameters \
	{ \
		nvrtcResult standin_result = enter(#name); \
		return standin_result != NVRTC_SUCCESS ? \
			       standin_result : standin_##name arguments; \
	}

NVRTC_CALLS(ENTRY)
