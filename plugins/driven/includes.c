/* SPDX-License-Identifier: MIT */
/*
 * Scan of a text for include directives; see includes.h.  The compiler's choice
 * among several files of one name is not known, so each candidate counts: in
 * the current folder, beside the including file, and in each folder of the
 * options.  Directives that the compiler skips count too.
 */
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "includes.h"

enum { MAX_FOLDERS = 64, MAX_FILES = 512, MAX_DEPTH = 64 };
#define MAX_BYTES ((uint64_t)64 << 20)

struct text {
	char *bytes;
	uint64_t count, room;
};

struct folder {
	const char *path;
	size_t length;
};

struct scan {
	const plait_host_services *services;
	plait_host *host;
	struct folder folders[MAX_FOLDERS]; /* of the options */
	uint32_t folder_count, file_count, depth;
	struct { dev_t device; ino_t number; } files[MAX_FILES];
	uint64_t total;
	struct driven_includes *out;
	bool unknown;
};

static void scan_text(struct scan *scan, const char *text, uint64_t bytes,
		      const struct folder *beside);

/* ---- hash ---- */

static void add(struct scan *scan, const void *bytes, uint64_t count)
{
	const unsigned char *at = bytes;
	uint64_t *hash = scan->out->hash;

	for (uint64_t i = 0; i < count; i++) {
		hash[0] = (hash[0] ^ at[i]) * UINT64_C(0x100000001b3);
		hash[1] = (hash[1] + at[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
		hash[1] ^= hash[1] >> 29;
	}
}

/* ---- text without comments and line splices ---- */

static bool is_splice(const char *at, const char *end, size_t *out)
{
	const char *next = at + 1;

	if (*at != '\\')
		return false;
	while (next < end && (*next == ' ' || *next == '\t' || *next == '\r'))
		next++;
	*out = (size_t)(next + 1 - at);
	return next < end && *next == '\n';
}

/* Copy without splices; trigraphs become characters.  Returns the length. */
static uint64_t join_lines(const char *text, uint64_t bytes, char *out)
{
	const char *end = text + bytes;
	uint64_t used = 0;
	size_t length;

	while (text < end) {
		char c = *text;
		size_t step = 1;

		if (end - text > 2 && text[0] == '?' && text[1] == '?' &&
		    (text[2] == '=' || text[2] == '/')) {
			c = text[2] == '=' ? '#' : '\\';
			step = 3;
			if (c == '\\' && end - text > 3 && text[3] == '\n') {
				text += 4;
				continue;
			}
		}
		if (step == 1 && is_splice(text, end, &length)) {
			text += length;
			continue;
		}
		out[used++] = c;
		text += step;
	}
	return used;
}

/* Return the end of a string or character that begins at `at`. */
static uint64_t end_of_quote(const char *text, uint64_t at, uint64_t bytes)
{
	char quote = text[at++];

	while (at < bytes && text[at] != quote && text[at] != '\n')
		at += text[at] == '\\' && at + 1 < bytes ? 2 : 1;
	return at < bytes ? at + 1 : bytes;
}

/* Replace comments by a blank, in place.  Returns the length. */
static uint64_t drop_comments(char *text, uint64_t bytes)
{
	uint64_t used = 0, at = 0, end;

	while (at < bytes) {
		char next = at + 1 < bytes ? text[at + 1] : '\0';

		if (text[at] == '/' && next == '/') {
			while (at < bytes && text[at] != '\n')
				at++;
		} else if (text[at] == '/' && next == '*') {
			at += 2;
			while (at < bytes && !(text[at] == '*' &&
					       at + 1 < bytes &&
					       text[at + 1] == '/'))
				at++;
			at = at + 2 < bytes ? at + 2 : bytes;
			text[used++] = ' ';
		} else if (text[at] == '"' || text[at] == '\'') {
			end = end_of_quote(text, at, bytes);
			memmove(text + used, text + at, end - at);
			used += end - at;
			at = end;
		} else {
			text[used++] = text[at++];
		}
	}
	return used;
}

/* ---- files ---- */

/* Returns false if the whole file was not read: an error, or a file that is
 * longer than it says (files of /proc), or too many bytes in all files. */
static bool read_file(struct scan *scan, int file, struct text *out)
{
	ssize_t got;

	do {
		got = read(file, out->bytes + out->count,
			   out->room - out->count);
		if (got > 0)
			out->count += (uint64_t)got;
	} while (got > 0 && out->count < out->room);
	scan->total += out->count;
	return got == 0 && scan->total <= MAX_BYTES;
}

/* Returns true unless the file was seen; unknown if there are too many. */
static bool is_new(struct scan *scan, const struct stat *info)
{
	for (uint32_t i = 0; i < scan->file_count; i++)
		if (scan->files[i].device == info->st_dev &&
		    scan->files[i].number == info->st_ino)
			return false;
	if (scan->file_count == MAX_FILES) {
		scan->unknown = true;
		return false;
	}
	scan->files[scan->file_count].device = info->st_dev;
	scan->files[scan->file_count++].number = info->st_ino;
	return true;
}

/* Hash name and text of a file, and scan the text.  The caller closes
 * `file`. */
static void add_file(struct scan *scan, const char *path, int file,
		     const struct stat *info)
{
	const char *slash = strrchr(path, '/');
	struct folder beside = {
		.path = path,
		.length = slash != NULL ? (size_t)(slash - path) : 0
	};
	struct text text = { .room = (uint64_t)info->st_size + 1 };

	if ((uint64_t)info->st_size > MAX_BYTES || scan->depth == MAX_DEPTH) {
		scan->unknown = true;
		return;
	}
	text.bytes = scan->services->resize(scan->host, NULL, 0, text.room);
	if (text.bytes == NULL || !read_file(scan, file, &text))
		scan->unknown = true;
	add(scan, &text.count, sizeof(text.count));
	add(scan, text.bytes, text.count);
	scan->depth++;
	if (!scan->unknown)
		scan_text(scan, text.bytes, text.count,
			  slash != NULL ? &beside : NULL);
	scan->depth--;
	if (text.bytes != NULL)
		scan->services->resize(scan->host, text.bytes, text.room, 0);
}

/* Add a candidate.  Returns true if there is such a file.  Hashes its path; a
 * file that was seen before is not read again. */
static bool try_file(struct scan *scan, const struct folder *folder,
		     const char *name, size_t length)
{
	char path[PATH_MAX];
	struct stat info;
	int file, used;

	used = folder == NULL || name[0] == '/' ?
	       snprintf(path, sizeof(path), "%.*s", (int)length, name) :
	       snprintf(path, sizeof(path), "%.*s/%.*s", (int)folder->length,
			folder->path, (int)length, name);
	if (used < 0 || (size_t)used >= sizeof(path)) {
		scan->unknown = true;
		return false;
	}
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file < 0)
		return false;
	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
		close(file);
		return false;
	}
	add(scan, path, (uint64_t)used + 1);
	if (is_new(scan, &info))
		add_file(scan, path, file, &info);
	close(file);
	return true;
}

