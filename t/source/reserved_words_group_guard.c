/* SPDX-License-Identifier: MIT */
/*
 * Kernels from source as programs use them: wrong uses of words are reported,
 * results of functions in C are returned, and a second start of a program
 * compiles nothing.
 */
#include "lib/refuse.h"
#include "lib/suite.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static plait_error error = { .size = sizeof(error) };

static void use_cache(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", suite_folder(), name);
	setenv("PLAIT_CACHE_DIR", path, 1);
}

static plait_status build(const char *code)
{
	plait_source source = { .size = sizeof(source), .code = code,
				.file = "twice.plk" };
	plait_kernel_desc desc = { .size = sizeof(desc), .sources = &source,
				   .signature = "twice(x: inout pointer i32, "
						"n: u64)",
				   .source_count = 1 };
	plait_kernel *kernel;
	plait_status status;

	memset(&error, 0, sizeof(error));
	error.size = sizeof(error);
	status = plait_kernel_create(suite_context(), &desc, &kernel, &error);
	plait_kernel_release(kernel);
	return status;
}

/* Build, run, and check the result. */
static bool works(void)
{
	plait_source source = { .size = sizeof(source),
				.code = "KERNEL(f) { EACH(i, n) x[i] *= 2; }" };
	int32_t x[3] = { 1, 2, 3 };

	if (!suite_take("f(x: inout pointer i32, n: u64)", &source))
		return false;
	SUITE_ARRAY(x);
	SUITE_VALUE(uint64_t, 3);
	return suite_launch(3, 1, 1) && x[0] == 2 && x[1] == 4 && x[2] == 6;
}

/* ---- a second start ---- */

enum { BUILT = 0, NOT_BUILT = 1, NOT_OPEN = 2, NOT_REFUSED = 3 };

/* The result of a program that needs one kernel, where programs cannot be
 * started. */
static int start(bool refuses)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL ||
		    !suite_open("host"))
			_exit(NOT_OPEN);
		if (refuses && !refuse_programs())
			_exit(NOT_REFUSED);
		_exit(works() ? BUILT : NOT_BUILT);
	}
	OK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Comes first, as the library must not have been used in the parent. */
static void second_start(void)
{
	int outcome;

	use_cache("second");
	IS_INT(start(false), BUILT);
	outcome = start(true);
	if (outcome == NOT_REFUSED) {
		SKIP("no seccomp filters here");
		return;
	}
	IS_INT(outcome, BUILT);
	use_cache("third");
	IS_INT(start(true), NOT_BUILT);
}

/* ---- words ---- */

/* A wrong use of a word is reported where it is used. */
static void wrong_words(void)
{
	static const struct {
		const char *line, *words;
	} list[] = {
		{ "KERNEL(twice) {\n\n\tATOMIC_ADD((u64 *)x, 1);\n}",
		  "atomics have 32 bits" },
		{ "KERNEL(twice) {\n\n\tx[0] = min(n, x);\n}", "" },
		{ "GROUP_KERNEL(twice, 4, 1, 1) {\n\n\tUNIFORM(i32, a, x);\n"
		  "\tITEMS x[a] = 0;\n}", "" },
		/* Correct only in a launch that is not divided. */
		{ "KERNEL(twice) {\n\tEACH(i, n)\n\t\tEACH(j, n)\n\t\t\tx[i] += "
		  "j;\n}", "EACH within EACH" },
		{ "KERNEL(twice) {\n\tEACH2(i, n, j, n)\n\t\tEACH(k, n)\n"
		  "\t\t\tx[i] += j;\n}", "EACH within EACH" },
		{ "GROUP_KERNEL(twice, 4, 1, 1) {\n\n\tEACH(i, n)\n"
		  "\t\tx[i] = 1;\n}", "not for GROUP_KERNEL" },
		{ "KERNEL(twice) {\n\n\tITEMS x[0] = 1;\n}",
		  "for GROUP_KERNEL" },
		{ "KERNEL(twice) {\n\n\tx[GROUP_ID(0)] = 1;\n}",
		  "for GROUP_KERNEL" },
		{ "KERNEL(twice) {\n\n\tx[GROUP_COUNT(0)] = 1;\n}",
		  "for GROUP_KERNEL" },
		{ "KERNEL(twice) {\n\n\tx[GROUP_SIZE(0)] = 1;\n}", "" },
		{ "GROUP_KERNEL(twice, 4, 1, 1) {\n\tITEMS\n\t\tif (n > 3) return; "
		  "else x[0] = 1;\n}", "return within ITEMS" },
	};

	use_cache("words");
	for (size_t i = 0; i < TAP_COUNT(list); i++) {
		IS_INT(build(list[i].line), PLAIT_E_INVALID);
		HAS_STR(error.text, "kernel twice: twice.plk:3:");
		HAS_STR(error.text, list[i].words);
	}
	OK(build("FUNCTION i32 f(i32 a)\n{\n\tif (a > 0)\n\t\treturn 1;\n\telse "
		 "return 0;\n}\nGROUP_KERNEL(twice, 4, 1, 1)\n{\n\tif (n < "
		 "3)\n\t\treturn;\n\tITEMS x[0] = f(1);\n}") == PLAIT_OK);
	OK(build("KERNEL(twice) {\n\tEACH(i, n)\n\t\tx[i] = 1;\n\tEACH2(i, 2, "
		 "j, n) {\n\t\tx[j] = 2;\n\t}\n\tEACH3(i, 1, j, 1, k, 1)\n\t\t"
		 "x[i] = 3;\n}") == PLAIT_OK);
}

