/* SPDX-License-Identifier: MIT */
/* Reader of portable source; see code_reader.h. */
#include "source/code_reader.h"

#include <string.h>

static bool begins(const struct plait__code_reader *in, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(in->end - in->at) >= length &&
	       memcmp(in->at, what, length) == 0;
}

/* `in` is at the comment, which begins with two characters. */
static void skip_comment(struct plait__code_reader *in)
{
	in->at += 2;
	while (in->at < in->end && !begins(in, "*/"))
		in->at++;
	in->at += in->end - in->at < 2 ? in->end - in->at : 2;
}

void plait__code_skip_line(struct plait__code_reader *in)
{
	while (in->at < in->end && *in->at != '\n')
		in->at++;
}

/* Skip to the closing quote or the end of the line: an apostrophe may stand
 * alone in #error.  `in` is at a quote. */
static void skip_quoted(struct plait__code_reader *in)
{
	const char quote = *in->at++;

	while (in->at < in->end && *in->at != quote && *in->at != '\n')
		in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
	if (in->at < in->end && *in->at == quote)
		in->at++;
}

bool plait__code_skip_noise(struct plait__code_reader *in)
{
	if (begins(in, "/*"))
		skip_comment(in);
	else if (begins(in, "//"))
		plait__code_skip_line(in);
	else if (in->at < in->end && (*in->at == '"' || *in->at == '\''))
		skip_quoted(in);
	else
		return false;
	return true;
}

void plait__code_skip_blanks(struct plait__code_reader *in)
{
	while (in->at < in->end) {
		if (*in->at == ' ' || (*in->at >= '\t' && *in->at <= '\r'))
			in->at++;
		else if (*in->at != '/' || !plait__code_skip_noise(in))
			return;
	}
}

bool plait__code_take(struct plait__code_reader *in, const char *what)
{
	plait__code_skip_blanks(in);
	if (!begins(in, what))
		return false;
	in->at += strlen(what);
	return true;
}

bool plait__code_take_word(struct plait__code_reader *in, const char *word)
{
	return plait__code_take(in, word) &&
	       (in->at == in->end || !plait__code_is_word(*in->at));
}

/* Skip past the parenthesis that closes the one before `in`. */
static void skip_arguments(struct plait__code_reader *in)
{
	int depth = 1;

	while (in->at < in->end && depth > 0) {
		if (plait__code_skip_noise(in))
			continue;
		depth += (*in->at == '(') - (*in->at == ')');
		in->at++;
	}
}

/* Returns true, with `in` after it, for "GROUP_KERNEL ( name". */
static bool take_kernel(struct plait__code_reader *in, const char *name)
{
	struct plait__code_reader ahead = *in;

	if (!plait__code_take_word(&ahead, "GROUP_KERNEL") ||
	    !plait__code_take(&ahead, "(") ||
	    !plait__code_take_word(&ahead, name))
		return false;
	*in = ahead;
	return true;
}

void plait__code_skip_one(struct plait__code_reader *in)
{
	if (plait__code_skip_noise(in))
		return;
	if (!plait__code_is_word(*in->at)) {
		in->at++;
		return;
	}
	while (in->at < in->end && plait__code_is_word(*in->at))
		in->at++;
}

bool plait__code_find_group_kernel(struct plait__code_reader *in,
				   const char *name)
{
	while (in->at < in->end) {
		if (*in->at == 'G' && take_kernel(in, name))
			return true;
		plait__code_skip_one(in);
	}
	return false;
}

bool plait__code_enter_body(struct plait__code_reader *in)
{
	skip_arguments(in);
	return plait__code_take(in, "{");
}

struct plait__code_reader plait__code_read(const plait_source *source)
{
	const char *code = source->code;

	return (struct plait__code_reader){ code, code + source->bytes };
}
