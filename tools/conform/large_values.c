/* SPDX-License-Identifier: MIT */
/* Group K: values of more than 8 bytes. */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums, each of which needs all bytes of one value. */
static const char signature[] =
	"sums(a: u8, p: struct words 40, b: u8x3, c: f64x16, d: u16, "
	"y: out pointer u64, q: struct bytes 7 align 1, e: u8)";
static const char text[] =
	"struct words { u64 at[5]; };\n"
	"struct bytes { u8 at[7]; };\n"
	"KERNEL(sums)\n{\n"
	"\tEACH(i, 1) {\n"
	"\t\ty[0] = a; y[4] = d; y[6] = e;\n"
	"\t\ty[1] = y[2] = y[3] = y[5] = 0;\n"
	"\t\tfor (i32 k = 0; k < 5; k++) y[1] = y[1] * 3 + p.at[k];\n"
	"\t\tfor (i32 k = 0; k < 3; k++) y[2] = y[2] * 256 + b.v[k];\n"
	"\t\tfor (i32 k = 0; k < 16; k++) y[3] = y[3] * 3 + (u64)c.v[k];\n"
	"\t\tfor (i32 k = 0; k < 7; k++) y[5] = y[5] * 256 + q.at[k];\n"
	"\t}\n}\n";

struct values {
	uint8_t a, b[3], q[7], e;
	uint16_t d;
	uint64_t p[5];
	double c[16];
};

static struct values draw(uint64_t seed)
{
	struct values values = { .a = (uint8_t)(seed + 1), .d = 60000,
				 .e = 200 };

	for (unsigned i = 0; i < 16; i++)
		values.c[i] = (double)(seed + 5 * i);
	for (unsigned i = 0; i < 5; i++)
		values.p[i] = UINT64_C(0x0123456789abcdef) * (seed + i);
	for (unsigned i = 0; i < 7; i++)
		values.q[i] = (uint8_t)(seed * 7 + i);
	for (unsigned i = 0; i < 3; i++)
		values.b[i] = (uint8_t)(seed + 50 * i);
	return values;
}

static void expect(const struct values *from, uint64_t want[7])
{
	memset(want, 0, 7 * sizeof(*want));
	want[0] = from->a;
	want[4] = from->d;
	want[6] = from->e;
	for (int k = 0; k < 5; k++)
		want[1] = want[1] * 3 + from->p[k];
	for (int k = 0; k < 3; k++)
		want[2] = want[2] * 256 + from->b[k];
	for (int k = 0; k < 16; k++)
		want[3] = want[3] * 3 + (uint64_t)from->c[k];
	for (int k = 0; k < 7; k++)
		want[5] = want[5] * 256 + from->q[k];
}

static void launch(struct conform *c, plait_queue *queue, plait_kernel *kernel,
		   plait_buffer *y, const struct values *values)
{
	const plait_argument arguments[] = {
		conform_value(&values->a, 1),
		conform_value(values->p, sizeof(values->p)),
		conform_value(values->b, sizeof(values->b)),
		conform_value(values->c, sizeof(values->c)),
		conform_value(&values->d, 2), conform_memory(y, 0),
		conform_value(values->q, sizeof(values->q)),
		conform_value(&values->e, 1)
	};

	NEED(plait_queue_launch(queue, kernel, NULL, arguments, 8, ERR));
}

static void passes_large_values(struct conform *c)
{
	enum { LAUNCHES = 4 };
	plait_queue *queue = conform_queue(c);
	plait_kernel *kernel = conform_kernel(c, signature, text, NULL);
	plait_buffer *y[LAUNCHES];
	uint64_t got[7], want[7];
	struct values values;

	for (uint64_t i = 0; i < LAUNCHES; i++) {
		y[i] = conform_buffer(c, sizeof(got));
		values = draw(i);
		launch(c, queue, kernel, y[i], &values);
		/* The call copied them. */
		memset(&values, 0xff, sizeof(values));
	}
	for (uint64_t i = 0; i < LAUNCHES; i++) {
		values = draw(i);
		expect(&values, want);
		NEED(plait_queue_read(queue, y[i], 0, got, sizeof(got), ERR));
		for (int k = 0; k < 7; k++)
			HOLDS_THAT(got[k] == want[k],
				   "launch %llu, value %d: 0x%llx, not 0x%llx",
				   (unsigned long long)i, k,
				   (unsigned long long)got[k],
				   (unsigned long long)want[k]);
	}
}

static const struct conform_check checks[] = {
	{ "K20", "structs and vectors arrive by value", NEED_KERNELS,
	  passes_large_values },
};

CONFORM_GROUP(conform_large_values, "kernels, and large values");
