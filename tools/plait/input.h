/* SPDX-License-Identifier: MIT */
/* A file, or the standard input, read into memory as a whole. */
#ifndef PLAIT_TOOLS_INPUT_H
#define PLAIT_TOOLS_INPUT_H

#include <stdbool.h>
#include <stdint.h>

struct input {
	char *bytes; /* never null after success */
	uint64_t count;
};

/* How a path is called in messages: "-" is "(standard input)". */
const char *input_name(const char *path);

/* COMMAND_DONE; COMMAND_FAILED after saying, as `command`, why not. */
int input_read(const char *command, const char *path, struct input *out);

void input_free(struct input *input);

/* Whether it is the binary form of a plan. */
bool input_is_plan(const struct input *input);

#endif
