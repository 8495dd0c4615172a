// SPDX-License-Identifier: MIT
// error: E0277
// A system stays on its thread.
use plait::*;

pub fn wrong(system: System) {
    std::thread::spawn(move || system.pump());
}
