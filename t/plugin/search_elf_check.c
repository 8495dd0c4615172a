/* SPDX-License-Identifier: MIT */
/*
 * The search for plugins, and files that are not loaded: files that others
 * could have written, truncated files, and files of other kinds.
 */
#include "lib/tap.h"

#include "lib/plugin_rig.h"
#include "lib/unwrapped.h"

#include "plugin/elf_check.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- order */

static char path[8 * PATH_MAX];

static const char *two(const char *first, const char *second)
{
	snprintf(path, sizeof(path), "%s:%s", first, second);
	return path;
}

static void first_place_wins(void)
{
	const char *first = rig_folder(), *second = rig_folder();
	const char *report;

	OK(rig_copy("good2", second, "good2"));
	OK(rig_copy("good", first, "good"));
	OK(rig_copy("good", second, "good"));
	report = rig_survey(two(first, second), "good", NULL, NULL);
	HAS_STR(report, rig_file(first, "good"));
	OK(strstr(report, rig_file(second, "good")) == NULL);
	report = rig_survey(two(first, second), "good2", NULL, NULL);
	/* Other places do not matter then. */
	OK(strstr(report, rig_file(first, "good2")) == NULL);
	HAS_STR(report, "plait_good2.so: loaded");
	report = rig_survey(two(first, second), "shy", NULL, NULL);
	HAS_STR(report, rig_file(first, "shy"));
	HAS_STR(report, rig_file(second, "shy"));
	HAS_STR(report, "plait_shy.so: not there");
}

/* A file that cannot be used is told, and the next place is tried. */
static void next_place_is_tried(void)
{
	const char *first = rig_folder(), *second = rig_folder();
	const char *report;

	OK(rig_copy("noslot", first, "good"));
	OK(rig_copy("good", second, "good"));
	report = rig_survey(two(first, second), "good", NULL, NULL);
	HAS_STR(report, "plait_good.so: plugin good: says its name");
	HAS_STR(report, "good: chosen, number 1");
}

