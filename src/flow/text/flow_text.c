/* SPDX-License-Identifier: MIT */
/* Lines of a text with the tasks of a flow; see flow_text.h. */
#include "flow/text/flow_text.h"

#include "plait/record.h"

#include "flow/flow_data.h"
#include "flow/flow_record.h"
#include "flow/text/text_accesses.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

/* ---- words ---- */

static plait_status fail_memory(plait__flow_text *text)
{
	return plait__fail(text->line.error, PLAIT_E_NOMEM,
			   "no memory to read a flow");
}

static bool is_name(plait__token token)
{
	for (size_t i = 0; i < token.length; i++)
		if (strchr("=,+[]:()", token.start[i]) != NULL)
			return false;
	return token.length > 0 && token.length < PLAIT__OBJECT_LABEL_BYTES;
}

static plait_status read_name(plait__flow_text *text, const char *what,
			      plait__token *out)
{
	if (plait__lexer_next_token(&text->line, out) && is_name(*out))
		return PLAIT_OK;
	return plait__lexer_expected(&text->line, what, *out);
}

static plait_status expect_end(plait__flow_text *text)
{
	plait__token token;

	if (!plait__lexer_next_token(&text->line, &token))
		return PLAIT_OK;
	return plait__lexer_expected(&text->line, "the end of the line", token);
}

static plait_status read_number(plait__flow_text *text, plait__token token,
				uint64_t most, uint64_t *out)
{
	if (plait__lexer_number(token, out) && *out <= most)
		return PLAIT_OK;
	return plait__lexer_expected(&text->line, "a number", token);
}

static void copy_name(char out[PLAIT__OBJECT_LABEL_BYTES], plait__token name)
{
	memcpy(out, name.start, name.length);
	out[name.length] = '\0';
}

/* Put the line before errors of the calls that it makes. */
static plait_status locate(plait__flow_text *text, plait_status status)
{
	if (status < 0)
		plait__error_prefix(text->line.error, "%s:%u: ",
				    text->line.name, text->line.number);
	return status;
}

/* ---- data NAME [EXTENTxEXTENT] [bytes=N] ---- */

static plait_status read_data_words(plait__flow_text *text,
				    plait_data_desc *desc)
{
	plait__token token, key, value;
	uint64_t bytes;
	uint32_t count;

	while (plait__lexer_next_token(&text->line, &token)) {
		if (plait__lexer_split(token, &key, &value) &&
		    plait__lexer_is(key, "bytes")) {
			plait_status status = read_number(text, value,
							  UINT32_MAX, &bytes);

			if (status != PLAIT_OK)
				return status;
			desc->element_bytes = (uint32_t)bytes;
			continue;
		}
		count = plait__text_accesses_numbers(token, 'x', desc->extent,
						     3);
		if (count > 3 || desc->dimensions > 0)
			return plait__lexer_expected(
				&text->line, "one to three extents, like "
				"64x64, or bytes=N", token);
		desc->dimensions = count;
	}
	return PLAIT_OK;
}

static plait_status read_data(plait__flow_text *text)
{
	plait__flow_text_data data = { .handle = NULL };
	plait_data_desc desc = { .size = sizeof(desc), .element_bytes = 8,
				 .label = data.name };
	plait__token name;
	plait_status status = read_name(text, "a name for the data", &name);

	if (status == PLAIT_OK && plait__text_accesses_find(text, name) != NULL)
		status = plait__lexer_fail(&text->line,
					   "the name is taken already");
	if (status == PLAIT_OK)
		status = read_data_words(text, &desc);
	if (status != PLAIT_OK)
		return status;
	copy_name(data.name, name);
	status = locate(text, plait__data_make(text->flow, &desc, false,
					       &data.handle,
					       text->line.error));
	if (status != PLAIT_OK)
		return status;
	data.dimensions = desc.dimensions;
	if (PLAIT__VECTOR_ADD(&text->data, &data) != NULL)
		return PLAIT_OK;
	plait_data_release(data.handle);
	return fail_memory(text);
}

