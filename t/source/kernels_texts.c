/* SPDX-License-Identifier: MIT */
/*
 * Programs of several texts: portable source and code of each language, behind
 * texts that define what it uses; mistakes in them, which name their file and
 * line; and descriptors that are refused.
 */
#include "lib/suite.h"

#define SHIFT "#define SHIFT 3\n"

static plait_source portable_before[] = {
	{ .size = sizeof(plait_source), .code = SHIFT, .file = "shift.h" },
	{ .code = "FUNCTION u32 moved(u32 v)\n{\n\treturn v << SHIFT;\n}",
	  .file = "moved.c" },
};

static const plait_source portable = {
	.size = sizeof(plait_source), .before = portable_before,
	.before_count = 2, .file = "main.c",
	.code = "KERNEL(move) { EACH(i, 4) y[i] = moved(x[i]); }"
};

static plait_source native_before[3][2] = {
	{ { .size = sizeof(plait_source), .code = SHIFT },
	  { .code = "__device__ unsigned moved(unsigned v)\n"
		    "{\n\treturn v << SHIFT;\n}\n" } },
	{ { .size = sizeof(plait_source), .code = SHIFT },
	  { .code = "uint moved(uint v)\n{\n\treturn v << SHIFT;\n}\n" } },
	{ { .size = sizeof(plait_source), .code = SHIFT },
	  { .code = "static unsigned moved(unsigned v)\n"
		    "{\n\treturn v << SHIFT;\n}\n" } },
};

static const plait_source natives[] = {
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_CUDA_C,
	  .before = native_before[0], .before_count = 2, .code =
	  "extern \"C\" __global__ void move(const unsigned *x, unsigned *y)\n"
	  "{\n\tfor (int i = 0; i < 4; i++)\n\t\ty[i] = moved(x[i]);\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_OPENCL_C,
	  .before = native_before[1], .before_count = 2, .code =
	  "__kernel void move(__global const uint *x, __global uint *y)\n"
	  "{\n\tfor (int i = 0; i < 4; i++)\n\t\ty[i] = moved(x[i]);\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_C,
	  .before = native_before[2], .before_count = 2, .code =
	  "void move(const unsigned *x, unsigned *y)\n"
	  "{\n\tfor (int i = 0; i < 4; i++)\n\t\ty[i] = moved(x[i]);\n}\n" },
};

static const char signature[] = "move(x: in pointer u32, y: out pointer u32)";

static void launch(void)
{
	uint32_t x[4] = { 1, 2, 3, 40 }, y[4] = { 0 };

	SUITE_ARRAY(x);
	SUITE_ARRAY(y);
	suite_launch(1, 1, 1);
	for (int i = 0; i < 4; i++)
		IS_UINT(y[i], x[i] << 3);
}

/* A kernel of the source is refused, with these words in the error, or in its
 * detail. */
static void refused(const plait_source *source, const char *words)
{
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .signature = signature,
		.sources = source, .source_count = 1
	};
	plait_error error = { .size = sizeof(error) };
	static char detail[1 << 20];
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(suite_context(), &desc, &kernel, &error),
	       PLAIT_E_INVALID);
	detail[0] = '\0';
	(void)plait_error_detail(error.detail, detail,
				 sizeof(detail), NULL);
	if (!OK_THAT(strstr(error.text, words) != NULL ||
		     strstr(detail, words) != NULL, "names %s", words))
		NOTE("%s\n%.800s", error.text, detail);
	plait_kernel_release(kernel);
}

static void mistakes(void)
{
	plait_source texts[2] = { portable_before[0], portable_before[1] };
	plait_source source = portable;

	source.before = texts;
	texts[1].code = "FUNCTION u32 moved(u32 v)\n{\n\treturn w << 3;\n}";
	refused(&source, "moved.c");
	refused(&source, "    3 | \treturn w << 3;");
	source.code = "KERNEL(move) { y[0] = moved(x[0]) + nothing; }";
	texts[1] = portable_before[1];
	refused(&source, "main.c:1");
	source = portable;
	source.before = texts;
	texts[1].code = NULL;
	refused(&source, "before[1]: code is null");
	texts[1] = portable_before[1];
	texts[1].bytes = 1000;
	refused(&source, "before[1]: a NUL in its text");
	texts[1].bytes = 0;
	texts[1].defines = "A";
	refused(&source, "before[1]: only code, bytes and file count");
	texts[1].defines = NULL;
	texts[0].size = 8;
	refused(&source, "before is null, its size");
	texts[0].size = sizeof(texts[0]);
	source.before = NULL;
	refused(&source, "before is null, its size");
	source.before = texts;
	source.form = PLAIT_SOURCE_PTX;
	refused(&source, "no text can come before PTX");
}

static void run_all(void)
{
	if (suite_take(signature, &portable))
		launch();
	/* From the cache, too. */
	if (suite_take(signature, &portable))
		launch();
	if (suite_take_many(signature, natives, TAP_COUNT(natives)))
		launch();
	mistakes();
}

SUITE_MAIN(run_all)
