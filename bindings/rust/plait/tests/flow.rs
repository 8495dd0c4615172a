// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: flows.
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use plait::{args, chunk, Flow, FlowFormat, FlowOptions, Kernel, Result, Status, System};

fn with_flow(options: FlowOptions, test: impl FnOnce(&System, &Flow) -> Result<()>) {
    let system = System::options().backend("host").open().unwrap();
    let flow = options.create(&system).unwrap();
    test(&system, &flow).unwrap();
    drop(flow);
    drop(system);
    let end = Instant::now() + Duration::from_secs(60);
    while plait::live_count().unwrap() != 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(plait::live_count().unwrap(), 0);
}

fn double(system: &System) -> Result<Kernel> {
    // SAFETY: it does what it says.
    unsafe { system.kernel("twice(x: inout pointer f32, n: u64)", "KERNEL(twice) { EACH(i, n) x[i] *= 2; }") }
}

#[test]
fn host_access_waits() {
    with_flow(FlowOptions::new(), |system, flow| {
        let (twice, x) = (double(system)?, flow.array(&[1f32, 2.0, 3.0])?);
        for _ in 0..10 {
            flow.launch(&twice, args![&x, 3]).items(3).submit()?;
        }
        assert_eq!(x.read()?, [1024.0, 2048.0, 3072.0]);
        x.set(1, 1.0)?;
        flow.launch(&twice, args![&x, 3]).items(3).submit()?;
        assert_eq!(x.get(1)?, 2.0);
        x.at(..2).write(&[7.0, 8.0])?;
        assert_eq!(x.map()?[..], [7.0, 8.0, 6144.0]);
        x.map_mut()?[2] = 9.0;
        assert_eq!(x.at(1..).read()?, [8.0, 9.0]);
        flow.finish()
    });
}

#[test]
fn data_of_two_dimensions() {
    with_flow(FlowOptions::new(), |_, flow| {
        let table = flow.data((4, 3)).array(&(0..12).collect::<Vec<i32>>())?;
        assert_eq!((table.len(), table.shape()), (12, vec![4, 3]));
        assert_eq!(table.get((1, 2))?, 9);
        assert_eq!(table.at((1..3, 1..=2)).read()?, [5, 6, 9, 10]);
        flow.fill(table.at((.., 0)), -1).submit()?;
        flow.copy(table.at((0..2, 2)), table.at((2..4, 1))).submit()?;
        assert_eq!(table.read()?, [-1, -1, -1, -1, 4, 5, 6, 7, 6, 7, 10, 11]);
        flow.call(table.at((.., 1..)).updates(), |rows| rows[0] = rows.len() as i32).submit()?;
        assert_eq!(table.get((0, 1))?, 8);
        flow.finish()
    });
}

#[test]
fn wrong_parts() {
    with_flow(FlowOptions::new(), |system, flow| {
        let (table, numbers) = (flow.zeros::<i32>((4, 3))?, flow.zeros::<f32>(4)?);
        let texts = [
            table.get((4, 0)).unwrap_err(),
            table.get((0..2, 0)).unwrap_err(),
            table.write(&[1, 2]).unwrap_err(),
            table.own().read().unwrap_err(),
            flow.call(table.at((0..2, ..)).updates(), |_| ()).submit().unwrap_err(),
            flow.call((table.reads(), table.at((.., 0)).writes()), |_| ()).submit().unwrap_err(),
            flow.copy(&numbers, &table).submit().unwrap_err(),
            flow.fill(&numbers, 1i32).submit().unwrap_err(),
            flow.launch(&double(system)?, args![&table, 3]).submit().unwrap_err(),
            flow.launch(&double(system)?, args![&numbers]).submit().unwrap_err(),
            flow.launch(&double(system)?, args![4, 3]).submit().unwrap_err(),
            flow.fill(&numbers, 1f32).items(plait::parameter("n")).submit().unwrap_err(),
            flow.zeros::<i32>(0).unwrap_err(),
        ];
        let wanted = ["elements 4 to 5 of dimension 0, which has 4", "one element, not 2", "2 elements for a part that has 12",
                      "for pieces of launches", "a part without gaps", "two accesses to the same elements",
                      "copy: i32 to f32", "fill: f32 with a i32", "is a pointer to f32", "takes 2 arguments (x, n), not 1",
                      "is a pointer: give it", "parameters are for graphs", "extent"];
        for (text, wanted) in texts.iter().zip(wanted) {
            assert!(text.status() == Status::Invalid && text.text().contains(wanted), "{} {}", text, wanted);
        }
        assert!(flow.call((table.at((.., 0)).reads(), table.at((.., 1)).writes()), |(a, b)| b.copy_from_slice(a))
            .submit().is_ok());
        assert!(flow.call((table.reads(), table.reads()), |(a, b)| assert_eq!(a, b)).submit().is_ok());
        flow.finish()
    });
}

