/* SPDX-License-Identifier: MIT */
/* Proved schedules of a folder; see folder.h. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), count = strlen(end);

	return length > count && strcmp(name + length - count, end) == 0;
}

static bool is_xml(const char *name)
{
	return ends_with(name, ".xml");
}

/* `plait coll tune` writes files in binary form unless it is told otherwise. */
static int is_candidate(const struct dirent *entry)
{
	return is_xml(entry->d_name) || ends_with(entry->d_name, ".sched");
}

static bool is_binary(const char *bytes, size_t count)
{
	static const char begin[] = "plaitcol";

	return count >= sizeof(begin) - 1 &&
	       memcmp(bytes, begin, sizeof(begin) - 1) == 0;
}

static void leave_out(const char *path, const char *reason)
{
	fprintf(stderr, "plait: %s is not used: %s\n", path, reason);
}

/* Prove the schedule for the executor, whose FIFOs and limits count. */
static bool prove(plait_schedule *schedule, folder_file *file,
		  plait_error *error)
{
	const plait_proof_desc desc = { .size = sizeof(desc),
					.flags = PLAIT_PROOF_HAS_TARGET,
					.target = PLAIT_TARGET_EXECUTOR };
	plait_proof proof = { .size = sizeof(proof) };

	if (plait_schedule_check(schedule, &desc, &proof, error) != PLAIT_OK)
		return false;
	if (!(proof.flags & PLAIT_PROOF_EXPORTS_EXECUTOR)) {
		snprintf(error->text, sizeof(error->text), "it exceeds the "
			 "limits of the executor: %u lanes of a rank, %u "
			 "channels, %u steps of a lane", proof.lanes,
			 proof.channels, proof.lane_steps);
		return false;
	}
	file->safe_bytes = proof.safe_bytes;
	return true;
}

/* Read all of a file; null: errno has the reason. */
static void *read_document(const char *path, size_t *count)
{
	FILE *stream = fopen(path, "re");
	char *bytes = NULL;
	size_t room = 0;
	ssize_t got;

	if (stream == NULL)
		return NULL;
	errno = 0;
	/* A document has no byte 0, so it is one record; of a binary form this is
	 * the beginning. */
	got = getdelim(&bytes, &room, 0, stream);
	fclose(stream);
	if (got < 0) {
		free(bytes);
		return NULL;
	}
	*count = (size_t)got;
	return bytes;
}

static bool read_schedule(plait_context *context, folder_file *file,
			  plait_error *error)
{
	plait_schedule *schedule = NULL;
	size_t count = 0;
	void *bytes = read_document(file->path, &count);
	bool is_good;

	if (bytes == NULL) {
		snprintf(error->text, sizeof(error->text), "%s",
			 errno != 0 ? strerror(errno) : "it is empty");
		return false;
	}
	if (is_binary(bytes, count)) {
		free(bytes);
		snprintf(error->text, sizeof(error->text), "it is a schedule in "
			 "binary form; the executor reads XML, which plait coll "
			 "compile and tune write with --xml executor");
		return false;
	}
	is_good = is_xml(file->path) &&
		  plait_schedule_read(context, bytes, count, file->path,
				      &schedule, error) == PLAIT_OK &&
		  plait_schedule_query(schedule, &file->info,
				       error) == PLAIT_OK &&
		  prove(schedule, file, error);
	plait_schedule_release(schedule);
	free(bytes);
	return is_good;
}

static bool make_handles(folder_file *file)
{
	file->handles = malloc(file->info.ranks * sizeof(*file->handles));
	for (uint32_t i = 0; file->handles != NULL && i < file->info.ranks; i++)
		file->handles[i] = -1;
	return file->handles != NULL;
}

/* Append the file, if it is proved. */
static void add(folder *all, plait_context *context, const char *path,
		const char *name)
{
	plait_error error = { .size = sizeof(error) };
	folder_file file = { .info = { .size = sizeof(file.info) } };

	if (asprintf(&file.path, "%s/%s", path, name) < 0) {
		leave_out(name, "out of memory");
		return;
	}
	if (read_schedule(context, &file, &error) && make_handles(&file)) {
		all->files[all->count++] = file;
		return;
	}
	if (error.text[0] != '\0')
		leave_out(file.path, error.text);
	free(file.path);
}

/* ---- the folder ---- */

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

static bool read_entries(const char *path, struct dirent **entries, int count,
			 folder *out)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "host" };
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;

	out->files = calloc((size_t)count + 1, sizeof(*out->files));
	if (out->files == NULL)
		return false;
	if (plait_context_open(&desc, &context, &error) != PLAIT_OK) {
		fprintf(stderr, "plait: no schedules: %s\n", error.text);
		return false;
	}
	for (int i = 0; i < count; i++)
		add(out, context, path, entries[i]->d_name);
	plait_context_release(context);
	return true;
}

