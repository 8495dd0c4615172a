// SPDX-License-Identifier: MIT
//! The Mandelbrot set as a picture: one kernel, one launch.
//!
//!     mandelbrot [FILE.pgm]
use std::error::Error;
use std::io::Write;
use std::path::Path;

use plait::{args, System};

const WIDTH: usize = 600;
const HEIGHT: usize = 400;
const MOST: u8 = 255;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "mandelbrot.pgm".into());
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/mandelbrot");
    let system = System::open()?;
    // SAFETY: the kernel writes the picture only.
    let mandelbrot = unsafe { system.kernel_file(kernels.join("mandelbrot.plk"))? };
    let picture = system.device().zeros::<u8>(WIDTH * HEIGHT)?;
    let queue = system.device().queue()?;
    queue.launch(&mandelbrot, args![&picture, WIDTH, HEIGHT, MOST], (WIDTH, HEIGHT))?;
    queue.finish()?;

    let pixels = picture.read()?;
    let inside = pixels.iter().filter(|pixel| **pixel == MOST).count();
    let mut file = std::fs::File::create(path)?;
    write!(file, "P5 {} {} {}\n", WIDTH, HEIGHT, MOST)?;
    file.write_all(&pixels.iter().map(|pixel| MOST - pixel).collect::<Vec<u8>>())?;
    println!("{} x {} pixels, {:.1} % of them in the set", WIDTH, HEIGHT,
             100.0 * inside as f64 / pixels.len() as f64);
    Ok(())
}
