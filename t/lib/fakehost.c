/* SPDX-License-Identifier: MIT */
/* Fake host services for plugins; see fakehost.h. */
#include "fakehost.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static fakehost *fake(plait_host *host)
{
	return (fakehost *)(void *)host;
}

/* The header in front of each block, as long as the strictest alignment
 * requires. */
struct fakehost_block {
	struct fakehost_block *next;
	struct fakehost_block *previous;
};

static void link_block(fakehost *self, struct fakehost_block *block)
{
	block->previous = NULL;
	block->next = self->blocks;
	if (block->next)
		block->next->previous = block;
	self->blocks = block;
	self->live_blocks++;
}

static void unlink_block(fakehost *self, struct fakehost_block *block)
{
	if (block->previous)
		block->previous->next = block->next;
	else
		self->blocks = block->next;
	if (block->next)
		block->next->previous = block->previous;
	self->live_blocks--;
}

/* Caller holds the lock. */
static void *resize_locked(fakehost *self, void *pointer, uint64_t old_bytes,
			   uint64_t new_bytes)
{
	struct fakehost_block *block = pointer, *result;

	if (pointer)
		unlink_block(self, --block);
	if (new_bytes == 0) {
		self->live_bytes -= old_bytes;
		free(block);
		return NULL;
	}
	result = ++self->allocations == self->fail_at ||
		new_bytes > UINT64_C(1) << 40 ? NULL :
		realloc(block, sizeof(*block) + new_bytes);
	if (result)
		self->live_bytes += new_bytes - old_bytes;
	if (result || block)
		link_block(self, result ? result : block);
	return result ? result + 1 : NULL;
}

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	fakehost *self = fake(host);
	void *result;

	pthread_mutex_lock(&self->lock);
	result = resize_locked(self, pointer, old_bytes, new_bytes);
	pthread_mutex_unlock(&self->lock);
	return result;
}

static void log_line(plait_host *host, int32_t level, const char *line)
{
	fakehost *self = fake(host);
	size_t length = strlen(line);

	pthread_mutex_lock(&self->lock);
	self->errors += level == PLAIT_LOG_ERROR;
	if (self->log_bytes + length + 2 < sizeof(self->log)) {
		memcpy(self->log + self->log_bytes, line, length);
		self->log[self->log_bytes + length] = '\n';
		self->log_bytes += length + 1;
		self->log[self->log_bytes] = 0;
	}
	pthread_mutex_unlock(&self->lock);
}

static plait_status fail(plait_error *error, plait_status status,
			 int64_t origin, const char *text)
{
	if (error) {
		error->size = sizeof(*error);
		error->status = status;
		error->origin = origin;
		error->detail = 0;
		snprintf(error->text, sizeof(error->text), "%s", text);
	}
	return status;
}

static uint64_t clock_ns(plait_host *host)
{
	struct timespec now;

	(void)host;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char *option(plait_host *host, const char *key)
{
	fakehost *self = fake(host);
	size_t length = strlen(key);
	const char *p = self->options;

	while (*p) {
		size_t end = strcspn(p, " ");

		if (strncmp(p, key, length) == 0 && p[length] == '=') {
			snprintf(self->value, sizeof(self->value), "%.*s",
				 (int)(end - length - 1), p + length + 1);
			return self->value;
		}
		p += end;
		p += *p == ' ';
	}
	return NULL;
}

void fakehost_init(fakehost *host, const char *options)
{
	memset(host, 0, sizeof(*host));
	pthread_mutex_init(&host->lock, NULL);
	snprintf(host->options, sizeof(host->options), "%s", options);
}

void fakehost_fini(fakehost *host)
{
	while (host->blocks) {
		struct fakehost_block *block = host->blocks;

		unlink_block(host, block);
		free(block);
	}
	pthread_mutex_destroy(&host->lock);
}

const plait_host_services *fakehost_services(void)
{
	static const plait_host_services services = {
		.size = sizeof(services),
		.abi_min = PLAIT_PLUGIN_ABI,
		.abi_max = PLAIT_PLUGIN_ABI,
		.resize = resize,
		.log = log_line,
		.fail = fail,
		.clock_ns = clock_ns,
		.option = option,
	};

	return &services;
}

plait_plugin_entry_function fakehost_entry(const char *name)
{
	plait_plugin_entry_function entry;
	const char *folder = getenv("PLAIT_PLUGIN_PATH");
	char path[4096];
	void *object, *symbol;

	snprintf(path, sizeof(path), "%s/plait_%s.so",
		 folder ? folder : "plugins/.libs", name);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = object ? dlsym(object, PLAIT_PLUGIN_ENTRY_NAME) : NULL;
	if (!symbol)
		printf("# %s\n", dlerror());
	memcpy(&entry, &symbol, sizeof(entry));
	return entry;
}

bool fakehost_load(const char *name, plait_backend_table *table)
{
	plait_plugin_entry_function entry = fakehost_entry(name);
	plait_error error;

	memset(table, 0, sizeof(*table));
	table->size = sizeof(*table);
	return entry && entry(fakehost_services(), table, &error) == PLAIT_OK;
}

plait_status fakehost_open(fakehost *host, const plait_backend_table *table,
			   plait_backend **out, plait_error *error)
{
	return table->open((plait_host *)(void *)host, fakehost_services(),
			   out, error);
}
