-- SPDX-License-Identifier: MIT
-- The Mandelbrot set as a picture: one kernel, one launch.
--
--     luajit mandelbrot.lua [FILE.pgm]          or lua5.4
local plait = require "plait"
local ffi = plait.ffi

local WIDTH, HEIGHT, MOST = 600, 400, 255
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local mandelbrot = system:kernels(here .. "/../kernels/mandelbrot", "mandelbrot")
local picture = device:buffer(WIDTH * HEIGHT)
local queue = device:queue()
queue:launch(mandelbrot, {picture, WIDTH, HEIGHT, MOST}, {items = {WIDTH, HEIGHT}})
queue:finish()

local inside = 0
local pixels = picture:map(function(pixel, count)
  for i = 0, count - 1 do
    if pixel[i] == MOST then inside = inside + 1 end
    pixel[i] = MOST - pixel[i]
  end
  return ffi.string(pixel, count)
end)
local file = assert(io.open(arg[1] or "mandelbrot.pgm", "wb"))
file:write(("P5 %d %d %d\n"):format(WIDTH, HEIGHT, MOST), pixels)
file:close()
print(("%d x %d pixels, %.1f %% of them in the set"):format(
  WIDTH, HEIGHT, 100 * inside / (WIDTH * HEIGHT)))
