/* SPDX-License-Identifier: MIT */
/* Checks of a plugin's or a library's file before it is mapped; see elf_check.h. */
#include "plugin/elf_check.h"

#include "plait/plugin.h"

#include "base/error.h"
#include "sys/dl.h"
#include "sys/file.h"
#include "sys/trusted_folder.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_SEGMENTS = 128,
	MAX_DYNAMIC = 1024,
	REASON_BYTES = 96
};

/* --- ownership */

/*
 * The owner of libplait controls this process anyway, so files of that owner
 * are trusted too. In a namespace where root is not mapped, there is no other
 * owner.
 */
static uint32_t library_owner(void)
{
	struct plait__file_info info;
	char path[PATH_MAX];

	if (plait__dl_query_path(NULL, path, sizeof(path)) != 0 ||
	    plait__file_query(path, &info) != 0)
		return 0;
	return info.owner;
}

static plait_status check_owner(const struct plait__file_info *info,
				const char *what, plait_error *error)
{
	uint32_t user = plait__file_user();

	if (info->owner != 0 && info->owner != user &&
	    info->owner != library_owner())
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "not trusted: %s belongs to user %u, not "
				   "to root or user %u", what, info->owner,
				   user);
	if ((info->mode & 0022) != 0)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "not trusted: %s can be written by %s "
				   "(mode %04o); chmod go-w", what,
				   (info->mode & 0002) != 0 ? "all users"
							    : "its group",
				   info->mode);
	return PLAIT_OK;
}

/* Check the folder part of `path`, which has a slash. */
static plait_status check_folder(const char *path, plait_error *error)
{
	struct plait__file_info info;
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	size_t length;
	int result;

	length = slash == path ? 1 : (size_t)(slash - path);
	if (length >= sizeof(folder))
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "its path has %zu bytes", length);
	memcpy(folder, path, length);
	folder[length] = '\0';
	result = plait__file_query(folder, &info);
	if (result != 0)
		return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -result,
					  "its folder cannot be inspected");
	return check_owner(&info, "its folder", error);
}

static plait_status fail_inspect(int result, plait_error *error)
{
	char reason[REASON_BYTES];

	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -result,
				  "cannot be inspected: %s",
				  plait__file_reason(result, reason,
						     sizeof(reason)));
}

/* Check what the path leads to, and where; `real` receives the resolved
 * path. */
static plait_status check_path(const char *path, char real[PATH_MAX],
			       struct plait__file_info *info,
			       plait_error *error)
{
	plait_status status;
	int result = plait__file_query(path, info);

	if (result == -ENOENT || result == -ENOTDIR)
		return PLAIT__ELF_CHECK_ABSENT;
	if (result == 0)
		result = plait__file_resolve(path, real, PATH_MAX);
	if (result != 0)
		return fail_inspect(result, error);
	if (info->kind != PLAIT__FILE_REGULAR)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "not a regular file but %s",
				   info->kind == PLAIT__FILE_DIRECTORY ?
					   "a folder" :
					   "a device, pipe or socket");
	status = check_owner(info, "the file", error);
	if (status == PLAIT_OK)
		status = check_folder(path, error);
	if (status == PLAIT_OK && strcmp(path, real) != 0)
		status = check_folder(real, error);
	return status;
}

/* Walk to the folder of `path`; returns a descriptor, or -1 with the reason. */
static int walk_to(const char *path, char folder[PATH_MAX], plait_error *error)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash == path ? 1 : (size_t)(slash - path);
	char named[PATH_MAX];
	int result;

	memcpy(named, path, length);
	named[length] = '\0';
	result = plait__trusted_folder_open(named, folder, PATH_MAX, error);
	if (result < 0)
		plait__error_prefix(error, "not trusted: ");
	return result;
}

/* Open the file in its folder and check both again: from the walk on, only
 * trusted users can exchange them. */
static plait_status open_checked(int folder, const char *name, int *out,
				 struct plait__file_info *info,
				 plait_error *error)
{
	plait_status status;
	int result = plait__file_query_open(folder, info);

	if (result != 0)
		return fail_inspect(result, error);
	status = check_owner(info, "its folder", error);
	if (status != PLAIT_OK)
		return status;
	result = plait__file_open(folder, name, info);
	if (result < 0)
		return fail_inspect(result, error);
	status = check_owner(info, "the file", error);
	if (status == PLAIT_OK && info->kind != PLAIT__FILE_REGULAR)
		status = fail_inspect(-EINVAL, error);
	if (status == PLAIT_OK)
		*out = result;
	else
		plait__file_close(result);
	return status;
}

