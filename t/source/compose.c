/* SPDX-License-Identifier: MIT */
/*
 * Printer of the compiled text of a portable source, for t/source/dialects.t:
 * t/source/compose FORM SIGNATURE FILE-NAME PATH, to standard output.
 */
#include <stdio.h>
#include <stdlib.h>

#include "plait/plait.h"

enum { ROOM = 1 << 20 };

int main(int argc, char **argv)
{
	static char text[ROOM], out[ROOM];
	plait_error error = { .size = sizeof(error) };
	plait_source source = { .size = sizeof(source), .code = text };
	FILE *file = argc == 5 ? fopen(argv[4], "r") : NULL;

	if (file == NULL)
		return 2;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	source.file = argv[3];
	if (plait_source_text(argv[2], &source, (uint32_t)atoi(argv[1]), out,
			      sizeof(out), NULL, &error) != PLAIT_OK) {
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	fputs(out, stdout);
	return 0;
}
