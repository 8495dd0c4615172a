// SPDX-License-Identifier: MIT
//! A closure as a node between two kernels.
//!
//! One kernel fills a buffer in shuffled order, the program sorts it, another kernel
//! counts the elements out of place.
use std::path::Path;

use plait::{args, parameter, with, System};

const COUNT: usize = 1000;
const RUNS: u32 = 10;

fn main() -> plait::Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/pipeline");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernels access memory as their signatures declare.
    let kernel = |name: &str| unsafe { system.kernel_file(kernels.join(name)) };
    let (shuffle, steps) = (kernel("shuffle.plk")?, kernel("steps.plk")?);
    let (numbers, wrong) = (device.zeros::<f32>(COUNT)?, device.zeros::<u32>(1)?);
    let mut sorted = numbers.view(..)?;

    let graph = system.graph()?;
    let first = graph.launch(&shuffle, args![&numbers, COUNT, parameter("turn")])
        .items(COUNT).add()?;
    let then = graph.call(move || -> plait::Result<()> {
        // SAFETY: edges order the kernels before and after this node.
        unsafe { sorted.map_mut()? }.sort_by(|a, b| a.total_cmp(b));
        Ok(())
    });
    let then = then.label("sort").after(first).add()?;
    graph.launch(&steps, args![&numbers, &wrong, COUNT]).items(COUNT).after(then).add()?;
    let plan = graph.freeze()?;
    for turn in 0..RUNS {
        plan.call(with![turn = turn])?;
    }
    println!("{} runs, {} numbers out of place", RUNS, wrong.read()?[0]);
    Ok(())
}
