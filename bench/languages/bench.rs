// SPDX-License-Identifier: MIT
//! What bench.c measures, from Rust.
use plait::{args, parameter, with, Plan, Queue, Signal, System};
use std::io::BufRead;
use std::time::Instant;

const CALLS: u32 = 1000;

fn call_plain(plain: &Plan) -> plait::Result<()> {
    (0..CALLS).try_for_each(|_| plain.call(with![]))
}

fn call_told(told: &Plan) -> plait::Result<()> {
    (0..CALLS).try_for_each(|i| told.call(with![a = i]))
}

fn run_and_wait(plain: &Plan, queue: &Queue) -> plait::Result<()> {
    (0..CALLS).try_for_each(|_| plain.run(queue, with![])?.wait())
}

fn submit_held(system: &System, queues: &[Queue], gate: &Signal, number: u64) -> plait::Result<()> {
    queues.iter().try_for_each(|queue| queue.wait(gate, number))?;
    (0..CALLS as usize).try_for_each(|i| system.call(&queues[i % queues.len()], || ()))
}

fn call_pulled(queues: &[Queue], gate: &Signal, number: u64) -> plait::Result<()> {
    gate.raise(number)?;
    queues.iter().try_for_each(Queue::finish)
}

fn timed(batch: impl FnOnce() -> plait::Result<()>) -> plait::Result<f64> {
    let begin = Instant::now();
    batch()?;
    Ok(begin.elapsed().as_nanos() as f64 / f64::from(CALLS))
}

fn main() -> plait::Result<()> {
    let system = System::open()?;
    let device = system.device();
    let queue = device.queue()?;
    let graph = system.graph()?;
    graph.join().add()?;
    let plain = graph.freeze()?;
    // SAFETY: it does what its signature says.
    let put = unsafe {
        system.kernel("put(a: f64, y: out pointer f64)", "KERNEL(put) { EACH(i, 1) y[i] = a; }")?
    };
    let telling = system.graph()?;
    telling.launch(&put, args![parameter("a"), &device.array(&[0f64])?]).add()?;
    let told = telling.freeze()?;
    let queues = (0..100).map(|_| device.queue()).collect::<plait::Result<Vec<_>>>()?;
    let gate = device.gate()?;
    for (turn, _) in (1..).zip(std::io::stdin().lock().lines()) {
        print!("{:.1} {:.1} {:.1} ", timed(|| call_plain(&plain))?, timed(|| call_told(&told))?,
               timed(|| run_and_wait(&plain, &queue))?);
        submit_held(&system, &queues, &gate, turn)?;
        println!("{:.1}", timed(|| call_pulled(&queues, &gate, turn))?);
    }
    Ok(())
}
