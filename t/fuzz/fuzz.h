/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share.  Each is one function that takes any bytes: with
 * libFuzzer it is driven by that, otherwise by replay.c, which takes files.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that holds for all bytes; if not, say which and abort. */
#define FUZZ_NEED(held, text) \
	do { \
		if (!(held)) \
			fuzz_broken(__FILE__, __LINE__, #held, (text)); \
	} while (0)

_Noreturn void fuzz_broken(const char *file, int line, const char *what,
			   const char *text);

#endif
