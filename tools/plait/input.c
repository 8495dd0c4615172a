/* SPDX-License-Identifier: MIT */
/* Input files, read as a whole; see input.h. */
#include "input.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t most_bytes = UINT64_C(1) << 30;

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "(standard input)" : path;
}

static int fail(const char *command, const char *path, int error)
{
	return command_fail(command, "%s: %s", input_name(path),
			    strerror(error));
}

/* Make room for at least one more byte; return false without memory. */
static bool grow(struct input *input, uint64_t *capacity)
{
	char *bytes;

	if (input->count < *capacity)
		return true;
	*capacity = *capacity == 0 ? 65536 : *capacity * 2;
	bytes = realloc(input->bytes, *capacity);
	if (bytes == NULL)
		return false;
	input->bytes = bytes;
	return true;
}

static int read_all(const char *command, const char *path, int fd,
		    struct input *input)
{
	uint64_t capacity = 0;
	ssize_t got;

	do {
		if (!grow(input, &capacity))
			return fail(command, path, ENOMEM);
		got = read(fd, input->bytes + input->count,
			   capacity - input->count);
		if (got < 0 && errno != EINTR)
			return fail(command, path, errno);
		if (got > 0)
			input->count += (uint64_t)got;
		if (input->count > most_bytes)
			return command_fail(command, "%s: longer than %llu "
					    "bytes", input_name(path),
					    (unsigned long long)most_bytes);
	} while (got != 0);
	return COMMAND_DONE;
}

int input_read(const char *command, const char *path, struct input *out)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int code;

	*out = (struct input){ 0 };
	if (fd < 0)
		return fail(command, path, errno);
	code = read_all(command, path, fd, out);
	if (!standard)
		close(fd);
	if (code != COMMAND_DONE)
		input_free(out);
	return code;
}

void input_free(struct input *input)
{
	free(input->bytes);
	*input = (struct input){ 0 };
}

bool input_is_plan(const struct input *input)
{
	/* No line of the text form starts with these bytes. */
	static const char magic[8] = { 'p', 'l', 'a', 'i', 't', 'p', 'l',
				       'n' };

	return input->count >= sizeof(magic) &&
	       memcmp(input->bytes, magic, sizeof(magic)) == 0;
}
