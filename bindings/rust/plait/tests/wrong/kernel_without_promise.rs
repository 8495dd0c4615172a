// SPDX-License-Identifier: MIT
// error: E0133
// Kernel code needs an unsafe promise that it matches its signature.
use plait::*;

pub fn wrong(system: &System) -> Result<Kernel> {
    system.kernel("f(x: inout pointer f32)", "KERNEL(f) { x[7] = 1; }")
}
