/* SPDX-License-Identifier: MIT */
/* Statements of PTX: the mnemonic in parts, the operands, and the operation that
 * they become. */
#include <stdlib.h>

#include "parser.h"

bool ptx_statement_has(const struct ptx_statement *s, const char *word)
{
	uint32_t i;

	for (i = 0; i < s->word_count; i++)
		if (strcmp(s->words[i], word) == 0)
			return true;
	return false;
}

/* --- the mnemonic --------------------------------------------------------- */

static void add_word(struct ptx_parser *p, struct ptx_statement *s,
		     const char *at, size_t length)
{
	enum ptx_type type = ptx_declare_type(at, length);

	if (type != PTX_NONE) {
		if (s->type_count == 4)
			ptx_token_refuse(p, "too many types");
		s->types[s->type_count++] = type;
		return;
	}
	if (s->word_count == PTX_MOST_WORDS || length >= sizeof(s->words[0]))
		ptx_token_refuse(p, "`.%.*s` is not supported", (int)length, at);
	memcpy(s->words[s->word_count], at, length);
	s->words[s->word_count++][length] = '\0';
}

static void split(struct ptx_parser *p, struct ptx_statement *s,
		  const struct ptx_token *token)
{
	const char *at = token->at, *end = token->at + token->length;
	const char *dot = memchr(at, '.', token->length);
	size_t length = (size_t)((dot != NULL ? dot : end) - at);

	if (length >= sizeof(s->name))
		ptx_token_refuse(p, "`%.*s` is not an instruction",
				 (int)length, at);
	memcpy(s->name, at, length);
	s->name[length] = '\0';
	while (dot != NULL) {
		at = dot + 1;
		dot = memchr(at, '.', (size_t)(end - at));
		add_word(p, s, at, (size_t)((dot != NULL ? dot : end) - at));
	}
	/* barrier.cta::sync and the like are not split. */
}

/* --- tables --------------------------------------------------------------- */

void ptx_statement_need(struct ptx_parser *p, const struct ptx_statement *s,
			uint32_t count)
{
	if (s->operand_count < count)
		ptx_token_refuse(p, "`%s` needs %u operands", s->name, count);
}

/* Returns true if `list`, words with blanks around them, has the word. */
static bool is_listed(const char *list, const char *word)
{
	char padded[24] = " ";

	strcat(strcat(padded, word), " ");
	return strstr(list, padded) != NULL;
}

static void make_key(const struct ptx_statement *s, const char *ignored,
		     char key[256])
{
	uint32_t i;

	strcpy(key, s->name);
	for (i = 0; i < s->word_count; i++)
		if (!is_listed(ignored, s->words[i]))
			strcat(strcat(key, "."), s->words[i]);
}

static void set_flags(const struct ptx_statement *s, struct ptx_op *o)
{
	static const struct {
		const char *word;
		uint8_t flag;
	} flags[] = {
		{ "ftz", PTX_FTZ }, { "sat", PTX_SAT },
		{ "approx", PTX_APPROX }, { "full", PTX_APPROX },
		{ "NaN", PTX_NAN },
	};
	static const char *const roundings[] = { "rn", "rz", "rm", "rp" };
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (ptx_statement_has(s, flags[i].word))
			o->flags |= flags[i].flag;
	for (i = 0; i < 4; i++)
		if (ptx_statement_has(s, roundings[i]))
			o->rounding = (uint8_t)i;
}

static void set_operands(const struct ptx_statement *s, struct ptx_op *o)
{
	uint32_t *const slots[] = { &o->d, &o->a, &o->b, &o->c, &o->v[0] };
	uint32_t i;

	for (i = 0; i < s->operand_count && i < 5; i++)
		*slots[i] = s->operands[i].slot;
	if (s->operand_count > 3 && s->operands[3].negated)
		o->flags |= PTX_NEGATE_C;
	o->width = (uint8_t)ptx_bytes_of(s->operands[0].type);
}

bool ptx_statement_find(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o, const struct ptx_form *forms,
			size_t count, const char *ignored)
{
	char key[256];
	size_t i;

	make_key(s, ignored, key);
	for (i = 0; i < count; i++) {
		if (strcmp(forms[i].key, key) != 0 ||
		    forms[i].run[s->types[0]] == NULL)
			continue;
		ptx_statement_need(p, s, forms[i].operands);
		o->run = forms[i].run[s->types[0]];
		o->type = (uint8_t)s->types[0];
		set_flags(s, o);
		set_operands(s, o);
		return true;
	}
	return false;
}

/* --- the operation -------------------------------------------------------- */

static struct ptx_op *add_op(struct ptx_function *f)
{
	if (f->op_count == f->op_room) {
		f->op_room = 2 * f->op_room + 64;
		f->code = realloc(f->code, f->op_room * sizeof(*f->code));
		if (f->code == NULL)
			abort();
	}
	memset(&f->code[f->op_count], 0, sizeof(*f->code));
	return &f->code[f->op_count++];
}

static void decode(struct ptx_parser *p, const struct ptx_statement *s,
		   struct ptx_op *o, const struct ptx_token *first)
{
	static ptx_decode *const decoders[] = {
		ptx_memory_decode, ptx_whole_decode, ptx_real_decode,
		ptx_bits_decode, ptx_compare_decode, ptx_convert_decode,
		ptx_move_decode, ptx_control_decode, ptx_atomic_decode,
		ptx_barrier_decode, ptx_warp_decode, ptx_texture_decode
	};
	size_t i;

	for (i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (decoders[i](p, s, o))
			return;
	p->token.line = first->line;
	ptx_token_refuse(p, "`%.*s` is not supported", (int)first->length,
			 first->at);
}

/* Calls have lists of their own. */
static void take_operands(struct ptx_parser *p, struct ptx_statement *s)
{
	enum ptx_type type = s->type_count != 0 ? s->types[s->type_count - 1] :
						  PTX_NONE;

	while (!ptx_token_is(&p->token, ";")) {
		if (s->operand_count == PTX_MOST_OPERANDS)
			ptx_token_refuse(p, "too many operands");
		ptx_operand_parse(p, type, &s->operands[s->operand_count++]);
		if (!ptx_token_accept(p, ","))
			break;
	}
}

static struct ptx_token take_guard(struct ptx_parser *p, uint32_t *guard,
				   uint8_t *negate)
{
	struct ptx_operand operand;

	ptx_token_expect(p, "@");
	ptx_operand_parse(p, PTX_PRED, &operand);
	if (operand.type != PTX_PRED)
		ptx_token_refuse(p, "a predicate is expected behind `@`");
	*guard = operand.slot;
	*negate = operand.negated;
	return ptx_token_word(p);
}

void ptx_statement_parse(struct ptx_parser *p, struct ptx_token first)
{
	struct ptx_statement s = { .name = "" };
	struct ptx_op made = { .guard = PTX_SLOT_TRUE };
	const char *begin;

	if (ptx_token_is(&first, "")) /* the guard is next */
		first = take_guard(p, &made.guard, &made.negate);
	begin = first.at;
	made.line = first.line;
	split(p, &s, &first);
	if (strcmp(s.name, "call") != 0)
		take_operands(p, &s);
	decode(p, &s, &made, &first);
	made.text = begin;
	made.text_bytes = (uint32_t)(p->token.at - begin);
	ptx_token_expect(p, ";");
	*add_op(p->function) = made;
}
