# SPDX-License-Identifier: MIT
# The Mandelbrot set as a picture: one kernel, one launch.
#
#     julia mandelbrot.jl [FILE.pgm]
using Plait

const WIDTH, HEIGHT, MOST = 600, 400, 0xff

function main(path)
    system = System()
    device = system.devices[1]
    mandelbrot, = kernels(system, joinpath(@__DIR__, "../kernels/mandelbrot"), "mandelbrot")
    picture, queue = buffer(device, UInt8, WIDTH, HEIGHT), Queue(device)
    launch!(queue, mandelbrot, picture, WIDTH, HEIGHT, MOST; items=(WIDTH, HEIGHT))
    finish(queue)
    pixels = Array(picture)
    open(path, "w") do file
        write(file, "P5 $WIDTH $HEIGHT $(Int(MOST))\n", MOST .- pixels)
    end
    inside = count(==(MOST), pixels) / length(pixels)
    println("$WIDTH x $HEIGHT pixels, $(round(100inside; digits=1)) % of them in the set")
end

main(get(ARGS, 1, "mandelbrot.pgm"))
