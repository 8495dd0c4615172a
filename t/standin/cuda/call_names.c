/* SPDX-License-Identifier: MIT */
/*
 * A libcuda.so.1 that has no device, and writes each name and version that it is
 * asked for to the file STANDIN_RECORD, a line each.  Its version is the number
 * in STANDIN_RECORD_VERSION.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_DEVICE = 100 };

#define EXPORT __attribute__((visibility("default")))

EXPORT int cuDriverGetVersion(int *out);
EXPORT int cuGetProcAddress(const char *name, void **out, int version,
			    uint64_t flags);
EXPORT int cuGetProcAddress_v2(const char *name, void **out, int version,
			       uint64_t flags, int *found);

static int refuse(void)
{
	return NO_DEVICE;
}

static int succeed(void)
{
	return 0;
}

int cuDriverGetVersion(int *out)
{
	const char *version = getenv("STANDIN_RECORD_VERSION");

	*out = version != NULL ? atoi(version) : 13000;
	return 0;
}

int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
	const char *path = getenv("STANDIN_RECORD");
	FILE *file = path != NULL ? fopen(path, "a") : NULL;
	uintptr_t address = (uintptr_t)refuse;

	(void)flags;
	if (file != NULL) {
		fprintf(file, "%s %d\n", name, version);
		fclose(file);
	}
	if (strcmp(name, "cuDriverGetVersion") == 0)
		address = (uintptr_t)cuDriverGetVersion;
	else if (strcmp(name, "cuGetProcAddress") == 0)
		address = version < 12000 ? (uintptr_t)cuGetProcAddress :
					    (uintptr_t)cuGetProcAddress_v2;
	else if (strcmp(name, "cuInit") == 0)
		address = (uintptr_t)succeed;
	*out = (void *)address;
	return 0;
}

int cuGetProcAddress_v2(const char *name, void **out, int version,
			uint64_t flags, int *found)
{
	if (found != NULL)
		*found = 0;
	return cuGetProcAddress(name, out, version, flags);
}
