/* SPDX-License-Identifier: MIT */
/*
 * Two vectors are squared at a time, then the sum of their differences is
 * reduced in pieces, in rounds: the host writes new numbers as soon as the old
 * ones are not needed any more.
 */
#include "frame.h"

#include <stddef.h>

enum { N = 10000, PIECES = 100, ROUNDS = 5 };

static float x[N], y[N];

static float sequential(void)
{
	double sum = 0;

	for (int i = 0; i < N; i++)
		sum += (double)x[i] * x[i] - (double)y[i] * y[i];
	return (float)sum;
}

/* total becomes the sum of left - right. */
static void reduce(plait_data *left, plait_data *right, plait_data *total,
		   plait_kernel *differ, plait_kernel *add)
{
	plait_mapper own = { .size = sizeof(own), .kind = PLAIT_MAPPER_ONE_TO_ONE };
	plait_access from = { .size = sizeof(from), .data = left, .mapper = &own };
	plait_access minus = { .size = sizeof(minus), .data = right, .mapper = &own };
	plait_access sum = { .size = sizeof(sum), .data = total, .combine = add,
			     .mode = PLAIT_ACCESS_REDUCE };
	plait_argument arguments[] = { PLAIT_ACCESS(&from), PLAIT_ACCESS(&minus),
				       PLAIT_ACCESS(&sum), PLAIT_CHUNK() };
	plait_task_desc task = { .size = sizeof(task), .kernel = differ,
				 .launch = PLAIT_ITEMS(N), .split = 1, .pieces = PIECES,
				 .arguments = arguments, .argument_count = 4 };

	must(plait_flow_submit(flow, &task, NULL, &error));
}

int main(void)
{
	const uint64_t n = N;
	float got[ROUNDS] = { 0 }, wanted[ROUNDS];

	open_flow();
	plait_kernel *square = read_kernel("flow", "square");
	plait_kernel *differ = read_kernel("flow", "differ");
	plait_kernel *add = read_kernel("flow", "add");
	plait_data_desc vector = { .size = sizeof(vector), .dimensions = 1,
				   .element_bytes = 4, .extent = { N } };
	plait_data *left, *right, *total = new_data(1, 1, NULL);

	must(plait_data_create(flow, &vector, &left, &error));
	must(plait_data_create(flow, &vector, &right, &error));

	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < N; i++) {
			x[i] = noise(i + round);
			y[i] = noise(3 * i + round);
		}
		must(plait_data_write(left, NULL, x, &error));
		must(plait_data_write(right, NULL, y, &error));
		must(plait_flow_launch(flow, square, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_DATA(left), PLAIT_VALUE(n)),
				       NULL, &error));
		must(plait_flow_launch(flow, square, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_DATA(right), PLAIT_VALUE(n)),
				       NULL, &error));
		reduce(left, right, total, differ, add);
		must(plait_data_read(total, NULL, &got[round], &error));
		wanted[round] = sequential();
	}
	compare("vec", got, wanted, ROUNDS);
	plait_data_release(left);
	plait_data_release(right);
	close_flow();
	return 0;
}
