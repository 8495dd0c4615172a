/* SPDX-License-Identifier: MIT */
/* Tokens of C: words, numbers, marks; comments and space are skipped. */
#include "token.h"

#include <lauxlib.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void plait__token_refuse(struct plait__token_reader *p, const char *what)
{
	int line = 1;

	for (const char *c = p->text; c < p->begin; c++)
		line += *c == '\n';
	luaL_error(p->L, "declarations, line %d: %s at \"%s\"", line, what,
		   p->token == TOKEN_END ? "the end" : p->word);
	abort();
}

static void skip_space(struct plait__token_reader *p)
{
	for (;;) {
		while (isspace((unsigned char)*p->at))
			p->at++;
		if (p->at[0] == '/' && p->at[1] == '*' && strstr(p->at + 2, "*/"))
			p->at = strstr(p->at + 2, "*/") + 2;
		else if (p->at[0] == '/' && p->at[1] == '/')
			p->at += strcspn(p->at, "\n");
		else
			return;
	}
}

static size_t length_of_token(const char *at)
{
	size_t length = 0;

	if (isalpha((unsigned char)*at) || *at == '_') {
		while (isalnum((unsigned char)at[length]) || at[length] == '_')
			length++;
		return length;
	}
	return !*at ? 0 : !strncmp(at, "...", 3) ? 3 : !strncmp(at, "<<", 2) ? 2 : 1;
}

void plait__token_advance(struct plait__token_reader *p)
{
	size_t length;
	char *end;

	skip_space(p);
	p->begin = p->at;
	if (isdigit((unsigned char)*p->at)) {
		p->token = TOKEN_NUMBER;
		p->number = (int64_t)strtoull(p->at, &end, 0);
		length = (size_t)(end - p->at);
		end += strspn(end, "uUlL");
	} else {
		length = length_of_token(p->at);
		end = (char *)(uintptr_t)p->at + length;
		p->token = !length ? TOKEN_END : isalpha((unsigned char)*p->at) || *p->at == '_' ?
			TOKEN_WORD : TOKEN_MARK;
	}
	p->at = end;
	p->word[0] = '\0';
	if (length >= sizeof(p->word))
		plait__token_refuse(p, "a word that is too long");
	memcpy(p->word, p->begin, length);
	p->word[length] = '\0';
}

bool plait__token_is_at(const struct plait__token_reader *p, const char *word)
{
	return p->token != TOKEN_END && p->token != TOKEN_NUMBER && !strcmp(p->word, word);
}

bool plait__token_accept(struct plait__token_reader *p, const char *word)
{
	bool found = plait__token_is_at(p, word);

	if (found)
		plait__token_advance(p);
	return found;
}

void plait__token_expect(struct plait__token_reader *p, const char *word)
{
	char text[48];

	if (plait__token_accept(p, word))
		return;
	strcpy(text, "expected \"");
	strcat(strncat(text, word, 32), "\"");
	plait__token_refuse(p, text);
}

void plait__token_begin(struct plait__token_reader *p, lua_State *L, const char *text)
{
	p->L = L;
	p->text = p->at = text;
	p->depth = 0;
	plait__token_advance(p);
}

char plait__token_next(const struct plait__token_reader *p)
{
	return p->at[strspn(p->at, " \t\n")];
}
