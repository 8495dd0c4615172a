/* SPDX-License-Identifier: MIT */
/*
 * Shared declarations of the fuzz targets.  Each target is one function that
 * takes any bytes: libFuzzer drives it where that is linked, otherwise
 * replay.c, which takes files.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that holds for all bytes; if it does not, name it and abort. */
#define FUZZ_NEED(held, text) \
	do { \
		if (!(held)) \
			fuzz_broken(__FILE__, __LINE__, #held, (text)); \
	} while (0)

_Noreturn void fuzz_broken(const char *file, int line, const char *what,
			   const char *text);

#endif
