# SPDX-License-Identifier: MIT
"""Prices of options by the formula of Black and Scholes, for ten stocks: the launches have
nothing in common, so they overlap.
"""
import math

import plait
from frame import KERNELS, compare, floats, noise

STOCKS, N = 10, 1000
STRIKE, RATE, SPREAD, YEARS = 60, 0.035, 0.2, 1


def price_of(spot):
    root = SPREAD * math.sqrt(YEARS)
    d = (math.log(spot / STRIKE) + (RATE + 0.5 * SPREAD ** 2) * YEARS) / root
    return (spot * 0.5 * math.erfc(-d * math.sqrt(0.5)) -
            STRIKE * math.exp(-RATE * YEARS) * 0.5 * math.erfc((root - d) * math.sqrt(0.5)))


with plait.open() as system, system.flow() as flow:
    price, = system.kernels(KERNELS, "price")
    spots = [[40 + 40 * noise(s * N + i) for i in range(N)] for s in range(STOCKS)]
    calls = [flow.data("f", N) for _ in spots]
    for spot, call in zip(spots, calls):
        flow(price, flow.data("f", N, floats(spot)), call, STRIKE, RATE, SPREAD, YEARS, N, items=N)
    compare("black_scholes", [one for call in calls for one in call.tolist()],
            [price_of(one) for spot in spots for one in spot])