/* ---- task, access NAME [reads=...] [writes=...] [updates=...] ... ---- */

static int32_t do_nothing(void *user_data)
{
	(void)user_data;
	return 0;
}

/* A label that lives as long as the flow; null without memory. */
static const char *keep_label(plait__flow *flow, plait__token name)
{
	plait__flow_name *at;

	plait__flow_lock(flow);
	for (at = flow->names; at != NULL; at = at->next)
		if (plait__lexer_is(name, at->text))
			break;
	if (at == NULL)
		at = plait__alloc(plait__flow_allocator(flow), sizeof(*at));
	if (at != NULL && at->text[0] == '\0') {
		copy_name(at->text, name);
		at->next = flow->names;
		flow->names = at;
	}
	plait__flow_unlock(flow);
	return at != NULL ? at->text : NULL;
}

static int32_t run_nothing(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static plait_status make_kernel(plait__flow_text *text, const char *signature,
				plait_kernel **kept)
{
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .function = run_nothing,
					 .signature = signature };

	if (*kept != NULL)
		return PLAIT_OK;
	return locate(text, plait_kernel_create(
				    plait__object_handle(
					    &text->flow->object.context->object),
				    &desc, kept, text->line.error));
}

/* The kernel of a launch takes the chunk, and what it reduces. */
static plait_status take_kernel(plait__flow_text *text, plait_task_desc *desc)
{
	static const char *const signatures[] = {
		"task(c: struct chunk 48)",
		"task(c: struct chunk 48, a: inout pointer)",
		"task(c: struct chunk 48, a: inout pointer, b: inout pointer)",
		"task(c: struct chunk 48, a: inout pointer, b: inout pointer, "
		"d: inout pointer)",
		"task(c: struct chunk 48, a: inout pointer, b: inout pointer, "
		"d: inout pointer, e: inout pointer)",
	};
	uint32_t count = text->reduction_count;
	plait_status status = make_kernel(text, signatures[count],
					  &text->kernels[count]);

	_Static_assert(sizeof(signatures) / sizeof(signatures[0]) ==
			       PLAIT__FLOW_TEXT_REDUCTIONS + 1, "one for each");
	if (status == PLAIT_OK && count > 0)
		status = make_kernel(text, "combine(into: inout pointer, from: "
				     "in pointer, n: u64)", &text->combine);
	text->arguments[0] = (plait_argument)PLAIT_CHUNK();
	for (uint32_t i = 0; i < count; i++) {
		text->reductions[i].combine = text->combine;
		text->arguments[1 + i] =
			(plait_argument)PLAIT_ACCESS(&text->reductions[i]);
	}
	desc->function = NULL;
	desc->kernel = text->kernels[count];
	desc->arguments = text->arguments;
	desc->argument_count = 1 + count;
	return status;
}

/* "items=64x64": the task is a launch. */
static plait_status read_items(plait__flow_text *text, plait__token value,
			       plait_task_desc *desc)
{
	text->launch = (plait_launch){ .size = sizeof(text->launch) };
	text->launch.dimensions = plait__text_accesses_numbers(
		value, 'x', text->launch.items, 3);
	if (text->launch.dimensions > 3)
		return plait__lexer_expected(&text->line, "one to three "
					     "extents, like 64x64", value);
	desc->kind = PLAIT_TASK_LAUNCH;
	desc->launch = &text->launch;
	return PLAIT_OK;
}

