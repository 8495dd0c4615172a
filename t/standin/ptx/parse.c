/* SPDX-License-Identifier: MIT */
/* Modules of PTX: directives, functions, labels; the start and end of parsing. */
#include <stdio.h>
#include <stdlib.h>

#include "parser.h"

/* --- memory of a module --------------------------------------------------- */

void *ptx_parse_allocate(struct ptx_module *module, size_t bytes)
{
	struct ptx_chunk *chunk = calloc(1, sizeof(*chunk) + 16 + bytes);

	if (chunk == NULL)
		abort();
	chunk->next = module->chunks;
	module->chunks = chunk;
	return (char *)chunk + 16;
}

void ptx_release(struct ptx_module *module)
{
	struct ptx_function *f;

	if (module == NULL)
		return;
	for (f = module->functions; f != NULL; f = f->next) {
		free(f->code);
		free(f->initial);
		free(f->constant);
		free(f->specials);
	}
	while (module->chunks != NULL) {
		struct ptx_chunk *chunk = module->chunks;

		module->chunks = chunk->next;
		free(chunk);
	}
	free(module->text);
	free(module->kernels);
	free(module);
}

/* --- labels --------------------------------------------------------------- */

static const struct ptx_label *find_label(struct ptx_parser *p,
					  const struct ptx_token *token)
{
	uint32_t i;

	for (i = 0; i < p->label_count; i++)
		if (p->labels[i].length == token->length &&
		    memcmp(p->labels[i].at, token->at, token->length) == 0)
			return &p->labels[i];
	p->token.line = token->line;
	ptx_token_refuse(p, "no label `%.*s`", (int)token->length, token->at);
}

/* label: .branchtargets a, b, ... ; */
static void take_targets(struct ptx_parser *p, struct ptx_label *label)
{
	label->table = ptx_parse_allocate(p->module, sizeof(*label->table));
	label->words = ptx_parse_allocate(p->module, 256 * sizeof(label->words[0]));
	do {
		if (label->table->count == 256)
			ptx_token_refuse(p, "too many targets");
		label->words[label->table->count++] = ptx_token_word(p);
	} while (ptx_token_accept(p, ","));
	ptx_token_expect(p, ";");
}

static void add_label(struct ptx_parser *p, const struct ptx_token *token)
{
	struct ptx_label *label;

	if (p->label_count == PTX_MOST_LABELS)
		ptx_token_refuse(p, "too many labels");
	label = &p->labels[p->label_count++];
	memset(label, 0, sizeof(*label));
	label->at = token->at;
	label->length = token->length;
	label->index = p->function->op_count;
	if (ptx_token_accept(p, ".branchtargets"))
		take_targets(p, label);
}

static void set_jumps(struct ptx_parser *p)
{
	uint32_t i, k;

	for (i = 0; i < p->jump_count; i++) {
		struct ptx_op *o = &p->function->code[p->jumps[i].op];
		const struct ptx_label *label =
			find_label(p, &p->jumps[i].label);

		o->offset = label->index;
		o->more = label->table;
		for (k = 0; label->table != NULL && k < label->table->count; k++)
			label->table->at[k] =
				find_label(p, &label->words[k])->index;
	}
}

/* --- functions ------------------------------------------------------------ */

static void skip_line(struct ptx_parser *p, uint32_t line)
{
	while (p->token.kind != PTX_END && p->token.line == line)
		ptx_token_next(p);
}

static bool take_directive(struct ptx_parser *p, const struct ptx_token *word)
{
	if (ptx_token_is(word, ".reg"))
		ptx_declare_registers(p);
	else if (ptx_token_is(word, ".local"))
		ptx_declare_variable(p, PTX_LOCAL, false);
	else if (ptx_token_is(word, ".shared"))
		ptx_declare_variable(p, PTX_SHARED, false);
	else if (ptx_token_is(word, ".param"))
		ptx_declare_variable(p, PTX_PARAM, false);
	else if (ptx_token_is(word, ".global"))
		ptx_declare_variable(p, PTX_GLOBAL, false);
	else if (ptx_token_is(word, ".const"))
		ptx_declare_variable(p, PTX_CONST, false);
	else if (ptx_token_is(word, ".pragma") || ptx_token_is(word, ".loc"))
		skip_line(p, word->line);
	else
		return false;
	return true;
}

/* One statement, label or declaration. */
static void take_statement(struct ptx_parser *p)
{
	struct ptx_token word = { .at = "", .length = 0 };

	if (!ptx_token_is(&p->token, "@")) {
		word = ptx_token_word(p);
		if (ptx_token_accept(p, ":")) {
			add_label(p, &word);
			return;
		}
		if (take_directive(p, &word))
			return;
	}
	ptx_statement_parse(p, word);
}

