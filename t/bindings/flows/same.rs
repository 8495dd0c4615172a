// SPDX-License-Identifier: MIT
//! The program of same.py: t/bindings/flows.t compares their outputs.
use std::mem::swap;

use plait::{args, Advice, chunk, DeviceChoice, FlowFormat, FlowOptions, LaneChoice, Memories, ParentChoice, Result, System};

const SIGNATURE: &str = "heat(u: in array1 f32, v: out array1 f32, n: u64, c: chunk)";
const SOURCE: &str = "
KERNEL(heat) {
	CHUNK1(x)
		AT1(v, x) = AT1(u, x > 0 ? x - 1 : 0) + AT1(u, x) + AT1(u, x + 1 < n ? x + 1 : n - 1);
}
";

const SUM: &str = "
struct chunk { u64 low[3], high[3]; };
KERNEL(sum) { EACH(i, 1) for (u64 k = c.low[0]; k < c.high[0]; k++) t[0] += u[k]; }
";

fn main() -> Result<()> {
    let system = System::options().backend("host").open()?;
    // SAFETY: the code accesses the neighbours that the launch says.
    let heat = unsafe { system.kernel(SIGNATURE, SOURCE)? };
    let flow = FlowOptions::new().record().check().fixed().lanes(2).create(&system)?;
    let mut u = flow.data(8).label("u").array(&[0f32, 0., 0., 1., 0., 0., 0., 0.])?;
    let (mut v, total) = (flow.data(8).label("v").zeros::<f32>()?, flow.data(1).label("total").zeros::<f64>()?);
    for _ in 0..3 {
        flow.launch(&heat, args![u.near([1, 0, 0]), v.own(), 8, chunk()]).items(8).split(1, 2).submit()?;
        swap(&mut u, &mut v);
    }
    flow.call((u.reads(), total.writes()), |(numbers, out)| out[0] = numbers.iter().map(|&x| f64::from(x)).sum())
        .label("add").submit()?;
    let numbers: Vec<String> = u.read()?.iter().map(f32::to_string).collect();
    println!("{} {}", total.get(0)?, numbers.join(" "));
    // SAFETY: a piece adds its own elements to one number.
    let add_up = unsafe { system.kernel("sum(u: in pointer f32, t: inout pointer f64, c: struct chunk 48)", SUM)? };
    // SAFETY: the launch is of n items.
    let join = unsafe {
        system.kernel("add(into: inout pointer f64, from: in pointer f64, n: u64)",
                      "KERNEL(add) { EACH(i, n) into[i] += from[i]; }")?
    };
    flow.launch(&add_up, args![&u, total.accumulates(&join, 0.), chunk()]).items(8).split(1, 2).submit()?;
    println!("{}", total.get(0)?);
    u.set(2, 9.)?;
    flow.fill(v.at(2..4), 5f32).submit()?;
    println!("{} {}", u.get(2)?, v.get(3)?);
    let task = flow.call((), |()| Err::<(), _>("lost")).updates(&v).label("fail").submit()?;
    if flow.wait(task).is_err() {
        println!("failed");
    }
    if v.get(0).is_err() {
        println!("poisoned");
    }
    flow.fill(&v, 2f32).submit()?;
    println!("{}", v.get(0)?);
    let chunks = flow.split(10, 1, 3)?;
    let chunks: Vec<String> = chunks.iter().map(|one| format!("{}-{}", one[0].start, one[0].end)).collect();
    println!("{}", chunks.join(" "));
    flow.fill(&u, 1f32).submit()?;
    let graph = system.graph()?;
    flow.capture(&graph, || flow.launch(&heat, args![&u, &v, 8, chunk()]).items(8).submit().map(drop))?;
    let plan = graph.freeze()?;
    for _ in 0..3 {
        flow.repeat(1, || {
            flow.launch(&heat, args![u.near([1, 0, 0]), v.own(), 8, chunk()]).items(8).split(1, 2).submit()?;
            flow.copy(&u, &v).submit().map(drop)
        })?;
    }
    println!("{}", u.get(4)?);
    plan.call(&[])?;
    println!("{}", v.get(4)?);
    let near = FlowOptions::new()
        .devices(system.devices())
        .choose(DeviceChoice::MinSize)
        .parent(ParentChoice::Disjoint)
        .lane(LaneChoice::AlwaysNew)
        .device_lanes(2)
        .threshold(50)
        .create(&system)?;
    let (a, b) = (near.data(8).array(&[1f32; 8])?, near.data(8).zeros::<f32>()?);
    for what in [Advice::Prefetch, Advice::Reserve, Advice::Evict, Advice::Prefetch] {
        a.advise(what, Some(system.device()))?;
    }
    a.at(2..4).advise(Advice::Prefetch, None)?;
    near.launch(&heat, args![&a, &b, 8, chunk()]).items(8).submit()?;
    println!("{}", b.get(4)?);
    flow.read("data x 8\ntask late writes=x[2:4]\ntask last reads=x[2:4]\n", "tasks")?;
    let text = flow.explain()?;
    println!("{}", text.lines().filter(|line| line.contains("which it wrote")).last().unwrap_or("").trim());
    let memories = Memories::new(3).ring().shared().no_lookahead().strict()
        .weights(&[1, 1, 1]).choose(DeviceChoice::MinSize)
        .parent(ParentChoice::Disjoint).lane(LaneChoice::AlwaysNew).lanes(u32::MAX).memory_bytes(1 << 30)
        .links("-1,0,2\n");
    let text = flow.instructions(&memories, FlowFormat::Text)?;
    println!("{}", text.lines().next().unwrap_or(""));
    flow.finish()
}
