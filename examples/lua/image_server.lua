-- SPDX-License-Identifier: MIT
-- A server of images: handlers await requests, and for each the device, which shades the image.
-- A client sends all requests, and awaits the answers.  While one handler waits for the device,
-- the others and the client go on, on one thread.
local plait = require "plait"
local ffi = plait.ffi

local REQUESTS, HANDLERS, WIDTH = 12, 3, 16
local PIXELS = WIDTH * WIDTH
local here = arg[0]:match "^(.*)/" or "."

local system = plait.open()
local device = system.devices[1]
local kernel = system:kernels(here .. "/../kernels/coroutines", "shade")
local graph = system:graph()
local buffer = graph:temporary(4 * PIXELS)
local last = graph:write(buffer, plait.parameter "given")
last = graph:launch(kernel, {buffer, plait.parameter "gain", PIXELS}, {items = PIXELS, after = last})
graph:read(buffer, plait.parameter "taken", {after = last})
local plan = graph:freeze {instances = HANDLERS}

local requests, handlers, sum = {}, {}, 0

local function draw(number)
  local pixels = ffi.new("uint32_t[?]", PIXELS)
  for i = 0, PIXELS - 1 do pixels[i] = i % WIDTH * math.floor(i / WIDTH) % 128 end
  return {gain = number + 1, pixels = pixels}
end

-- Takes each third request; the gates count what it was asked and has answered.
local function handle(self)
  for i = 0, REQUESTS / HANDLERS - 1 do
    self.asked:reach(i + 1)
    local request = requests[i * HANDLERS + self.number]
    plait.await(plan:run(self.queue, {given = request.pixels, taken = request.pixels, gain = request.gain}))
    self.answered:raise(i + 1)
  end
end

local function ask()
  for i = 0, REQUESTS - 1 do
    requests[i] = draw(i)
    handlers[i % HANDLERS].asked:raise(math.floor(i / HANDLERS) + 1)
  end
  for i = 0, REQUESTS - 1 do
    handlers[i % HANDLERS].answered:reach(math.floor(i / HANDLERS) + 1)
    for j = 0, PIXELS - 1 do sum = sum + (i + 1) * requests[i].pixels[j] end
  end
end

graph = system:graph()
for i = 0, HANDLERS - 1 do
  local handler = {number = i, queue = device:queue(), asked = device:signal {gate = true},
                   answered = device:signal {gate = true}}
  handlers[i] = handler
  graph:call(function() handle(handler) end, {coroutine = true})
end
graph:call(ask, {coroutine = true})
graph:freeze {widest = true}()
print(("%d images by %d handlers, sum %d"):format(REQUESTS, HANDLERS, sum))
