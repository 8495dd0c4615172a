/* SPDX-License-Identifier: MIT */
/* Detection of texts that decide the loop around their kernel. */
#include "source/loop_predicate.h"

#include <string.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool begins(const char *at, const char *end, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(end - at) >= length && memcmp(at, with, length) == 0;
}

static const char *skip_to(const char *at, const char *end, const char *mark)
{
	while (at < end && !begins(at, end, mark))
		at++;
	return at < end ? at + strlen(mark) : end;
}

/* `at` is at a quote. */
static const char *skip_quoted(const char *at, const char *end)
{
	char quote = *at++;

	while (at < end && *at != quote && *at != '\n')
		at += *at == '\\' && end - at > 1 ? 2 : 1;
	return at < end ? at + 1 : end;
}

static const char *skip_word(const char *at, const char *end)
{
	while (at < end && is_word(*at))
		at++;
	return at;
}

/* Return the end of the comment, quoted text, word or character at `at`.  `at`
 * is before `end`. */
static const char *skip(const char *at, const char *end)
{
	if (begins(at, end, "//"))
		return skip_to(at, end, "\n");
	if (begins(at, end, "/*"))
		return skip_to(at + 2, end, "*/");
	if (*at == '"' || *at == '\'')
		return skip_quoted(at, end);
	return is_word(*at) ? skip_word(at, end) : at + 1;
}

bool plait__loop_predicate_is_used(const plait_source *source)
{
	static const char word[] = "DECIDE";
	const char *at = source->code;
	const char *end = at + source->bytes;

	while (at < end) {
		const char *next = skip(at, end);

		if ((size_t)(next - at) == strlen(word) &&
		    begins(at, end, word))
			return true;
		at = next;
	}
	return false;
}
