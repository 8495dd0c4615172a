// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: names of plans, planning, and waiting.
use std::time::{Duration, Instant};

use plait::{args, parameter, sys, with, BindingKind, Buffer, Costs, Freeze, Graph, ImageFormat, Kernel, KernelBuilder,
            Mode, Result, RunFlags, Status, System, Tune, SAMPLER_LINEAR};

const SIGNATURE: &str = "saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)";
const PLUS: &str = "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }";
const MINUS: &str = "KERNEL(saxpy) { EACH(i, n) y[i] -= a * x[i]; }";

fn with_system(test: impl FnOnce(&System) -> Result<()>) {
    let system = System::open().unwrap();
    test(&system).unwrap();
    drop(system);
    let end = Instant::now() + Duration::from_secs(60);
    while plait::live_count().unwrap() != 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(plait::live_count().unwrap(), 0);
}

fn kernel(system: &System, code: &str) -> Result<Kernel> {
    // SAFETY: it does what it says.
    unsafe { system.kernel(SIGNATURE, code) }
}

fn saxpy(system: &System) -> Result<(Graph, Kernel, Buffer<f32>, Buffer<f32>)> {
    let (kernel, graph) = (kernel(system, PLUS)?, system.graph()?);
    let x = system.device().named_array(&[1f32, 2.0], "x")?;
    let y = system.device().named_array(&[0f32, 0.0], "y")?;
    graph.launch(&kernel, args![parameter("a"), &x, &y, 2]).items(2).label("saxpy").cost(5).add()?;
    Ok((graph, kernel, x, y))
}

#[test]
fn names_of_plans() {
    with_system(|system| {
        let (graph, kernel, x, y) = saxpy(system)?;
        let plan = system.read(&graph.freeze()?.bytes()?)?;
        let names = plan.bindings()?;
        assert_eq!((names[0].kind, names[0].name.as_str()), (BindingKind::Kernel, "saxpy"));
        let told = plan.call(with![a = 1.0]).unwrap_err();
        assert!(told.text().contains("not bound: call Plan::bind_kernel"), "{}", told);
        plan.bind_kernel(&kernel)?;
        plan.bind_buffer("x", &x)?;
        assert!(plan.bind_buffer("z", &x).unwrap_err().text().contains("no buffer \"z\""));
        plan.bind_buffer("y", &y)?;
        plan.prepare()?;
        plan.call(with![a = 3.0])?;
        assert_eq!(y.read()?, [3.0, 6.0]);
        let graph = system.graph()?;
        graph.repeat_while_fn(|| false).label("more").add()?;
        let mut plan = system.read(&graph.freeze()?.bytes()?)?;
        let told = plan.bind_function(system, "more", || ()).unwrap_err();
        assert!(told.text().contains("use bind_predicate"), "{}", told);
        plan.bind_predicate(system, "more", || false)?;
        plan.call(with![])
    });
}

#[test]
fn capture() {
    with_system(|system| {
        let (device, first) = (system.device(), system.device().queue()?);
        let (second, signal) = (device.queue()?, device.signal()?);
        let (x, y) = (device.zeros::<u32>(2)?, device.zeros::<u32>(2)?);
        let graph = system.capture(&[&first, &second], false, || {
            first.fill(&x, 7)?;
            first.emit(&signal)?;
            second.wait(&signal, 0)?;
            second.copy(&y, &x)?;
            assert!(first.call(|| ()).unwrap_err().text().contains("called once"));
            assert!(first.finish().unwrap_err().text().contains("is captured"));
            Ok(())
        })?;
        assert_eq!((graph.size()?, y.read()?), ((3, 2), vec![0, 0]));
        graph.freeze()?.call(with![])?;
        assert_eq!(y.read()?, [7, 7]);
        assert!(system.capture(&[], false, || Ok(())).is_err());
        Ok(())
    });
}

