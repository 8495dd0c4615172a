/* SPDX-License-Identifier: MIT */
/*
 * Accuracy of the common functions: results are as exact as doc/kernels.md
 * says, in both precisions; the bounds are read from its table.
 */
#include "lib/suite.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 1000, CODE_BYTES = 1 << 14, NAME_BYTES = 16 };

typedef long double (*exact_one)(long double);
typedef long double (*exact_two)(long double, long double);

static long double quotient(long double x, long double r)
{
	return x / r;
}

/* Exact: x and r have 24 bits, and are of about one size. */
static long double fused(long double x, long double r)
{
	return x * r + x;
}

static long double root_below(long double x)
{
	return 1 / sqrtl(x);
}

/*
 * The tested arguments: `from` to `to`, spread evenly over the powers of two,
 * and of both signs where `from` is negative.  Two arguments: the second one is
 * between 1/4 and 4.
 */
static const struct function {
	const char *name;
	exact_one one;
	exact_two two;
	double from, to;
} functions[] = {
	{ "/", NULL, quotient, -100, 100 },
	{ "fma", NULL, fused, -100, 100 },
	{ "rsqrt", root_below, NULL, 1e-3, 1e3 },
	{ "sqrt", sqrtl, NULL, 1e-3, 1e3 },
	{ "cbrt", cbrtl, NULL, -1e3, 1e3 },
	{ "exp", expl, NULL, -80, 80 },
	{ "exp2", exp2l, NULL, -100, 100 },
	{ "expm1", expm1l, NULL, -80, 80 },
	{ "log", logl, NULL, 1e-3, 1e3 },
	{ "log2", log2l, NULL, 1e-3, 1e3 },
	{ "log10", log10l, NULL, 1e-3, 1e3 },
	{ "log1p", log1pl, NULL, 1e-3, 1e3 },
	{ "sin", sinl, NULL, -100, 100 },
	{ "cos", cosl, NULL, -100, 100 },
	{ "tan", tanl, NULL, -100, 100 },
	{ "asin", asinl, NULL, -1, 1 },
	{ "acos", acosl, NULL, -1, 1 },
	{ "atan", atanl, NULL, -100, 100 },
	{ "sinh", sinhl, NULL, -80, 80 },
	{ "cosh", coshl, NULL, -80, 80 },
	{ "tanh", tanhl, NULL, -80, 80 },
	{ "erf", erfl, NULL, -4, 4 },
	{ "erfc", erfcl, NULL, -4, 4 },
	{ "tgamma", tgammal, NULL, 1e-2, 30 },
	{ "fabs", fabsl, NULL, -100, 100 },
	{ "floor", floorl, NULL, -100, 100 },
	{ "ceil", ceill, NULL, -100, 100 },
	{ "trunc", truncl, NULL, -100, 100 },
	{ "round", roundl, NULL, -100, 100 },
	{ "rint", rintl, NULL, -100, 100 },
	{ "pow", NULL, powl, 1e-3, 1e3 },
	{ "fmod", NULL, fmodl, -100, 100 },
	{ "atan2", NULL, atan2l, -100, 100 },
	{ "hypot", NULL, hypotl, -100, 100 },
	{ "copysign", NULL, copysignl, -100, 100 },
	{ "fmin", NULL, fminl, -100, 100 },
	{ "fmax", NULL, fmaxl, -100, 100 },
};

enum { FUNCTIONS = TAP_COUNT(functions) };

static float xs[FUNCTIONS][POINTS], rs[POINTS];
static float ys[FUNCTIONS][POINTS];
static double zs[FUNCTIONS][POINTS];

/* ---- the table of the document ---- */

static char table[1 << 16];

static bool read_table(void)
{
	const char *top = getenv("abs_top_srcdir");
	char path[4096];
	size_t bytes;
	FILE *file;

	snprintf(path, sizeof(path), "%s/doc/kernels.md", top ? top : ".");
	file = fopen(path, "r");
	if (!OK_THAT(file != NULL, "%s", path))
		return false;
	bytes = fread(table, 1, sizeof(table) - 1, file);
	table[bytes] = '\0';
	fclose(file);
	return true;
}

/* Returns the number at the end of the row that has `name`; less than 0:
 * none. */
static double find_bound(const char *name)
{
	static const char title[] = "\n### Precision";
	const char *row = strstr(table, title), *end;
	char quoted[NAME_BYTES + 2];
	double bound;

	snprintf(quoted, sizeof(quoted), "`%s`", name);
	row = row != NULL ? strstr(row, quoted) : NULL;
	end = row != NULL ? strstr(row, " |") : NULL;
	if (end == NULL || sscanf(end + 2, "%lf", &bound) != 1)
		return -1;
	return bound;
}

/* ---- the kernel: each function on numbers of its own ---- */