static void take_body(struct ptx_parser *p)
{
	uint32_t depth = 1;

	while (depth != 0) {
		if (p->token.kind == PTX_END)
			ptx_token_refuse(p, "the text ends in a function");
		if (ptx_token_accept(p, "{")) {
			ptx_declare_enter(p);
			depth++;
		} else if (ptx_token_accept(p, "}")) {
			depth--;
			if (depth != 0)
				ptx_declare_leave(p);
		} else if (!ptx_token_accept(p, ";")) {
			take_statement(p);
		}
	}
}

/* A return behind the last statement. */
static void end_function(struct ptx_parser *p)
{
	static const struct ptx_token last = { PTX_WORD, "ret", 3, 0 };
	const struct ptx_token after = p->token;
	const char *at = p->at;
	uint32_t line = p->line;

	p->token = (struct ptx_token){ PTX_MARK, ";", 1, line };
	ptx_statement_parse(p, last);
	p->token = after;
	p->at = at;
	p->line = line;
	set_jumps(p);
	p->function->defined = true;
}

static struct ptx_function *function_named(struct ptx_parser *p,
					   const struct ptx_token *name)
{
	struct ptx_function *f;

	for (f = p->module->functions; f != NULL; f = f->next)
		if (ptx_token_is(name, f->name))
			return f;
	f = ptx_parse_allocate(p->module, sizeof(*f));
	f->name = ptx_token_copy(p, name);
	f->next = p->module->functions;
	p->module->functions = f;
	return f;
}

/* .maxntid, .reqntid and others, up to the body. */
static void take_limits(struct ptx_parser *p)
{
	while (p->token.kind == PTX_WORD) {
		struct ptx_token word = ptx_token_next(p);
		uint64_t product = 1;

		while (p->token.kind == PTX_NUMBER) {
			product *= ptx_token_whole(p);
			ptx_token_accept(p, ",");
		}
		if (ptx_token_is(&word, ".maxntid") ||
		    ptx_token_is(&word, ".reqntid"))
			p->function->most_threads = (uint32_t)product;
	}
}

static void add_kernel(struct ptx_parser *p)
{
	struct ptx_module *module = p->module;
	struct ptx_function *f = p->function;
	size_t *sizes = ptx_parse_allocate(module, 64 * sizeof(*sizes));
	uint32_t i;

	for (i = 0; i < f->parameter_count; i++)
		sizes[i] = f->parameters[i].bytes;
	f->kernel = (struct ptx_kernel){
		.name = f->name, .sizes = sizes, .count = f->parameter_count,
		.most_threads = f->most_threads, .local_bytes = f->local_bytes,
		.function = f
	};
	module->kernels = realloc(module->kernels, (module->kernel_count + 1) *
						   sizeof(*module->kernels));
	if (module->kernels == NULL)
		abort();
	module->kernels[module->kernel_count++] = &f->kernel;
}

static void take_function(struct ptx_parser *p, bool entry)
{
	struct ptx_function blank = { .entry = entry };
	struct ptx_token name;

	ptx_declare_enter(p);
	p->function = &blank;
	p->label_count = p->jump_count = 0;
	if (ptx_token_is(&p->token, "("))
		ptx_declare_parameters(p, true);
	name = ptx_token_word(p);
	if (ptx_token_is(&p->token, "("))
		ptx_declare_parameters(p, false);
	p->function = function_named(p, &name);
	blank.next = p->function->next;
	blank.name = p->function->name;
	if (p->function->defined)
		blank = *p->function;
	*p->function = blank;
	take_limits(p);
	if (ptx_token_accept(p, "{")) {
		ptx_operand_slots(p, PTX_FIRST_SLOT, PTX_B64);
		p->function->initial[PTX_SLOT_TRUE] = 1;
		take_body(p);
		end_function(p);
		if (entry)
			add_kernel(p);
	} else {
		ptx_token_expect(p, ";");
	}
	p->function = NULL;
	ptx_declare_leave(p);
}

/* --- the module ----------------------------------------------------------- */

static void take_target(struct ptx_parser *p)
{
	const char *word = p->token.at;

	if (strncmp(word, "sm_", 3) == 0)
		p->module->target = (unsigned)atoi(word + 3);
	ptx_token_word(p);
	while (ptx_token_accept(p, ","))
		ptx_token_word(p);
}

static void skip_braces(struct ptx_parser *p)
{
	while (p->token.kind != PTX_END && !ptx_token_accept(p, "}"))
		ptx_token_next(p);
}

