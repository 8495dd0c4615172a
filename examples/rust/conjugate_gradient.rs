// SPDX-License-Identifier: MIT
//! A Poisson problem on a square, solved by conjugate gradients.
//!
//! The whole solver is one plan: a kernel computes the residual and ends the
//! loop when it is small.
use std::path::Path;

use plait::{args, with, System};

const SIZE: usize = 64;
const N: usize = SIZE * SIZE;
const TOLERANCE: f64 = 1e-8;

fn main() -> plait::Result<()> {
    let here = Path::new(option_env!("CARGO_MANIFEST_DIR").unwrap_or(""));
    let kernels = here.join(file!()).with_file_name("../kernels/conjugate_gradient");
    let system = System::open()?;
    let device = system.device();
    // SAFETY: the kernels access memory as their signatures declare.
    let kernel = |name: &str| unsafe { system.kernel_file(kernels.join(name)) };
    let (apply, step) = (kernel("apply.plk")?, kernel("step.plk")?);
    let (find_alpha, find_beta) = (kernel("find_alpha.plk")?, kernel("find_beta.plk")?);
    let turn = kernel("turn.plk")?;

    // b is 1 everywhere
    let (x, r, p) = (device.zeros::<f64>(N)?, device.array(&[1f64; N])?, device.array(&[1f64; N])?);
    let (q, parts) = (device.zeros::<f64>(N)?, device.zeros::<f64>(SIZE)?);
    let scalars = device.array(&[0.0, 0.0, N as f64])?;
    let (go, count) = (device.array(&[1u32])?, device.array(&[0u32])?);

    let graph = system.graph()?;
    let (_, body) = graph.repeat_while(&go).times(150).add()?;
    let last = body.launch(&apply, args![&p, &q, &parts, SIZE]).items(SIZE).add()?;
    let last = body.launch(&find_alpha, args![&parts, &scalars, SIZE]).after(last).add()?;
    let last = body.launch(&step, args![&x, &r, &p, &q, &scalars, &parts, SIZE])
        .items(SIZE).after(last).add()?;
    let last = body.launch(&find_beta, args![&parts, &scalars, &go, &count, SIZE, TOLERANCE])
        .after(last).add()?;
    body.launch(&turn, args![&p, &r, &scalars, N]).items(N).after(last).add()?;
    graph.freeze()?.call(with![])?;

    let solved = scalars.read()?[2].sqrt() <= TOLERANCE;
    println!("{} after {} iterations, {:.3} in the middle",
             if solved { "solved" } else { "not solved" }, count.read()?[0],
             x.read()?[SIZE / 2 * SIZE + SIZE / 2]);
    Ok(())
}
