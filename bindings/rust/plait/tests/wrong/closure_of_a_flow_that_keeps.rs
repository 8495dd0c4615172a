// SPDX-License-Identifier: MIT
// error: E0521
// A closure of a task cannot keep its slices: the memory is its own only while it runs.
use plait::*;
use std::cell::Cell;

thread_local! {
    static KEPT: Cell<&'static [f32]> = const { Cell::new(&[]) };
}

pub fn wrong(flow: &Flow, data: &Data<f32>) -> Result<u64> {
    flow.call(data.reads(), |numbers| KEPT.with(|kept| kept.set(numbers))).submit()
}
