// SPDX-License-Identifier: MIT
//! The operations of bench.c, from Rust.
use plait::{args, parameter, with, Plan, Queue, Signal, System};
use std::io::BufRead;
use std::time::{Duration, Instant};

const CALLS: usize = 1000;
const QUEUES: usize = 100;
const A_MOMENT: Duration = Duration::from_micros(500);

fn call_plain(plain: &Plan) -> plait::Result<()> {
    (0..CALLS).try_for_each(|_| plain.call(with![]))
}

fn call_told(told: &Plan) -> plait::Result<()> {
    (0..CALLS).try_for_each(|i| told.call(with![a = i as f64]))
}

fn run_and_wait(plain: &Plan, queue: &Queue) -> plait::Result<()> {
    (0..CALLS).try_for_each(|_| plain.run(queue, with![])?.wait())
}

fn submit_held(system: &System, queues: &[Queue], gate: &Signal, calls: usize,
               number: u64) -> plait::Result<()> {
    queues.iter().try_for_each(|queue| queue.wait(gate, number))?;
    (0..calls).try_for_each(|i| system.call(&queues[i % queues.len()], || ()))
}

fn call_pulled(queues: &[Queue], gate: &Signal, number: u64) -> plait::Result<()> {
    gate.raise(number)?;
    queues.iter().try_for_each(Queue::finish)
}

fn pull_waiting(system: &System) -> plait::Result<()> {
    let mut count = 0;
    while count < QUEUES {
        count += system.pump()?;
    }
    Ok(())
}

fn timed(calls: usize, batch: impl FnOnce() -> plait::Result<()>) -> plait::Result<f64> {
    let begin = Instant::now();
    batch()?;
    Ok(begin.elapsed().as_nanos() as f64 / calls as f64)
}

/// Pull batches of a hundred, which arrive while this thread is awake; the minimum.
fn time_pulls(system: &System, queues: &[Queue], gate: &Signal, turn: &mut u64) -> plait::Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..CALLS / QUEUES {
        *turn += 1;
        submit_held(system, queues, gate, QUEUES, *turn)?;
        gate.raise(*turn)?;
        let begin = Instant::now();
        while begin.elapsed() < A_MOMENT {}
        least = least.min(timed(QUEUES, || pull_waiting(system))?);
        queues.iter().try_for_each(Queue::finish)?;
    }
    Ok(least)
}

fn main() -> plait::Result<()> {
    let system = System::open()?;
    let device = system.device();
    let queue = device.queue()?;
    let graph = system.graph()?;
    graph.join().add()?;
    let plain = graph.freeze()?;
    // SAFETY: the code accesses memory as its signature declares.
    let put = unsafe {
        system.kernel("put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }")?
    };
    let telling = system.graph()?;
    telling.launch(&put, args![parameter("a"), &device.array(&[0f64])?]).add()?;
    let told = telling.freeze()?;
    let queues = (0..QUEUES).map(|_| device.queue()).collect::<plait::Result<Vec<_>>>()?;
    let gate = device.gate()?;
    let mut turn = 0;
    for _ in std::io::stdin().lock().lines() {
        print!("{:.1} {:.1} {:.1} {:.1} ", timed(CALLS, || call_plain(&plain))?,
               timed(CALLS, || call_told(&told))?, timed(CALLS, || run_and_wait(&plain, &queue))?,
               time_pulls(&system, &queues, &gate, &mut turn)?);
        turn += 1;
        submit_held(&system, &queues, &gate, CALLS, turn)?;
        println!("{:.1}", timed(CALLS, || call_pulled(&queues, &gate, turn))?);
    }
    Ok(())
}
