// SPDX-License-Identifier: MIT
//! k-means: a loop whose body takes one of two branches.
//!
//! After every point has chosen its nearest centre, either all centres have points and
//! move to their middle, or one has none and is reseeded at a point.
use std::path::Path;

use plait::{args, with, System};

const POINTS: usize = 3000;
const CENTRES: usize = 4;

/// Generate points around four fixed centres, the same in every run.
fn make_points() -> Vec<f32> {
    let middles = [[2, 2], [2, 8], [8, 2], [8, 8]];
    let mut state = 1u64;
    (0..2 * POINTS)
        .map(|i| {
            state = state * 16807 % 2147483647;
            middles[i / 2 % 4][i % 2] as f32 + (state as f64 / 2147483647.0 - 0.5) as f32
        })
        .collect()
}

fn main() -> plait::Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/kmeans");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernels access memory as their signatures declare.
    let kernel = |name: &str| unsafe { system.kernel_file(kernels.join(name)) };
    let (choose, gather) = (kernel("choose.plk")?, kernel("gather.plk")?);
    let (move_all, reseed) = (kernel("move.plk")?, kernel("reseed.plk")?);

    let points = device.array(&make_points())?;
    // All centres but one start far from every point.
    let mut places = [1000f32; 2 * CENTRES];
    places[..2].fill(5.0);
    let centres = device.array(&places)?;
    let (chosen, sums) = (device.zeros::<u32>(POINTS)?, device.zeros::<f32>(3 * CENTRES)?);
    let which = device.zeros::<u32>(1)?;
    let state = device.array(&[1u32, 0, 0])?; // continue, moves, reseeds

    let graph = system.graph()?;
    let (_, body) = graph.repeat_while(&state).times(20).add()?;
    let step = body.launch(&choose, args![&points, &centres, &chosen, POINTS, CENTRES])
        .items(POINTS).add()?;
    let step = body.launch(&gather, args![&points, &chosen, &sums, &which, POINTS, CENTRES])
        .after(step).add()?;
    let (_, branches) = body.case(&which, 2).after(step).add()?;
    branches[0].launch(&move_all, args![&centres, &sums, &state, CENTRES]).add()?;
    branches[1].launch(&reseed, args![&centres, &sums, &points, &state, POINTS, CENTRES]).add()?;
    graph.freeze()?.call(with![])?;

    let state = state.read()?;
    let found = centres.read()?;
    let mut found: Vec<(f32, f32)> = found.chunks(2).map(|c| (c[0], c[1])).collect();
    // Sort by x, and by y where x is nearly equal.
    found.sort_by_key(|(x, y)| (x.round() as i32, y.round() as i32));
    println!("settled after {} moves and {} new seeds", state[1], state[2]);
    for (x, y) in found {
        println!("a centre near {:.1}, {:.1}", x, y);
    }
    Ok(())
}
