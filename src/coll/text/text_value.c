/* SPDX-License-Identifier: MIT */
/* Expressions of the text form: integers, chunks, operators. */
#include "coll/text/text_state.h"

#include <string.h>

/* ---- operators ---- */

/* Operators from the weakest level to the strongest. */
static const char *const levels[][7] = {
	{ "or" }, { "and" }, { "==", "!=", "<", "<=", ">", ">=" }, { "|" },
	{ "^" }, { "&" }, { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
};
enum { LEVELS = sizeof(levels) / sizeof(levels[0]) };

static int64_t fail_overflow(plait__text_state *state)
{
	plait__text_state_fail(state, "a number that is too large");
	return 0;
}

/* Division rounds down, so that a remainder has the sign of the divisor. */
static int64_t divide(plait__text_state *state, int64_t a, int64_t b,
		      bool remainder)
{
	int64_t rest;

	if (b == 0) {
		plait__text_state_fail(state, "division by 0");
		return 0;
	}
	if (b == -1)
		return remainder ? 0 : a == INT64_MIN ? fail_overflow(state) :
							-a;
	rest = a % b;
	if (rest != 0 && (rest < 0) != (b < 0))
		rest += b;
	return remainder ? rest : (a - rest) / b;
}

static int64_t shift(plait__text_state *state, int64_t a, int64_t b, bool left)
{
	int64_t result;

	if (b < 0 || b > 62) {
		plait__text_state_fail(state, "shift by a number outside 0 to "
				       "62");
		return 0;
	}
	if (!left)
		return a >> b;
	return __builtin_mul_overflow(a, INT64_C(1) << b, &result) ?
		       fail_overflow(state) : result;
}

static int64_t calculate(plait__text_state *state, const char *sign, int64_t a,
			 int64_t b)
{
	int64_t result = 0;
	bool failed = false;

	switch (sign[0]) {
	case '+':
		failed = __builtin_add_overflow(a, b, &result);
		break;
	case '-':
		failed = __builtin_sub_overflow(a, b, &result);
		break;
	case '*':
		failed = __builtin_mul_overflow(a, b, &result);
		break;
	case '/':
	case '%':
		return divide(state, a, b, sign[0] == '%');
	case '&':
	case 'a':
		return sign[0] == '&' ? a & b : a != 0 && b != 0;
	case '|':
	case 'o':
		return sign[0] == '|' ? a | b : a != 0 || b != 0;
	case '^':
		return a ^ b;
	case '=':
	case '!':
		return (a == b) == (sign[0] == '=');
	default:
		if (sign[1] == sign[0])
			return shift(state, a, b, sign[0] == '<');
		if (sign[1] == '=')
			return sign[0] == '<' ? a <= b : a >= b;
		return sign[0] == '<' ? a < b : a > b;
	}
	return failed ? fail_overflow(state) : result;
}

/* ---- ranges of chunks ---- */

uint32_t plait__text_value_buffer(const plait__chunk_token *token)
{
	uint32_t number = 0;

	if (plait__chunk_token_is(token, "input"))
		return PLAIT__COLL_INPUT;
	if (plait__chunk_token_is(token, "output"))
		return PLAIT__COLL_OUTPUT;
	if (token->kind != PLAIT__TOKEN_NAME || token->length < 7 ||
	    token->length > 12 || memcmp(token->start, "scratch", 7) != 0)
		return PLAIT__COLL_NONE;
	for (uint32_t i = 7; i < token->length; i++) {
		if (token->start[i] < '0' || token->start[i] > '9')
			return PLAIT__COLL_NONE;
		number = number * 10 + (uint32_t)(token->start[i] - '0');
	}
	return PLAIT__COLL_SCRATCH + number;
}

plait__chunk_range plait__text_value_range(plait__text_state *state,
					   bool *appends)
{
	plait__chunk_range range = { .count = 1 };

	range.buffer = plait__text_value_buffer(plait__text_state_next(state));
	plait__text_state_expect(state, "[");
	state->open++;
	range.rank = plait__text_value_count(state, "a rank");
	plait__text_state_expect(state, ",");
	if (appends != NULL && plait__text_state_take(state, "*"))
		*appends = true;
	else
		range.index = plait__text_value_count(state, "an index");
	if (plait__text_state_take(state, ":"))
		range.count = plait__text_value_count(state, "a count");
	state->open--;
	plait__text_state_expect(state, "]");
	return range;
}

static plait__text_value parse_chunk(plait__text_state *state)
{
	plait__text_value value = { .kind = PLAIT__TEXT_CHUNK };
	plait__chunk_range range = plait__text_value_range(state, NULL);

	if (state->program == NULL)
		plait__text_state_fail(state, "the header has no chunks");
	else if (state->status == PLAIT_OK && !state->is_dry)
		plait__text_state_keep(state,
				       plait__chunk_get(state->program, &range,
							&value.chunk,
							state->error));
	return value;
}

/* ---- primaries ---- */

static plait__text_value parse_name(plait__text_state *state)
{
	const plait__chunk_token *word = plait__text_state_next(state);
	plait__text_value value = { .kind = PLAIT__TEXT_NOTHING };
	const plait__text_variable *variable;
	char room[40];

	if (state->parse_call(state, word, &value))
		return value;
	variable = plait__text_state_find(state, word);
	if (variable == NULL)
		plait__text_state_fail(state, "\"%s\" has no value",
				       plait__chunk_token_show(word, room));
	else
		value = variable->value;
	return value;
}

static plait__text_value parse_unary(plait__text_state *state);

static plait__text_value parse_primary(plait__text_state *state)
{
	plait__text_value value = { .kind = PLAIT__TEXT_NUMBER };
	char room[40];

	if (state->at->kind == PLAIT__TOKEN_NUMBER) {
		value.number = (int64_t)plait__text_state_next(state)->number;
	} else if (plait__text_state_take(state, "(")) {
		state->open++;
		value = plait__text_value_parse(state);
		state->open--;
		plait__text_state_expect(state, ")");
	} else if (plait__text_value_buffer(state->at) != PLAIT__COLL_NONE) {
		value = parse_chunk(state);
	} else if (state->at->kind == PLAIT__TOKEN_NAME) {
		value = parse_name(state);
	} else {
		state->line = state->at->line;
		plait__text_state_fail(state, "expected a value, found %s",
				       plait__chunk_token_show(state->at,
							       room));
	}
	return value;
}

static void need_number(plait__text_state *state,
			const plait__text_value *value)
{
	if (value->kind == PLAIT__TEXT_CHUNK)
		plait__text_state_fail(state, "expected a number, found a "
				       "chunk");
}

static plait__text_value parse_unary(plait__text_state *state)
{
	plait__text_value value;
	bool negates = plait__text_state_take(state, "-");

	if (!negates && !plait__text_state_take(state, "not"))
		return parse_primary(state);
	value.kind = PLAIT__TEXT_NUMBER;
	if (plait__text_state_enter(state))
		value = parse_unary(state);
	else
		value.number = 0;
	state->depth--;
	need_number(state, &value);
	value.number = negates ? calculate(state, "-", 0, value.number) :
				 value.number == 0;
	return value;
}

/* Take an operator of a level, on the same line or inside parentheses. */
static const char *take_operator(plait__text_state *state, uint32_t level)
{
	if (state->open == 0 && state->at->line != state->line)
		return NULL;
	for (uint32_t i = 0; i < 7 && levels[level][i] != NULL; i++)
		if (plait__text_state_take(state, levels[level][i]))
			return levels[level][i];
	return NULL;
}

static plait__text_value parse_level(plait__text_state *state, uint32_t level)
{
	plait__text_value left, right;
	const char *sign;

	if (level == LEVELS)
		return parse_unary(state);
	left = parse_level(state, level + 1);
	while (state->status == PLAIT_OK &&
	       (sign = take_operator(state, level)) != NULL) {
		right = parse_level(state, level + 1);
		need_number(state, &left);
		need_number(state, &right);
		if (state->is_dry || left.kind != PLAIT__TEXT_NUMBER ||
		    right.kind != PLAIT__TEXT_NUMBER)
			left.kind = PLAIT__TEXT_NOTHING;
		else if (state->status == PLAIT_OK)
			left.number = calculate(state, sign, left.number,
						right.number);
	}
	return left;
}

plait__text_value plait__text_value_parse(plait__text_state *state)
{
	plait__text_value value = { .kind = PLAIT__TEXT_NOTHING };

	if (plait__text_state_enter(state))
		value = parse_level(state, 0);
	state->depth--;
	return value;
}

int64_t plait__text_value_number(plait__text_state *state)
{
	plait__text_value value = plait__text_value_parse(state);

	need_number(state, &value);
	return value.kind == PLAIT__TEXT_NUMBER ? value.number : 0;
}

uint32_t plait__text_value_count(plait__text_state *state, const char *what)
{
	int64_t number = plait__text_value_number(state);

	if (number >= 0 && number <= INT32_MAX)
		return (uint32_t)number;
	plait__text_state_fail(state, "expected %s, found %lld", what,
			       (long long)number);
	return 0;
}
