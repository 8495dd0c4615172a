/* SPDX-License-Identifier: MIT */
/* Driver of a fuzz target that runs it on the files that are named; libFuzzer,
 * where a target is linked with it, brings its own main. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

void fuzz_broken(const char *file, int line, const char *what,
		 const char *text)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n%s\n", file, line, what,
		text);
	abort();
}

#ifndef PLAIT_LIBFUZZER
enum { MOST_BYTES = 1 << 24 };

/* A block of exactly its size, so that a byte too far is seen. */
static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(MOST_BYTES), *exact;
	size_t size;

	if (file == NULL || bytes == NULL) {
		fprintf(stderr, "%s: cannot be read\n", path);
		free(bytes);
		return 1;
	}
	size = fread(bytes, 1, MOST_BYTES, file);
	fclose(file);
	exact = realloc(bytes, size > 0 ? size : 1);
	if (exact == NULL)
		exact = bytes;
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	(void)LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++) {
		printf("%s\n", argv[i]);
		fflush(stdout);
		failed |= replay(argv[i]);
	}
	return failed;
}
#endif
