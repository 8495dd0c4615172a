# SPDX-License-Identifier: MIT
"""Cholesky's factor of a matrix in tiles: the loops submit the tasks in the order of the
textbook, and the flow finds which of them can overlap.
"""
import math

import plait
from frame import KERNELS, compare, floats, noise

TILES, SIDE = 5, 16
N = TILES * SIDE


def factor_of(matrix):
    made = [[0.0] * N for _ in range(N)]
    for j in range(N):
        for i in range(j, N):
            rest = matrix[i][j] - sum(a * b for a, b in zip(made[i][:j], made[j][:j]))
            made[i][j] = math.sqrt(rest) if i == j else rest / made[j][j]
    return made


def tile_of(matrix, i, j):
    return [one for row in matrix[i * SIDE:(i + 1) * SIDE] for one in row[j * SIDE:(j + 1) * SIDE]]


with plait.open() as system, system.flow() as flow:
    factor, solve, update = system.kernels(KERNELS, "factor", "solve", "update")
    matrix = [[noise(max(i, j) * 31 + min(i, j)) + (N if i == j else 0) for j in range(N)] for i in range(N)]
    lower = [(i, j) for i in range(TILES) for j in range(i + 1)]
    tiles = {(i, j): flow.data("f", (SIDE, SIDE), floats(tile_of(matrix, i, j))) for i, j in lower}
    for k in range(TILES):
        flow(factor, tiles[k, k], SIDE)
        for i in range(k + 1, TILES):
            flow(solve, tiles[k, k], tiles[i, k], SIDE, items=SIDE)
        for i in range(k + 1, TILES):
            for j in range(k + 1, i + 1):
                flow(update, tiles[i, k], tiles[j, k], tiles[i, j], SIDE, items=(SIDE, SIDE))
    found = {place: tile.tolist() for place, tile in tiles.items()}
    got = [found[i // SIDE, j // SIDE][i % SIDE * SIDE + j % SIDE] if j <= i else 0.0
           for i in range(N) for j in range(N)]
    compare("cholesky", got, [one for row in factor_of(matrix) for one in row])