/* Check the trust and open the file. */
static plait_status open_trusted(const char *path, char real[PATH_MAX],
				 int *out, struct plait__file_info *info,
				 plait_error *error)
{
	char folder[PATH_MAX], name[NAME_MAX + 1];
	plait_status status = check_path(path, real, info, error);
	int at;

	if (status != PLAIT_OK)
		return status;
	/* The folder of a link can send it elsewhere. */
	at = walk_to(path, folder, error);
	if (at < 0)
		return PLAIT_E_UNAVAILABLE;
	plait__file_close(at);
	(void)snprintf(name, sizeof(name), "%s", strrchr(real, '/') + 1);
	at = walk_to(real, folder, error);
	if (at < 0)
		return PLAIT_E_UNAVAILABLE;
	status = open_checked(at, name, out, info, error);
	plait__file_close(at);
	/* It fits: `real` was as long before. */
	(void)snprintf(real, PATH_MAX, "%.*s/%s",
		       folder[1] != '\0' ? PATH_MAX - NAME_MAX - 2 : 0, folder,
		       name);
	return status;
}

/* --- completeness */

/* The parts of the file that were read. */
struct image {
	int file;
	uint64_t bytes;
	ElfW(Ehdr) header;
	uint32_t segment_count;
	ElfW(Phdr) segments[MAX_SEGMENTS];
	plait_error *error;
};

static plait_status fail_short(const struct image *image, uint64_t needed)
{
	return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
			   "cut short: %llu bytes of at least %llu",
			   (unsigned long long)image->bytes,
			   (unsigned long long)needed);
}

static plait_status read_part(const struct image *image, uint64_t offset,
			      void *out, uint64_t bytes)
{
	char reason[REASON_BYTES];
	int result;

	if (offset > image->bytes || bytes > image->bytes - offset)
		return fail_short(image, offset + bytes);
	result = plait__file_read(image->file, offset, out, (size_t)bytes);
	if (result == 0)
		return PLAIT_OK;
	return plait__fail_origin(image->error, PLAIT_E_UNAVAILABLE, -result,
				  "cannot be read: %s",
				  plait__file_reason(result, reason,
						     sizeof(reason)));
}

static plait_status read_header(struct image *image)
{
	unsigned char *ident = image->header.e_ident;
	plait_status status;

	if (image->bytes == 0)
		return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
				   "an empty file");
	if (image->bytes < sizeof(image->header))
		return fail_short(image, sizeof(image->header));
	status = read_part(image, 0, &image->header, sizeof(image->header));
	if (status != PLAIT_OK)
		return status;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0)
		return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
				   "not a shared object (no ELF header)");
	if (ident[EI_CLASS] !=
	    (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
				   "built for another word size than the %zu "
				   "bits of this process", sizeof(void *) * 8);
	if (image->header.e_phentsize != sizeof(ElfW(Phdr)) ||
	    image->header.e_phnum == 0 ||
	    image->header.e_phnum > MAX_SEGMENTS)
		return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
				   "not a shared object (%u segments of %u "
				   "bytes)", image->header.e_phnum,
				   image->header.e_phentsize);
	return PLAIT_OK;
}

/* All that the linker maps must exist: access to a mapped page beyond the
 * end of the file kills the process. */
static plait_status check_segments(const struct image *image)
{
	uint64_t end = 0;
	uint32_t i;

	for (i = 0; i < image->segment_count; i++) {
		const ElfW(Phdr) *segment = &image->segments[i];

		if (segment->p_type == PT_NULL)
			continue;
		if (__builtin_add_overflow((uint64_t)segment->p_offset,
					   (uint64_t)segment->p_filesz,
					   &end) ||
		    end > image->bytes)
			return fail_short(image, end);
	}
	if (image->header.e_shoff == 0)
		return PLAIT_OK;
	if (__builtin_add_overflow((uint64_t)image->header.e_shoff,
				   (uint64_t)image->header.e_shnum *
					   image->header.e_shentsize,
				   &end) ||
	    end > image->bytes)
		return fail_short(image, end);
	return PLAIT_OK;
}

/* --- sanitizers */

