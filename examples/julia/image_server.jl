# SPDX-License-Identifier: MIT
# A server of images: handlers wait for requests, and for each the device, which shades the
# image.  A client sends all requests, and waits for the answers.  While one handler waits for
# the device, the others and the client go on.
using Plait

const REQUESTS, HANDLERS, WIDTH = 12, 3, 16
const PIXELS = WIDTH * WIDTH

struct Request
    gain::UInt32
    pixels::Vector{UInt32}
end

Request(number) = Request(number, [i % WIDTH * div(i, WIDTH) % 128 for i in 0:PIXELS-1])

# Takes each third request; the gates count what it was asked and has answered.
struct Handler
    asked::Signal
    answered::Signal
    queue::Queue
    number::Int
end

Handler(device, number) = Handler(Signal(device; gate=true), Signal(device; gate=true), Queue(device), number)

function handle(self, plan, requests)
    for i in 1:div(REQUESTS, HANDLERS)
        wait(self.asked, i)
        request = requests[(i-1)*HANDLERS+self.number]
        wait(run(plan, self.queue; given=request.pixels, taken=request.pixels, gain=request.gain))
        Plait.raise(self.answered, i)
    end
end

function ask(handlers, requests, total)
    for i in 0:REQUESTS-1
        push!(requests, Request(i + 1))
        Plait.raise(handlers[i%HANDLERS+1].asked, div(i, HANDLERS) + 1)
    end
    for i in 0:REQUESTS-1
        wait(handlers[i%HANDLERS+1].answered, div(i, HANDLERS) + 1)
        total[] += (i + 1) * sum(requests[i+1].pixels)
    end
end

function main()
    system = System()
    device = system.devices[1]
    kernel, = kernels(system, joinpath(@__DIR__, "../kernels/coroutines"), "shade")
    graph = Graph(system)
    buffer = temporary(graph, UInt32, PIXELS)
    last = write!(graph, buffer, Parameter(:given))
    last = launch!(graph, kernel, buffer, Parameter(:gain), PIXELS; items=PIXELS, after=last)
    read!(graph, buffer, Parameter(:taken); after=last)
    plan = freeze(graph; instances=HANDLERS)

    handlers, requests, total = [Handler(device, i) for i in 1:HANDLERS], Request[], Ref(0)
    graph = Graph(system)
    for handler in handlers
        call!(() -> handle(handler, plan, requests), graph; task=true)
    end
    call!(() -> ask(handlers, requests, total), graph; task=true)
    freeze(graph; widest=true)()
    println("$REQUESTS images by $HANDLERS handlers, sum $(total[])")
end

main()
