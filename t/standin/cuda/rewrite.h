/* SPDX-License-Identifier: MIT */
/* A stand-in for NVRTC: preprocessed CUDA C++ becomes C++; see rewrite.c. */
#ifndef STANDIN_REWRITE_H
#define STANDIN_REWRITE_H

#include <stddef.h>

/* A text that grows. */
struct text {
	char *at;
	size_t count, room;
};

void text_add(struct text *text, const char *bytes, size_t count);
void text_print(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Does the same with the table of its kernels behind it.  Returns the oldest
 * driver that has all functions that it calls, or 0. */
unsigned rewrite(struct text *out, const char *source, unsigned arch);

#endif
