/* SPDX-License-Identifier: MIT */
/*
 * Builds of kernels from source: errors of texts and compilers are reported,
 * and an entry of the cache is used when it is good, and only then.  Compilers
 * are scripts, which also count how often they are started.
 */
#include "lib/suite.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char signature[] = "twice(x: inout pointer i32, n: u64)";
static const char text[] = "KERNEL(twice)\n{\n\tEACH(i, n)\n"
			   "\t\tx[i] = 2 * x[i];\n}\n";
static plait_error error = { .size = sizeof(error) };
static char detail[1 << 16];

static const char *in(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", suite_folder(), name);
	return path;
}

static void write_script(const char *name, const char *body)
{
	FILE *file = fopen(in(name), "w");

	fprintf(file, "#!/bin/sh\n%s\n", body);
	fclose(file);
	chmod(in(name), 0755);
	setenv("PLAIT_CC", in(name), 1);
}

/* The real compiler, but each start leaves a mark. */
static void use_counter(void)
{
	char body[512];
	const char *real = getenv("CC");

	snprintf(body, sizeof(body), "echo x >> %s\nexec %s \"$@\"",
		 in("starts"), real != NULL ? real : "cc");
	write_script("counter", body);
	unlink(in("starts"));
}

static unsigned count_starts(void)
{
	struct stat info;

	return stat(in("starts"), &info) == 0 ? (unsigned)info.st_size / 2 : 0;
}

/* A new folder for the cache. */
static const char *use_cache(const char *name)
{
	setenv("PLAIT_CACHE_DIR", in(name), 1);
	return getenv("PLAIT_CACHE_DIR");
}

static plait_status build(const char *code)
{
	plait_source source = { .size = sizeof(source), .code = code,
				.file = "twice.plk" };
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature, .sources = &source,
				   .source_count = 1 };
	plait_kernel *kernel;
	plait_status status;

	memset(&error, 0, sizeof(error));
	error.size = sizeof(error);
	status = plait_kernel_create(suite_context(), &desc, &kernel, &error);
	detail[0] = '\0';
	plait_error_detail(error.detail, detail, sizeof(detail), NULL);
	plait_kernel_release(kernel);
	return status;
}

/* Build, run, and check the result. */
static bool works(void)
{
	plait_source source = { .size = sizeof(source), .code = text,
				.file = "twice.plk" };
	int32_t x[3] = { 1, 2, 3 };

	if (!suite_take(signature, &source))
		return false;
	SUITE_ARRAY(x);
	SUITE_VALUE(uint64_t, 3);
	return suite_launch(3, 1, 1) && x[0] == 2 && x[1] == 4 && x[2] == 6;
}

/* The one entry of the cache. */
static const char *entry_of(const char *cache)
{
	static char path[600];
	DIR *stream = opendir(cache);
	struct dirent *entry;

	path[0] = '\0';
	while (stream != NULL && (entry = readdir(stream)) != NULL)
		if (strncmp(entry->d_name, "twice-", 6) == 0)
			snprintf(path, sizeof(path), "%s/%s", cache,
				 entry->d_name);
	if (stream != NULL)
		closedir(stream);
	return path;
}

/* Before this process uses the library: its children do. */
static void ten_at_once(void)
{
	pid_t children[10];
	int bad = 0, status;

	use_cache("ten");
	for (int i = 0; i < 10; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			if (freopen("/dev/null", "w", stdout) == NULL ||
			    !suite_open("host"))
				_exit(1);
			_exit(works() ? 0 : 2);
		}
	}
	for (int i = 0; i < 10; i++) {
		if (waitpid(children[i], &status, 0) != children[i] ||
		    !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			bad++;
	}
	IS_INT(bad, 0);
	OK(entry_of(in("ten"))[0] != '\0');
}