static plait_status read_task_value(plait__flow_text *text, plait__token key,
				    plait__token value, plait_task_desc *desc)
{
	uint64_t number = 0;
	plait_status status;

	if (plait__lexer_is(key, "reads"))
		return plait__text_accesses_read(text, value,
						 PLAIT_ACCESS_READ);
	if (plait__lexer_is(key, "writes"))
		return plait__text_accesses_read(text, value,
						 PLAIT_ACCESS_WRITE);
	if (plait__lexer_is(key, "updates"))
		return plait__text_accesses_read(text, value,
						 PLAIT_ACCESS_READ_WRITE);
	if (plait__lexer_is(key, "reduces"))
		return plait__text_accesses_reduce(text, value);
	if (plait__lexer_is(key, "items"))
		return read_items(text, value, desc);
	if (!plait__lexer_is(key, "cost") && !plait__lexer_is(key, "split") &&
	    !plait__lexer_is(key, "pieces"))
		return plait__lexer_expected(&text->line, "reads=, writes=, "
					     "updates=, reduces=, cost=, "
					     "items=, split=, pieces=, urgent "
					     "or barrier", key);
	status = read_number(text, value, plait__lexer_is(key, "cost") ?
			     INT64_MAX : UINT32_MAX, &number);
	if (plait__lexer_is(key, "cost"))
		desc->cost = number;
	else if (plait__lexer_is(key, "split"))
		desc->split = (uint32_t)number;
	else
		desc->pieces = (uint32_t)number;
	return status;
}

static plait_status read_task_words(plait__flow_text *text,
				    plait_task_desc *desc)
{
	plait__token token, key, value;
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK &&
	       plait__lexer_next_token(&text->line, &token)) {
		if (plait__lexer_is(token, "barrier"))
			desc->flags |= PLAIT_TASK_BARRIER;
		else if (plait__lexer_is(token, "urgent"))
			desc->priority = 1;
		else if (plait__lexer_split(token, &key, &value))
			status = read_task_value(text, key, value, desc);
		else
			status = read_task_value(text, token, token, desc);
	}
	return status;
}

/* An access of the host is no task of the program, and has no words of one. */
static plait_status check_access(plait__flow_text *text,
				 const plait_task_desc *desc)
{
	if (text->access_count > 0 && text->reduction_count == 0 &&
	    desc->kind == PLAIT_TASK_CALL && desc->flags == 0 &&
	    desc->priority == 0 && desc->cost == 0 && desc->split == 0 &&
	    desc->pieces == 0)
		return PLAIT_OK;
	return plait__lexer_fail(&text->line, "an access of the host has "
				 "reads=, writes= or updates=, and no other "
				 "word");
}

static plait_status read_task(plait__flow_text *text, bool is_access)
{
	plait_task_desc desc = { .size = sizeof(desc), .kind = PLAIT_TASK_CALL,
				 .function = is_access ?
					plait__flow_record_stand_in :
					do_nothing,
				 .accesses = text->accesses };
	plait__token name;
	plait_status status = read_name(text, "a name for the task", &name);

	text->access_count = text->reduction_count = 0;
	if (status == PLAIT_OK && text->tasks++ == PLAIT__FLOW_TEXT_TASKS)
		status = plait__lexer_fail(&text->line, "more than %d tasks",
					   PLAIT__FLOW_TEXT_TASKS);
	if (status == PLAIT_OK)
		status = read_task_words(text, &desc);
	if (status == PLAIT_OK && is_access)
		status = check_access(text, &desc);
	if (status == PLAIT_OK && desc.kind == PLAIT_TASK_LAUNCH)
		status = take_kernel(text, &desc);
	else if (status == PLAIT_OK && text->reduction_count > 0)
		status = plait__lexer_fail(&text->line, "reduces= is for a "
					   "launch; say its items=");
	if (status != PLAIT_OK)
		return status;
	desc.access_count = text->access_count;
	desc.label = keep_label(text->flow, name);
	if (desc.label == NULL)
		return fail_memory(text);
	return locate(text, plait_flow_submit(
				    plait__object_handle(&text->flow->object),
				    &desc, NULL, text->line.error));
}

/* ---- swap A B ---- */

static plait_status read_swap(plait__flow_text *text)
{
	plait__flow_text_data *data[2];
	plait__token name;
	plait_status status;

	for (int i = 0; i < 2; i++) {
		status = read_name(text, "the name of data", &name);
		if (status != PLAIT_OK)
			return status;
		data[i] = plait__text_accesses_find(text, name);
		if (data[i] == NULL)
			return plait__lexer_expected(
				&text->line, "the name of data from a line "
				"above", name);
	}
	if (data[0]->dimensions != data[1]->dimensions)
		return plait__lexer_fail(&text->line, "data of %u and %u "
					 "dimensions", data[0]->dimensions,
					 data[1]->dimensions);
	plait_data *first = data[0]->handle;

	data[0]->handle = data[1]->handle;
	data[1]->handle = first;
	return expect_end(text);
}

