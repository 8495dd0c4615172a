/* SPDX-License-Identifier: MIT */
/* Reader of the tokens of a text of C, with one token of lookahead. */
#ifndef PLAIT_LUA_TOKEN_H
#define PLAIT_LUA_TOKEN_H

#include <lua.h>

#include <stdbool.h>
#include <stdint.h>

enum plait__token { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_MARK };

enum { MOST_WORD = 128 };

struct plait__token_reader {
	lua_State *L;
	const char *text, *begin, *at; /* the text, its token, and what follows that */
	enum plait__token token;
	char word[MOST_WORD]; /* spelling of the token */
	int64_t number;
	int depth; /* of declarators, for the caller */
};

/* Stand at the first token of a text that outlives the reader. */
void plait__token_begin(struct plait__token_reader *p, lua_State *L, const char *text);
void plait__token_advance(struct plait__token_reader *p);

/* Returns true if the token is this word or mark. */
bool plait__token_is_at(const struct plait__token_reader *p, const char *word);
/* Advance if it is; return whether it was. */
bool plait__token_accept(struct plait__token_reader *p, const char *word);
/* Advance if it is; raise an error otherwise. */
void plait__token_expect(struct plait__token_reader *p, const char *word);
/* Return the first character of the token that follows. */
char plait__token_next(const struct plait__token_reader *p);

/* Raise an error that says so, with the line and the token. */
_Noreturn void plait__token_refuse(struct plait__token_reader *p, const char *what);

#endif
