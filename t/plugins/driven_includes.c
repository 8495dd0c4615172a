/* SPDX-License-Identifier: MIT */
/* The scan for included files, without a driver: which texts may be cached, and
 * which change with a file. */
#include "driven/includes.h"

#include "lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/plait-includes-XXXXXX";
static char options[200];
static uint64_t held;

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *made = NULL;

	(void)host;
	held += new_bytes - old_bytes;
	if (new_bytes == 0)
		free(pointer);
	else
		made = realloc(pointer, new_bytes);
	return made;
}

static const plait_host_services services = { .size = sizeof(services),
					      .resize = resize };

static void write_file(const char *name, const char *text)
{
	char path[100];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!OK(file != NULL))
		return;
	fputs(text, file);
	fclose(file);
}

static bool read_with(const char *text, const char *words,
		      struct driven_includes *out)
{
	bool known = plaitp_driven_includes_read(&services, NULL, text,
						 strlen(text), words,
						 strlen(words), out);

	IS_UINT(held, 0);
	return known;
}

enum answer { UNKNOWN, NONE, CHANGES };

static const struct {
	const char *text;
	enum answer answer;
} texts[] = {
	{ "", NONE },
	{ "int include; /* #include \"a.h\" */", NONE },
	{ "/*\n#include \"a.h\"\n*/", NONE },
	{ "// \\\n#include \"a.h\"", NONE },
	{ "char *s = \"\\\n#include <a.h>\";", NONE },
	{ "#define include \"a.h\"", NONE },
	{ "#include \"a.h\"", CHANGES },
	{ "#include <a.h>", CHANGES },
	{ "#include \"b.h\"", CHANGES },
	{ "# \t include<a.h>", CHANGES },
	{ "%:include \"a.h\"", CHANGES },
	{ "\?\?=include \"a.h\"", CHANGES },
	{ "#in\\\r\nclude \"a.h\"", CHANGES },
	{ "#in\?\?/\nclude \"a.h\"", CHANGES },
	{ "#/**/include/**/\"a.h\"", CHANGES },
	{ "#include_next <a.h>", CHANGES },
	{ "#import \"a.h\"", CHANGES },
	{ "char c = '\"';\n#include \"a.h\"\n// '", CHANGES },
	{ "#if 0\n#include \"a.h\"\n#endif", CHANGES },
	{ "#include \"sub/c.h\"", CHANGES },
	{ "#include \"none.h\"", UNKNOWN },
	{ "#include \"sub\"", UNKNOWN },
	{ "#include NAME", UNKNOWN },
	{ "#include", UNKNOWN },
	{ "#include \"\"", UNKNOWN },
	{ "#include \"a.h", UNKNOWN },
	{ "#if __has_include(\"a.h\")\n#endif", UNKNOWN },
	{ "R\"(/*)\"\n#include \"a.h\"\n", UNKNOWN },
	{ "asm(\".incbin \\\"a.h\\\"\");", UNKNOWN },
	{ "#include \"loop.h\"", CHANGES },
	/* Longer than its size of 0 says. */
	{ "#include \"/proc/version\"", UNKNOWN },
};

static void check(size_t i)
{
	struct driven_includes before, after, again;
	bool known;

	write_file("a.h", "1");
	known = read_with(texts[i].text, options, &before);
	if (!IS_INT(known, texts[i].answer != UNKNOWN))
		NOTE("%s", texts[i].text);
	if (!known)
		return;
	OK(read_with(texts[i].text, options, &again));
	OK(memcmp(&before, &again, sizeof(again)) == 0);
	write_file("a.h", "2");
	OK(read_with(texts[i].text, options, &after));
	if (!IS_INT(memcmp(&before, &after, sizeof(after)) != 0,
		    texts[i].answer == CHANGES))
		NOTE("%s", texts[i].text);
}

static void texts_are_read(void)
{
	char sub[100];

	OK(mkdtemp(folder) != NULL);
	snprintf(sub, sizeof(sub), "%s/sub", folder);
	IS_INT(mkdir(sub, 0700), 0);
	snprintf(options, sizeof(options), "-DX=1 -I %s", folder);
	write_file("b.h", "\n#include \"a.h\"\n");
	/* Beside the including file, which no option names. */
	write_file("sub/c.h", "#include \"d.h\"\n");
	write_file("sub/d.h", "#include <a.h>\n");
	write_file("loop.h", "#include \"loop.h\"\n#include \"a.h\"\n");
	for (size_t i = 0; i < TAP_COUNT(texts); i++)
		check(i);
}

static void options_are_read(void)
{
	static const struct {
		const char *words;
		bool known;
	} list[] = {
		{ "-I%s", true }, { "-I %s", true }, { "-isystem %s", true },
		{ "--include-path=%s", true }, { "-iquote%s", true },
		{ "-cl-std=CL1.2 -I%s -w", true }, { "-I\"%s\"", false },
		{ "-include x -I%s", false }, { "@file -I%s", false },
		{ "-imacros x -I%s", false }, { "-w", false },
		{ "-idirafter x -I%s", false }, { "-I", false },
		{ "--pre-include=x -I%s", false },
	};
	struct driven_includes out;
	char words[200];

	for (size_t i = 0; i < TAP_COUNT(list); i++) {
		const char *at = strstr(list[i].words, "%s");

		snprintf(words, sizeof(words), "%s", list[i].words);
		if (at != NULL)
			snprintf(words, sizeof(words), "%.*s%s%s",
				 (int)(at - list[i].words), list[i].words,
				 folder, at + 2);
		if (!IS_INT(read_with("#include \"a.h\"", words, &out),
			    list[i].known))
			NOTE("%s", list[i].words);
	}
}

/* A file in front of the one that is found counts as well. */
static void a_file_appears(void)
{
	struct driven_includes before, after;
	char words[300];

	snprintf(words, sizeof(words), "-I%s/sub -I%s", folder, folder);
	OK(read_with("#include <a.h>", words, &before));
	write_file("sub/a.h", "2");
	OK(read_with("#include <a.h>", words, &after));
	OK(memcmp(&before, &after, sizeof(after)) != 0);
}

static void remove_all(void)
{
	static const char *const names[] = { "a.h", "b.h", "loop.h", "sub/a.h",
					     "sub/c.h", "sub/d.h", "sub", "" };
	char path[100];

	for (size_t i = 0; i < TAP_COUNT(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		IS_INT(remove(path), 0);
	}
}

static void all_of_it(void)
{
	texts_are_read();
	options_are_read();
	a_file_appears();
	remove_all();
}

static const struct tap_scenario scenarios[] = {
	{ "includes", all_of_it },
};
TAP_MAIN(scenarios)