static void once(void)
{
	plait_source source = { .size = sizeof(source), .code = text,
				.file = "twice.plk" };
	const char *flags = getenv("PLAIT_CFLAGS");
	char *before = flags != NULL ? strdup(flags) : NULL;

	use_counter();
	use_cache("once");
	OK(works());
	IS_UINT(count_starts(), 1);
	OK(works());
	IS_UINT(count_starts(), 1);
	/* Every change that affects the code causes a new build. */
	source.defines = "UNUSED=1";
	OK(suite_take(signature, &source));
	suite_drop();
	IS_UINT(count_starts(), 2);
	setenv("PLAIT_CFLAGS", "-O1", 1);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 3);
	(void)(before != NULL ? setenv("PLAIT_CFLAGS", before, 1) :
				unsetenv("PLAIT_CFLAGS"));
	free(before);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 3);
	setenv("PLAIT_CACHE", "0", 1);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 4);
	unsetenv("PLAIT_CACHE");
}

static void another_compiler(void)
{
	char body[600];

	use_counter();
	use_cache("another");
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 1);
	/* A file with the same name and folder, but other content. */
	snprintf(body, sizeof(body), "echo x >> %s\necho >/dev/null\n"
		 "exec ${CC:-cc} \"$@\"", in("starts"));
	write_script("counter", body);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 2);
	/* The version is that of another program. */
	snprintf(body, sizeof(body), "/usr/bin/env %s", in("counter"));
	setenv("PLAIT_CC", body, 1);
	OK(build(text) == PLAIT_OK);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 3);
	use_counter();
	setenv("PLAIT_CC", body, 1);
	OK(build(text) == PLAIT_OK);
	IS_UINT(count_starts(), 1);
	unsetenv("PLAIT_CC");
}

static void wrong_texts(void)
{
	use_cache("wrong");
	unsetenv("PLAIT_CC");
	IS_INT(build("KERNEL(twice)\n{\n\tEACH(i, n)\n\t\tx[i] = y[i];\n}\n"),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "kernel twice: twice.plk:4:");
	HAS_STR(error.text, "error: ");
	HAS_STR(detail, "twice.plk:4:");
	HAS_STR(detail, "    4 | \t\tx[i] = y[i];");
	IS_INT(build("KERNEL(twice)\n{\n\tEACH(i, n)\n\t\tx[i] = far(x[i]);\n"
		     "}\n"), PLAIT_E_INVALID);
	HAS_STR(error.text, "far");
	IS_INT(build("KERNEL(twice)\n{\n\ti32 half = 1;\n\n\tx[0] = half;\n}"),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "twice.plk:3:");
	HAS_STR(error.text, "poison");
	IS_INT(build("KERNEL(twice)\n{\n\tx[LOCAL_ID(0)] = 1;\n}\n"),
	       PLAIT_E_INVALID);
	IS_INT(build("int extern_only(int);\nKERNEL(twice)\n{\n"
		     "\tx[0] = extern_only(1);\n}\n"), PLAIT_E_INVALID);
	HAS_STR(error.text, "undefined reference");
	IS_INT(build("KERNEL(thrice)\n{\n}\n"), PLAIT_E_INVALID);
	HAS_STR(error.text, "no KERNEL(twice)");
	HAS_STR(error.text, " in twice.plk, which has KERNEL(thrice)");
	IS_INT(build("/* { */\nKERNEL(twice)\n{\n\tEACH(i, n) {\n\t\tx[i] = "
		     "'{' + \"\\\"{\"[0]; // {\n}\n"), PLAIT_E_INVALID);
	HAS_STR(error.text, "twice: twice.plk:3: error: no '}' for the '{'");
	IS_INT(build(""), PLAIT_E_INVALID);
	HAS_STR(error.text, "empty");
}

static plait_status create(const plait_source *source)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature, .sources = source,
				   .source_count = 1 };
	plait_kernel *kernel = (void *)&desc;
	plait_status status;

	memset(&error, 0, sizeof(error));
	error.size = sizeof(error);
	status = plait_kernel_create(suite_context(), &desc, &kernel, &error);
	OK(status == PLAIT_OK || kernel == NULL);
	plait_kernel_release(kernel);
	return status;
}

