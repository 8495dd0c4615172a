// SPDX-License-Identifier: MIT
// error: E0277
// A flow stays on the thread that opened the system, on which its closures run.
use plait::*;

pub fn wrong(flow: Flow) {
    std::thread::spawn(move || flow.finish());
}