static void include(struct scan *scan, const struct folder *beside,
		    const char *name, size_t length)
{
	bool found = try_file(scan, NULL, name, length);

	if (beside != NULL)
		found |= try_file(scan, beside, name, length);
	for (uint32_t i = 0; i < scan->folder_count; i++)
		found |= try_file(scan, &scan->folders[i], name, length);
	if (!found)
		scan->unknown = true;
}

/* ---- directives ---- */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' ||
			    *at == '\f' || *at == '\v'))
		at++;
	return at;
}

static bool is_word(const char *at, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/* Read the operand of an include directive, up to the end of its line. */
static void read_operand(struct scan *scan, const struct folder *beside,
			 const char *at, const char *end)
{
	const char *close;

	at = skip_blanks(at, end);
	if (at == end || (*at != '"' && *at != '<')) {
		scan->unknown = true;
		return;
	}
	close = memchr(at + 1, *at == '"' ? '"' : '>', (size_t)(end - at - 1));
	if (close == NULL || close == at + 1)
		scan->unknown = true;
	else
		include(scan, beside, at + 1, (size_t)(close - at - 1));
}

static void read_line(struct scan *scan, const struct folder *beside,
		      const char *at, const char *end)
{
	at = skip_blanks(at, end);
	if (is_word(at, end, "#"))
		at++;
	else if (is_word(at, end, "%:"))
		at += 2;
	else
		return;
	at = skip_blanks(at, end);
	if (!is_word(at, end, "include") && !is_word(at, end, "import") &&
	    !is_word(at, end, "embed"))
		return;
	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	read_operand(scan, beside, at, end);
}

/* Scan a text without splices, in place.  Sets `unknown` at what this scan does
 * not follow: raw strings in a text with include or import, __has_include,
 * __has_embed, incbin. */
static void scan_joined(struct scan *scan, char *text, uint64_t bytes,
			const struct folder *beside)
{
	const char *end, *at = text, *stop;

	/* A raw string may hold what looks like a comment. */
	if (memmem(text, bytes, "R\"", 2) != NULL &&
	    (memmem(text, bytes, "include", 7) != NULL ||
	     memmem(text, bytes, "import", 6) != NULL))
		scan->unknown = true;
	bytes = drop_comments(text, bytes);
	end = text + bytes;
	if (memmem(text, bytes, "__has_include", 13) != NULL ||
	    memmem(text, bytes, "__has_embed", 11) != NULL ||
	    memmem(text, bytes, "incbin", 6) != NULL)
		scan->unknown = true;
	while (at < end && !scan->unknown) {
		stop = memchr(at, '\n', (size_t)(end - at));
		if (stop == NULL)
			stop = end;
		read_line(scan, beside, at, stop);
		at = stop + 1;
	}
}

static void scan_text(struct scan *scan, const char *text, uint64_t bytes,
		      const struct folder *beside)
{
	uint64_t room = bytes + 1;
	char *joined = scan->services->resize(scan->host, NULL, 0, room);

	if (joined == NULL) {
		scan->unknown = true;
		return;
	}
	scan_joined(scan, joined, join_lines(text, bytes, joined), beside);
	scan->services->resize(scan->host, joined, room, 0);
}

/* ---- options ---- */

static void add_folder(struct scan *scan, const char *path, size_t length)
{
	if (length == 0 || memchr(path, '"', length) != NULL ||
	    memchr(path, '\\', length) != NULL ||
	    scan->folder_count == MAX_FOLDERS)
		scan->unknown = true;
	else
		scan->folders[scan->folder_count++] =
			(struct folder){ path, length };
}

static size_t next_word(const char **at, const char *end)
{
	size_t length = 0;

	while (*at < end && (**at == '\0' || isspace((unsigned char)**at)))
		++*at;
	while (*at + length < end && (*at)[length] != '\0' &&
	       !isspace((unsigned char)(*at)[length]))
		length++;
	return length;
}

/* Options that name a folder, in the word itself or in the next one.  Other
 * ways to include set `unknown`. */
static void read_options(struct scan *scan, const char *at, const char *end)
{
	static const char *const names[] = { "--include-path=",
		"--include-path", "-isystem", "-iquote", "-I" };
	size_t length;

	while ((length = next_word(&at, end)) > 0) {
		const char *word = at;
		size_t used = 0;

		at += length;
		for (size_t i = 0; used == 0 &&
		     i < sizeof(names) / sizeof(names[0]); i++)
			if (is_word(word, at, names[i]))
				used = strlen(names[i]);
		if (used == 0) {
			/* -include, -imacros, --pre-include, @file, quotes */
			scan->unknown |= word[0] == '@' ||
				is_word(word, at, "-i") ||
				is_word(word, at, "--pre-include") ||
				memchr(word, '"', length) != NULL;
			continue;
		}
		word += used;
		length -= used;
		if (length == 0) {
			length = next_word(&at, end);
			word = at;
			at += length;
		}
		add_folder(scan, word, length);
	}
}

bool plaitp_driven_includes_read(const plait_host_services *services,
				 plait_host *host, const char *text,
				 uint64_t bytes, const char *options,
				 size_t options_bytes,
				 struct driven_includes *out)
{
	struct scan scan = { .services = services, .host = host, .out = out };

	memset(out, 0, sizeof(*out));
	read_options(&scan, options, options + options_bytes);
	scan_text(&scan, text, bytes, NULL);
	return !scan.unknown;
}
