/* SPDX-License-Identifier: MIT */
/*
 * Kernels of one text and one set of options share a program: one compilation
 * and one entry of the cache, counted on the stand-in.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin/opencl/standin.h"

enum { KERNELS = 8 };

static plait_error error;
static plait_context *context;
static char text[4096];

static void open_devices(uint32_t count)
{
	const struct fakecl_setup setup = { .devices = count };
	static char options[4200];
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };

	error = (plait_error){ .size = sizeof(error) };
	standin()->reset(&setup);
	(void)snprintf(options, sizeof(options), "opencl:loader=%s",
		       standin_path);
	if (!OK_THAT(plait_context_open(&desc, &context, &error) == PLAIT_OK,
		     "%s", error.text))
		exit(1);
	text[0] = '\0';
	for (int i = 0; i < KERNELS; i++) {
		size_t used = strlen(text);

		(void)snprintf(text + used, sizeof(text) - used,
			       "__kernel void k%d(__global uint *x) { }\n", i);
	}
}

static void open_it(void)
{
	open_devices(1);
}

static void close_it(void)
{
	plait_context_release(context);
	standin_is_clean();
}

static plait_kernel *create(int number, const char *options,
			    const char *file)
{
	const plait_source source = { .size = sizeof(source), .code = text,
				      .form = PLAIT_SOURCE_OPENCL_C,
				      .file = file, .options = options };
	char signature[64];
	const plait_kernel_desc desc = { .size = sizeof(desc),
					 .signature = signature,
					 .sources = &source,
					 .source_count = 1 };
	plait_kernel *kernel = NULL;

	(void)snprintf(signature, sizeof(signature),
		       "k%d(x: inout pointer u32)", number);
	OK_THAT(plait_kernel_create(context, &desc, &kernel, &error) ==
		PLAIT_OK, "%s", error.text);
	return kernel;
}

static uint64_t builds(void)
{
	return standin_report().builds;
}

static void create_all(const char *options, const char *file)
{
	plait_kernel *kernels[KERNELS];

	for (int i = 0; i < KERNELS; i++)
		kernels[i] = create(i, options, file);
	for (int i = 0; i < KERNELS; i++)
		plait_kernel_release(kernels[i]);
}

static void compiled(void)
{
	plait_kernel *one, *other;

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	open_it();
	create_all(NULL, NULL);
	IS_UINT(builds(), 1);
	create_all(NULL, "file.cl");
	IS_UINT(builds(), 2);
	one = create(0, NULL, "file.cl");
	other = create(0, "-DX=1", "file.cl");
	IS_UINT(builds(), 4);
	plait_kernel_release(one);
	plait_kernel_release(other);
	/* Another text. */
	one = create(0, NULL, NULL);
	text[0] = ' ';
	other = create(1, NULL, NULL);
	IS_UINT(builds(), 6);
	plait_kernel_release(one);
	plait_kernel_release(other);
	close_it();
}

/* A program is built for one device: equal ones have one each. */
static void equal_devices(void)
{
	plait_kernel *kernel;

	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	open_devices(2);
	kernel = create(0, NULL, NULL);
	IS_UINT(builds(), 2);
	create_all(NULL, NULL);
	IS_UINT(builds(), 2);
	plait_kernel_release(kernel);
	close_it();
}

static int count_files(const char *folder)
{
	DIR *open = opendir(folder);
	const struct dirent *entry;
	int count = 0;

	while (open != NULL && (entry = readdir(open)) != NULL)
		count += entry->d_name[0] != '.';
	if (open != NULL)
		closedir(open);
	return count;
}

static void empty(const char *folder)
{
	DIR *open = opendir(folder);
	const struct dirent *entry;
	char path[4096];

	while (open != NULL && (entry = readdir(open)) != NULL) {
		(void)snprintf(path, sizeof(path), "%s/%s", folder,
			       entry->d_name);
		(void)unlink(path);
	}
	if (open != NULL)
		closedir(open);
	(void)rmdir(folder);
}

static void cached(void)
{
	char folder[] = "/tmp/plait-test-XXXXXX";

	if (!OK(mkdtemp(folder) != NULL))
		return;
	setenv("PLAIT_CACHE_DIR", folder, 1);
	for (int turn = 0; turn < 2; turn++) {
		open_it();
		create_all(NULL, NULL);
		IS_UINT(builds(), 1);
		IS_INT(count_files(folder), 1);
		close_it();
	}
	empty(folder);
}

static const struct tap_scenario all[] = {
	{ "one compilation", compiled },
	{ "two equal devices", equal_devices },
	{ "one entry of the cache", cached },
};

TAP_MAIN(all)