/* Returns the file offset of an address; 0 if it lies in no segment. */
static uint64_t file_offset(const struct image *image, uint64_t address)
{
	uint32_t i;

	for (i = 0; i < image->segment_count; i++) {
		const ElfW(Phdr) *segment = &image->segments[i];

		if (segment->p_type == PT_LOAD &&
		    address >= segment->p_vaddr &&
		    address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	}
	return 0;
}

/* A function, so that compilers do not warn about comparing constants. */
static uint32_t own_sanitizer(void)
{
	return PLAIT_SANITIZER_KIND;
}

/* Returns the sanitizer that the runtime library `needed` belongs to. */
static uint32_t sanitizer_of(const char *needed)
{
	if (strstr(needed, "libasan.") || strstr(needed, "libclang_rt.asan"))
		return PLAIT_SANITIZER_ADDRESS;
	if (strstr(needed, "libtsan.") || strstr(needed, "libclang_rt.tsan"))
		return PLAIT_SANITIZER_THREAD;
	return PLAIT_SANITIZER_NONE;
}

static plait_status check_needed(const struct image *image, uint64_t offset)
{
	static const char *const words[] = { "no", "the address",
					     "the thread" };
	char name[64] = "";
	uint64_t bytes = sizeof(name) - 1;
	plait_status status;
	uint32_t kind;

	if (offset >= image->bytes)
		return PLAIT_OK; /* the linker reports it better */
	if (bytes > image->bytes - offset)
		bytes = image->bytes - offset;
	status = read_part(image, offset, name, bytes);
	if (status != PLAIT_OK)
		return status;
	kind = sanitizer_of(name);
	if (kind == PLAIT_SANITIZER_NONE || kind == own_sanitizer())
		return PLAIT_OK;
	return plait__fail(image->error, PLAIT_E_UNAVAILABLE,
			   "built with %s sanitizer (needs %s), this process "
			   "with %s sanitizer",
			   words[kind], name,
			   own_sanitizer() < 3 ? words[own_sanitizer()] :
						 "another");
}

/* Returns the string table of the dynamic section; 0 if there is none. */
static uint64_t find_strings(const struct image *image,
			     const ElfW(Dyn) *entries, size_t count)
{
	size_t i;

	for (i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_STRTAB)
			return file_offset(image, entries[i].d_un.d_ptr);
	return 0;
}

static plait_status check_dynamic(const struct image *image,
				  const ElfW(Phdr) *segment)
{
	ElfW(Dyn) entries[MAX_DYNAMIC];
	size_t count = segment->p_filesz / sizeof(entries[0]);
	plait_status status;
	uint64_t strings;
	size_t i;

	if (count > MAX_DYNAMIC)
		count = MAX_DYNAMIC;
	status = read_part(image, segment->p_offset, entries,
			   count * sizeof(entries[0]));
	if (status != PLAIT_OK)
		return status;
	strings = find_strings(image, entries, count);
	if (strings == 0)
		return PLAIT_OK;
	for (i = 0; i < count && entries[i].d_tag != DT_NULL; i++) {
		if (entries[i].d_tag != DT_NEEDED)
			continue;
		status = check_needed(image, strings + entries[i].d_un.d_val);
		if (status != PLAIT_OK)
			return status;
	}
	return PLAIT_OK;
}

static plait_status check_image(struct image *image)
{
	plait_status status = read_header(image);
	uint32_t i;

	if (status != PLAIT_OK)
		return status;
	image->segment_count = image->header.e_phnum;
	status = read_part(image, image->header.e_phoff, image->segments,
			   image->segment_count * sizeof(ElfW(Phdr)));
	if (status == PLAIT_OK)
		status = check_segments(image);
	for (i = 0; status == PLAIT_OK && i < image->segment_count; i++)
		if (image->segments[i].p_type == PT_DYNAMIC)
			status = check_dynamic(image, &image->segments[i]);
	return status;
}

plait_status plait__elf_check(const char *path, char real[PATH_MAX],
			      plait_error *error)
{
	struct plait__file_info info;
	struct image image;
	plait_status status;

	memset(&image, 0, sizeof(image));
	status = open_trusted(path, real, &image.file, &info, error);
	if (status != PLAIT_OK)
		return status;
	image.bytes = info.bytes;
	image.error = error;
	status = check_image(&image);
	plait__file_close(image.file);
	return status;
}
