/* SPDX-License-Identifier: MIT */
/*
 * Two classifiers look at the same rows, one at their values, one at their
 * differences from the mean of the row; the answer is the mean of both.
 */
#include "frame.h"

#include <math.h>
#include <stddef.h>

enum { N = 100, FEATURES = 12, CLASSES = 4 };

static float x[N * FEATURES], got[N * CLASSES], wanted[N * CLASSES];
static float weights[2][CLASSES * FEATURES];

/* Add half of what one classifier says of row i. */
static void classify(int i, const float *weight, float minus)
{
	float said[CLASSES] = { 0 }, sum = 0;

	for (int c = 0; c < CLASSES; c++) {
		for (int k = 0; k < FEATURES; k++)
			said[c] += (x[i * FEATURES + k] - minus) * weight[c * FEATURES + k];
		sum += expf(said[c]);
	}
	for (int c = 0; c < CLASSES; c++)
		wanted[i * CLASSES + c] += 0.5f * expf(said[c]) / sum;
}

static void sequential(void)
{
	for (int i = 0; i < N; i++) {
		float mean = 0;

		for (int k = 0; k < FEATURES; k++)
			mean += x[i * FEATURES + k] / FEATURES;
		classify(i, weights[0], 0);
		classify(i, weights[1], mean);
	}
}

static plait_data *submit(plait_data *rows, const float *weight)
{
	static plait_kernel *score, *softmax;
	const uint64_t n = N, features = FEATURES, classes = CLASSES;
	plait_data *given = new_data(FEATURES, CLASSES, weight);
	plait_data *out = new_data(CLASSES, N, NULL);

	if (score == NULL) {
		score = read_kernel("flow", "score");
		softmax = read_kernel("flow", "softmax");
	}
	must(plait_flow_launch(flow, score, PLAIT_ITEMS(CLASSES, N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(rows), PLAIT_DATA(given), PLAIT_DATA(out),
					       PLAIT_VALUE(n), PLAIT_VALUE(features),
					       PLAIT_VALUE(classes)), NULL, &error));
	must(plait_flow_launch(flow, softmax, PLAIT_ITEMS(N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(out), PLAIT_VALUE(n),
					       PLAIT_VALUE(classes)), NULL, &error));
	return out;
}

int main(void)
{
	const uint64_t n = N, features = FEATURES, count = N * CLASSES;

	open_flow();
	plait_kernel *centre = read_kernel("flow", "centre");
	plait_kernel *mean = read_kernel("flow", "mean");

	for (int i = 0; i < N * FEATURES; i++)
		x[i] = noise(i);
	for (int i = 0; i < CLASSES * FEATURES; i++) {
		weights[0][i] = noise(3 * i) - 0.5f;
		weights[1][i] = noise(5 * i) - 0.5f;
	}
	plait_data *rows = new_data(FEATURES, N, x), *centred = new_data(FEATURES, N, NULL);
	plait_data *both = new_data(CLASSES, N, NULL);

	must(plait_flow_launch(flow, centre, PLAIT_ITEMS(N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(rows), PLAIT_DATA(centred),
					       PLAIT_VALUE(n), PLAIT_VALUE(features)),
			       NULL, &error));
	plait_data *one = submit(rows, weights[0]), *other = submit(centred, weights[1]);
	must(plait_flow_launch(flow, mean, PLAIT_ITEMS(N * CLASSES),
			       PLAIT_ARGUMENTS(PLAIT_DATA(one), PLAIT_DATA(other),
					       PLAIT_DATA(both), PLAIT_VALUE(count)),
			       NULL, &error));
	sequential();
	must(plait_data_read(both, NULL, got, &error));
	compare("ensemble", got, wanted, N * CLASSES);
	close_flow();
	return 0;
}
