/* SPDX-License-Identifier: MIT */
/*
 * Texts that include files: a header that changed is seen, whatever the cache
 * holds, and one that did not is taken from there.
 */
#include "lib/suite.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ITEMS = 3 };

static const char *in(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", suite_folder(), name);
	return path;
}

static void write_header(const char *name, const char *text)
{
	FILE *file = fopen(in(name), "w");

	if (!OK(file != NULL))
		return;
	fputs(text, file);
	fclose(file);
}

/* From now on a cache without entries. */
static void use_cache(void)
{
	static unsigned number;
	char name[32];

	/* Each scenario is a process. */
	snprintf(name, sizeof(name), "cache%d-%u", (int)getpid(), number++);
	setenv("PLAIT_CACHE_DIR", in(name), 1);
}

static unsigned count_entries(void)
{
	DIR *stream = opendir(getenv("PLAIT_CACHE_DIR"));
	struct dirent *entry;
	unsigned count = 0;

	while (stream != NULL && (entry = readdir(stream)) != NULL)
		count += strncmp(entry->d_name, "put-", 4) == 0;
	if (stream != NULL)
		closedir(stream);
	return count;
}

/* The number that the kernel writes whose text begins with `head`. */
static int value_of(const char *head, const char *options)
{
	char c[1024], cl[1024];
	plait_source sources[] = {
		{ .size = sizeof(sources[0]), .code = c, .options = options,
		  .form = PLAIT_SOURCE_C, .entry = "put", .file = "put.c" },
		{ .size = sizeof(sources[0]), .code = cl, .options = options,
		  .form = PLAIT_SOURCE_OPENCL_C, .entry = "put",
		  .file = "put.cl" },
	};
	int32_t x[ITEMS] = { 0 };

	snprintf(c, sizeof(c), "%s\nvoid put(int *x, unsigned long n)\n{\n"
		 "\tfor (unsigned long i = 0; i < n; i++)\n"
		 "\t\tx[i] = VALUE;\n}\n", head);
	snprintf(cl, sizeof(cl), "%s\n__kernel void put(__global int *x, "
		 "ulong n)\n{\n\tx[get_global_id(0)] = VALUE;\n}\n", head);
	if (!suite_take_many("put(x: out pointer i32, n: u64)", sources, 2))
		return -1;
	SUITE_ARRAY(x);
	SUITE_VALUE(uint64_t, ITEMS);
	return suite_launch(ITEMS, 1, 1) ? x[ITEMS - 1] : -1;
}

static const char *search(const char *one, const char *two)
{
	static char words[600];

	snprintf(words, sizeof(words), "-I%s -I%s", in(one), in(two));
	return words;
}

/* ---- scenarios ---- */

static const struct {
	const char *what, *head;
	/* By every compiler. */
	bool cached;
} forms[] = {
	{ "quoted", "#include \"value.h\"", true },
	{ "bracketed", "#include <value.h>", true },
	{ "nested", "#include \"outer.h\"", true },
	{ "over two lines", "#inc\\\nlude \"value.h\"", true },
	{ "spaced", " /* x */ # /* y */ include /* z */ \"value.h\"", true },
	{ "computed", "#define WHICH \"value.h\"\n#include WHICH", false },
};

static void header_changes(void)
{
	write_header("one/outer.h", "#include \"value.h\"\n");
	for (size_t i = 0; i < TAP_COUNT(forms); i++) {
		unsigned entries;

		use_cache();
		write_header("one/value.h", "#define VALUE 11\n");
		if (!IS_INT(value_of(forms[i].head, search("one", "two")), 11))
			NOTE("%s", forms[i].what);
		IS_INT(value_of(forms[i].head, search("one", "two")), 11);
		entries = count_entries();
		if (forms[i].cached)
			OK(entries > 0);
		write_header("one/value.h", "#define VALUE 22\n");
		if (!IS_INT(value_of(forms[i].head, search("one", "two")), 22))
			NOTE("%s", forms[i].what);
		if (forms[i].cached)
			OK(count_entries() > entries);
		entries = count_entries();
		/* The first kernel is in the cache still. */
		write_header("one/value.h", "#define VALUE 11\n");
		IS_INT(value_of(forms[i].head, search("one", "two")), 11);
		IS_UINT(count_entries(), entries);
	}
}

/* A file appears in front of the one that was found. */
static void header_appears(void)
{
	use_cache();
	write_header("two/later.h", "#define VALUE 11\n");
	IS_INT(value_of("#include <later.h>", search("one", "two")), 11);
	write_header("one/later.h", "#define VALUE 22\n");
	IS_INT(value_of("#include <later.h>", search("one", "two")), 22);
	unlink(in("one/later.h"));
	IS_INT(value_of("#include <later.h>", search("one", "two")), 11);
}

static void header_is_asked_for(void)
{
	static const char head[] =
		"#if __has_include(\"asked.h\")\n#define VALUE 22\n#else\n"
		"#define VALUE 11\n#endif";

	use_cache();
	IS_INT(value_of(head, search("one", "two")), 11);
	write_header("one/asked.h", "");
	IS_INT(value_of(head, search("one", "two")), 22);
	unlink(in("one/asked.h"));
}

#ifndef SUITE_DRIVER
/* The C compiler's, and not every driver's. */
static void option_includes(void)
{
	char options[300];

	snprintf(options, sizeof(options), "-include %s", in("one/value.h"));
	use_cache();
	write_header("one/value.h", "#define VALUE 11\n");
	IS_INT(value_of("", options), 11);
	write_header("one/value.h", "#define VALUE 22\n");
	IS_INT(value_of("", options), 22);
}
#endif

static void without_includes(void)
{
	unsigned entries;

	use_cache();
	IS_INT(value_of("#define VALUE 5 /* included */", NULL), 5);
	entries = count_entries();
	OK(entries > 0);
	IS_INT(value_of("#define VALUE 5 /* included */", NULL), 5);
	IS_UINT(count_entries(), entries);
}

static void includes(void)
{
	mkdir(in("one"), 0700);
	mkdir(in("two"), 0700);
	header_changes();
	header_appears();
	header_is_asked_for();
#ifndef SUITE_DRIVER
	option_includes();
#endif
	without_includes();
}

SUITE_MAIN(includes)