/* Names of parameters are the signature's, so no line of the text has them. */
static void kept_names(void)
{
	static const char *const names[] = { "kernel", "half", "restrict",
					     "class", "uint", "and" };
	static const char *const free_names[] = { "kernels", "hal", "ulon",
						  "pragma", "GCC" };
	plait_source source = { .size = sizeof(source), .file = "twice.plk" };
	plait_kernel_desc desc = { .size = sizeof(desc), .sources = &source,
				   .source_count = 1 };
	char code[80], signature[80], words[80];
	plait_kernel *kernel;

	use_cache("names");
	source.code = code;
	desc.signature = signature;
	for (size_t i = 0; i < TAP_COUNT(names) + TAP_COUNT(free_names); i++) {
		bool kept = i < TAP_COUNT(names);
		const char *name = kept ? names[i] :
					  free_names[i - TAP_COUNT(names)];

		snprintf(code, sizeof(code), "\n\nKERNEL(twice) { EACH(i, n) "
			 "x[i] = %s; }", kept ? "1" : name);
		snprintf(signature, sizeof(signature), "twice(x: inout pointer "
			 "i32, %s: i32, n: u64)", name);
		IS_INT(plait_kernel_create(suite_context(), &desc, &kernel,
					   &error),
		       kept ? PLAIT_E_INVALID : PLAIT_OK);
		plait_kernel_release(kernel);
		snprintf(words, sizeof(words), "kernel twice: twice.plk:3: "
			 "error: parameter 1 \"%s\"", name);
		if (kept)
			HAS_STR(error.text, words);
	}
}

/* ---- results ---- */

/* The status of a launch without arguments; 0 is success. */
static int64_t origin_of(const plait_kernel_desc *desc)
{
	plait_queue *queue = NULL;
	plait_kernel *kernel = NULL;
	plait_device *device;
	plait_status status;

	OK(plait_context_device(suite_context(), 0, &device, &error) ==
	   PLAIT_OK);
	OK(plait_queue_create(device, NULL, &queue, &error) == PLAIT_OK);
	OK_THAT(plait_kernel_create(suite_context(), desc, &kernel, &error) ==
		PLAIT_OK, "%s: %s", desc->signature, error.text);
	error.origin = 0;
	status = plait_queue_launch(queue, kernel, NULL, NULL, 0, &error);
	if (status == PLAIT_OK)
		status = plait_queue_finish(queue, PLAIT_FOREVER, &error);
	plait_kernel_release(kernel);
	plait_queue_release(queue);
	return status == PLAIT_OK ? 0 : error.origin;
}

