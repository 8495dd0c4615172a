/* SPDX-License-Identifier: MIT */
/* Reserved words; see reserved_words.h.  The list is that of host.prelude. */
#include "source/reserved_words.h"

#include "base/error.h"

#include <string.h>

static bool line_has(const char *line, size_t length, const char *word)
{
	const size_t bytes = strlen(word);

	for (size_t i = 0; i + bytes <= length; i++)
		if (memcmp(line + i, word, bytes) == 0 &&
		    (i == 0 || line[i - 1] == ' ') &&
		    (i + bytes == length || line[i + bytes] == ' '))
			return true;
	return false;
}

static bool is_kept(const char *word)
{
	static const char begin[] = "\n#pragma GCC poison ";
	const char *line = plait__prelude_host;

	while ((line = strstr(line, begin)) != NULL) {
		line += sizeof(begin) - 1;
		if (line_has(line, strcspn(line, "\n"), word))
			return true;
	}
	return false;
}

static unsigned line_of(const plait_source *source, const char *at)
{
	unsigned line = 1;

	for (const char *c = source->code; c < at; c++)
		line += *c == '\n';
	return line;
}

plait_status plait__reserved_words_check(const plait_source *source,
					 const plait__signature *signature,
					 const char *at, plait_error *error)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const char *name = signature->parameters[i].name;

		if (is_kept(name))
			return plait__fail(error, PLAIT_E_INVALID,
					   "kernel %.60s: %.60s:%u: error: "
					   "parameter %u \"%.40s\": OpenCL C "
					   "or C++ reserve this word",
					   signature->name, source->file,
					   line_of(source, at), i, name);
	}
	return PLAIT_OK;
}
