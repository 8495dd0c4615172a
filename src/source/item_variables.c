/* SPDX-License-Identifier: MIT */
/* Search for changes of variables of a group; see item_variables.h. */
#include "source/item_variables.h"

#include "source/code_reader.h"

#include "base/error.h"

#include <string.h>

/* More are not followed. */
enum { MOST_NAMES = 32 };

struct word {
	const char *at;
	size_t length;
};

struct names {
	struct word all[MOST_NAMES];
	uint32_t count;
};

/* The body that is being read. */
struct search {
	struct plait__code_reader in;
	int depth;		/* of braces; 0 behind the body */
	int items_depth;	/* that the ITEMS block has; 0: in none */
	char before;		/* the last character that is no blank */
	struct names group;	/* declared around ITEMS */
	struct names item;	/* declared within it */
	struct word found;	/* changed: length 0 if none is */
};

static struct word read_word(struct plait__code_reader *in)
{
	struct word word = { .at = in->at };

	while (in->at < in->end && plait__code_is_word(*in->at))
		in->at++;
	word.length = (size_t)(in->at - word.at);
	return word;
}

static bool is(struct word word, const char *text)
{
	return strlen(text) == word.length &&
	       memcmp(word.at, text, word.length) == 0;
}

static bool is_one_of(struct word word, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		if (is(word, *texts))
			return true;
	return false;
}

static bool has(const struct names *names, struct word word)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (names->all[i].length == word.length &&
		    memcmp(names->all[i].at, word.at, word.length) == 0)
			return true;
	return false;
}

static void add(struct names *names, struct word word)
{
	if (names->count < MOST_NAMES)
		names->all[names->count++] = word;
}

/* ---- declarations ---- */

/* Returns true for f32, u64, i32x4 and the like. */
static bool is_type(struct word word)
{
	size_t digits = 1;

	if (word.length < 2 || memchr("iuf", word.at[0], 3) == NULL)
		return false;
	while (digits < word.length && word.at[digits] >= '0' &&
	       word.at[digits] <= '9')
		digits++;
	return digits > 1 && (digits == word.length || word.at[digits] == 'x');
}

/* Advance to the comma in front of the next declarator; false if there is
 * none. */
static bool skip_initializer(struct plait__code_reader *in)
{
	int depth = 0;

	while (in->at < in->end && *in->at != ';' && depth >= 0) {
		if (depth == 0 && *in->at == ',')
			return true;
		depth += memchr("([{", *in->at, 3) != NULL;
		depth -= memchr(")]}", *in->at, 3) != NULL;
		plait__code_skip_one(in);
	}
	return false;
}

/* Note the variables that are declared behind a type; none behind a cast.  What
 * a pointer points to is not followed. */
static void note_declared(struct search *search)
{
	struct plait__code_reader ahead = search->in;
	struct names *names = search->items_depth != 0 ? &search->item :
							 &search->group;
	struct word name;

	do {
		if (ahead.at < ahead.end && *ahead.at == ',')
			ahead.at++;
		while (plait__code_take(&ahead, "*"))
			continue;
		plait__code_skip_blanks(&ahead);
		name = read_word(&ahead);
		if (name.length == 0)
			return;
		add(names, name);
	} while (skip_initializer(&ahead));
}

/* ---- changes ---- */

static void skip_members(struct plait__code_reader *in)
{
	for (;;) {
		plait__code_skip_blanks(in);
		if (in->at == in->end || *in->at != '.')
			return;
		in->at++;
		plait__code_skip_blanks(in);
		(void)read_word(in);
	}
}

/* Returns true if an assignment or an increment follows. */
static bool is_changed(struct plait__code_reader in)
{
	static const char *const operators[] = { "++", "--", "<<=", ">>=", "+=",
						 "-=", "*=", "/=", "%=", "&=",
						 "|=", "^=" };

	skip_members(&in);
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (plait__code_take(&in, operators[i]))
			return true;
	return plait__code_take(&in, "=") && (in.at == in.end || *in.at != '=');
}

/* Returns true if the operator ++ or -- is in front of the word. */
static bool is_stepped(const struct search *search, struct word word)
{
	const char *begin = search->in.at - word.length;

	return (search->before == '+' || search->before == '-') &&
	       begin[-1] == search->before && begin[-2] == search->before;
}

static void check_use(struct search *search, struct word word)
{
	if (search->before == '.' || search->before == '>' ||
	    search->before == '*' || has(&search->item, word) ||
	    !has(&search->group, word))
		return;
	if (is_stepped(search, word) || is_changed(search->in))
		search->found = word;
}

/* ---- the body ---- */

/* Storage that is declared by words of plait has its own meaning. */
static const char *const declares[] = { "LOCAL_MEMORY", "PRIVATE",
					"PRIVATE_ARRAY", NULL };

static void read_name(struct search *search)
{
	struct word word = read_word(&search->in);

	if (is(word, "ITEMS") && search->items_depth == 0) {
		search->items_depth = search->depth + 1;
		search->item.count = 0;
	} else if (is_one_of(word, declares)) {
		while (search->in.at < search->in.end && *search->in.at != ';')
			plait__code_skip_one(&search->in);
	} else if (is_type(word)) {
		note_declared(search);
	} else if (search->items_depth != 0) {
		check_use(search, word);
	}
	search->before = 'a';
}

static void read_character(struct search *search)
{
	char c = *search->in.at++;

	if (c == '#')
		plait__code_skip_line(&search->in);
	search->depth += (c == '{') - (c == '}');
	if (c == '}' && search->depth < search->items_depth)
		search->items_depth = 0;
	search->before = c;
}

/* Read the body that `in` is in, up to the first change. */
static void read_body(struct search *search)
{
	search->depth = 1;
	search->group.count = 0;
	while (search->depth > 0 && search->found.length == 0) {
		plait__code_skip_blanks(&search->in);
		if (search->in.at == search->in.end)
			return;
		if (plait__code_skip_noise(&search->in))
			continue;
		if (plait__code_is_word(*search->in.at))
			read_name(search);
		else
			read_character(search);
	}
}

static plait_status fail(const plait_source *source, const char *name,
			 struct word found, plait_error *error)
{
	uint32_t line = 1;

	for (const char *at = source->code; at < found.at; at++)
		line += *at == '\n';
	return plait__fail(error, PLAIT_E_INVALID,
			   "source of %.60s: %.40s:%u: ITEMS changes \"%.*s\", "
			   "which is declared around it: one on the host, one "
			   "per item elsewhere; use PRIVATE, LOCAL_MEMORY, or a "
			   "variable within ITEMS", name, source->file, line,
			   (int)(found.length < 30 ? found.length : 30),
			   found.at);
}

plait_status plait__item_variables_check(const plait_source *source,
					 const char *name, plait_error *error)
{
	struct search search = { .in = plait__code_read(source) };

	while (search.found.length == 0 &&
	       plait__code_find_group_kernel(&search.in, name) &&
	       plait__code_enter_body(&search.in))
		read_body(&search);
	return search.found.length == 0 ?
		       PLAIT_OK : fail(source, name, search.found, error);
}
