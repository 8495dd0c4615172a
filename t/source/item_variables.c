/* SPDX-License-Identifier: MIT */
/* Variables that ITEMS changes and that are declared around it: refused, with
 * name and line; and texts that look like it. */
#include "source/item_variables.h"

#include "lib/tap.h"

#include <stdio.h>
#include <string.h>

static plait_error error = { .size = sizeof(error) };

static plait_status check(const char *body)
{
	char code[800];
	plait_source source = { .size = sizeof(source), .code = code,
				.file = "sums.plk" };

	(void)snprintf(code, sizeof(code),
		       "/* GROUP_KERNEL(f, 1, 1, 1) { */\n"
		       "GROUP_KERNEL(g, 4, 1, 1) { u32 c = 0; "
		       "ITEMS { c++; } }\n"
		       "GROUP_KERNEL(f, 64, 1, 1)\n{\n%s\n}\n", body);
	source.bytes = strlen(code);
	memset(&error, 0, sizeof(error));
	error.size = sizeof(error);
	return plait__item_variables_check(&source, "f", &error);
}

static const char *const wrong[] = {
	"f32 sum = 0;\nITEMS { sum += x[LOCAL_ID(0)]; }",
	"i32 a,\nsum; ITEMS { if (a) { sum = 1; } }",
	"u64 n = f(a, b),\n*p = x, sum = 0; ITEMS { ++sum; }",
	"u32\nsum; ITEMS { u32 a = 0; sum <<= 1; }",
	"\nfor (i32 sum = 0; sum < 4; sum++) ITEMS { sum-- ; }",
	"struct pair;\nf32x4 sum; ITEMS { sum.v = 1; }",
	"UNIFORM(u32, sum, x[0]);\nITEMS { sum = 0; }",
	"ITEMS { f32 sum = 1; sum = 2; }\nf32 sum; ITEMS { sum = 2; }",
};

static const char *const good[] = {
	"PRIVATE(f32, sum); ITEMS { MY(sum) = 0; } ITEMS { MY(sum) += 1; }",
	"LOCAL_MEMORY f32 sum[64]; ITEMS { sum[LOCAL_ID(0)] = 1; }",
	"f32 sum = 1; ITEMS { x[0] = sum; y = sum == 2; z = sum <= 3; }",
	"ITEMS { f32 a = 1, sum = 0; sum += a; }",
	"f32 sum = 1; ITEMS { f32 a, sum = 0; sum += a; }",
	"for (u32 i = 0; i < 4; i++) { ITEMS { x[i] = 1; } i += 0; }",
	"f32 sum; /* ITEMS { sum = 1; */ ITEMS { p.sum = 1; q->sum = 2; }",
	"u32 sum = 1; ITEMS { x[sum] = (f32)sum; } sum = 3;",
	"u64 *p = x; ITEMS { *p = 3; p[1] = 4; }",
	"ITEMS { char *t = \"sum = 1; }\"; } f32 sum = 0;",
	"", "ITEMS", "f32", "f32 sum = ", "ITEMS { u32",
};

static void changes(void)
{
	for (size_t i = 0; i < TAP_COUNT(wrong); i++) {
		OK_THAT(check(wrong[i]) == PLAIT_E_INVALID, "%s", wrong[i]);
		HAS_STR(error.text, "sums.plk:");
		HAS_STR(error.text, "ITEMS changes \"sum\"");
	}
	(void)check(wrong[0]);
	HAS_STR(error.text, "sums.plk:6:");
}

static void no_changes(void)
{
	for (size_t i = 0; i < TAP_COUNT(good); i++)
		OK_THAT(check(good[i]) == PLAIT_OK, "%s: %s", good[i],
			error.text);
}

static const struct tap_scenario all[] = {
	{ "changes", changes },
	{ "no changes", no_changes },
};
TAP_MAIN(all)
