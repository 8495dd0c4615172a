// SPDX-License-Identifier: MIT
//! Helpers of several files of tests.
#![allow(dead_code)] // each file uses some of them

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use plait::{Kernel, Queue, Result, System};

pub const SAXPY: (&str, &str) = ("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                                 "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }");
pub const COUNT_DOWN: (&str, &str) = ("count_down(left: inout pointer u32)",
                                      "KERNEL(count_down) { EACH(i, 1) left[i] -= 1; }");

pub static ALONE: Mutex<()> = Mutex::new(());

/// Run a test with its own system, and check that no object is left.
pub fn alone(test: impl FnOnce(&System, &Queue) -> Result<()>) {
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let system = System::open().unwrap();
    let queue = system.device().queue().unwrap();
    test(&system, &queue).unwrap();
    drop(queue);
    drop(system);
    nothing_is_left();
}

/// What is in flight ends by itself; nothing else is left to end it.
pub fn nothing_is_left() {
    let end = Instant::now() + Duration::from_secs(60);
    while plait::live_count().unwrap() != 0 && Instant::now() < end {
        thread::yield_now();
    }
    assert_eq!(plait::live_count().unwrap(), 0);
}

pub fn kernel(system: &System, code: (&str, &str)) -> Result<Kernel> {
    // SAFETY: they do what they say.
    unsafe { system.kernel(code.0, code.1) }
}