static void wrong_sources(void)
{
	static const struct {
		plait_source source;
		plait_status status;
		const char *words;
	} list[] = {
		{ { .code = NULL }, PLAIT_E_INVALID, "code is null" },
		{ { .code = "a\0b", .bytes = 3 }, PLAIT_E_INVALID, "a NUL" },
		{ { .code = text, .form = 77 }, PLAIT_E_UNSUPPORTED,
		  "form 77" },
		{ { .code = text, .flags = 8 }, PLAIT_E_UNSUPPORTED, "0x8" },
		{ { .code = text, .flags = 3 }, PLAIT_E_INVALID,
		  "strict and fast exclude" },
		{ { .code = text, .entry = "f" }, PLAIT_E_INVALID, "entry" },
		{ { .code = text, .options = "-g" }, PLAIT_E_INVALID,
		  "options" },
		{ { .code = text, .defines = "1A=2" }, PLAIT_E_INVALID,
		  "1A=2" },
		{ { .code = text, .defines = "A=1\nB" }, PLAIT_E_INVALID,
		  "0x0a" },
		{ { .code = text, .defines = "A(x)=1" }, PLAIT_E_INVALID,
		  "A(x)" },
		{ { .code = text, .form = PLAIT_SOURCE_C, .entry = "a;b" },
		  PLAIT_E_INVALID, "not the name" },
		{ { .code = "x", .form = PLAIT_SOURCE_CUBIN }, PLAIT_E_INVALID,
		  "bytes is 0" },
		{ { .code = text, .form = PLAIT_SOURCE_CUDA_C },
		  PLAIT_E_UNSUPPORTED, "(host) takes its CUDA C" },
		{ { .code = text, .backend = "opencl" }, PLAIT_E_UNSUPPORTED,
		  "for opencl" },
	};

	for (size_t i = 0; i < TAP_COUNT(list); i++) {
		plait_source source = list[i].source;

		source.size = sizeof(source);
		IS_INT(create(&source), list[i].status);
		HAS_STR(error.text, list[i].words);
	}
}

static void back_door(void)
{
	static const char code[] = "#include <stdint.h>\nvoid "
		"other(int32_t *x, uint64_t n)\n{\n\tfor (uint64_t i = 0; "
		"i < n; i++)\n\t\tx[i] *= FACTOR;\n}\n";
	plait_source sources[] = {
		{ .size = sizeof(sources[0]), .form = PLAIT_SOURCE_CUDA_C,
		  .code = "nonsense" },
		{ .form = PLAIT_SOURCE_C, .code = code, .entry = "other",
		  .defines = "FACTOR=5 DEBUG", .options = "-Wall -Werror" },
		{ .code = "more nonsense" }
	};
	int32_t x[2] = { 1, 10 };

	unsetenv("PLAIT_CC");
	use_cache("back");
	if (!suite_take_many(signature, sources, 3))
		return;
	SUITE_ARRAY(x);
	SUITE_VALUE(uint64_t, 2);
	suite_launch(1, 1, 1);
	IS_INT(x[0], 5);
	IS_INT(x[1], 50);
}

static void compilers(void)
{
	static const struct {
		const char *body;
		const char *words;
	} list[] = {
		{ "exit 127", "could not be run" },
		{ "kill -SEGV $$", "signal 11" },
		{ "exec sleep 1000", "stopped after 1 seconds" },
		{ "exec yes", "printed more than" },
		{ "exit 0", "cannot be loaded" },
		/* -o FILE: nonsense. */
		{ "while test \"$1\" != -o; do shift; done; echo no > \"$2\"",
		  "cannot be loaded" },
		{ "while test \"$1\" != -o; do shift; done; : > \"$2\"",
		  "cannot be loaded" },
		/* Another shared object. */
		{ "while test \"$1\" != -o; do shift; done; echo 'int a;' | "
		  "${CC:-cc} -shared -x c -o \"$2\" -", "no plait_run" },
	};

	use_cache("compilers");
	setenv("PLAIT_CC_SECONDS", "1", 1);
	for (size_t i = 0; i < TAP_COUNT(list); i++) {
		if (i == 3)
			unsetenv("PLAIT_CC_SECONDS");
		write_script("bad", list[i].body);
		IS_INT(build(text), PLAIT_E_UNAVAILABLE);
		HAS_STR(error.text, list[i].words);
		HAS_STR(error.text, "kernel twice");
	}
	unsetenv("PLAIT_CC_SECONDS");
	OK(entry_of(in("compilers"))[0] == '\0');
	setenv("PLAIT_CC", "plait-no-such-compiler", 1);
	IS_INT(build(text), PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "no plait-no-such-compiler");
	setenv("PLAIT_CC", "./cc", 1);
	IS_INT(build(text), PLAIT_E_INVALID);
	HAS_STR(error.text, "absolute");
	setenv("PLAIT_CC", "/dev/null", 1);
	IS_INT(build(text), PLAIT_E_UNAVAILABLE);
	unsetenv("PLAIT_CC");
}