#[test]
fn planning() {
    with_system(|system| {
        let (graph, kernel, _x, y) = saxpy(system)?;
        let (begin, end) = (graph.mark("begin").add()?, graph.join().label("end").add()?);
        graph.edge(begin, end)?;
        let gone = [graph.mark("gone").add()?, graph.mark("extra").add()?];
        graph.edge(gone[0], gone[1])?;
        graph.remove_edge(gone[0], gone[1])?;
        assert!(graph.remove_edge(gone[0], gone[1]).is_err());
        graph.remove(gone)?;
        assert!(graph.remove(gone[0]).unwrap_err().text().contains("not a node"));
        graph.resource("bus", 2)?;
        let extra = [graph.mark("first").cost(5).add()?, graph.mark("second").cost(5).add()?];
        graph.need(extra[0], "bus", 2)?;
        graph.need(extra[1], "bus", 1)?;
        graph.priority(extra[1], 7)?;
        assert!(graph.need(extra[0], "bug", 1).unwrap_err().text().contains("no resource 'bug'"));
        assert_eq!(graph.freeze_with(&Freeze::new().lanes(4))?.simulate(&Costs::default())?.makespan, 10);
        graph.remove(extra)?;
        assert_eq!(graph.size()?, (3, 1));
        let plan = graph.freeze_with(&Freeze::new().hop_cost(1).sinks([end]).sources([begin]))?;
        assert_eq!(plan.query()?.nodes, 2);
        let plan = graph.freeze()?;
        assert_eq!(plan.simulate(&Costs::default())?.makespan, 5);
        assert_eq!(plan.critical_path(&Costs::default())?[0].label, "saxpy");
        assert_eq!(plan.commands()?.len(), 3);
        plan.record()?;
        let run = plan.run(&system.device().queue()?, with![a = 1.0])?;
        run.wait()?;
        let (records, dropped) = run.records()?;
        assert!(!records.is_empty() && dropped == 0);
        assert_eq!(run.query()?.commands, 3);
        let (tuned, info) = plan.tune(&Tune { mode: Mode::Strict, ..Tune::default() })?;
        assert_eq!(info.runs, 1);
        tuned.exchange(&kernel, &self::kernel(system, MINUS)?)?;
        tuned.set_flags(RunFlags { serial: true, ..RunFlags::default() });
        tuned.call(with![a = 1.0])?;
        assert_eq!(y.read()?, [0.0, 0.0]);
        let rehearsal = graph.freeze()?;
        rehearsal.rehearse(0)?;
        rehearsal.call(with![])?;
        assert_eq!(y.read()?, [0.0, 0.0]);
        let text = "node a\nnode b after=a\n";
        assert_eq!(system.read_graph(text, "two")?.freeze()?.query()?.edges, 1);
        let source = KernelBuilder::new(SIGNATURE).portable(PLUS).source_text(sys::PLAIT_SOURCE_C)?;
        assert!(source.contains("plait_i"));
        let twice = "FUNCTION u32 twice(u32 v) { return ONE * 2 * v; }";
        let two = KernelBuilder::new("two(y: out pointer u32)").before("one.h", "#define ONE 1");
        let two = two.before("twice.c", twice).portable("KERNEL(two) { *y = twice(1); }");
        // SAFETY: portable source.
        unsafe { two.build(system) }?;
        let wrong = KernelBuilder::new("two(y: out pointer u32)").before("twice.c", twice);
        // SAFETY: portable source.
        let wrong = unsafe { wrong.portable("KERNEL(two) { *y = 1; }").build(system) };
        assert!(wrong.err().unwrap().text().contains("twice.c"));
        let age = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let code = format!("int f(unsigned x)\n{{ int unused = 3; return 0; }} /* {} */\n", age.as_nanos());
        let builder = KernelBuilder::new("f(x: u32)").host(&code).options("-Wunused-variable");
        // SAFETY: the function has the type of the signature.
        let messages = unsafe { builder.build(system) }?.messages(system.device())?;
        assert!(messages.contains("warning: unused variable"));
        assert!(System::options().backend("host").report()?.contains("host"));
        Ok(())
    });
}

#[test]
fn sides_that_each_run_sets() {
    with_system(|system| {
        let (graph, device) = (system.graph()?, system.device());
        let (a, b) = (device.zeros::<u32>(2)?, device.zeros::<u32>(2)?);
        let fill = graph.fill_parameter(parameter("a"), 7u32, 2).add()?;
        let copy = graph.copy_between(parameter("b"), parameter("a"), 8).after(fill).add()?;
        let c = device.zeros::<u32>(2)?;
        let next = graph.copy_from(&c, parameter("b")).after(copy).add()?;
        graph.copy_to(parameter("d"), &c).after(next).add()?;
        let d = device.zeros::<u32>(2)?;
        graph.freeze()?.call(with![a = &a, b = &b, d = &d])?;
        assert_eq!((b.read()?, d.read()?), (vec![7, 7], vec![7, 7]));
        Ok(())
    });
}

