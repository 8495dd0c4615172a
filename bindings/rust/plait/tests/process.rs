// SPDX-License-Identifier: MIT
//! Tests that need their own process: `process fork`, `process exit`, `process missing`.
use std::os::raw::c_int;

use plait::{with, Freeze, System};

extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}

/// Calls in a forked child fail; the parent continues.
fn in_a_child() -> plait::Result<()> {
    let system = System::open()?;
    let pid = unsafe { fork() };
    if pid == 0 {
        let told = system.device().zeros::<u8>(4).map(|_| ()).unwrap_err();
        println!("told: {}", told);
        println!("told: {}", system.pump().unwrap_err().text().contains("fork"));
        drop(system);
        unsafe { _exit(0) };
    }
    let mut status = -1;
    unsafe { waitpid(pid, &mut status, 0) };
    println!("child: {}, parent: {:?}", status, system.device().array(&[1u8])?.read()?);
    Ok(())
}

/// The process ends while commands, runs and closures are on their way.
fn at_exit() -> plait::Result<()> {
    let system = System::open()?;
    let queue = system.device().queue()?;
    let buffer = system.device().zeros::<u8>(1 << 20)?;
    let graph = system.graph()?;
    let first = graph.fill(&buffer, 1).add()?;
    graph.call(|| println!("never")).after(first).add()?;
    let plan = graph.freeze_with(&Freeze::new().instances(8))?;
    for i in 0..100 {
        queue.fill(&buffer, i)?;
    }
    for _ in 0..8 {
        drop(plan.run(&queue, with![])?);
    }
    queue.call(|| println!("never"))?;
    println!("end");
    std::process::exit(0)
}

fn main() -> plait::Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("fork") => in_a_child(),
        Some("exit") => at_exit(),
        _ => System::open().map(|_| ()),
    }
}
