/* SPDX-License-Identifier: MIT */
/*
 * Prices of options by the formula of Black and Scholes, for ten stocks: the
 * launches have nothing in common, so they overlap.
 */
#include "frame.h"

#include <math.h>
#include <stddef.h>

enum { STOCKS = 10, N = 1000 };

static const float strike = 60, rate = 0.035f, spread = 0.2f, years = 1;

static float sequential(float spot)
{
	double root = spread * sqrt(years);
	double d = (log(spot / strike) +
		    (rate + 0.5 * spread * spread) * years) / root;

	return (float)(spot * 0.5 * erfc(-d * sqrt(0.5)) -
		       strike * exp(-rate * years) * 0.5 *
			       erfc((root - d) * sqrt(0.5)));
}

int main(void)
{
	static float spots[STOCKS * N], got[STOCKS * N], wanted[STOCKS * N];
	const uint64_t n = N;
	plait_data *calls[STOCKS];

	open_flow();
	plait_kernel *price = read_kernel("flow", "price");

	for (int i = 0; i < STOCKS * N; i++) {
		spots[i] = 40 + 40 * noise(i);
		wanted[i] = sequential(spots[i]);
	}
	for (int s = 0; s < STOCKS; s++) {
		plait_data *spot = new_data(N, 1, &spots[s * N]);

		calls[s] = new_data(N, 1, NULL);
		must(plait_flow_launch(flow, price, PLAIT_ITEMS(N),
				       PLAIT_ARGUMENTS(PLAIT_DATA(spot), PLAIT_DATA(calls[s]),
						       PLAIT_VALUE(strike), PLAIT_VALUE(rate),
						       PLAIT_VALUE(spread), PLAIT_VALUE(years),
						       PLAIT_VALUE(n)),
				       NULL, &error));
	}
	for (int s = 0; s < STOCKS; s++)
		must(plait_data_read(calls[s], NULL, &got[s * N], &error));
	compare("black_scholes", got, wanted, STOCKS * N);
	close_flow();
	return 0;
}