/* ---- repeat N ... end ---- */

static plait_status begin_repeat(plait__flow_text *text)
{
	struct plait__flow_text_repeat *repeat = &text->repeats[text->depth];
	plait__token token;
	uint64_t times = 0;

	if (!plait__lexer_next_token(&text->line, &token) ||
	    !plait__lexer_number(token, &times) || times == 0)
		return plait__lexer_expected(&text->line, "how often, at least "
					     "1", token);
	if (text->depth == PLAIT__FLOW_TEXT_DEPTH)
		return plait__lexer_fail(&text->line, "repeats deeper than %d",
					 PLAIT__FLOW_TEXT_DEPTH);
	repeat->left = times - 1;
	repeat->line = text->line;
	text->depth++;
	return expect_end(text);
}

static plait_status end_repeat(plait__flow_text *text)
{
	struct plait__flow_text_repeat *repeat;
	plait_status status = expect_end(text);

	if (status != PLAIT_OK)
		return status;
	if (text->depth == 0)
		return plait__lexer_fail(&text->line, "no repeat is open");
	repeat = &text->repeats[text->depth - 1];
	if (repeat->left-- > 0)
		text->line = repeat->line;
	else
		text->depth--;
	return PLAIT_OK;
}

/* ---- the text ---- */

static plait_status read_line(plait__flow_text *text)
{
	plait__token token;

	(void)plait__lexer_next_token(&text->line, &token);
	if (plait__lexer_is(token, "data"))
		return read_data(text);
	if (plait__lexer_is(token, "task"))
		return read_task(text, false);
	if (plait__lexer_is(token, "access"))
		return read_task(text, true);
	if (plait__lexer_is(token, "swap"))
		return read_swap(text);
	if (plait__lexer_is(token, "repeat"))
		return begin_repeat(text);
	if (plait__lexer_is(token, "end"))
		return end_repeat(text);
	return plait__lexer_expected(&text->line, "data, task, access, swap, "
				     "repeat or end", token);
}

static plait_status read_text(plait__flow_text *text)
{
	plait_status status = PLAIT_OK;

	while (status == PLAIT_OK && plait__lexer_next_line(&text->line))
		status = read_line(text);
	if (status != PLAIT_OK || text->depth == 0)
		return status;
	text->line = text->repeats[text->depth - 1].line;
	return plait__lexer_fail(&text->line, "the repeat has no end");
}

static void release_data(plait__flow_text *text)
{
	for (uint32_t i = 0; i < text->data.count; i++) {
		plait__flow_text_data *data = plait__vector_at(&text->data, i);

		plait_data_release(data->handle);
	}
	plait__vector_fini(&text->data);
	for (int i = 0; i <= PLAIT__FLOW_TEXT_REDUCTIONS; i++)
		plait_kernel_release(text->kernels[i]);
	plait_kernel_release(text->combine);
}

PLAIT_API plait_status plait_flow_read(plait_flow *flow, const char *text,
				       uint64_t bytes, const char *name,
				       plait_error *error)
{
	plait__flow_text state = { .tasks = 0 };
	plait_error room = { .size = sizeof(room) };
	plait_status status;

	if (text == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "text is null");
	status = plait__flow_enter(flow, &state.flow, error);
	if (status != PLAIT_OK)
		return status;
	PLAIT__THREAD_SCOPE inside = { plait__object_leave_on_exit,
				       &state.flow->object };
	plait__vector_init(&state.data, plait__flow_allocator(state.flow),
			   sizeof(plait__flow_text_data));
	plait__lexer_init(&state.line, text, bytes,
			  name != NULL ? name : "flow",
			  error != NULL ? error : &room);
	status = read_text(&state);
	release_data(&state);
	plait__thread_scope_end(&inside);
	plait__object_leave(&state.flow->object);
	return status;
}