/* A function of C that returns a status. */
static void results(void)
{
	static const struct {
		const char *type;
		int32_t value;
	} list[] = {
		{ "int32_t", 7 }, { "int8_t", -3 }, { "_Bool", 1 },
		{ "uint64_t", 0 }, { "int64_t", INT32_MAX },
		{ "int64_t", INT32_MIN }, { "uint64_t", INT32_MAX },
		{ "uint32_t", INT32_MAX }, { "char", 5 }
	};
	static const char *const names[] = { "i32", "i8", "bool", "u64", "i64",
					     "i64", "u64", "u32", "char" };
	static const char *const values[] = { "7", "-3", "1", "0",
					      "INT64_C(1) << 32",
					      "-(INT64_C(1) << 40)",
					      "UINT64_C(1) << 63",
					      "UINT32_C(1) << 31", "5" };

	use_cache("results");
	for (size_t i = 0; i < TAP_COUNT(list); i++) {
		char code[160], type[48];
		plait_source source = { .size = sizeof(source), .code = code,
					.form = PLAIT_SOURCE_C };
		plait_kernel_desc desc = { .size = sizeof(desc),
					   .sources = &source,
					   .source_count = 1 };

		snprintf(code, sizeof(code), "#include <stdint.h>\n%s "
			 "told(void) { return %s; }", list[i].type, values[i]);
		snprintf(type, sizeof(type), "told(): %s", names[i]);
		desc.signature = type;
		IS_INT(origin_of(&desc), list[i].value);
	}
}

/* The program reaps no children, or all. */
static void no_statuses(void)
{
	use_cache("statuses");
	signal(SIGCHLD, SIG_IGN);
	OK(works());
	IS_INT(build("KERNEL(twice)\n{\n\tnonsense\n}\n"),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "twice.plk:3:");
	signal(SIGCHLD, SIG_DFL);
}

static void on_host(void)
{
	if (suite_open("host")) {
		wrong_words();
		kept_names();
		results();
		no_statuses();
	}
	suite_close();
}

/* ---- guards ---- */

/* The text that OpenCL's compilers get, or "". */
static const char *as_opencl(const char *code)
{
	static char text[1 << 16];
	const plait_source source = { .size = sizeof(source), .code = code };
	uint64_t bytes = 0;

	IS_INT(plait_source_text("k(x: inout pointer u32)", &source,
				 PLAIT_SOURCE_OPENCL_C, text, sizeof(text),
				 &bytes, &error), PLAIT_OK);
	return strstr(text, "#line 1 \"k\"") != NULL ?
	       strstr(text, "#line 1 \"k\"") : "";
}

static int count_guards(const char *code)
{
	const char *at = as_opencl(code);
	int count = 0;

	while ((at = strstr(at, " PLAIT_GUARD ")) != NULL) {
		IS_INT(at[-1], '{');
		at++;
		count++;
	}
	return count;
}

/* In front of the code of each body of groups, and nowhere else; where one is
 * not found, in none. */
static void guards(void)
{
	static const struct {
		const char *code;
		int count;
	} texts[] = {
		{ "GROUP_KERNEL(k, 8, 1, 1) { ITEMS x[0] = 1; }", 1 },
		{ "GROUP_KERNEL ( k, (8), 1,\n1 ) /* { */ // {\n { }", 1 },
		{ "#if A\nGROUP_KERNEL(k, 8, 1, 1)\n{ }\n#else\n"
		  "GROUP_KERNEL(k, 4, 1, 1) { }\n#endif\n", 2 },
		{ "/* GROUP_KERNEL(k, 1, 1, 1) { */ // GROUP_KERNEL(k, 1) {\n"
		  "#define C 'x' /* don't */\n#error it's\n"
		  "GROUP_KERNEL(k, 8, 1, 1) { }", 1 },
		{ "FUNCTION int f() { return '\\'' + \"\\\"{\"[0]; }\n"
		  "GROUP_KERNEL(k, 8, 1, 1) { }", 1 },
		{ "KERNEL(k) { EACH(i, 1) x[i] = 1; }", 0 },
		{ "GROUP_KERNEL(kk, 8, 1, 1) { }\nKERNEL(k) { }", 0 },
		{ "GROUP_KERNEL(k, 8, 1, 1) { }\n"
		  "GROUP_KERNEL(k, 8, 1, 1) BODY", 0 },
		{ "GROUP_KERNEL(k, 8, 1, 1)", 0 },
		{ "GROUP_KERNEL(k, 8, 1, 1 /*", 0 },
		{ "GROUP_KERNEL(k, 8, '", 0 },
		{ "X_GROUP_KERNEL(k, 8, 1, 1) { }", 0 },
	};

	for (size_t i = 0; i < TAP_COUNT(texts); i++) {
		NOTE("%s", texts[i].code);
		IS_INT(count_guards(texts[i].code), texts[i].count);
		HAS_STR(as_opencl(texts[i].code), "\n#line 1 \"plait\"");
	}
}

static const struct tap_scenario all[] = {
	{ "guards", guards },
	{ "second start", second_start },
	{ "words and results", on_host },
};

TAP_MAIN(all)
