-- SPDX-License-Identifier: MIT
-- A Poisson problem on a square, solved by conjugate gradients.
-- The whole solver is one plan: a kernel computes the residual and ends the
-- loop when it is small.
local plait = require "plait"

local SIZE, TOLERANCE = 64, 1e-8
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local apply, find_alpha, step, find_beta, turn = system:kernels(
  here .. "/../kernels/conjugate_gradient", "apply", "find_alpha", "step", "find_beta", "turn")

local n = SIZE * SIZE
local zeros, ones = {}, {}
for i = 1, n do zeros[i], ones[i] = 0, 1 end
local x, r, p = device:array("double", zeros), device:array("double", ones),
                device:array("double", ones)                      -- b is 1 everywhere
local q, parts, scalars = device:buffer(8 * n), device:buffer(8 * SIZE),
                          device:array("double", {0, 0, n})
local go, count = device:array("uint32_t", {1}), device:array("uint32_t", {0})

local graph = system:graph()
local _, body = graph:loop(go, {times = 150})
local last = body:launch(apply, {p, q, parts, SIZE}, {items = SIZE})
last = body:launch(find_alpha, {parts, scalars, SIZE}, {after = last})
last = body:launch(step, {x, r, p, q, scalars, parts, SIZE}, {items = SIZE, after = last})
last = body:launch(find_beta, {parts, scalars, go, count, SIZE, TOLERANCE}, {after = last})
body:launch(turn, {p, r, scalars, n}, {items = n, after = last})
graph:freeze()()

local residual = math.sqrt(scalars:table()[3])
print(("%s after %d iterations, %.3f in the middle"):format(
  residual <= TOLERANCE and "solved" or "not solved", count:table()[1],
  x:table()[SIZE / 2 * SIZE + SIZE / 2 + 1]))
