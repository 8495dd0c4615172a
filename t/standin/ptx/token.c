/* SPDX-License-Identifier: MIT */
/* Tokens of PTX: words with their dots, numbers, strings, marks. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "parser.h"

void ptx_token_refuse(struct ptx_parser *p, const char *format, ...)
{
	int used = snprintf(p->message, PTX_MESSAGE_BYTES, "ptx: line %u: ",
			    p->token.line);
	va_list list;

	va_start(list, format);
	vsnprintf(p->message + used, PTX_MESSAGE_BYTES - (size_t)used, format,
		  list);
	va_end(list);
	longjmp(p->failed, 1);
}

/* Returns true if there was a blank or a comment. */
static bool skip_blank(struct ptx_parser *p)
{
	const char *end;

	if (isspace((unsigned char)*p->at)) {
		p->line += *p->at++ == '\n';
		return true;
	}
	if (strncmp(p->at, "//", 2) == 0) {
		p->at += strcspn(p->at, "\n");
		return true;
	}
	if (strncmp(p->at, "/*", 2) != 0)
		return false;
	end = strstr(p->at + 2, "*/");
	end = end != NULL ? end + 2 : p->at + strlen(p->at);
	for (; p->at != end; p->at++)
		p->line += *p->at == '\n';
	return true;
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' ||
	       c == '.';
}

/* With the exponent's sign of a decimal fraction. */
static size_t number_length(const char *at)
{
	size_t length = 0;
	bool prefix = at[0] == '0' && isalpha((unsigned char)at[1]);

	while (is_of_word(at[length]) ||
	       (!prefix && (at[length] == '+' || at[length] == '-') &&
		(at[length - 1] == 'e' || at[length - 1] == 'E')))
		length++;
	return length;
}

static size_t string_length(const char *at)
{
	size_t length = 1 + strcspn(at + 1, "\"\n");

	return at[length] == '"' ? length + 1 : length;
}

struct ptx_token ptx_token_next(struct ptx_parser *p)
{
	struct ptx_token taken = p->token;
	struct ptx_token *next = &p->token;

	while (skip_blank(p))
		;
	*next = (struct ptx_token){ PTX_MARK, p->at, 1, p->line };
	if (*p->at == '\0') {
		next->kind = PTX_END;
		next->length = 0;
	} else if (isdigit((unsigned char)*p->at)) {
		next->kind = PTX_NUMBER;
		next->length = number_length(p->at);
	} else if (*p->at == '"') {
		next->kind = PTX_STRING;
		next->length = string_length(p->at);
	} else if (is_of_word(*p->at)) {
		next->kind = PTX_WORD;
		while (is_of_word(p->at[next->length]))
			next->length++;
	}
	p->at += next->length;
	return taken;
}

bool ptx_token_is(const struct ptx_token *token, const char *text)
{
	return token->length == strlen(text) &&
	       memcmp(token->at, text, token->length) == 0;
}

bool ptx_token_accept(struct ptx_parser *p, const char *text)
{
	if (!ptx_token_is(&p->token, text))
		return false;
	ptx_token_next(p);
	return true;
}

void ptx_token_expect(struct ptx_parser *p, const char *text)
{
	if (!ptx_token_accept(p, text))
		ptx_token_refuse(p, "`%s` is expected before `%.*s`", text,
				 (int)p->token.length, p->token.at);
}

struct ptx_token ptx_token_word(struct ptx_parser *p)
{
	if (p->token.kind != PTX_WORD)
		ptx_token_refuse(p, "a name is expected before `%.*s`",
				 (int)p->token.length, p->token.at);
	return ptx_token_next(p);
}

static struct ptx_token take_number(struct ptx_parser *p, char text[64])
{
	if (p->token.kind != PTX_NUMBER || p->token.length >= 64)
		ptx_token_refuse(p, "a number is expected before `%.*s`",
				 (int)p->token.length, p->token.at);
	memcpy(text, p->token.at, p->token.length);
	text[p->token.length] = '\0';
	return ptx_token_next(p);
}

static uint64_t whole(const char *text)
{
	if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B'))
		return strtoull(text + 2, NULL, 2);
	return strtoull(text, NULL, 0);
}

uint64_t ptx_token_whole(struct ptx_parser *p)
{
	bool negative = ptx_token_accept(p, "-");
	char text[64];

	take_number(p, text);
	return negative ? 0 - whole(text) : whole(text);
}

static uint64_t real(const char *text, bool negative, enum ptx_type type)
{
	double number = strtod(text, NULL);
	float narrow;
	uint32_t bits;
	uint64_t wide;

	number = negative ? -number : number;
	narrow = (float)number;
	memcpy(&bits, &narrow, sizeof(bits));
	memcpy(&wide, &number, sizeof(wide));
	return type == PTX_F32 ? bits : wide;
}

uint64_t ptx_token_bits(struct ptx_parser *p, enum ptx_type type)
{
	bool negative = ptx_token_accept(p, "-");
	char text[64];

	take_number(p, text);
	if (text[0] == '0' && (text[1] == 'f' || text[1] == 'F'))
		return strtoull(text + 2, NULL, 16) ^
		       (negative ? 0x80000000u : 0);
	if (text[0] == '0' && (text[1] == 'd' || text[1] == 'D'))
		return strtoull(text + 2, NULL, 16) ^
		       (negative ? 1ull << 63 : 0);
	if (text[0] == '0' && isalpha((unsigned char)text[1]))
		return negative ? 0 - whole(text) : whole(text);
	if (strpbrk(text, ".eE") != NULL || ptx_is_float(type))
		return real(text, negative, type);
	return negative ? 0 - whole(text) : whole(text);
}

char *ptx_token_copy(struct ptx_parser *p, const struct ptx_token *token)
{
	char *copy = ptx_parse_allocate(p->module, token->length + 1);

	memcpy(copy, token->at, token->length);
	return copy;
}
