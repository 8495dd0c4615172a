// SPDX-License-Identifier: MIT
//! Saves a plan, or runs one that another process saved: `saved save|run FILE`.
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use plait::{args, parameter, with, Buffer, Kernel, Result, Signal, System};

struct All {
    system: System,
    kernel: Kernel,
    x: Buffer<f32>,
    y: Buffer<f32>,
    done: Signal,
}

fn save(all: &All, path: &str) -> Result<()> {
    let graph = all.system.graph()?;
    let (node, body) = graph.repeat_while_fn(|| false).times(3).label("more").add()?;
    body.launch(&all.kernel, args![parameter("a"), &all.x, &all.y, 2]).items(2).add()?;
    let note = graph.call(|| ()).after(node).label("note").add()?;
    graph.emit(&all.done).after(note).add()?;
    graph.freeze()?.save(path)
}

fn run(all: &All, path: &str) -> Result<()> {
    let (left, notes) = (Cell::new(4), Rc::new(RefCell::new(Vec::new())));
    let mut plan = all.system.load(path)?;
    let names = plan.bindings()?.into_iter().map(|one| {
        format!("{}:{}:{}", format!("{:?}", one.kind).to_lowercase(), one.name, one.bound as u8)
    });
    println!("{}", names.collect::<Vec<_>>().join(" "));
    println!("{}", plan.call(with![a = 2.0]).unwrap_err());
    plan.bind_kernel(&all.kernel)?;
    plan.bind_buffer("x", &all.x)?;
    plan.bind_buffer("y", &all.y)?;
    plan.bind_signal("done", &all.done)?;
    plan.bind_predicate(&all.system, "more", move || {
        left.set(left.get() - 1);
        left.get() > 0
    })?;
    let noted = notes.clone();
    plan.bind_function(&all.system, "note", move || noted.borrow_mut().push("note"))?;
    plan.bind_device("host:0", all.system.device())?;
    plan.prepare()?;
    plan.call(with![a = 2.0])?;
    let y = all.y.read()?;
    println!("{} {} {} {}", y[0], y[1], notes.borrow().join(" "), all.done.reached()?);
    Ok(())
}

fn main() -> Result<()> {
    let system = System::open()?;
    let device = system.device();
    let all = All {
        // SAFETY: the code accesses memory as its signature declares.
        kernel: unsafe {
            system.kernel("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                          "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")?
        },
        x: device.named_array(&[1f32, 2.0], "x")?,
        y: device.named_array(&[0f32, 0.0], "y")?,
        done: device.named_signal("done")?,
        system,
    };
    let given: Vec<String> = std::env::args().collect();
    if given[1] == "save" { save(&all, &given[2]) } else { run(&all, &given[2]) }
}
