/* SPDX-License-Identifier: MIT */
/* Text form of chunk programs: the examples of doc/coll-text.md, each kind of
 * error with its line, and texts with random damage. */
#include "coll/text/chunk_text.h"
#include "coll/coll_compile.h"
#include "base/alloc.h"
#include "coll/interpret.h"

static plait__chunk_program *read_text(const char *text, uint32_t ranks,
				       plait_error *error)
{
	plait__chunk_text_options options = { .ranks = ranks };
	plait__chunk_program *program = NULL;

	plait__chunk_text_read(plait__alloc_default(), text, strlen(text), "t",
			       &options, &program, error);
	return program;
}

static void compiles(const char *text, uint32_t ranks)
{
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program = read_text(text, ranks, &error);
	plait__compile_request how = { .instances = 2 };
	plait__schedule *schedule = NULL;

	if (!OK_THAT(program != NULL, "%s", error.text))
		return;
	OK_THAT(plait__compile_program(plait__alloc_default(), program, &how,
				       &schedule, &error) == PLAIT_OK,
		"%s", error.text);
	if (schedule != NULL)
		IS_STR(interpret(schedule, 7, 3), "");
	plait__schedule_free(schedule);
	plait__chunk_program_free(program);
}

/* ---- the document ---- */

/* Returns the next text of the page, the lines between ``` and ```. */
static char *next_example(FILE *page)
{
	char line[200], *text = calloc(1, 4000);
	bool inside = false;

	while (fgets(line, sizeof(line), page) != NULL) {
		if (strncmp(line, "```", 3) == 0) {
			if (inside)
				return text;
			inside = true;
		} else if (inside) {
			strncat(text, line, 3999 - strlen(text));
		}
	}
	free(text);
	return NULL;
}

static void examples(void)
{
	char path[4096];
	const char *root = getenv("abs_top_srcdir");
	unsigned count = 0;
	char *text;
	FILE *page;

	(void)snprintf(path, sizeof(path), "%s/doc/coll-text.md",
		       root != NULL ? root : ".");
	page = fopen(path, "r");
	if (!OK(page != NULL))
		return;
	while ((text = next_example(page)) != NULL) {
		compiles(text, 0);
		if (count++ == 0)
			for (uint32_t ranks = 1; ranks < 9; ranks++)
				compiles(text, ranks);
		free(text);
	}
	IS_UINT(count, 2);
	(void)fclose(page);
}

static void statements(void)
{
	compiles("custom ranks=2 inputs=2 outputs=3\n"
		 "promise output[0, 2] = input[1, 0] + input[0, 1]\n"
		 "for i in 0..2 { promise output[1, i] = input[0, i] }\n"
		 "parallel 2 { parallel 3 { c = copy(input[0, 0 : 2],\n"
		 "	output[1, 0], channel=1) } }\n"
		 "d = copy(input[1, 0], scratch3[0, *])\n"
		 "e = copy(input[0, 1], output[0, 2])\n"
		 "reduce(e, d, lanes=4, 5)\n", 0);
	compiles("alltonext ranks=3 chunks=2\n"
		 "for r in 1..ranks {\n"
		 "	a = input[ranks - r - 1, 0]\n"
		 "	b = part(input[ranks - r - 1, 0 : 2], 1, 1)\n"
		 "	copy(join(b, a), output[ranks - r, 0 : 2])\n"
		 "}\n", 0);
	/* Numbers: rounding, precedence, conditions. */
	compiles("broadcast ranks=2\n"
		 "x = -7 / 2 == -4 and -7 % 4 == 1 and 7 % -4 == -1\n"
		 "y = 1 + 2 * 3 == 7 and (1 | 6 ^ 2 & 3) == 5 and not 0\n"
		 "z = 1 << 4 >> 2 == 4 and (2 < 1 or 3 >= 3) and 1 != 2\n"
		 "if x and y and z { copy(input[0, 0], output[1, 0]) }\n"
		 "else { nothing_is_checked = input[9, 9] }\n"
		 "copy(input[0, 0], output[0, 0])\n", 0);
}

/* ---- errors ---- */

static void fails(const char *text, const char *part)
{
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program = read_text(text, 0, &error);

	OK_THAT(program == NULL, "%s is refused", part);
	HAS_STR(error.text, part);
	plait__chunk_program_free(program);
}

#define HEAD "allreduce ranks=2 chunks=2\n"

