// SPDX-License-Identifier: MIT
// error: E0133
// That code does what its signature says is promised.
use plait::*;

pub fn wrong(system: &System) -> Result<Kernel> {
    system.kernel("f(x: inout pointer f32)", "KERNEL(f) { x[7] = 1; }")
}
