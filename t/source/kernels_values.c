/* SPDX-License-Identifier: MIT */
/* Kernels with structs and vectors by value, against plain C. */
#include "lib/suite.h"

#include <math.h>

enum { COUNT = 203 };

struct gravity {
	float strength, softening;
	uint32_t skips;
};

static void pull_on(const float at[COUNT][4], int i, struct gravity how,
		    float out[4])
{
	double sum[3] = { 0 };

	for (int k = (int)how.skips; k < COUNT; k++) {
		double square = how.softening;

		for (int d = 0; d < 3; d++)
			square += pow(at[k][d] - at[i][d], 2);
		for (int d = 0; d < 3; d++)
			sum[d] += at[k][3] * (at[k][d] - at[i][d]) /
				  (square * sqrt(square));
	}
	for (int d = 0; d < 3; d++)
		out[d] = (float)(how.strength * sum[d]);
	out[3] = at[i][3];
}

static void bodies(void)
{
	const struct gravity how = { 0.5f, 0.01f, 3 };
	float at[COUNT][4], pull[COUNT][4] = { { 0 } }, want[COUNT][4];

	for (int i = 0; i < COUNT; i++)
		for (int k = 0; k < 4; k++)
			at[i][k] = suite_between(0, 1);
	for (int i = 0; i < COUNT; i++)
		pull_on((const float (*)[4])at, i, how, want[i]);
	if (!suite_load("bodies"))
		return;
	suite_local(64 * 4 * sizeof(float));
	SUITE_ARRAY(at);
	SUITE_ARRAY(pull);
	suite_value(&how, sizeof(how));
	SUITE_VALUE(uint32_t, COUNT);
	suite_launch(COUNT, 1, 1);
	suite_close_f32(pull[0], want[0], 4 * COUNT, 2e-4f);
}

static void given(void)
{
	const struct { double real; int32_t whole; } p = { 1.5, -7 };
	const struct { uint32_t words[4]; int16_t last; } q = {
		{ 1, 1u << 31, 3, 5 }, -20000 };
	const uint8_t s[3] = { 1, 2, 3 };
	const float b[3] = { 1, 2, 3 };
	const int16_t c[2] = { -30000, 2 };
	const double want[9] = { 200, -5.5, 321, -30002, 0.5 + 16,
				 9 + 2147483648.0 - 20000, 1 + 256 * 99,
				 60000, 1 + 512 + 3 * 65536 };
	double d[16] = { 0.5 }, y[9] = { 0 };
	uint8_t e[16] = { 1 };

	d[15] = 16;
	e[15] = 99;
	if (!suite_load("given"))
		return;
	SUITE_VALUE(uint8_t, 200);
	suite_value(&p, sizeof(p));
	suite_value(b, sizeof(b));
	suite_value(c, sizeof(c));
	suite_value(d, sizeof(d));
	suite_value(&q, sizeof(q));
	SUITE_ARRAY(y);
	suite_value(e, sizeof(e));
	SUITE_VALUE(uint16_t, 60000);
	suite_value(s, sizeof(s));
	suite_launch(1, 1, 1);
	suite_close_f64(y, want, 9, 0);
}

/* Each language's own vectors and structs; that of 3 has the room of 4 in
 * OpenCL. */
static const plait_source natives[] = {
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_CUDA_C, .code =
	  "struct three { float v[3]; };\n"
	  "struct four { float v[4]; };\n"
	  "struct mixed { double real; int whole; };\n"
	  "extern \"C\" __global__ void join(three a, mixed p, four b,\n"
	  "\tfloat *y)\n{\n"
	  "\ty[0] = a.v[0] + a.v[1] + a.v[2];\n"
	  "\ty[1] = b.v[0] + b.v[3];\n"
	  "\ty[2] = (float)(p.real + p.whole);\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_OPENCL_C, .code =
	  "struct mixed { long real; int whole; };\n"
	  "__kernel void join(float3 a, struct mixed p, float4 b,\n"
	  "\t__global float *y)\n{\n"
	  "\ty[0] = a.x + a.y + a.z;\n"
	  "\ty[1] = b.x + b.w;\n"
	  "\ty[2] = (float)(as_double(p.real) + p.whole);\n}\n" },
	{ .size = sizeof(plait_source), .form = PLAIT_SOURCE_C, .code =
	  "struct mixed { double real; int whole; };\n"
	  "void join(f32x3 a, struct mixed p, f32x4 b, float *y)\n{\n"
	  "\ty[0] = a.v[0] + a.v[1] + a.v[2];\n"
	  "\ty[1] = b.v[0] + b.v[3];\n"
	  "\ty[2] = (float)(p.real + p.whole);\n}\n" },
};

static void join(void)
{
	const struct { double real; int32_t whole; } p = { 1.5, -7 };
	const float a[3] = { 1, 20, 300 }, b[4] = { 4, 9, 9, 50 };
	const float want[3] = { 321, 54, -5.5f };
	float y[3] = { 0 };

	if (!suite_take_many("join(a: f32x3, p: struct mixed 16, b: f32x4, "
			     "y: out pointer f32)", natives,
			     TAP_COUNT(natives)))
		return;
	suite_value(a, sizeof(a));
	suite_value(&p, sizeof(p));
	suite_value(b, sizeof(b));
	SUITE_ARRAY(y);
	suite_launch(1, 1, 1);
	suite_close_f32(y, want, 3, 0);
}

static void run_all(void)
{
	join();
	given();
	bodies();
}

SUITE_MAIN(run_all)
