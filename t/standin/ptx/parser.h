/* SPDX-License-Identifier: MIT */
/* Parsing of PTX: tokens, names, statements. */
#ifndef PTX_PARSER_H
#define PTX_PARSER_H

#include <setjmp.h>
#include <string.h>

#include "program.h"

enum ptx_token_kind { PTX_END, PTX_WORD, PTX_NUMBER, PTX_STRING, PTX_MARK };

struct ptx_token {
	enum ptx_token_kind kind;
	const char *at;
	size_t length;
	uint32_t line;
};

struct ptx_name {
	const char *at;
	size_t length;
	enum { PTX_REGISTERS, PTX_PLACE } kind;
	enum ptx_type type;
	uint32_t slot, count; /* of registers: 0, one without a number */
	enum ptx_space space; /* of a place */
	uint64_t address;
	uint32_t bytes;
};

struct ptx_label {
	const char *at;
	size_t length;
	uint32_t index; /* of the operation behind it */
	struct ptx_targets *table;
	struct ptx_token *words; /* of a table */
};

/* A use of a label; set when the function ends. */
struct ptx_jump {
	uint32_t op;
	struct ptx_token label;
};

enum { PTX_MOST_NAMES = 8192, PTX_MOST_LABELS = 16384, PTX_MOST_DEPTH = 32 };

struct ptx_parser {
	struct ptx_module *module;
	const char *at;
	uint32_t line;
	struct ptx_token token; /* the next one */
	char *message;
	jmp_buf failed;
	struct ptx_function *function;
	struct ptx_name names[PTX_MOST_NAMES];
	uint32_t name_count, outer[PTX_MOST_DEPTH], depth;
	struct ptx_label labels[PTX_MOST_LABELS];
	uint32_t label_count;
	struct ptx_jump jumps[PTX_MOST_LABELS];
	uint32_t jump_count;
};

/* --- token.c */

__attribute__((noreturn, format(printf, 2, 3)))
void ptx_token_refuse(struct ptx_parser *p, const char *format, ...);
struct ptx_token ptx_token_next(struct ptx_parser *p);
bool ptx_token_is(const struct ptx_token *token, const char *text);
/* If the next token is `text`, take it. */
bool ptx_token_accept(struct ptx_parser *p, const char *text);
void ptx_token_expect(struct ptx_parser *p, const char *text);
struct ptx_token ptx_token_word(struct ptx_parser *p);
/* Decimal, hexadecimal, octal, binary, with a sign in front. */
uint64_t ptx_token_whole(struct ptx_parser *p);
/* Any number, as the bits of `type`. */
uint64_t ptx_token_bits(struct ptx_parser *p, enum ptx_type type);
char *ptx_token_copy(struct ptx_parser *p, const struct ptx_token *token);

/* --- declare.c */

enum ptx_type ptx_declare_type(const char *at, size_t length);
void ptx_declare_enter(struct ptx_parser *p);
void ptx_declare_leave(struct ptx_parser *p);
struct ptx_name *ptx_declare_name(struct ptx_parser *p,
				  const struct ptx_token *token);
/* Behind .reg */
void ptx_declare_registers(struct ptx_parser *p);
/* Behind the space of a variable of a module or a function. */
void ptx_declare_variable(struct ptx_parser *p, enum ptx_space space,
			  bool external);
/* A list in parentheses; the next token is the opening one. */
void ptx_declare_parameters(struct ptx_parser *p, bool results);
const struct ptx_variable *ptx_declare_find(const struct ptx_module *module,
					    const char *name, size_t length);

/* --- operand.c */

enum ptx_operand_kind {
	PTX_SLOT, PTX_VECTOR, PTX_ADDRESS, PTX_TARGET
};

struct ptx_operand {
	enum ptx_operand_kind kind;
	uint32_t slot, second; /* second: of p|q */
	bool negated, has_second;
	enum ptx_type type; /* of a register */
	uint32_t count, v[8];
	int64_t offset;
	struct ptx_token token;
};

uint32_t ptx_operand_slots(struct ptx_parser *p, uint32_t count,
			   enum ptx_type type);
uint32_t ptx_operand_constant(struct ptx_parser *p, uint64_t value);
void ptx_operand_parse(struct ptx_parser *p, enum ptx_type type,
		       struct ptx_operand *out);

/* --- statement.c */

enum { PTX_MOST_WORDS = 12, PTX_MOST_OPERANDS = 8 };

struct ptx_statement {
	char name[24];
	char words[PTX_MOST_WORDS][16];
	uint32_t word_count;
	enum ptx_type types[4];
	uint32_t type_count;
	struct ptx_operand operands[PTX_MOST_OPERANDS];
	uint32_t operand_count;
};

bool ptx_statement_has(const struct ptx_statement *s, const char *word);
void ptx_statement_parse(struct ptx_parser *p, struct ptx_token first);

/* One row for an instruction, for all its types. */
struct ptx_form {
	const char *key; /* the name and the words that choose among rows */
	uint32_t operands;
	ptx_run *run[PTX_TYPES];
};

/* Tables, and instructions that need more than a row.  Each returns false if
 * the instruction is another's. */
typedef bool ptx_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o);
ptx_decode ptx_whole_decode, ptx_bits_decode, ptx_real_decode,
	ptx_compare_decode, ptx_convert_decode, ptx_memory_decode,
	ptx_atomic_decode, ptx_move_decode, ptx_control_decode,
	ptx_barrier_decode, ptx_warp_decode, ptx_texture_decode;
/* Look up name and words, but those in `ignored`, and set the operands in
 * order: d, a, b, c, v[0]. */
bool ptx_statement_find(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o, const struct ptx_form *forms,
			size_t count, const char *ignored);
void ptx_statement_need(struct ptx_parser *p, const struct ptx_statement *s,
			uint32_t count);

#endif