#[test]
fn repeats_are_found() {
    with_flow(FlowOptions::new().repeats(), |system, flow| {
        let (u, v) = (flow.zeros::<i32>(4)?, flow.zeros::<i32>(4)?);
        for _ in 0..20 {
            for i in 0..10 {
                flow.fill(&u, i).submit()?;
                flow.copy(&v, &u).submit()?;
            }
            flow.finish()?;
        }
        assert_eq!(v.read()?, [9; 4]);
        let info = flow.query()?;
        assert!(info.newest >= 400 && info.repeated >= 200, "{:?}", info);
        let refused = FlowOptions::new().repeats().record().create(system).err().unwrap();
        assert!(refused.text().contains("PLAIT_FLOW_RECORD with PLAIT_FLOW_REPEATS"), "{}", refused);
        Ok(())
    });
}

#[test]
fn failures_poison_and_are_cured() {
    with_flow(FlowOptions::new(), |_, flow| {
        let (x, y, used) = (flow.zeros::<f64>(2)?, flow.zeros::<f64>(2)?, Rc::new(()));
        let task = flow.call(x.updates(), |x| if x[0] == 0.0 { Err("no number") } else { Ok(()) }).label("root").submit()?;
        let kept = used.clone();
        let later = flow.call((x.reads(), y.writes()), move |(x, y)| {
            drop(kept);
            y.copy_from_slice(x)
        }).submit()?;
        let told = flow.wait(task).unwrap_err();
        assert!(told.status() == Status::Failed && told.text().contains("no number"), "{}", told);
        assert!(flow.wait(later).is_err() && y.read().is_err() && x.map().is_err());
        flow.fill(&x, 3.0f64).submit()?;
        flow.copy(&y, &x).submit()?;
        assert_eq!(y.read()?, [3.0, 3.0]);
        let _ = flow.finish();
        flow.finish()?;
        assert_eq!(Rc::strong_count(&used), 1); // the closure that did not run was dropped
        let task = flow.call((), |()| panic!("at once")).submit()?;
        assert!(flow.wait(task).unwrap_err().text().contains("at once"));
        assert!(flow.query()?.failed > 0);
        Ok(())
    });
}

#[test]
fn closures_cannot_wait_for_their_own_task() {
    with_flow(FlowOptions::new(), |_, flow| {
        let x = Rc::new(flow.zeros::<u32>(4)?);
        let same = x.clone();
        let task = flow.call(x.updates(), move |_| same.map().map(|_| ())).submit()?;
        let told = flow.wait(task).unwrap_err();
        assert!(told.text().contains("Deadlock"), "{}", told);
        Ok(())
    });
}

#[test]
fn order_without_memory() {
    with_flow(FlowOptions::new().window(64).lanes(2).label("mine").record(), |system, flow| {
        let (token, count, seen) = (flow.token()?, Arc::new(AtomicUsize::new(0)), flow.zeros::<u32>(1)?);
        let signal = system.device().signal()?;
        for i in 0..200 {
            let count = count.clone();
            flow.call((), move |()| assert_eq!(count.fetch_add(1, Ordering::Relaxed), i)).updates(&token).submit()?;
        }
        flow.emit(&signal).reads(&token).submit()?;
        flow.wait_for(&signal, 0).updates(&token).label("wait").submit()?;
        flow.call(seen.writes(), |seen| seen[0] = 5).reads(&token).urgent().barrier().cost(3).submit()?;
        assert_eq!((seen.get(0)?, signal.reached()?), (5, 1));
        let info = flow.query()?;
        assert_eq!((info.window, info.lanes, info.failed), (64, 2, 0));
        assert!(flow.explain()?.contains("\"wait\""));
        for format in [FlowFormat::Json, FlowFormat::Dot, FlowFormat::Svg] {
            assert!(flow.write(format)?.len() > 100);
        }
        assert!(flow.read("task", "tasks").unwrap_err().text().contains("tasks"));
        flow.finish_timeout(Duration::from_secs(60))
    });
}

