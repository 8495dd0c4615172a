/* SPDX-License-Identifier: MIT */
/*
 * An image is sharpened along its edges: two blurs and a search for edges read
 * it at the same time, then one launch joins them.
 */
#include "frame.h"

#include <math.h>
#include <stddef.h>

enum { N = 48 };

static float image[N * N], got[N * N], wanted[N * N];

static float blurred(int x, int y, int radius)
{
	float sum = 0, count = 0;

	for (int b = y - radius; b <= y + radius; b++)
		for (int a = x - radius; a <= x + radius; a++)
			if (a >= 0 && a < N && b >= 0 && b < N) {
				sum += image[b * N + a];
				count++;
			}
	return sum / count;
}

static float edge_at(int x, int y)
{
	float here = image[y * N + x];

	return hypotf(image[y * N + (x + 1 < N ? x + 1 : x)] - here,
		      image[(y + 1 < N ? y + 1 : y) * N + x] - here);
}

static void blur_to(plait_kernel *blur, plait_data *from, plait_data *to,
		    uint64_t radius)
{
	const uint64_t n = N;

	must(plait_flow_launch(flow, blur, PLAIT_ITEMS(N, N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(from), PLAIT_DATA(to),
					       PLAIT_VALUE(radius), PLAIT_VALUE(n)),
			       NULL, &error));
}

int main(void)
{
	const uint64_t n = N;

	open_flow();
	plait_kernel *blur = read_kernel("flow", "blur");
	plait_kernel *edge = read_kernel("flow", "edge");
	plait_kernel *mix = read_kernel("flow", "mix");

	for (int i = 0; i < N * N; i++)
		image[i] = noise(i);
	plait_data *picture = new_data(N, N, image), *near = new_data(N, N, NULL);
	plait_data *far = new_data(N, N, NULL), *edges = new_data(N, N, NULL);
	plait_data *out = new_data(N, N, NULL);

	blur_to(blur, picture, near, 1);
	blur_to(blur, picture, far, 4);
	must(plait_flow_launch(flow, edge, PLAIT_ITEMS(N, N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(picture), PLAIT_DATA(edges),
					       PLAIT_VALUE(n)), NULL, &error));
	must(plait_flow_launch(flow, mix, PLAIT_ITEMS(N, N),
			       PLAIT_ARGUMENTS(PLAIT_DATA(picture), PLAIT_DATA(near),
					       PLAIT_DATA(far), PLAIT_DATA(edges),
					       PLAIT_DATA(out), PLAIT_VALUE(n)), NULL, &error));
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++)
			wanted[y * N + x] = image[y * N + x] + edge_at(x, y) *
				(blurred(x, y, 1) - blurred(x, y, 4));
	must(plait_data_read(out, NULL, got, &error));
	compare("images", got, wanted, N * N);
	close_flow();
	return 0;
}