bool folder_read(const char *path, folder *out)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_candidate, alphasort);
	bool is_read;

	*out = (folder){ .count = 0 };
	if (count < 0) {
		fprintf(stderr, "plait: no schedules: %s: %m; set "
			"MSCCL_ALGO_DIR to the folder of plait coll tune\n",
			path);
		return false;
	}
	is_read = read_entries(path, entries, count, out);
	free_entries(entries, count);
	if (!is_read)
		folder_free(out);
	return is_read;
}

void folder_free(folder *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->files[i].path);
		free(all->files[i].handles);
	}
	free(all->files);
	*all = (folder){ .count = 0 };
}

/* ---- choice ---- */

static plait_coll_kind kind_of(int collective)
{
	switch (collective) {
	case EXECUTOR_REDUCE:
		return PLAIT_COLL_REDUCE;
	case EXECUTOR_BROADCAST:
		return PLAIT_COLL_BROADCAST;
	case EXECUTOR_ALLREDUCE:
		return PLAIT_COLL_ALLREDUCE;
	case EXECUTOR_REDUCE_SCATTER:
		return PLAIT_COLL_REDUCE_SCATTER;
	case EXECUTOR_ALLGATHER:
		return PLAIT_COLL_ALLGATHER;
	case EXECUTOR_ALLTOALL:
		return PLAIT_COLL_ALLTOALL;
	default:
		return PLAIT_COLL_CUSTOM;
	}
}

/* Return the size of an element by ncclDataType_t; 0: unknown. */
static size_t element_bytes(int type)
{
	static const unsigned char bytes[] = { 1, 1, 4, 4, 8, 8, 2, 4, 8, 2,
					       1, 1 };

	return type >= 0 && (size_t)type < sizeof(bytes) ? bytes[type] : 0;
}

/* Return true if input and output share memory as plait means it: the smaller
 * one is the rank's own part of the larger one. */
static bool is_in_place(const executor_call *call, size_t share_bytes)
{
	const char *send = call->send, *receive = call->receive;
	size_t own = (size_t)call->rank * share_bytes;

	switch (call->collective) {
	case EXECUTOR_ALLGATHER:
		return send == receive + own;
	case EXECUTOR_REDUCE_SCATTER:
		return receive == send + own;
	default:
		return send == receive;
	}
}

static bool has_root(plait_coll_kind kind)
{
	return kind == PLAIT_COLL_REDUCE || kind == PLAIT_COLL_BROADCAST;
}

static bool has_kind(const folder_file *file, const executor_call *call)
{
	const plait_schedule_info *info = &file->info;

	return info->kind == kind_of(call->collective) &&
	       info->kind != PLAIT_COLL_CUSTOM &&
	       info->ranks == (uint32_t)call->ranks &&
	       call->rank >= 0 && call->rank < call->ranks &&
	       (!has_root(info->kind) || info->root == (uint32_t)call->root);
}

/* Return the bytes of the larger buffer of a rank; 0: none, or too many. */
static uint64_t bytes_of(const executor_call *call, size_t share_bytes)
{
	bool has_parts = call->collective == EXECUTOR_ALLGATHER ||
			 call->collective == EXECUTOR_REDUCE_SCATTER ||
			 call->collective == EXECUTOR_ALLTOALL;
	uint64_t bytes;

	return __builtin_mul_overflow(share_bytes,
				      has_parts ? (uint64_t)call->ranks : 1,
				      &bytes) ? 0 : bytes;
}

/* The executor cuts a share into equal chunks only. */
static bool has_size(const folder_file *file, const executor_call *call,
		     size_t share_bytes)
{
	const plait_schedule_info *info = &file->info;
	uint64_t bytes = bytes_of(call, share_bytes);

	return bytes > 0 && call->count % info->share_chunks == 0 &&
	       bytes >= info->min_bytes && bytes <= file->safe_bytes &&
	       (info->max_bytes == 0 || bytes <= info->max_bytes) &&
	       is_in_place(call, share_bytes) ==
		       !!(info->flags & PLAIT_SCHEDULE_IN_PLACE);
}

static uint64_t range_of(const folder_file *file)
{
	return file->info.max_bytes == 0 ?
	       UINT64_MAX - file->info.min_bytes :
	       file->info.max_bytes - file->info.min_bytes;
}

folder_file *folder_find(const folder *all, const executor_call *call)
{
	folder_file *best = NULL;
	size_t share_bytes;

	if (__builtin_mul_overflow(call->count, element_bytes(call->type),
				   &share_bytes))
		return NULL;
	for (size_t i = 0; i < all->count; i++) {
		folder_file *file = &all->files[i];

		if (has_kind(file, call) && has_size(file, call, share_bytes) &&
		    (best == NULL || range_of(file) < range_of(best)))
			best = file;
	}
	return best;
}
