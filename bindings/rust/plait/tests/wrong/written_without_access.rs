// SPDX-License-Identifier: MIT
// error: E0594
// A closure that reads data cannot write it.
use plait::*;

pub fn wrong(flow: &Flow, data: &Data<f32>) -> Result<u64> {
    flow.call(data.reads(), |numbers| numbers[0] = 1.0).submit()
}
