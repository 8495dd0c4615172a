/* SPDX-License-Identifier: MIT */
/* Branches, calls, ends of threads, fences. */
#include <stdlib.h>

#include "machine.h"
#include "parser.h"

static const struct ptx_op *code_of(const struct ptx_thread *t)
{
	return t->frames[t->frame_count - 1].function->code;
}

static void bra(struct ptx_thread *t, const struct ptx_op *o)
{
	t->at = code_of(t) + o->offset;
}

static void brx(struct ptx_thread *t, const struct ptx_op *o)
{
	const struct ptx_targets *table = o->more;
	uint32_t index = (uint32_t)t->r[o->a];

	if (index >= table->count)
		ptx_machine_fail(t, PTX_FAILED, "target %u of %u", index,
				 table->count);
	else
		t->at = code_of(t) + table->at[index];
}

static void ret(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)o;
	ptx_machine_leave(t);
}

static void leave_all(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)o;
	t->frame_count = 1;
	ptx_machine_leave(t);
}

static void trap(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)o;
	ptx_machine_fail(t, PTX_TRAPPED, "trap");
}

static void yield_turn(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)o;
	t->state = PTX_YIELDED;
}

static void nothing(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)t, (void)o;
}

/* --- calls ---------------------------------------------------------------- */

static void call(struct ptx_thread *t, const struct ptx_op *o)
{
	const struct ptx_call *list = o->more;
	const struct ptx_parameter *to = list->target->parameters;
	uint32_t count = t->frame_count, i;
	const char *from;

	ptx_machine_enter(t, list->target, list);
	if (t->frame_count == count)
		return;
	/* The caller's frame may have moved. */
	from = (const char *)(t->words + t->frames[count - 1].base +
			      (t->frames[count - 1].function->slot_count + 1) /
				      2 * 2);
	for (i = 0; i < list->argument_count; i++)
		memcpy(t->params + to[i].offset, from + list->arguments[i],
		       to[i].bytes);
}

static void set_condition(struct ptx_thread *t, const struct ptx_op *o)
{
	const struct ptx_call *list = o->more;
	const struct ptx_launch *launch = t->machine->launch;
	unsigned long long handle;
	unsigned value;
	int code;

	memcpy(&handle, t->params + list->arguments[0], sizeof(handle));
	memcpy(&value, t->params + list->arguments[1], sizeof(value));
	code = launch->set_condition == NULL ? PTX_FAILED :
	       launch->set_condition(launch->user, handle, value);
	if (code != 0)
		ptx_machine_fail(t, (enum ptx_result)code, "the condition "
				 "%#llx cannot be set here", handle);
}

static void assertion(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)o;
	ptx_machine_fail(t, PTX_TRAPPED, "an assertion of the kernel failed");
}

/* (a, b, c): parameters of the caller. */
static uint32_t take_list(struct ptx_parser *p, uint32_t *out, uint32_t room)
{
	uint32_t count = 0;

	while (!ptx_token_accept(p, ")")) {
		struct ptx_token word = ptx_token_word(p);
		const struct ptx_name *name = ptx_declare_name(p, &word);

		if (count == room || name == NULL || name->kind != PTX_PLACE ||
		    name->space != PTX_PARAM)
			ptx_token_refuse(p, "`%.*s` is no .param of this call",
					 (int)word.length, word.at);
		out[count++] = (uint32_t)name->address;
		ptx_token_accept(p, ",");
	}
	return count;
}

static struct ptx_function *find_target(struct ptx_parser *p)
{
	struct ptx_token word = ptx_token_word(p);
	struct ptx_function *f;

	for (f = p->module->functions; f != NULL; f = f->next)
		if (ptx_token_is(&word, f->name))
			return f;
	ptx_token_refuse(p, "no function `%.*s`; calls by address are not "
			 "supported", (int)word.length, word.at);
}

static void decode_call(struct ptx_parser *p, struct ptx_op *o)
{
	struct ptx_call *list = ptx_parse_allocate(p->module, sizeof(*list));

	if (ptx_token_accept(p, "(")) {
		list->result_count = take_list(p, list->results, 4);
		ptx_token_expect(p, ",");
	}
	list->target = find_target(p);
	if (ptx_token_accept(p, ",")) {
		ptx_token_expect(p, "(");
		list->argument_count = take_list(p, list->arguments, 64);
	}
	if (list->argument_count != list->target->parameter_count ||
	    list->result_count != list->target->result_count)
		ptx_token_refuse(p, "`%s` has other parameters",
				 list->target->name);
	o->more = list;
	o->run = strcmp(list->target->name, "cudaGraphSetConditional") == 0 ?
		 set_condition : strcmp(list->target->name, "__assertfail") == 0 ?
		 assertion : call;
}

/* --- decoding ------------------------------------------------------------- */

static void decode_jump(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	const struct ptx_operand *label =
		&s->operands[ptx_statement_has(s, "idx") ? 1 : 0];

	ptx_statement_need(p, s, ptx_statement_has(s, "idx") ? 2 : 1);
	if (label->kind != PTX_TARGET || p->jump_count == PTX_MOST_LABELS)
		ptx_token_refuse(p, "a label is expected");
	o->run = label == s->operands ? bra : brx;
	o->a = s->operands[0].slot;
	p->jumps[p->jump_count].op = p->function->op_count;
	p->jumps[p->jump_count++].label = label->token;
}

bool ptx_control_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	static const struct {
		const char *name;
		ptx_run *run;
	} rows[] = {
		{ "ret", ret }, { "exit", leave_all }, { "trap", trap },
		{ "brkpt", trap }, { "nanosleep", yield_turn },
		{ "membar", nothing }, { "fence", nothing },
		{ "pmevent", nothing }, { "griddepcontrol", nothing },
	};
	size_t i;

	if (strcmp(s->name, "call") == 0) {
		decode_call(p, o);
		return true;
	}
	if (strcmp(s->name, "bra") == 0 || strcmp(s->name, "brx") == 0) {
		decode_jump(p, s, o);
		return true;
	}
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(s->name, rows[i].name) == 0) {
			o->run = rows[i].run;
			return true;
		}
	return false;
}