#[test]
fn waiting() {
    with_system(|system| {
        let device = system.device();
        let (gate, signal, queue) = (device.gate()?, device.signal()?, device.queue_with(1, 64)?);
        let buffer = device.zeros::<u32>(2)?;
        queue.emit(&signal)?;
        system.wait(&[(&signal, 1)], None)?;
        assert_eq!(system.wait_any(&[(&gate, 1), (&signal, 1)], None)?, 1);
        let late = system.wait(&[(&gate, 1)], Some(Duration::ZERO)).unwrap_err();
        assert_eq!(late.status(), Status::Timeout);
        queue.wait(&gate, 1)?;
        let written = queue.write_later(&buffer, vec![1, 2])?;
        let taken = queue.read_later(&buffer)?;
        assert!(!taken.is_done());
        gate.raise(1)?;
        assert_eq!((written.wait()?, taken.wait()?), (vec![1, 2], vec![1, 2]));
        let mut data = [0; 2];
        queue.write(&buffer, &[3, 4])?;
        queue.read(&buffer, &mut data)?;
        assert_eq!(data, [3, 4]);
        assert_eq!(queue.read(&buffer, &mut [0; 3]).unwrap_err().status(), Status::Invalid);
        queue.wait(&gate, 2)?;
        drop(queue.read_later(&buffer)?); // its memory leaks, and is written
        gate.raise(2)?;
        queue.finish()?;
        gate.fail("no more", 1)?;
        assert!(gate.wait(3, None).unwrap_err().text().contains("no more"));
        gate.reset()
    });
}

#[test]
fn runs_that_may_overlap() {
    with_system(|system| {
        let (device, graph) = (system.device(), system.graph()?);
        let (gate, begun, out) = (device.gate()?, device.signal()?, device.zeros::<u32>(2)?);
        let begin = graph.emit(&begun).add()?;
        let wait = graph.wait(&gate, 1).after(begin).add()?;
        let between = graph.temporary::<u32>(device, 2)?;
        let fill = graph.fill(&between, 7).after(wait).add()?;
        graph.copy(&out, &between).after(fill).add()?;
        assert!(between.read().unwrap_err().text().contains("temporary"));
        let plan = graph.freeze()?;
        plan.set_flags(RunFlags { overlap: true, ..RunFlags::default() });
        let runs = [plan.run(&device.queue()?, with![])?, plan.run(&device.queue()?, with![])?];
        let end = Instant::now() + Duration::from_secs(60);
        while begun.reached()? < 2 && Instant::now() < end {
            let _ = gate.wait(1, Some(Duration::from_millis(10)));
        }
        assert_eq!(begun.reached()?, 2);
        gate.raise(1)?;
        for run in runs {
            run.wait()?;
        }
        assert_eq!(out.read()?, [7, 7]);
        Ok(())
    });
}

#[test]
fn a_system_that_is_closed() {
    let system = System::open().unwrap();
    let buffer = system.device().zeros::<u32>(2).unwrap();
    assert_eq!(system.close(Some(Duration::ZERO)).unwrap_err().status(), Status::Timeout);
    drop(buffer);
    let system = System::open().unwrap();
    let (graph, kernel, x, y) = saxpy(&system).unwrap();
    graph.freeze().unwrap().call(with![a = 1.0]).unwrap();
    drop((graph, kernel, x, y));
    system.close(Some(Duration::from_secs(60))).unwrap();
}

#[test]
fn a_plan_as_a_c_function() {
    with_system(|system| {
        let (graph, _kernel, _x, y) = saxpy(system)?;
        let plan = graph.freeze()?;
        let made = match plan.callable("f(a: f32): i32") {
            Err(error) if error.status() == Status::Unsupported => return Ok(()), // without libffi
            made => made?,
        };
        drop(plan);
        // SAFETY: the signature says so.
        let function: extern "C" fn(f32) -> i32 =
            unsafe { std::mem::transmute(made.function().unwrap()) };
        assert_eq!(function(3.0), 0);
        assert_eq!(y.read()?, [3.0, 6.0]);
        Ok(())
    });
}

#[test]
fn images() {
    with_system(|system| {
        let device = system.device();
        // SAFETY: it does what it says.
        let half = unsafe {
            system.kernel("shrink(from: in image, by: sampler, to: out image)", "KERNEL(shrink) {
                EACH2(x, IMAGE_WIDTH(to), y, IMAGE_HEIGHT(to))
                    IMAGE_WRITE(to, x, y, IMAGE_SAMPLE(from, by, 2 * x + 1.0f, 2 * y + 1.0f)); }")?
        };
        let image = device.image::<f32>(4, 2, ImageFormat::R32F)?;
        let small = device.image::<f32>(2, 1, ImageFormat::R32F)?;
        let queue = device.queue()?;
        queue.write(&image, &[1f32, 3.0, 5.0, 7.0, 1.0, 3.0, 9.0, 11.0])?;
        queue.launch(&half, args![&image, SAMPLER_LINEAR, &small], (2, 1))?;
        let mut got = [0f32; 2];
        queue.read(&small, &mut got)?;
        assert_eq!(got, [2.0, 8.0]);
        assert!(device.image::<u8>(0, 1, ImageFormat::Rgba8).is_err());
        Ok(())
    });
}
