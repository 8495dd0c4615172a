// SPDX-License-Identifier: MIT
//! Heat spreads over a plate until nothing changes much: a loop inside a plan.
//!
//! A kernel sets the loop condition; the program waits once, for the whole plan.
use std::path::Path;

use plait::{args, with, System};

const SIZE: usize = 64;
const TOLERANCE: f32 = 1e-4;

fn main() -> plait::Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/heat");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernels access memory as their signatures declare.
    let (spread, change, decide) = unsafe {
        (system.kernel_file(kernels.join("spread.plk"))?,
         system.kernel_file(kernels.join("change.plk"))?,
         system.kernel_file(kernels.join("decide.plk"))?)
    };

    let mut plate = [0f32; SIZE * SIZE];
    plate[..SIZE].fill(100.0); // one edge is hot
    let (one, other) = (device.array(&plate)?, device.array(&plate)?);
    let changes = device.zeros::<f32>(SIZE)?;
    let (go, count) = (device.array(&[1u32])?, device.array(&[0u32])?);

    let graph = system.graph()?;
    let (_, body) = graph.repeat_while(&go).times(1000).add()?;
    let plates = body.rotate(&[&one, &other])?;
    let step = body.launch(&spread, args![plates.now(), plates.next(), SIZE])
        .items((SIZE, SIZE)).add()?;
    let step = body.launch(&change, args![plates.now(), plates.next(), &changes, SIZE])
        .items(SIZE).after(step).add()?;
    body.launch(&decide, args![&changes, &go, &count, SIZE, TOLERANCE]).after(step).add()?;
    graph.freeze()?.call(with![])?;

    let steps = count.read()?[0];
    let plate = if steps % 2 == 1 { &other } else { &one }.read()?;
    println!("settled after {} steps, {:.1} degrees in the middle", steps,
             plate[SIZE / 2 * SIZE + SIZE / 2]);
    Ok(())
}
