/* SPDX-License-Identifier: MIT */
/* Input: a file, or standard input, read into memory as a whole. */
#ifndef PLAIT_TOOLS_INPUT_H
#define PLAIT_TOOLS_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct input {
	char *bytes; /* never null after success */
	uint64_t count;
};

/* Return the name of a path for messages; "-" is "(standard input)". */
const char *input_name(const char *path);

/* Read all of `path`.  Return COMMAND_DONE, or COMMAND_FAILED after a message of
 * `command`. */
int input_read(const char *command, const char *path, struct input *out);

void input_free(struct input *input);

/* Return true if the input is a plan in binary form. */
bool input_is_plan(const struct input *input);

#endif
