// SPDX-License-Identifier: MIT
//! The program of same.py: t/bindings/worlds.t compares their outputs.
use std::time::Duration;

use plait::{with, Buffer, CollKind, CollOptions, Element, Reduction, Result, System, WorldOptions};

fn content<T: Element + ToString>(buffer: &Buffer<T>) -> Result<String> {
    Ok(buffer.read()?.iter().map(T::to_string).collect::<Vec<_>>().join(" "))
}

fn truth(held: bool) -> &'static str {
    if held { "True" } else { "False" }
}

fn main() -> Result<()> {
    let system = System::options().backend("host").workers(2).open()?;
    let world = WorldOptions::new().silence(Duration::from_secs(100)).open(&system)?;
    let device = system.device();
    println!("{} ranks {} machine", world.ranks(), world.machines());
    let ring = CollOptions::new(CollKind::Allreduce, world.ranks()).in_place().known(&system, "ring")?.compile()?;
    let total = world.collective(&[&ring])?;
    let numbers = (1..5).map(|i| (world.rank() + i) as f32).collect::<Vec<_>>();
    let data = device.array(&numbers)?;
    total.share(4).output(&data).call()?;
    println!("called: {}", content(&data)?);
    let queue = device.queue()?;
    total.share(4).output(&data).submit(&queue)?;
    queue.finish()?;
    println!("submitted: {}", content(&data)?);
    let graph = system.graph()?;
    let first = total.share(4).output(&data).add(&graph, "first", None)?;
    total.share(4).output(&data).op(Reduction::Max).add(&graph, "second", Some(first))?;
    graph.freeze()?.call(with![])?;
    println!("in a graph: {}", content(&data)?);
    let shared = world.zeros(&device, 4)?;
    shared.write(&[(world.rank() + 1) as f32; 4])?;
    total.share(4).output(&shared).call()?;
    println!("shared: {}", shared.read()?[3]);
    let refused = total.share::<f32>(4).add(&graph, "none", None).unwrap_err();
    println!("refused: {}", truth(refused.to_string().contains("the output of rank")));
    println!("reached: {}", truth(world.report()?.contains(&format!("rank {}", 1 - world.rank()))));
    Ok(())
}