static void files_can_be_named(void)
{
	const char *folder = rig_folder();

	OK(rig_copy("good", folder, "good"));
	OK(rig_copy("good2", folder, "good2"));
	IS_INT(rig_try(rig_file(folder, "good"), NULL), PLAIT_OK);
	IS_INT(rig_try(rig_file(folder, "good"), "good2"),
	       PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin good2: no plait_good2.so in ");
	IS_INT(rig_try(two(rig_file(folder, "good2"), "/nowhere"), "good2"),
	       PLAIT_OK);
}

/* Files in the current folder are not looked at. */
static void current_folder_is_not_searched(void)
{
	const char *folder = rig_folder();
	char before[PATH_MAX];

	OK(rig_copy("good", folder, "good"));
	if (!OK(getcwd(before, sizeof(before)) != NULL && chdir(folder) == 0))
		return;
	unsetenv("PLAIT_PLUGIN_PATH");
	IS_INT(rig_try(NULL, "good"), PLAIT_E_UNAVAILABLE);
	OK(strstr(rig_detail, folder) == NULL);
	setenv("LD_LIBRARY_PATH", folder, 1);
	IS_INT(rig_try(NULL, "good"), PLAIT_E_UNAVAILABLE);
	unsetenv("LD_LIBRARY_PATH");
	IS_INT(rig_try(".", "good"), PLAIT_E_INVALID);
	OK(chdir(before) == 0);
}

static void environment_is_asked(void)
{
	const char *folder = rig_folder();

	OK(rig_copy("good", folder, "good"));
	setenv("PLAIT_PLUGIN_PATH", folder, 1);
	IS_INT(rig_try(NULL, "good"), PLAIT_OK);
	IS_INT(rig_try("", "good"), PLAIT_OK);
	IS_INT(rig_try("/nowhere", "good"), PLAIT_E_UNAVAILABLE);
	setenv("PLAIT_PLUGIN_PATH", "plugins", 1);
	IS_INT(rig_try(NULL, "good"), PLAIT_E_INVALID);
	HAS_STR(rig_error.text, "PLAIT_PLUGIN_PATH: path 1, 'plugins', is not");
	unsetenv("PLAIT_PLUGIN_PATH");
	setenv("PLAIT_BACKEND", "good2", 1);
	IS_INT(rig_try(folder, NULL), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_detail, "backends: good2 (PLAIT_BACKEND)");
	IS_INT(rig_try(folder, "good"), PLAIT_OK);
	unsetenv("PLAIT_BACKEND");
}

static void empty_places_are_told(void)
{
	const char *folder = rig_folder();
	const char *report;

	IS_INT(rig_try(folder, NULL), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin_path: no plugin in /");
	HAS_STR(rig_error.text, "it takes folders that have plait_host.so");
	HAS_STR(rig_detail, ": 0 plugins");
	HAS_STR(rig_detail, "hint: no plugins there");
	report = rig_survey("/nowhere/at/all", NULL, NULL, NULL);
	IS_INT(rig_error.status, PLAIT_OK);
	HAS_STR(report, "/nowhere/at/all: No such file or directory");
	IS_INT(rig_try("/dev/null", NULL), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "no plugin in /dev/null (not a folder); it");
	IS_INT(rig_try("/dev/null:/nowhere", "good"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin good: no plait_good.so in /dev/null "
		"(not a folder) or /nowhere (No such file or directory)");
	IS_INT(rig_try("/nowhere/plait_x.so:/:/dev", NULL),
	       PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plait_x.so in /nowhere/plait_x.so (No such "
		"file or directory) or 2 other places");
	OK(rig_copy("good", folder, "Good"));
	report = rig_survey(folder, NULL, NULL, NULL);
	HAS_STR(report, "plait_Good.so: ignored, a plugin's name has");
}

/* --- trust */

static void expect_refusal(const char *folder, const char *reason)
{
	const char *report;

	IS_INT(rig_try(folder, "good"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "plugin good: ");
	HAS_STR(rig_error.text, reason);
	report = rig_survey(folder, NULL, NULL, NULL);
	IS_INT(rig_error.status, PLAIT_OK);
	HAS_STR(report, reason);
	HAS_STR(report, "good: rejected: could not be loaded");
}

static void writable_files_are_refused(void)
{
	const char *folder = rig_folder();

	OK(rig_copy("good", folder, "good"));
	OK(chmod(rig_file(folder, "good"), 0757) == 0);
	expect_refusal(folder, "the file can be written by all users");
	OK(chmod(rig_file(folder, "good"), 0775) == 0);
	expect_refusal(folder, "the file can be written by its group");
	OK(chmod(rig_file(folder, "good"), 0755) == 0);
	OK(chmod(folder, 0777) == 0);
	expect_refusal(folder, "its folder can be written by all users");
	OK(chmod(folder, 01777) == 0);
	expect_refusal(folder, "its folder can be written by all users");
	OK(chmod(folder, 0770) == 0);
	expect_refusal(folder, "its folder can be written by its group");
	OK(chmod(folder, 0700) == 0);
	IS_INT(rig_try(folder, "good"), PLAIT_OK);
}

static void links_lead_to_the_same_rules(void)
{
	const char *folder = rig_folder(), *behind = rig_folder();

	OK(rig_copy("good", behind, "good"));
	OK(symlink(rig_file(behind, "good"), rig_file(folder, "good")) == 0);
	IS_INT(rig_try(folder, "good"), PLAIT_OK);
	OK(chmod(behind, 0777) == 0);
	expect_refusal(folder, "its folder can be written by all users");
	OK(chmod(behind, 0700) == 0);
	OK(unlink(rig_file(behind, "good")) == 0);
	IS_INT(rig_try(folder, "good"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_detail, "not there");
	OK(symlink(rig_file(folder, "good"), rig_file(behind, "good")) == 0);
	expect_refusal(folder, "cannot be inspected: Too many levels");
}

static void files_of_others_are_refused(void)
{
	const char *folder = rig_folder();

	if (getuid() != 0) {
		SKIP("only root can give files away");
		return;
	}
	OK(rig_copy("good", folder, "good"));
	OK(chown(rig_file(folder, "good"), 12345, 0) == 0);
	expect_refusal(folder, "the file belongs to user 12345");
	OK(chown(rig_file(folder, "good"), 0, 0) == 0);
	OK(chown(folder, 12345, 0) == 0);
	expect_refusal(folder, "its folder belongs to user 12345");
	OK(chown(folder, 0, 0) == 0);
	IS_INT(rig_try(folder, "good"), PLAIT_OK);
}

/* --- what is in it */

static void other_things_are_refused(void)
{
	const char *folder = rig_folder();
	const char *file;

	file = rig_file(folder, "good");
	OK(mkdir(file, 0755) == 0);
	expect_refusal(folder, "not a regular file but a folder");
	IS_INT(rig_try(file, "good"), PLAIT_E_UNAVAILABLE);
	HAS_STR(rig_error.text, "not a regular file but a folder");
	OK(rmdir(file) == 0);
	OK(mkfifo(file, 0644) == 0);
	expect_refusal(folder, "not a regular file but a device, pipe");
	OK(unlink(file) == 0);
	OK(symlink("/dev/zero", file) == 0);
	expect_refusal(folder, "not a regular file but a device, pipe");
}

static bool write_file(const char *file, const void *bytes, size_t count)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool done = fd >= 0 && write(fd, bytes, count) == (ssize_t)count;

	if (fd >= 0)
		close(fd);
	return done;
}

static void text_is_refused(void)
{
	static const char script[] =
		"/* a linker script */ GROUP ( libgood.so, and much more "
		"that makes this file longer than a header )\n";
	const char *folder = rig_folder();
	const char *file = rig_file(folder, "good");

	OK(write_file(file, "", 0));
	expect_refusal(folder, "an empty file");
	OK(write_file(file, "GROUP", 5));
	expect_refusal(folder, "cut short: 5 bytes of at least");
	OK(write_file(file, script, sizeof(script)));
	expect_refusal(folder, "not a shared object (no ELF header)");
	OK(chmod(file, 0) == 0);
	if (getuid() != 0)
		expect_refusal(folder, "cannot be read: Permission denied");
	else
		SKIP("root can read everything");
}

static size_t read_good(unsigned char *bytes, size_t room)
{
	FILE *file = fopen(rig_file(rig_bad_folder(), "good"), "rb");
	size_t count;

	if (file == NULL)
		return 0;
	count = fread(bytes, 1, room, file);
	fclose(file);
	return count;
}

static unsigned char image[1 << 20];

/* Cut anywhere, it is refused or it works; it never ends this process. */
static void cut_images_are_refused(void)
{
	const char *folder = rig_folder();
	size_t whole = read_good(image, sizeof(image));
	size_t step = whole / 150 + 1, length;
	int refused = 0, tried = 0;
	char sub[PATH_MAX];

	if (!OK(whole > 1000 && whole < sizeof(image)))
		return;
	for (length = 1; length < whole; length += step) {
		/* The linker knows files by name: each cut has its own. */
		snprintf(sub, sizeof(sub), "%.60s/%zu", folder, length);
		if (mkdir(sub, 0755) != 0 ||
		    !write_file(rig_file(sub, "good"), image, length))
			break;
		tried++;
		refused += rig_try(sub, "good") == PLAIT_E_UNAVAILABLE &&
			   strstr(rig_error.text, "cut short") != NULL;
	}
	OK(tried >= 100);
	IS_INT(refused, tried);
}

/* The position in the file at which the last segment ends. */
static size_t segments_end(void)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	size_t end = 0, i;

	memcpy(&header, image, sizeof(header));
	for (i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, image + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	return end;
}

/* Does the same without a table of sections, which is the last thing in a file:
 * then it is whole exactly up to the last segment. */
static void cut_segments_are_refused(void)
{
	const char *folder = rig_folder();
	ElfW(Ehdr) header;
	size_t length, end;

	if (!OK(read_good(image, sizeof(image)) > 1000))
		return;
	memcpy(&header, image, sizeof(header));
	header.e_shoff = 0;
	memcpy(image, &header, sizeof(header));
	end = segments_end();
	for (length = 600; length < end; length += 500) {
		OK(write_file(rig_file(folder, "good"), image, length));
		expect_refusal(folder, "cut short");
	}
	OK(write_file(rig_file(folder, "good"), image, end - 1));
	expect_refusal(folder, "cut short");
	OK(write_file(rig_file(folder, "good"), image, end));
	IS_INT(rig_try(folder, "good"), PLAIT_OK);
}

static void broken_headers_are_refused(void)
{
	static const struct {
		size_t offset;
		unsigned char byte;
		const char *reason;
	} cases[] = {
		{ 0, 'X', "no ELF header" },
		{ 4, 1, "another word size" },
		{ 54, 1, "not a shared object" },  /* size of a segment */
		{ 56, 0, "not a shared object" },  /* no segments */
		{ 57, 200, "not a shared object" }, /* too many */
		{ 39, 1, "cut short" },            /* segments far away */
		{ 46, 1, "cut short" },            /* sections far away */
	};
	const char *folder = rig_folder();
	size_t whole = read_good(image, sizeof(image));
	size_t i;

	if (sizeof(void *) != 8) {
		SKIP("offsets are those of 64 bits");
		return;
	}
	for (i = 0; i < TAP_COUNT(cases); i++) {
		unsigned char before = image[cases[i].offset];

		image[cases[i].offset] = cases[i].byte;
		OK(write_file(rig_file(folder, "good"), image, whole));
		expect_refusal(folder, cases[i].reason);
		image[cases[i].offset] = before;
	}
}

/* For all bytes the examination ends in a verdict. */
static void garbage_is_looked_at(void)
{
	const char *file = rig_file(rig_folder(), "good");
	size_t whole = read_good(image, sizeof(image));
	uint64_t random = tap_seed();
	int round, wrong = 0;

	for (round = 0; round < 200; round++) {
		unsigned char before[16];
		size_t at[16], i;

		for (i = 0; i < 16; i++) {
			random = random * 6364136223846793005u + 1;
			/* Headers mostly, sometimes anywhere. */
			at[i] = (size_t)(random >> 33) %
				(random >> 62 != 0 ? 1024 : whole);
			before[i] = image[at[i]];
			image[at[i]] = (unsigned char)(random >> 25);
		}
		if (write_file(file, image, whole)) {
			plait_error error = { .size = sizeof(error) };
			char real[PATH_MAX];
			plait_status status = plait__elf_check(file, real,
							       &error);

			wrong += status != PLAIT_OK &&
				 (status != PLAIT_E_UNAVAILABLE ||
				  error.text[0] == '\0');
		}
		for (i = 16; i-- > 0;)
			image[at[i]] = before[i];
	}
	IS_INT(wrong, 0);
}

/* --- more rights than the user */

/* Run by a user without rights from a copy that has root's. */
static int probe(const char *folder)
{
	const char *report = rig_survey(NULL, NULL, NULL, NULL);
	int found = strstr(report, folder) != NULL;

	if (strstr(report, "the environment is ignored") == NULL)
		return 10;
	if (found)
		return 11;
	if (rig_try(NULL, "good") != PLAIT_E_UNAVAILABLE)
		return 12;
	if (rig_try("relative", "good") != PLAIT_E_INVALID)
		return 13;
	/* The program itself may say where; the user's files do not count. */
	if (rig_try(folder, "good") != PLAIT_E_UNAVAILABLE ||
	    strstr(rig_error.text, "belongs to user 65534") == NULL)
		return 14;
	return 0;
}

static int run_probe(const char *program, const char *folder)
{
	char argument[PATH_MAX + 8];
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		setenv("PLAIT_PLUGIN_PATH", folder, 1);
		setenv("PLAIT_BACKEND", "good", 1);
		snprintf(argument, sizeof(argument), "probe=%s", folder);
		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(20);
		execl(program, program, argument, (char *)NULL);
		_exit(21);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static bool copy_self(const char *target)
{
	char command[PATH_MAX + 64], self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	snprintf(command, sizeof(command), "cp %.2000s %.1000s", self, target);
	return system(command) == 0 && chown(target, 0, 0) == 0 &&
	       chmod(target, 04755) == 0;
}

static void privileged_ignore_the_environment(void)
{
	const char *folder = rig_folder(), *programs = rig_folder();
	char program[PATH_MAX];
	struct statvfs info;
	int result;

	if (getuid() != 0) {
		SKIP("only root can make a setuid program");
		return;
	}
	if (statvfs(folder, &info) != 0 || (info.f_flag & ST_NOSUID) != 0) {
		SKIP("/tmp has no setuid programs");
		return;
	}
	snprintf(program, sizeof(program), "%s/probe", programs);
	OK(rig_copy("good", folder, "good"));
	OK(chown(rig_file(folder, "good"), 65534, 65534) == 0);
	OK(chown(folder, 65534, 65534) == 0);
	OK(chmod(programs, 0755) == 0);
	OK(copy_self(program));
	result = run_probe(program, folder);
	if (result == 21)
		SKIP("the setuid program does not run here");
	else
		IS_INT(result, 0);
}

/* --- nothing else is opened */

static bool is_expected(const char *line, const char *folder)
{
	/* Folders on the way, of which nothing is read, and the file in the
	 * one that they lead to. */
	return strstr(line, folder) != NULL ||
	       strstr(line, "O_PATH|O_DIRECTORY") != NULL ||
	       (strstr(line, "(AT_FDCWD") == NULL &&
		strstr(line, "\"plait_good.so\"") != NULL) ||
	       strstr(line, "/etc/ld.so.cache") != NULL ||
	       strstr(line, "ENOENT") != NULL ||
	       strstr(line, ".gcda\"") != NULL || /* where lines are counted */
	       strstr(line, ".so.") != NULL; /* libraries of the program */
}

static void only_places_are_opened(void)
{
	const char *folder = rig_folder(), *empty = rig_folder();
	char command[3 * PATH_MAX], line[4096], self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int strange = 0, seen = 0;
	FILE *trace;

	OK(rig_copy("good", folder, "good"));
	self[length > 0 ? length : 0] = '\0';
	snprintf(command, sizeof(command),
		 "cd %s && cp %s/plait_good.so . && strace -f -qq "
		 "-e trace=open,openat,openat2,creat "
		 "-e signal=none -o %s/trace %.2000s open=%s >/dev/null 2>&1",
		 empty, folder, folder, self, folder);
	if (getenv("PLAIT_SANITIZER") != NULL &&
	    strcmp(getenv("PLAIT_SANITIZER"), "no") != 0) {
		SKIP("a sanitizer opens files of its own");
		return;
	}
	if (system(command) != 0) {
		SKIP("no strace");
		return;
	}
	snprintf(command, sizeof(command), "%s/trace", folder);
	trace = fopen(command, "r");
	if (!OK(trace != NULL))
		return;
	while (fgets(line, sizeof(line), trace) != NULL) {
		if (strstr(line, "open") == NULL)
			continue;
		seen += strstr(line, "plait_good.so") != NULL;
		if (!is_expected(line, folder)) {
			NOTE("%s", line);
			strange++;
		}
	}
	fclose(trace);
	IS_INT(strange, 0);
	OK(seen > 0);
}

static const struct tap_scenario all[] = {
	{ "first_place_wins", first_place_wins },
	{ "next_place_is_tried", next_place_is_tried },
	{ "files_can_be_named", files_can_be_named },
	{ "current_folder_is_not_searched", current_folder_is_not_searched },
	{ "environment_is_asked", environment_is_asked },
	{ "empty_places_are_told", empty_places_are_told },
	{ "writable_files_are_refused", writable_files_are_refused },
	{ "links_lead_to_the_same_rules", links_lead_to_the_same_rules },
	{ "files_of_others_are_refused", files_of_others_are_refused },
	{ "other_things_are_refused", other_things_are_refused },
	{ "text_is_refused", text_is_refused },
	{ "cut_images_are_refused", cut_images_are_refused },
	{ "cut_segments_are_refused", cut_segments_are_refused },
	{ "broken_headers_are_refused", broken_headers_are_refused },
	{ "garbage_is_looked_at", garbage_is_looked_at },
	{ "privileged_ignore_the_environment",
	  privileged_ignore_the_environment },
	{ "only_places_are_opened", only_places_are_opened },
};

int main(int argc, char **argv)
{
	if (argc == 2 && strncmp(argv[1], "probe=", 6) == 0)
		return probe(argv[1] + 6);
	if (argc == 2 && strncmp(argv[1], "open=", 5) == 0) {
		int result = rig_try(argv[1] + 5, NULL);

		return result == PLAIT_OK &&
				       rig_try(argv[1] + 5, "good,x") !=
					       PLAIT_OK
			       ? 0
			       : 1;
	}
	unsetenv("PLAIT_PLUGIN_PATH");
	return tap_main(argc, argv, all, TAP_COUNT(all));
}
