/* SPDX-License-Identifier: MIT */
/* Positions of the bodies of group kernels in a text; see group_guard.h. */
#include "source/group_guard.h"

#include <string.h>

struct reader {
	const char *at, *end;
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool begins(const struct reader *in, const char *what)
{
	size_t length = strlen(what);

	return (size_t)(in->end - in->at) >= length &&
	       memcmp(in->at, what, length) == 0;
}

/* `in` is at the comment, which begins with two characters. */
static void skip_comment(struct reader *in)
{
	in->at += 2;
	while (in->at < in->end && !begins(in, "*/"))
		in->at++;
	in->at += in->end - in->at < 2 ? in->end - in->at : 2;
}

static void skip_line(struct reader *in)
{
	while (in->at < in->end && *in->at != '\n')
		in->at++;
}

/* Skip to the closing quote or the end of the line: an apostrophe may stand
 * alone in #error.  `in` is at a quote. */
static void skip_quoted(struct reader *in)
{
	const char quote = *in->at++;

	while (in->at < in->end && *in->at != quote && *in->at != '\n')
		in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
	if (in->at < in->end && *in->at == quote)
		in->at++;
}

static bool skip_noise(struct reader *in)
{
	if (begins(in, "/*"))
		skip_comment(in);
	else if (begins(in, "//"))
		skip_line(in);
	else if (in->at < in->end && (*in->at == '"' || *in->at == '\''))
		skip_quoted(in);
	else
		return false;
	return true;
}

static void skip_blanks(struct reader *in)
{
	while (in->at < in->end) {
		if (*in->at == ' ' || (*in->at >= '\t' && *in->at <= '\r'))
			in->at++;
		else if (*in->at != '/' || !skip_noise(in))
			return;
	}
}

static bool take(struct reader *in, const char *what)
{
	skip_blanks(in);
	if (!begins(in, what))
		return false;
	in->at += strlen(what);
	return true;
}

static bool take_word(struct reader *in, const char *word)
{
	return take(in, word) && (in->at == in->end || !is_word(*in->at));
}

/* Skip past the parenthesis that closes the one before `in`. */
static void skip_arguments(struct reader *in)
{
	int depth = 1;

	while (in->at < in->end && depth > 0) {
		if (skip_noise(in))
			continue;
		depth += (*in->at == '(') - (*in->at == ')');
		in->at++;
	}
}

/* Returns true, with `in` after it, for "GROUP_KERNEL ( name". */
static bool take_kernel(struct reader *in, const char *name)
{
	struct reader ahead = *in;

	if (!take_word(&ahead, "GROUP_KERNEL") || !take(&ahead, "(") ||
	    !take_word(&ahead, name))
		return false;
	*in = ahead;
	return true;
}

/* Skip the next word, comment or character.  `in` is not at the end. */
static void skip_one(struct reader *in)
{
	if (skip_noise(in))
		return;
	if (!is_word(*in->at)) {
		in->at++;
		return;
	}
	while (in->at < in->end && is_word(*in->at))
		in->at++;
}

/* Advance past the next GROUP_KERNEL ( name; false if there is none. */
static bool find_kernel(struct reader *in, const char *name)
{
	while (in->at < in->end) {
		if (*in->at == 'G' && take_kernel(in, name))
			return true;
		skip_one(in);
	}
	return false;
}

static bool enter_body(struct reader *in)
{
	skip_arguments(in);
	return take(in, "{");
}

static struct reader read_code(const plait_source *source)
{
	return (struct reader){ source->code,
				(const char *)source->code + source->bytes };
}

bool plait__guard_fits(const plait_source *source, const char *name)
{
	struct reader in = read_code(source);
	bool found = false;

	while (find_kernel(&in, name)) {
		if (!enter_body(&in))
			return false;
		found = true;
	}
	return found;
}

void plait__guard_add(plait__text *out, const plait_source *source,
		      const char *name)
{
	struct reader in = read_code(source);
	const char *from = in.at;

	while (find_kernel(&in, name) && enter_body(&in)) {
		plait__text_add_bytes(out, from, (uint64_t)(in.at - from));
		plait__text_add(out, " PLAIT_GUARD ");
		from = in.at;
	}
	plait__text_add_bytes(out, from, (uint64_t)(in.end - from));
}