static size_t add_function(char *code, size_t at, size_t i)
{
	static const char *const types[] = { "y", "f32", "z", "f64" };
	const char *name = functions[i].name;
	char x[64], r[32];

	for (size_t t = 0; t < TAP_COUNT(types); t += 2) {
		snprintf(x, sizeof(x), "(%s)x[%zu * n + k]", types[t + 1], i);
		snprintf(r, sizeof(r), "(%s)r[k]", types[t + 1]);
		at += (size_t)snprintf(code + at, CODE_BYTES - at,
				       "\t\t%s[%zu * n + k] = ", types[t], i);
		if (name[0] == '/')
			at += (size_t)snprintf(code + at, CODE_BYTES - at,
					       "%s / %s;\n", x, r);
		else if (strcmp(name, "fma") == 0)
			at += (size_t)snprintf(code + at, CODE_BYTES - at,
					       "fma(%s, %s, %s);\n", x, r, x);
		else
			at += (size_t)snprintf(
				code + at, CODE_BYTES - at, "%s(%s%s%s);\n",
				name, x, functions[i].two ? ", " : "",
				functions[i].two ? r : "");
	}
	return at;
}

static bool take_kernel(void)
{
	static char code[CODE_BYTES];
	const plait_source source = { .size = sizeof(source), .code = code };
	size_t at = (size_t)snprintf(code, sizeof(code),
				     "KERNEL(limits)\n{\n\tEACH(k, n) {\n");

	for (size_t i = 0; i < FUNCTIONS; i++)
		at = add_function(code, at, i);
	snprintf(code + at, sizeof(code) - at, "\t}\n}\n");
	return suite_take("limits(x: in pointer f32, r: in pointer f32, "
			  "y: out pointer f32, z: out pointer f64, n: u64)",
			  &source);
}

static void choose_points(void)
{
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const double to = functions[i].to;
		const bool both = functions[i].from < 0;
		const float low = log2f((float)(both ? 1e-3 :
						functions[i].from));

		for (int k = 0; k < POINTS; k++) {
			float x = exp2f(suite_between(low, log2f((float)to)));

			if (x > (float)to)
				x = (float)to;
			xs[i][k] = both && (suite_random() & 1) != 0 ? -x : x;
		}
	}
	for (int k = 0; k < POINTS; k++)
		rs[k] = exp2f(suite_between(-2, 2));
}

/* ---- errors of results ---- */

static double units_f32(float got, long double want)
{
	float near = fabsf((float)want);
	long double unit;

	if (near < FLT_MIN)
		near = FLT_MIN;
	unit = (long double)(nextafterf(near, FLT_MAX) - near);
	return (double)(fabsl((long double)got - want) / unit);
}

static double units_f64(double got, long double want)
{
	double near = fabs((double)want);
	long double unit;

	if (near < DBL_MIN)
		near = DBL_MIN;
	unit = (long double)(nextafter(near, DBL_MAX) - near);
	return (double)(fabsl((long double)got - want) / unit);
}

/* An emulator of a processor may flush them to zero, as valgrind does. */
static bool is_exact(void)
{
	volatile long double one = 1, little = DBL_EPSILON / 1024;

	return one + little != one;
}

static void judge(size_t i)
{
	const struct function *f = &functions[i];
	const double bound = find_bound(f->name);
	double worst32 = 0, worst64 = 0;
	int strange = 0;

	for (int k = 0; k < POINTS; k++) {
		const long double x = (long double)xs[i][k];
		const long double want = f->one != NULL ? f->one(x) :
					 f->two(x, (long double)rs[k]);
		const double off32 = units_f32(ys[i][k], want);
		const double off64 = units_f64(zs[i][k], want);

		strange += isnan(off32) || isnan(off64);
		worst32 = fmax(worst32, off32);
		worst64 = fmax(worst64, off64);
	}
	OK_THAT(bound >= 0, "%s is in the table of doc/kernels.md", f->name);
	/* The half is the unavoidable rounding. */
	OK_THAT(strange == 0 && worst32 <= fmax(bound, 0.5),
		"%s: f32 is at most %.2f units off, which may be %g", f->name,
		worst32, bound);
	OK_THAT(strange == 0 && worst64 <= fmax(bound, 0.5),
		"%s: f64 is at most %.2f units off, which may be %g", f->name,
		worst64, bound);
}

static void limits(void)
{
	if (!read_table())
		return;
	if (!is_exact()) {
		SKIP("long double has no more bits here than double");
		return;
	}
	choose_points();
	if (!take_kernel())
		return;
	SUITE_ARRAY(xs);
	SUITE_ARRAY(rs);
	SUITE_ARRAY(ys);
	SUITE_ARRAY(zs);
	SUITE_VALUE(uint64_t, POINTS);
	suite_launch(POINTS, 1, 1);
	for (size_t i = 0; i < FUNCTIONS; i++)
		judge(i);
}

SUITE_MAIN(limits)