static bool take_variable(struct ptx_parser *p, const struct ptx_token *word,
			  bool external)
{
	if (ptx_token_is(word, ".global"))
		ptx_declare_variable(p, PTX_GLOBAL, false);
	else if (ptx_token_is(word, ".const"))
		ptx_declare_variable(p, PTX_CONST, false);
	else if (ptx_token_is(word, ".shared"))
		ptx_declare_variable(p, PTX_SHARED, external);
	else
		return false;
	return true;
}

static void take_top(struct ptx_parser *p)
{
	struct ptx_token word = ptx_token_word(p);
	bool external = false;

	while (ptx_token_is(&word, ".visible") || ptx_token_is(&word, ".weak") ||
	       ptx_token_is(&word, ".extern") || ptx_token_is(&word, ".common")) {
		external |= ptx_token_is(&word, ".extern");
		word = ptx_token_word(p);
	}
	if (ptx_token_is(&word, ".version") ||
	    ptx_token_is(&word, ".address_size"))
		ptx_token_next(p);
	else if (ptx_token_is(&word, ".target"))
		take_target(p);
	else if (ptx_token_is(&word, ".entry") || ptx_token_is(&word, ".func"))
		take_function(p, ptx_token_is(&word, ".entry"));
	else if (ptx_token_is(&word, ".section"))
		skip_braces(p);
	else if (ptx_token_is(&word, ".file") || ptx_token_is(&word, ".pragma"))
		skip_line(p, word.line);
	else if (!take_variable(p, &word, external))
		ptx_token_refuse(p, "`%.*s` is not supported",
				 (int)word.length, word.at);
}

static bool is_known(const char *name)
{
	return strcmp(name, "cudaGraphSetConditional") == 0 ||
	       strcmp(name, "__assertfail") == 0;
}

/* Functions that are called have a body, or are the driver's. */
static void check_functions(struct ptx_parser *p)
{
	struct ptx_function *f;
	uint32_t i;

	for (f = p->module->functions; f != NULL; f = f->next) {
		if (f->defined)
			continue;
		if (!is_known(f->name))
			ptx_token_refuse(p, "unresolved extern function `%s`",
					 f->name);
		if (strcmp(f->name, "cudaGraphSetConditional") == 0)
			p->module->sets_conditions = true;
	}
	for (i = 0; i < p->module->kernel_count; i++)
		((struct ptx_function *)(uintptr_t)
			p->module->kernels[i]->function)->kernel.shared_bytes =
			p->module->shared_bytes;
}

static void parse_text(struct ptx_parser *p)
{
	p->at = p->module->text;
	p->line = 1;
	ptx_token_next(p);
	if (!ptx_token_is(&p->token, ".version"))
		ptx_token_refuse(p, "`.version` is expected first");
	while (p->token.kind != PTX_END)
		take_top(p);
	check_functions(p);
}

/* Returns false when the text was refused. */
static bool try_text(struct ptx_parser *p)
{
	if (setjmp(p->failed) != 0)
		return false;
	parse_text(p);
	return true;
}

struct ptx_module *ptx_parse(const char *text, char *message)
{
	struct ptx_module *module = calloc(1, sizeof(*module));
	struct ptx_parser *p = calloc(1, sizeof(*p));
	bool held;

	if (module == NULL || p == NULL)
		abort();
	module->text = strdup(text);
	p->module = module;
	p->message = message;
	held = try_text(p);
	free(p);
	if (held)
		return module;
	ptx_release(module);
	return NULL;
}

/* --- contents ------------------------------------------------------------- */

unsigned ptx_kernel_count(const struct ptx_module *module)
{
	return module->kernel_count;
}

const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module,
				       unsigned index)
{
	return module->kernels[index];
}

const struct ptx_kernel *ptx_kernel_named(const struct ptx_module *module,
					  const char *name)
{
	unsigned i;

	for (i = 0; i < module->kernel_count; i++)
		if (strcmp(module->kernels[i]->name, name) == 0)
			return module->kernels[i];
	return NULL;
}

unsigned ptx_target(const struct ptx_module *module)
{
	return module->target;
}

bool ptx_sets_conditions(const struct ptx_module *module)
{
	return module->sets_conditions;
}

void *ptx_variable(const struct ptx_module *module, const char *name,
		   size_t *bytes)
{
	const struct ptx_variable *variable =
		ptx_declare_find(module, name, strlen(name));

	if (variable == NULL || variable->space == PTX_SHARED)
		return NULL;
	*bytes = variable->bytes;
	return (void *)(uintptr_t)variable->address;
}
