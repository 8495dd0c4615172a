/* SPDX-License-Identifier: MIT */
/* Kernels from shared libraries: by path and by name, in each form; and every
 * way in which a file, a symbol or a folder may be wrong. */
#include "lib/kernels.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N = 100 };

static char path[4096];	  /* the library */
static char folder[64];	  /* damaged copies */

static bool find_library(void)
{
	const char *build = getenv("abs_top_builddir");

	(void)snprintf(path, sizeof(path), "%s/t/object/.libs/forms.so",
		       build != NULL ? build : ".");
	return OK_THAT(access(path, R_OK) == 0, "%s is there", path);
}

/* --- valid libraries */

static void check_scale(struct rig *rig, plait_kernel *kernel)
{
	static float x[N];
	plait_buffer *buffer = make_buffer(rig, sizeof(x), "x");
	float a = 2;
	uint64_t n = N;
	plait_launch launch = { .size = sizeof(launch), .items = { N } };
	plait_argument arguments[] = { VALUE(a), memory_of(buffer, 0),
				       VALUE(n) };
	int wrong = 0;

	for (int i = 0; i < N; i++)
		x[i] = (float)i;
	IS_INT(plait_queue_write(rig->queue, buffer, 0, x, sizeof(x),
				 &rig->error), PLAIT_OK);
	IS_INT(launch_it(rig, kernel, &launch, arguments, 3), PLAIT_OK);
	IS_INT(plait_queue_read(rig->queue, buffer, 0, x, sizeof(x),
				&rig->error), PLAIT_OK);
	for (int i = 0; i < N; i++)
		wrong += x[i] != 2 * (float)i;
	IS_INT(wrong, 0);
	plait_buffer_release(buffer);
}

static void each_form(void)
{
	static const struct {
		uint32_t form;
		const char *symbol;
	} forms[] = {
#ifdef HAVE_LIBFFI
		{ PLAIT_FORM_DESCRIBED, NULL },
		{ PLAIT_FORM_DESCRIBED, "scale" },
#endif
		{ PLAIT_FORM_FIXED, "scale_fixed" },
		{ PLAIT_FORM_RANGE, "scale_range" },
	};
	plait_kernel *kernel;

	if (!find_library())
		return;
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(forms); i++) {
			kernel = make_kernel(rig, (plait_kernel_desc){
				.signature = "scale(a: f32, x: pointer f32, "
					     "n: u64)",
				.library = path, .symbol = forms[i].symbol,
				.form = forms[i].form });
			if (OK_THAT(kernel != NULL, "%s", rig->error.text))
				check_scale(rig, kernel);
			plait_kernel_release(kernel);
		}
		close_rig(rig);
	}
}

/* A name without a slash is found by the system. */
static void by_name(void)
{
#ifdef HAVE_LIBFFI
	struct rig *rig = &settings[1];
	int32_t value = -7;
	plait_argument argument = VALUE(value);
	plait_kernel *kernel;

	if (!open_rig(rig))
		return;
	kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "abs(x: i32): i32", .library = "libc.so.6" });
	OK_THAT(kernel != NULL, "%s", rig->error.text);
	IS_INT(launch_it(rig, kernel, NULL, &argument, 1), PLAIT_E_FAILED);
	IS_INT(rig->error.origin, 7);
	plait_kernel_release(kernel);
	close_rig(rig);
#else
	SKIP("built without libffi");
#endif
}

/* --- invalid ones */

static void refuse(struct rig *rig, const char *library, const char *symbol,
		   const char *part)
{
	plait_kernel *kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "scale(a: f32, x: pointer f32, n: u64)",
		.library = library, .symbol = symbol,
		.form = PLAIT_FORM_FIXED });

	OK(kernel == NULL);
	plait_kernel_release(kernel);
	IS_INT(rig->error.status, PLAIT_E_UNAVAILABLE);
	HAS_STR(rig->error.text, "kernel scale: library ");
	HAS_STR(rig->error.text, part);
}

/* A copy of the first `percent` of the library; returns its path, valid until
 * the next call. */
static const char *copy(const char *name, unsigned percent, mode_t mode)
{
	static char bytes[1 << 22], target[128];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = read(from, bytes, sizeof(bytes));
	int to;

	(void)snprintf(target, sizeof(target), "%s/%s", folder, name);
	to = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	OK(from >= 0 && to >= 0 && length > 0 &&
	   (size_t)length < sizeof(bytes));
	length = length * percent / 100;
	OK(write(to, bytes, (size_t)length) == length);
	OK(fchmod(to, mode) == 0);
	close(from);
	close(to);
	return target;
}

static void refuses_files(struct rig *rig)
{
	char gone[128];

	(void)snprintf(gone, sizeof(gone), "%s/gone.so", folder);
	refuse(rig, gone, NULL, "gone.so: there is no such file");
	refuse(rig, folder, NULL, "not a regular file but a folder");
	refuse(rig, copy("empty.so", 0, 0600), NULL,
	       "empty.so: an empty file");
	refuse(rig, copy("half.so", 50, 0600), NULL, "half.so: cut short");
	refuse(rig, copy("most.so", 99, 0600), NULL, "most.so: cut short");
	refuse(rig, copy("open.so", 100, 0666), NULL,
	       "can be written by all users");
	OK(chmod(folder, 0777) == 0);
	refuse(rig, copy("fine.so", 100, 0600), NULL,
	       "its folder can be written by all users");
	OK(chmod(folder, 0700) == 0);
	refuse(rig, "libplait_no_such_thing.so", NULL,
	       "cannot open shared object file");
}

static void refuses_symbols(struct rig *rig)
{
	refuse(rig, path, "nothing", "has no symbol \"nothing\"");
	refuse(rig, path, "", "has no symbol \"\"");
	refuse(rig, path, "number",
	       "has no function, but data of the name \"number\"");
}

static void remove_folder(void)
{
	static const char *const names[] = { "empty.so", "half.so", "most.so",
					     "open.so", "fine.so" };
	char file[128];

	for (size_t i = 0; i < TAP_COUNT(names); i++) {
		(void)snprintf(file, sizeof(file), "%s/%s", folder, names[i]);
		(void)unlink(file);
	}
	OK(rmdir(folder) == 0);
}

static void refuses(void)
{
	struct rig *rig = &settings[1];

	(void)snprintf(folder, sizeof(folder), "/tmp/plait-t-XXXXXX");
	if (!find_library() || !OK(mkdtemp(folder) != NULL))
		return;
	if (open_rig(rig)) {
		refuses_files(rig);
		refuses_symbols(rig);
		close_rig(rig);
	}
	remove_folder();
}

static const struct tap_scenario all[] = {
	{ "each form from a file", each_form },
	{ "by name", by_name },
	{ "invalid libraries are rejected", refuses },
};
TAP_MAIN(all)
