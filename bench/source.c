/* SPDX-License-Identifier: MIT */
/*
 * Overhead of portable source on the host: kernels of elements beside plain C
 * loops of the same body, with the same compiler and flags; a launch of an empty
 * kernel beside a direct call; building a kernel cold and from the cache.  CPU time
 * of the thread; minimum and median of interleaved rounds:
 *
 *	bench/source [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "kernel/signature.h"
#include "source/build.h"

enum { COUNT = 4096, MOST_ROUNDS = 1001, BATCH_NS = 200000 };

/* A body in portable source, and as a C function. */
struct pair {
	const char *name;
	const char *portable;
	const char *plain;
};

static const char signature[] =
	"body(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)";

#define PLAIN "#include <math.h>\n#include <stdint.h>\n" \
	"void body(float a, const float *x, float *y, uint64_t n)\n"

static const struct pair pairs[] = {
	{ "saxpy",
	  "KERNEL(body) { EACH(i, n) y[i] += a * x[i]; }",
	  PLAIN "{ for (uint64_t i = 0; i < n; i++) y[i] += a * x[i]; }" },
	{ "stencil",
	  "KERNEL(body) { EACH(i, n) if (i > 0 && i < n - 1)\n"
	  "y[i] = a * (x[i - 1] + x[i] + x[i + 1]); }",
	  PLAIN "{ for (uint64_t i = 0; i < n; i++) if (i > 0 && i < n - 1)\n"
	  "y[i] = a * (x[i - 1] + x[i] + x[i + 1]); }" },
	{ "polynomial",
	  "KERNEL(body) { EACH(i, n) { f32 v = x[i];\n"
	  "y[i] = ((((a * v + 1) * v + 2) * v + 3) * v + 4) * v + 5; } }",
	  PLAIN "{ for (uint64_t i = 0; i < n; i++) { float v = x[i];\n"
	  "y[i] = ((((a * v + 1) * v + 2) * v + 3) * v + 4) * v + 5; } }" },
	{ "root",
	  "KERNEL(body) { EACH(i, n) y[i] = sqrt(x[i] + a) / (1 + x[i]); }",
	  PLAIN "{ for (uint64_t i = 0; i < n; i++)\n"
	  "y[i] = sqrtf(x[i] + a) / (1 + x[i]); }" },
	{ "forces of 64",
	  "KERNEL(body) { EACH(i, n) { f32 sum = 0;\n"
	  "for (u32 j = 0; j < 64; j++) { f32 d = x[j] - x[i];\n"
	  "sum += d / sqrt(d * d + a); } y[i] = sum; } }",
	  PLAIN "{ for (uint64_t i = 0; i < n; i++) { float sum = 0;\n"
	  "for (uint32_t j = 0; j < 64; j++) { float d = x[j] - x[i];\n"
	  "sum += d / sqrtf(d * d + a); } y[i] = sum; } }" },
	{ "grid",
	  "KERNEL(body) { EACH2(i, 64, j, n / 64) y[j * 64 + i] +=\n"
	  "a * x[j * 64 + i]; }",
	  PLAIN "{ for (uint64_t j = 0; j < n / 64; j++)\n"
	  "for (uint64_t i = 0; i < 64; i++) y[j * 64 + i] +=\n"
	  "a * x[j * 64 + i]; }" },
	{ "group block",
	  "GROUP_KERNEL(body, 256, 1, 1) { LOCAL_MEMORY f32 t[256];\n"
	  "ITEMS t[LOCAL_ID(0)] = x[GLOBAL_ID(0)];\n"
	  "ITEMS y[GLOBAL_ID(0)] += a * t[LOCAL_ID(0)]; }",
	  PLAIN "{ for (uint64_t g = 0; g < n; g += 256) { float t[256];\n"
	  "for (int i = 0; i < 256; i++) t[i] = x[g + i];\n"
	  "for (int i = 0; i < 256; i++) y[g + i] += a * t[i]; } }" },
	{ "empty", "KERNEL(body) { }", PLAIN "{ }" },
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

static plait__module *build(const plait__signature *parsed, const char *text,
			    uint32_t form)
{
	plait_error error = { .size = sizeof(error) };
	plait_source source = { .size = sizeof(source), .code = text,
				.form = form }, read;
	plait__module *module = NULL;
	plait__text words;

	plait__text_init(&words, plait__alloc_default());
	if (plait__compose_read_source(&source, parsed->name, &read, &error) ==
	    PLAIT_OK)
		(void)plait__build_from_source(&read, parsed, plait__alloc_default(),
					       NULL, &words, &module, &error);
	plait__text_fini(&words);
	if (module == NULL) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return module;
}

static void *arguments[4];
static float x[COUNT], y[COUNT];

/* Return nanoseconds per launch. */
static double time_of(plait__module *module, uint64_t times)
{
	plait_launch launch = { .size = sizeof(launch), .dimensions = 1,
				.items = { COUNT, 1, 1 } };
	uint64_t start = now_ns();

	for (uint64_t i = 0; i < times; i++)
		(void)plait__module_whole(arguments, &launch, module);
	return (double)(now_ns() - start) / (double)times;
}

static void compare(const struct pair *pair, plait__module *const modules[2],
		    int rounds)
{
	static double took[2][MOST_ROUNDS];
	double once = time_of(modules[1], 100);
	uint64_t times = (uint64_t)(BATCH_NS / (once > 1 ? once : 1)) + 1;

	for (int i = 0; i < rounds; i++)
		for (int k = 0; k < 2; k++)
			took[k][i] = time_of(modules[k], times);
	for (int k = 0; k < 2; k++)
		qsort(took[k], (size_t)rounds, sizeof(double), ascending);
	printf("%-12s %9.1f %9.1f %9.1f %9.1f %8.2f %8.2f\n", pair->name,
	       took[1][0], took[0][0], took[1][rounds / 2],
	       took[0][rounds / 2], took[1][0] / took[0][0],
	       took[1][rounds / 2] / took[0][rounds / 2]);
}

static double wall_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void time_builds(const plait__signature *parsed)
{
	double start = wall_ms(), cold, warm;

	plait__module_destroy(build(parsed, pairs[0].portable,
				    PLAIT_SOURCE_PORTABLE));
	cold = wall_ms() - start;
	start = wall_ms();
	plait__module_destroy(build(parsed, pairs[0].portable,
				    PLAIT_SOURCE_PORTABLE));
	warm = wall_ms() - start;
	printf("built in %.1f ms, then from the cache in %.2f ms\n", cold,
	       warm);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 51;
	plait__signature *parsed;
	float a = 0.5f, *px = x, *py = y;
	uint64_t n = COUNT;

	if (rounds < 1 || rounds > MOST_ROUNDS ||
	    plait__signature_parse(signature, plait__alloc_default(), &parsed,
				   NULL) != PLAIT_OK)
		return 1;
	arguments[0] = &a;
	arguments[1] = &px;
	arguments[2] = &py;
	arguments[3] = &n;
	for (int i = 0; i < COUNT; i++)
		x[i] = (float)i / COUNT;
	time_builds(parsed);
	printf("%d elements, ns    plain    source     plain    source    "
	       "speed    speed\n%-12s %9s %9s %9s %9s %8s %8s\n", COUNT, "",
	       "min", "min", "median", "median", "min", "median");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		plait__module *const modules[2] = {
			build(parsed, pairs[i].portable, PLAIT_SOURCE_PORTABLE),
			build(parsed, pairs[i].plain, PLAIT_SOURCE_C)
		};

		compare(&pairs[i], modules, rounds);
		plait__module_destroy(modules[0]);
		plait__module_destroy(modules[1]);
	}
	plait__signature_destroy(plait__alloc_default(), parsed);
	return 0;
}
