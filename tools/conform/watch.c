/* SPDX-License-Identifier: MIT */
/* Threads, descriptors and memory of the process, and its plugins. */
#include "conform.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plait/plugin.h"

static uint32_t entries(const char *path)
{
	struct dirent *entry;
	DIR *folder = opendir(path);
	uint32_t count = 0;

	if (folder == NULL)
		return 0;
	while ((entry = readdir(folder)) != NULL)
		count += isdigit((unsigned char)entry->d_name[0]) != 0;
	closedir(folder);
	return count;
}

static uint32_t lines(const char *path)
{
	FILE *file = fopen(path, "r");
	uint32_t count = 0;
	int letter;

	if (file == NULL)
		return 0;
	while ((letter = fgetc(file)) != EOF)
		count += letter == '\n';
	fclose(file);
	return count;
}

/* Read the sixth number of statm: heap, stacks and private maps, in pages. */
static uint64_t data_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(file);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* stdout and stderr are one file here; see run.c. */
static uint64_t printed_bytes(void)
{
	struct stat info;

	fflush(NULL);
	if (fstat(STDOUT_FILENO, &info) != 0)
		return 0;
	return (uint64_t)info.st_size;
}

void conform_look(struct conform_process *out)
{
	out->threads = entries("/proc/self/task");
	out->descriptors = entries("/proc/self/fd");
	out->maps = lines("/proc/self/maps");
	out->data_bytes = data_bytes();
	out->printed_bytes = printed_bytes();
}

void conform_settle(const struct conform_process *before,
		    struct conform_process *out)
{
	uint64_t end = conform_now_ns() + conform_patience_ns();

	do {
		conform_look(out);
		if (out->threads <= before->threads &&
		    out->descriptors <= before->descriptors)
			return;
		sched_yield();
	} while (conform_now_ns() < end);
}

bool conform_sanitized(void)
{
	return PLAIT_SANITIZER_KIND != PLAIT_SANITIZER_NONE;
}

/* Copy the word that ends with `mark`. */
static bool cut_path(const char *text, const char *mark,
		     char path[CONFORM_PATH])
{
	const char *at = strstr(text, mark);
	const char *start;
	size_t bytes;

	for (; at != NULL; at = strstr(at + 1, mark)) {
		for (start = at; start > text; start--)
			if (strchr(" \t\n\"'(=,", start[-1]))
				break;
		bytes = (size_t)(at - start) + strlen(mark);
		if (*start != '/' || bytes >= CONFORM_PATH)
			continue;
		memcpy(path, start, bytes);
		path[bytes] = 0;
		if (access(path, R_OK) == 0)
			return true;
	}
	return false;
}

/* Return the library's report of this backend, or null; the caller frees it. */
static char *read_report(const char *backend)
{
	plait_context_desc desc = { .size = sizeof(desc),
				    .backends = backend };
	uint64_t bytes = 0;
	char *text;

	if (plait_backend_report(&desc, NULL, 0, &bytes, NULL) != PLAIT_OK)
		return NULL;
	text = calloc(1, bytes + 1);
	if (text != NULL && plait_backend_report(&desc, text, bytes, NULL,
						 NULL) != PLAIT_OK) {
		free(text);
		return NULL;
	}
	return text;
}

bool conform_find_file(struct conform *c, char path[CONFORM_PATH])
{
	char *text = read_report(c->backend);
	char mark[64];
	bool found;

	if (!HOLDS(text != NULL))
		return false;
	snprintf(mark, sizeof(mark), "/plait_%.40s.so", c->backend);
	found = cut_path(text, mark, path);
	free(text);
	return found;
}

/* Copy the rest of the line after `words`; "" if the text lacks them. */
static void cut_line(const char *text, const char *words, char *out,
		     size_t bytes)
{
	const char *at = strstr(text, words);

	out[0] = '\0';
	if (at == NULL)
		return;
	at += strlen(words);
	at += strspn(at, " ");
	snprintf(out, bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

enum conform_reason conform_why_declined(const char *backend, char *others,
					 size_t bytes)
{
	enum conform_reason reason = CONFORM_DECLINED;
	char path[CONFORM_PATH];
	char mark[64];
	char *text = read_report(backend);

	others[0] = '\0';
	if (text == NULL)
		return reason;
	snprintf(mark, sizeof(mark), "/plait_%.40s.so", backend);
	if (strstr(text, ": rejected: could not be loaded\n") != NULL)
		reason = cut_path(text, mark, path) ? CONFORM_REFUSED :
						      CONFORM_ABSENT;
	snprintf(mark, sizeof(mark), "\n%.40s: no backend but ", backend);
	if (strstr(text, mark) != NULL)
		reason = CONFORM_ABSENT;
	cut_line(text, "hint: plugins that are there too:", others, bytes);
	free(text);
	return reason;
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	struct conform_memory *memory = user_data;
	void *result;

	if (new_bytes == 0) {
		if (pointer != NULL)
			atomic_fetch_sub(&memory->live_blocks, 1);
		atomic_fetch_sub(&memory->live_bytes, (long long)old_bytes);
		free(pointer);
		return NULL;
	}
	if (atomic_fetch_add(&memory->calls, 1) + 1 == memory->fail_at)
		return NULL;
	if (new_bytes > (uint64_t)1 << 40)
		return NULL;
	result = realloc(pointer, new_bytes);
	if (result == NULL)
		return NULL;
	if (pointer == NULL)
		atomic_fetch_add(&memory->live_blocks, 1);
	atomic_fetch_add(&memory->live_bytes,
			 (long long)new_bytes - (long long)old_bytes);
	return result;
}

void conform_memory_init(struct conform_memory *memory, long long fail_at)
{
	memset(memory, 0, sizeof(*memory));
	memory->allocator.size = sizeof(memory->allocator);
	memory->allocator.resize = resize;
	memory->allocator.user_data = memory;
	memory->fail_at = fail_at;
}

void conform_memory_settle(struct conform_memory *memory)
{
	uint64_t end = conform_now_ns() + conform_patience_ns();

	while (atomic_load(&memory->live_bytes) != 0 &&
	       conform_now_ns() < end)
		conform_let_them_sleep();
}