static void errors(void)
{
	char deep[400] = HEAD "x = ";

	memset(deep + strlen(deep), '(', 100);
	fails(deep, "t:2: nested more than 64 times");
	fails("", "t:1: a text begins with a collective");
	fails("alreduce ranks=2\n", "perhaps \"allreduce\"");
	fails("allreduce chunks=2\n", "needs ranks");
	fails("allreduce ranks=2 foo=2\n", "\"foo\" is no field");
	fails("allreduce ranks=0\n", "t:1: ");
	fails("allreduce ranks=input[0, 0]\n", "the header has no chunks");
	fails("broadcast ranks=2 root=2\n", "root 2 of 2 ranks");
	fails(HEAD "\n# c\nc = output[0, 0]\n",
	      "t:4: rank 0 output[0] has no value");
	fails(HEAD "c = input[0, 1 : 2]\n", "t:2: rank 0 input[1..3) is out");
	fails(HEAD "c = input[2, 0]\n", "rank 2 of 2");
	fails(HEAD "c = input[0, 0]\ncopy(input[1, 0], input[0, 0])\n"
	      "copy(c, 1)\n", "t:4: rank 0 input[0] is stale");
	fails(HEAD "c = d\n", "\"d\" has no value");
	fails(HEAD "c = 1 + input[0, 0]\n", "expected a number");
	fails(HEAD "copy(1, 1)\n", "expected a chunk");
	fails(HEAD "copy(input[0, 0], 1, lane=1)\n", "channel or lanes");
	fails(HEAD "copy(input[0, 0 : 2], scratch[1, 0 : 3])\n",
	      "a copy of 2 chunks to a place for 3");
	fails(HEAD "reduce(input[0, 0], input[0, 0])\n", "they overlap");
	fails(HEAD "join(input[0, 0], input[1, 1])\n", "not neighbours");
	fails(HEAD "part(input[0, 0], 1, 1)\n", "part of 1 chunks from 1");
	fails(HEAD "x = 1 / 0\n", "division by 0");
	fails(HEAD "x = 1 << 63\n", "shift");
	fails(HEAD "x = 2147483647 * 2147483647 * 9\n", "too large");
	fails(HEAD "x = 2147483648\n", "above 2^31 - 1");
	fails(HEAD "x = 1 y = 2\n", "t:2: expected the end of the line");
	fails(HEAD "5\n", "does nothing");
	fails(HEAD "for r in 0..2 {\n r = 1\n}\n", "t:3: \"r\" cannot be");
	fails(HEAD "for r in 0..2 {\n copy(input[0, 0], 1)\n",
	      "t:4: expected \"}\"");
	fails(HEAD "for r in 0 2 { }\n", "expected \"..\"");
	fails(HEAD "if 0 { x = } \n", "expected a value, found }");
	fails(HEAD "parallel 0 { }\n", "0 parallel ways");
	fails(HEAD "promise output[0, 0] = input[0, 0]\n", "has its own");
	fails(HEAD "c = $\n", "t:2: \"$\" begins no");
	fails("custom ranks=2 inputs=1 outputs=1\n"
	      "promise output[0, 0] = input[0, 0]\n"
	      "promise output[0, 0] = input[1, 0]\n", "two promises");
	fails("custom ranks=2 inputs=1 outputs=1\n"
	      "promise output[0, 1] = input[0, 0]\n", "promise for output 1");
	fails("custom ranks=2\n", "needs input_chunks");
	fails(HEAD "for a in 0..9999 { for b in 0..9999 { x = 1 } }\n",
	      "more than 2^24 statements");
}

/* Any damage is an error or another program, and no read outside the text. */
static void damage(void)
{
	static const char good[] =
		"custom ranks=3 inputs=2 outputs=2 in_place\n"
		"promise output[0, 1] = input[1, 0] + input[0, 1]\n"
		"for r in 0..ranks { if r % 2 == 0 and not r > 2 {\n"
		"	x = copy(input[r, 0 : 2], scratch1[1, *], channel=0)\n"
		"	parallel 2 { part(x, 0, 1) } } else { x = -r }\n"
		"}\n";
	uint64_t state = tap_seed(), accepted = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		size_t length = sizeof(good) - 1;
		char *text = malloc(length);
		plait__chunk_text_options options = { .ranks = 0 };
		plait__chunk_program *program;

		memcpy(text, good, length);
		for (uint32_t k = 0; k < 1 + i % 3; k++) {
			state = interpret_mix(state + 1);
			text[state % length] =
				good[(state >> 20) % length];
		}
		state = interpret_mix(state + 1);
		length -= state % 8 == 0 ? state % length : 0;
		text = realloc(text, length);
		plait__chunk_text_read(plait__alloc_default(), text, length,
				       NULL, &options, &program, NULL);
		accepted += program != NULL;
		plait__chunk_program_free(program);
		free(text);
	}
	OK_THAT(accepted > 100 && accepted < 19000, "%d accepted",
		(int)accepted);
}

static const struct tap_scenario all[] = {
	{ "examples", examples },
	{ "statements", statements },
	{ "errors", errors },
	{ "damage", damage },
};
TAP_MAIN(all)