#[test]
fn plans_are_tasks() {
    with_flow(FlowOptions::new(), |system, flow| {
        let (token, count) = (flow.token()?, Arc::new(AtomicUsize::new(0)));
        let (graph, same) = (system.graph()?, count.clone());
        graph.call(move || { same.fetch_add(1, Ordering::Relaxed); }).add()?;
        let plan = graph.freeze()?;
        for _ in 0..3 {
            flow.run(&plan).updates(&token).submit()?;
        }
        drop((plan, graph)); // the closure lives as long as the tasks
        flow.finish()?;
        assert_eq!(count.load(Ordering::Relaxed), 3);
        system.pump()?; // drops closures
        assert_eq!(Arc::strong_count(&count), 1);
        Ok(())
    });
}

#[test]
fn split_launches() {
    with_flow(FlowOptions::new(), |system, flow| {
        // SAFETY: a piece writes the elements of its items.
        let kernel = unsafe {
            system.kernel("put(x: out pointer u32, c: struct chunk 48)",
                          "struct chunk { u64 low[3], high[3]; };\n\
                           KERNEL(put) { EACH(i, c.high[0] - c.low[0]) x[c.low[0] + i] = c.low[0]; }")?
        };
        let x = flow.zeros::<u32>(10)?;
        flow.launch(&kernel, args![x.own(), chunk()]).items(10).split(1, 3).submit()?;
        assert_eq!(x.read()?, [0, 0, 0, 0, 4, 4, 4, 7, 7, 7]);
        assert_eq!(flow.split((4, 6), 1, 2)?, [[0..4, 0..3], [0..4, 3..6]]);
        flow.launch(&kernel, args![x.even(0), chunk()]).items(10).split(1, 2).submit()?;
        assert_eq!(x.at(4..6).read()?, [0, 5]);
        flow.finish()
    });
}

struct Flag(AtomicUsize);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn block_on<T>(system: &System, mut future: Pin<&mut impl Future<Output = T>>) -> T {
    let waker = Waker::from(Arc::new(Flag(AtomicUsize::new(0))));
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return value;
        }
        system.pump_timeout(Duration::from_millis(1)).unwrap();
    }
}

#[test]
fn futures() {
    with_flow(FlowOptions::new(), |system, flow| {
        let x = flow.zeros::<u32>(1)?;
        let good = flow.call(x.updates(), |x| x[0] += 1).submit()?;
        let bad = flow.call((), |()| Err::<(), _>("lost")).submit()?;
        block_on(system, Pin::new(&mut flow.done(good)))?;
        assert!(block_on(system, Pin::new(&mut flow.done(bad))).unwrap_err().text().contains("lost"));
        flow.call(x.updates(), |x| x[0] += 1).submit()?;
        block_on(system, Pin::new(&mut flow.done(0)))?;
        assert_eq!(x.get(0)?, 2);
        let unused = flow.done(0);
        drop(unused);
        Ok(())
    });
}

#[test]
fn cancelled() {
    with_flow(FlowOptions::new(), |system, flow| {
        let (gate, token) = (system.device().gate()?, flow.token()?);
        flow.wait_for(&gate, 0).submit()?;
        let held = flow.wait_for(&gate, 1).updates(&token).submit();
        assert!(held.is_ok());
        let task = flow.call((), |()| ()).updates(&token).submit()?;
        flow.cancel()?;
        // The wait for the gate may have begun, or not.
        let told = flow.finish_timeout(Duration::ZERO).unwrap_err().status();
        assert!(told == Status::Timeout || told == Status::Cancelled);
        gate.raise(1)?;
        assert_eq!(flow.wait(task).unwrap_err().status(), Status::Cancelled);
        let _ = flow.finish();
        flow.finish()
    });
}
