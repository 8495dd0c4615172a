/* SPDX-License-Identifier: MIT */
/* Lexer of the text form of graphs. */
#include "graph/text/lexer.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void plait__lexer_init(plait__lexer *line, const char *text, uint64_t bytes,
		       const char *name, plait_error *error)
{
	/* UTF-8 byte order mark, which some editors write. */
	static const char byte_order_mark[3] = { '\xef', '\xbb', '\xbf' };
	const char *first = text;

	if (bytes >= sizeof(byte_order_mark) &&
	    memcmp(text, byte_order_mark, sizeof(byte_order_mark)) == 0)
		first += sizeof(byte_order_mark);
	*line = (plait__lexer){
		.name = name != NULL ? name : "graph",
		.at = first, .end = first, .next = first,
		.stop = text + bytes, .error = error,
	};
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void skip_space(plait__lexer *line)
{
	while (line->at < line->end && is_space(*line->at))
		line->at++;
	if (line->at < line->end && *line->at == '#')
		line->at = line->end;
}

static void take_line(plait__lexer *line)
{
	size_t left = (size_t)(line->stop - line->next);
	const char *newline = memchr(line->next, '\n', left);

	line->at = line->next;
	line->end = newline != NULL ? newline : line->stop;
	line->next = newline != NULL ? newline + 1 : line->stop;
	line->number++;
}

bool plait__lexer_next_line(plait__lexer *line)
{
	while (line->next < line->stop) {
		take_line(line);
		skip_space(line);
		if (line->at < line->end)
			return true;
	}
	return false;
}

bool plait__lexer_next_token(plait__lexer *line, plait__token *out)
{
	skip_space(line);
	out->start = line->at;
	while (line->at < line->end && !is_space(*line->at) &&
	       *line->at != '#')
		line->at++;
	out->length = (size_t)(line->at - out->start);
	return out->length > 0;
}

bool plait__lexer_is(plait__token token, const char *text)
{
	return strlen(text) == token.length &&
	       memcmp(token.start, text, token.length) == 0;
}

bool plait__lexer_split(plait__token token, plait__token *key,
			plait__token *value)
{
	const char *equals = token.length == 0 ? NULL :
			     memchr(token.start, '=', token.length);

	if (equals == NULL)
		return false;
	key->start = token.start;
	key->length = (size_t)(equals - token.start);
	value->start = equals + 1;
	value->length = token.length - key->length - 1;
	return true;
}

bool plait__lexer_next_part(plait__token *rest, char separator,
			    plait__token *part)
{
	const char *found;

	if (rest->start == NULL)
		return false;
	found = rest->length == 0 ? NULL :
		memchr(rest->start, separator, rest->length);
	part->start = rest->start;
	if (found == NULL) {
		part->length = rest->length;
		rest->start = NULL;
		rest->length = 0;
		return true;
	}
	part->length = (size_t)(found - rest->start);
	rest->start = found + 1;
	rest->length -= part->length + 1;
	return true;
}

bool plait__lexer_number(plait__token token, uint64_t *out)
{
	uint64_t number = 0;

	if (token.length == 0 || token.length > 19)
		return false;
	for (size_t i = 0; i < token.length; i++) {
		if (token.start[i] < '0' || token.start[i] > '9')
			return false;
		number = number * 10 + (uint64_t)(token.start[i] - '0');
	}
	*out = number;
	return number <= INT64_MAX;
}

plait_status plait__lexer_fail(const plait__lexer *line, const char *format,
			       ...)
{
	char text[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return plait__fail(line->error, PLAIT_E_INVALID, "%s:%u: %s",
			   line->name, line->number, text);
}

const char *plait__lexer_show(plait__token token, char shown[44])
{
	size_t length = token.length < 40 ? token.length : 40;

	for (size_t i = 0; i < length; i++) {
		char c = token.start[i];

		shown[i] = c >= ' ' && c < 0x7f ? c : '?';
	}
	memcpy(shown + length, "...", 4);
	if (token.length <= length)
		shown[length] = 0;
	return shown;
}

/* Return the text to show for an empty token: the rest of the list from the
 * missing name, or the comma before.  Where the line goes on, the token has a
 * byte before it. */
static plait__token look_around(const plait__lexer *line, plait__token nothing)
{
	plait__token rest = { nothing.start, 0 };

	if (nothing.start == NULL || nothing.start >= line->end)
		return rest;
	while (rest.start + rest.length < line->end &&
	       !is_space(rest.start[rest.length]) &&
	       rest.start[rest.length] != '#')
		rest.length++;
	if (rest.length == 0) {
		rest.start--;
		rest.length = 1;
	}
	return rest;
}

plait_status plait__lexer_expected(const plait__lexer *line, const char *what,
				   plait__token found)
{
	char shown[44];

	if (found.length == 0)
		found = look_around(line, found);
	if (found.length == 1 && *found.start == '=')
		return plait__lexer_fail(line, "expected %s right after \"=\", "
					 "found a space", what);
	if (found.length == 0)
		return plait__lexer_fail(line,
					 "expected %s, found the end of the "
					 "line", what);
	return plait__lexer_fail(line, "expected %s, found \"%s\"", what,
				 plait__lexer_show(found, shown));
}