/* Only the tests' own files are left below TMPDIR. */
static void no_rests(void)
{
	DIR *stream = opendir(suite_folder());
	struct dirent *entry;
	unsigned found = 0;

	while (stream != NULL && (entry = readdir(stream)) != NULL)
		found += strncmp(entry->d_name, "plait-", 6) == 0;
	closedir(stream);
	IS_UINT(found, 0);
}

static void path_is_absolute(void)
{
	const char *path = getenv("PATH");
	char *kept = strdup(path != NULL ? path : "");

	unsetenv("PLAIT_CC");
	use_cache("path");
	setenv("PATH", ":.:relative/bin", 1);
	IS_INT(build(text), PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "no C compiler");
	setenv("PATH", kept, 1);
	free(kept);
}

/* The state of an entry: its length, and a byte of it. */
static void damage(const char *path, long length, long at)
{
	FILE *file = fopen(path, "r+");
	int byte;

	if (length >= 0 && truncate(path, length) != 0)
		NOTE("cannot cut %s", path);
	if (at >= 0) {
		fseek(file, at, SEEK_SET);
		byte = fgetc(file);
		fseek(file, at, SEEK_SET);
		fputc(byte ^ 0x20, file);
	}
	fclose(file);
}

static long length_of(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static void damaged(void)
{
	const char *cache, *path;
	unsigned starts = 1;
	long length;

	use_counter();
	cache = use_cache("damaged");
	OK(works());
	path = entry_of(cache);
	length = length_of(path);
	OK(length > 1000);
	for (long k = 0; k < 8; k++) {
		/* Four cuts, and four bytes: code, key, footer, magic. */
		const long cuts[] = { 0, 10, length / 2, length - 1 };
		const long bytes[] = { 100, length - 200, length - 30,
				       length - 1 };

		damage(path, k < 4 ? cuts[k] : -1, k < 4 ? -1 : bytes[k - 4]);
		OK_THAT(works(), "damage %ld", k);
		IS_UINT(count_starts(), ++starts);
		OK(works());
		IS_UINT(count_starts(), starts);
		IS_INT(length_of(path), length);
	}
}

/* An entry of another key, under the name of this one. */
static void exchanged(void)
{
	char first[600], command[1300];

	use_counter();
	use_cache("exchanged");
	OK(build(text) == PLAIT_OK);
	snprintf(first, sizeof(first), "%s", entry_of(in("exchanged")));
	use_cache("exchanged2");
	OK(build("KERNEL(twice)\n{\n\tEACH(i, n)\n\t\tx[i] = 7;\n}\n") ==
	   PLAIT_OK);
	snprintf(command, sizeof(command), "cp %s %s",
		 entry_of(in("exchanged2")), first);
	OK(system(command) == 0);
	use_cache("exchanged");
	OK(works());
	IS_UINT(count_starts(), 3);
}

static void hostile_entries(void)
{
	const char *cache;
	char path[600], aside[600];

	use_counter();
	cache = use_cache("entries");
	OK(works());
	snprintf(path, sizeof(path), "%s", entry_of(cache));
	chmod(path, 0666);
	OK(works());
	IS_UINT(count_starts(), 2);
	/* A link to a good one. */
	snprintf(aside, sizeof(aside), "%s/aside", cache);
	OK(rename(path, aside) == 0 && symlink(aside, path) == 0);
	OK(works());
	IS_UINT(count_starts(), 3);
	/* A pipe would block. */
	OK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	OK(works());
	IS_UINT(count_starts(), 4);
	/* A folder cannot be replaced: built each time. */
	OK(unlink(path) == 0 && mkdir(path, 0700) == 0);
	OK(works());
	OK(works());
	IS_UINT(count_starts(), 6);
	if (geteuid() != 0) {
		SKIP("not root: no files of another user");
		return;
	}
	OK(rmdir(path) == 0 && rename(aside, path) == 0);
	OK(chown(path, 12345, 12345) == 0);
	OK(works());
	IS_UINT(count_starts(), 7);
}

static void hostile_folders(void)
{
	use_counter();
	OK(mkdir(in("open"), 0700) == 0 && chmod(in("open"), 0777) == 0);
	use_cache("open");
	OK(works());
	OK(entry_of(in("open"))[0] == '\0');
	/* Below a folder that others may write to. */
	use_cache("open/below");
	OK(works());
	OK(entry_of(in("open/below"))[0] == '\0');
	OK(mkdir(in("real"), 0700) == 0 && symlink(in("real"), in("link")) == 0);
	use_cache("link");
	OK(works());
	OK(entry_of(in("real"))[0] == '\0');
	setenv("PLAIT_CACHE_DIR", "relative", 1);
	OK(works());
	OK(access("relative", F_OK) != 0);
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	OK(works());
	IS_UINT(count_starts(), 5);
	if (geteuid() != 0) {
		SKIP("not root: no folders of another user");
		return;
	}
	OK(mkdir(in("theirs"), 0700) == 0 &&
	   chown(in("theirs"), 12345, 12345) == 0);
	use_cache("theirs");
	OK(works());
	OK(entry_of(in("theirs"))[0] == '\0');
	use_cache("theirs/below");
	OK(works());
	IS_UINT(count_starts(), 7);
}

static void folder_modes(void)
{
	struct stat info;

	unsetenv("PLAIT_CC");
	unsetenv("PLAIT_CACHE_DIR");
	setenv("XDG_CACHE_HOME", in("xdg/deep"), 1);
	OK(works());
	OK(stat(in("xdg/deep/plait"), &info) == 0 &&
	   (info.st_mode & 0777) == 0700);
	OK(entry_of(in("xdg/deep/plait"))[0] != '\0');
	unsetenv("XDG_CACHE_HOME");
}

static void dump(void)
{
	char pattern[300];

	unsetenv("PLAIT_CC");
	use_cache("dumped");
	OK(mkdir(in("dump"), 0700) == 0);
	setenv("PLAIT_DUMP", in("dump"), 1);
	OK(works());
	snprintf(pattern, sizeof(pattern), "cd %s && test -s twice-*.c && "
		 "grep -q -e ' -o ' twice-*.log", in("dump"));
	OK(system(pattern) == 0);
	unsetenv("PLAIT_DUMP");
}

static void run_with_host(void (*scenario)(void))
{
	if (suite_open("host"))
		scenario();
	suite_close();
}

#define WITH_HOST(name) \
	static void name##_on_host(void) { run_with_host(name); }
WITH_HOST(once)
WITH_HOST(another_compiler)
WITH_HOST(wrong_texts)
WITH_HOST(wrong_sources)
WITH_HOST(back_door)
WITH_HOST(compilers)
WITH_HOST(path_is_absolute)
WITH_HOST(damaged)
WITH_HOST(exchanged)
WITH_HOST(hostile_entries)
WITH_HOST(hostile_folders)
WITH_HOST(folder_modes)
WITH_HOST(dump)

static const struct tap_scenario all[] = {
	{ "ten at once", ten_at_once },
	{ "once", once_on_host },
	{ "another compiler", another_compiler_on_host },
	{ "wrong texts", wrong_texts_on_host },
	{ "wrong sources", wrong_sources_on_host },
	{ "back door", back_door_on_host },
	{ "compilers", compilers_on_host },
	{ "path", path_is_absolute_on_host },
	{ "damaged", damaged_on_host },
	{ "exchanged", exchanged_on_host },
	{ "hostile entries", hostile_entries_on_host },
	{ "hostile folders", hostile_folders_on_host },
	{ "folder modes", folder_modes_on_host },
	{ "dump", dump_on_host },
	{ "no rests", no_rests },
};

TAP_MAIN(all)
