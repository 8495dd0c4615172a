// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: closures, plans.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Duration;

use plait::{args, iteration, parameter, scratch, with, Freeze, PlanFormat, Result, Series, Status,
            System, TraceFormat};

mod common;
use common::{alone, kernel, nothing_is_left, ALONE, COUNT_DOWN, SAXPY};

// --- closures ------------------------------------------------------------------

#[test]
fn ten_thousand_closures_run_here() {
    alone(|system, queue| {
        let (ran, here) = (Rc::new(Cell::new(0)), thread::current().id());
        for _ in 0..10_000 {
            let ran = ran.clone();
            system.call(queue, move || {
                assert_eq!(thread::current().id(), here);
                ran.set(ran.get() + 1);
            })?;
        }
        queue.finish()?;
        assert_eq!(ran.get(), 10_000);
        assert_eq!(Rc::strong_count(&ran), 1); // and each was dropped
        Ok(())
    });
}

#[test]
fn a_panic_fails_the_command_with_its_text() {
    alone(|system, queue| {
        queue.call(|| panic!("this one, {}", 7))?;
        let error = queue.finish().unwrap_err();
        assert_eq!(error.status(), Status::Failed);
        assert!(error.text().contains("panicked: this one, 7"), "{}", error);
        system.call(queue, || Err::<(), _>("an error"))?;
        assert!(queue.finish().unwrap_err().text().contains("an error"));
        queue.finish()
    });
}

#[test]
fn other_threads_submit_and_wait() {
    alone(|system, queue| {
        let ran = Arc::new(AtomicUsize::new(0));
        let here = thread::current().id();
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let ran = ran.clone();
                queue.call(move || {
                    assert_eq!(thread::current().id(), here);
                    ran.fetch_add(1, Ordering::Relaxed);
                })?;
                queue.finish()
            });
            while !other.is_finished() {
                system.pump()?;
                thread::yield_now();
            }
            other.join().unwrap()
        })?;
        assert_eq!(ran.load(Ordering::Relaxed), 1);
        Ok(())
    });
}

#[test]
fn the_wrong_thread_is_told_so() {
    alone(|system, _| {
        // No safe function gets there: a system cannot be sent.
        let inbox = Arc::new(AtomicUsize::new(0));
        let mut at = std::ptr::null_mut();
        let library = unsafe { plait::sys::Library::open() }.unwrap();
        let mut context = std::ptr::null_mut();
        let mut error = plait::sys::plait_error::default();
        unsafe {
            (library.plait_context_open)(std::ptr::null(), &mut context, &mut error);
            (library.plait_inbox_create)(context, &mut at, &mut error);
        }
        inbox.store(at as usize, Ordering::Relaxed);
        let status = thread::scope(|scope| {
            scope.spawn(|| {
                let at = inbox.load(Ordering::Relaxed) as *mut plait::sys::plait_inbox;
                unsafe { (library.plait_inbox_pump)(at, 0, std::ptr::null_mut(), std::ptr::null_mut()) }
            }).join().unwrap()
        });
        unsafe {
            (library.plait_inbox_release)(at);
            (library.plait_context_release)(context);
        }
        assert_eq!(status, plait::sys::PLAIT_E_THREAD);
        system.pump().map(|_| ())
    });
}

#[test]
fn two_systems_of_one_thread() {
    alone(|system, queue| {
        let second = System::open()?;
        let other = second.device().queue()?;
        let ran = Rc::new(RefCell::new(Vec::new()));
        for (system, queue, name) in [(system, queue, "a"), (&second, &other, "b")] {
            let ran = ran.clone();
            system.call(queue, move || ran.borrow_mut().push(name))?;
        }
        other.finish()?;
        queue.finish()?;
        ran.borrow_mut().sort_unstable();
        assert_eq!(*ran.borrow(), ["a", "b"]);
        Ok(())
    });
}

#[test]
fn closures_that_wait_themselves() {
    alone(|system, queue| {
        let inner = Arc::new(system.device().queue()?);
        let done = Rc::new(Cell::new(false));
        let (inner_too, set) = (inner.clone(), done.clone());
        inner.call(|| ())?;
        system.call(queue, move || {
            inner_too.finish()?;
            set.set(true);
            Ok::<(), plait::Error>(())
        })?;
        queue.finish()?;
        assert!(done.get());
        Ok(())
    });
}

// --- plans ---------------------------------------------------------------------

#[test]
fn parameters() {
    alone(|system, queue| {
        let device = system.device();
        let (x, y) = (device.array(&[1f32, 2.0])?, device.zeros::<f32>(2)?);
        let (z, doubles) = (device.array(&[5f32; 2])?, device.zeros::<f64>(2)?);
        let graph = system.graph()?;
        let saxpy = kernel(system, SAXPY)?;
        graph.launch(&saxpy, args![parameter("a"), &x, parameter("y"), 2])
            .items(parameter("many")).add()?;
        let plan = graph.freeze_with(&Freeze::new().check())?;
        plan.call(with![a = 3, y = &y, many = 2])?;
        plan.call(with![a = 1, y = &z, many = 2])?;
        plan.run(queue, with![a = 1, y = &z, many = 2])?.wait()?;
        assert_eq!((y.read()?, z.read()?), (vec![3.0, 6.0], vec![7.0, 9.0]));
        for wrong in [with![a = 1, many = 2], with![a = 1, b = 2], with![a = 1, y = 3],
                      with![a = true, y = &y], with![a = 1, y = &doubles, many = 2]]
            as [&[plait::Given<'_>]; 5] {
            assert_eq!(plan.call(wrong).unwrap_err().status(), Status::Invalid);
        }
        let text = plan.call(with![]).unwrap_err().to_string();
        assert!(text.contains("give the run a value for it; see Plan::parameters"), "{}", text);
        let saxpy = |a: f32| plan.call(with![a = a, y = &y, many = 2]); // a function
        saxpy(2.0)?;
        assert_eq!(y.read()?, [5.0, 10.0]);
        Ok(())
    });
}

#[test]
fn order_and_labels() {
    alone(|system, _| {
        let buffer = system.device().zeros::<u32>(1)?;
        let graph = system.graph()?;
        let first = graph.fill(&buffer, 1).add()?;
        let second = graph.fill(&buffer, 2).after(first).add()?;
        let last = graph.fill(&buffer, 3).after([first, second]).label("last one").add()?;
        graph.join().after(vec![last]).add()?;
        let plan = graph.freeze()?;
        plan.check()?;
        plan.call(with![])?;
        assert_eq!(buffer.read()?, [3]);
        assert!(plan.text(PlanFormat::Json)?.contains("last one"));
        assert!(plan.text(PlanFormat::Svg)?.starts_with('<'));
        let other = system.graph()?;
        let error = other.join().after(first).add().unwrap_err();
        assert!(error.text().contains("another graph") && error.text().contains("plans.rs:"));
        Ok(())
    });
}

#[test]
fn order_of_the_program() {
    alone(|system, _| {
        let buffer = system.device().zeros::<u32>(1)?;
        let graph = system.graph()?;
        graph.fill(&buffer, 1).add()?;
        graph.fill(&buffer, 7).add()?;
        let error = graph.freeze_with(&Freeze::new().check().lanes(1)).err().unwrap();
        assert!(error.text().contains("no edge orders node 0"));
        graph.freeze_with(&Freeze::new().check().program_order())?.call(with![])?;
        assert_eq!(buffer.read()?, [7]);
        Ok(())
    });
}

#[test]
fn loops_and_turns() {
    alone(|system, _| {
        let device = system.device();
        let (left, one) = (device.array(&[3u32])?, device.array(&[1f32])?);
        let (a, b) = (device.zeros::<f32>(1)?, device.zeros::<f32>(1)?);
        let seen = device.zeros::<u32>(3)?;
        let next = kernel(system, ("next(x: in pointer f32, one: in pointer f32, y: out pointer f32)",
                                   "KERNEL(next) { EACH(i, 1) y[i] = x[i] + one[i]; }"))?;
        let note = kernel(system, ("note(seen: inout pointer u32, i: u32, s: out pointer u32)",
                                   "KERNEL(note) { EACH(k, 1) { s[k] = i; seen[i] = s[k] + 1; } }"))?;
        let down = kernel(system, COUNT_DOWN)?;
        let graph = system.graph()?;
        let (_, body) = graph.repeat_while(&left).times(3).add()?;
        let turns = body.rotate(&[&a, &b])?;
        let step = body.launch(&next, args![turns.now(), &one, turns.next()]).add()?;
        let step = body.launch(&note, args![&seen, iteration(), scratch()]).scratch_bytes(4)
            .after(step).add()?;
        body.launch(&down, args![&left]).after(step).add()?;
        graph.freeze()?.call(with![])?;
        assert_eq!(b.read()?, [3.0]);
        assert_eq!(seen.read()?, [1, 2, 3]);
        Ok(())
    });
}

#[test]
fn turns_that_are_copied() {
    alone(|system, _| {
        let device = system.device();
        let (a, b) = (device.array(&[5u32, 5])?, device.array(&[6u32, 6])?);
        let (one, out) = (device.array(&[1u32])?, device.array(&[7u32, 7])?);
        let graph = system.graph()?;
        let (first, body) = graph.repeat(3u64).add()?;
        let turns = body.rotate(&[&a, &b])?;
        let step = body.fill_turn(turns.next(), 9u32, 2).add()?;
        let step = body.copy_turns(turns.next(), turns.now(), 4).after(step).add()?;
        body.copy_from_turn(&out, turns.now()).after(step).add()?;
        graph.copy_to_turn(turns.next(), &one).after(first).add()?;
        graph.freeze()?.call(with![])?;
        assert_eq!(out.read()?, [5, 9]);
        assert_eq!(a.read()?, [1, 9]);
        assert!(body.fill_turn(args![&one][0], 9u32, 1).add().is_err());
        Ok(())
    });
}

#[test]
fn loops_with_a_count() {
    alone(|system, _| {
        let device = system.device();
        let (x, word) = (device.array(&[0u32])?, device.array(&[7u32])?);
        let more = kernel(system, ("more(x: inout pointer u32, n: u32)",
                                   "KERNEL(more) { EACH(i, 1) x[0] = 10 * x[0] + n; }"))?;
        let graph = system.graph()?;
        let (first, body) = graph.repeat(10u64).step(4).add()?;
        let rest = Series::new().scale(-4).from_count().limit(4);
        body.launch(&more, args![&x, rest]).add()?;
        let (second, body) = graph.repeat(parameter("n")).after(first).add()?;
        body.launch(&more, args![&x, iteration()]).series(&[Series::new().offset(-1)]).add()?;
        let (_, body) = graph.repeat(&word).step(3).after(second).add()?;
        body.launch(&more, args![&x, Series::new().offset(5)]).add()?;
        graph.freeze()?.call(with![n = 3u64])?;
        assert_eq!(x.read()?, [4422567]);
        Ok(())
    });
}

#[test]
fn loops_that_ask_afterwards_and_branches() {
    alone(|system, _| {
        let device = system.device();
        let (left, which) = (device.array(&[9u32, 1])?, device.array(&[2u32])?);
        let out = device.zeros::<u32>(1)?;
        let down = kernel(system, ("down(x: inout pointer u32)", "KERNEL(down) { EACH(i, 1) x[1] -= 1; }"))?;
        let graph = system.graph()?;
        let (node, body) = graph.do_while(&left).at(1).add()?;
        body.launch(&down, args![&left]).add()?;
        let (_, branches) = graph.case(&which, 3).expect(2).after(node).add()?;
        let wrong = graph.case(&which, 3).expect(3).add().err().unwrap();
        assert!(wrong.text().contains("the expected body"), "{}", wrong);
        for (i, branch) in branches.iter().enumerate() {
            branch.fill(&out, 10 + i as u32).add()?;
        }
        graph.freeze()?.call(with![])?;
        assert_eq!((left.read()?, out.read()?), (vec![9, 0], vec![12]));
        Ok(())
    });
}

#[test]
fn closures_decide() {
    alone(|system, _| {
        let ran = Rc::new(Cell::new(0));
        let out = system.device().array(&[0u32])?;
        let (left, counted) = (ran.clone(), ran.clone());
        let graph = system.graph()?;
        let (node, body) = graph.repeat_while_fn(move || left.get() < 3).add()?;
        body.call(move || counted.set(counted.get() + 1)).add()?;
        let (_, bodies) = graph.case_fn(|| 1u32, 2).after(node).add()?;
        for (i, body) in (10..).zip(&bodies) {
            body.fill(&out, i).add()?;
        }
        let plan = graph.freeze()?;
        plan.call(with![])?;
        assert_eq!((ran.get(), out.read()?), (3, vec![11]));
        let counted = ran.clone();
        let wrong = system.graph()?;
        let (_, body) = wrong.do_while_fn(|| Err::<bool, _>("no idea")).label("asks").add()?;
        body.call(move || counted.set(counted.get() + 1)).add()?;
        let error = wrong.freeze()?.call(with![]).unwrap_err();
        assert!(error.text().contains("no idea") && error.text().contains("asks"), "{}", error);
        assert_eq!(ran.get(), 4);
        plan.call(with![])?;
        assert_eq!(ran.get(), 4);
        Ok(())
    });
}

#[test]
fn large_sizes() {
    alone(|system, _| {
        let device = system.device();
        device.set_budget(1 << 33)?;
        let error = device.zeros::<u64>((1 << 31) + 1).unwrap_err();
        assert_eq!(error.status(), Status::NoMemory);
        assert!(error.text().contains("17179869192"), "{}", error);
        device.set_budget(0)
    });
}

#[test]
fn closures_as_nodes() {
    alone(|system, queue| {
        let ran = Rc::new(RefCell::new(Vec::new()));
        let graph = system.graph()?;
        let push = |what: i32| {
            let ran = ran.clone();
            move || ran.borrow_mut().push(what)
        };
        let first = graph.call(push(1)).add()?;
        graph.call(push(2)).after(first).add()?;
        let plan = graph.freeze()?;
        drop(graph);
        plan.call(with![])?;
        plan.run(queue, with![])?.wait()?;
        assert_eq!(*ran.borrow(), [1, 2, 1, 2]);
        drop(plan);
        system.pump()?;
        assert_eq!(Rc::strong_count(&ran), 1); // dropped with the last plan
        Ok(())
    });
}

#[test]
fn more_runs_than_can_be_in_flight() {
    alone(|system, queue| {
        let ran = Rc::new(Cell::new(0));
        let graph = system.graph()?;
        let count = ran.clone();
        graph.call(move || count.set(count.get() + 1)).add()?;
        let plan = graph.freeze_with(&Freeze::new().instances(2))?;
        let runs: Result<Vec<_>> = (0..20).map(|_| plan.run(queue, with![])).collect();
        runs?.iter().try_for_each(|run| run.wait())?;
        assert_eq!(ran.get(), 20);
        Ok(())
    });
}

#[test]
fn a_panic_fails_its_node_with_its_text() {
    alone(|system, _| {
        let after = Rc::new(Cell::new(0));
        let graph = system.graph()?;
        let wrong = Rc::new(Cell::new(true));
        let (flag, count) = (wrong.clone(), after.clone());
        let node = graph.call(move || assert!(!flag.get(), "this one")).label("mine").add()?;
        graph.call(move || count.set(count.get() + 1)).after(node).add()?;
        let plan = graph.freeze()?;
        for _ in 0..2 {
            let error = plan.call(with![]).unwrap_err();
            assert_eq!(error.status(), Status::Failed);
            assert!(error.text().contains("this one") && error.text().contains("mine"), "{}", error);
        }
        assert_eq!(after.get(), 0);
        wrong.set(false);
        plan.call(with![])?; // it can be run again
        assert_eq!(after.get(), 1);
        Ok(())
    });
}

#[test]
fn graphs_in_graphs() {
    alone(|system, _| {
        let ran = Rc::new(Cell::new(0));
        let count = ran.clone();
        let part = system.graph()?;
        part.call(move || count.set(count.get() + 1)).add()?;
        let whole = system.graph()?;
        let first = whole.subgraph(&part).add()?;
        whole.subgraph(&part).after(first).add()?;
        drop(part);
        whole.freeze()?.call(with![])?;
        assert_eq!(ran.get(), 2);
        Ok(())
    });
}

#[test]
fn cancelled() {
    alone(|system, queue| {
        let gate = system.device().gate()?;
        queue.wait(&gate, 1)?;
        let graph = system.graph()?;
        graph.fill(&system.device().zeros::<u32>(1)?, 1).add()?;
        let run = graph.freeze()?.run(queue, with![])?;
        assert!(!run.poll_done()?);
        assert_eq!(run.wait_timeout(Duration::ZERO).unwrap_err().status(), Status::Timeout);
        run.cancel()?;
        gate.raise(1)?;
        assert_eq!(run.wait().unwrap_err().status(), Status::Cancelled);
        assert!(queue.finish().is_err());
        Ok(())
    });
}

#[test]
fn closures_cannot_wait_for_themselves() {
    alone(|system, queue| {
        let refused = Rc::new(RefCell::new(Vec::new()));
        let run: Rc<RefCell<Option<plait::Run>>> = Rc::default();
        let (queue, other) = (Rc::new(system.device().queue()?), system.device().queue()?);
        let (answers, own, same) = (refused.clone(), run.clone(), queue.clone());
        let graph = system.graph()?;
        graph
            .call(move || {
                answers.borrow_mut().push(own.borrow().as_ref().unwrap().wait().unwrap_err().status());
                answers.borrow_mut().push(same.finish().unwrap_err().status());
                other.finish()
            })
            .add()?;
        *run.borrow_mut() = Some(graph.freeze()?.run(&queue, with![])?);
        queue.finish()?;
        assert_eq!(*refused.borrow(), [Status::Deadlock, Status::Deadlock]);
        refused.borrow_mut().clear();
        let (answers, same) = (refused.clone(), queue.clone());
        system.call(&queue, move || answers.borrow_mut().push(same.finish().unwrap_err().status()))?;
        queue.finish()?;
        assert_eq!(*refused.borrow(), [Status::Deadlock]);
        run.borrow_mut().take();
        Ok(())
    });
}

#[test]
fn stopped() {
    alone(|system, queue| {
        let gate = system.device().gate()?;
        queue.wait(&gate, 1)?;
        let seen = Rc::new(RefCell::new(Vec::new()));
        let run: Rc<RefCell<Option<plait::Run>>> = Rc::default();
        let graph = system.graph()?;
        let (answers, own) = (seen.clone(), run.clone());
        graph
            .call(move || {
                answers.borrow_mut().push(plait::is_stopping());
                own.borrow().as_ref().unwrap().cancel().unwrap();
                answers.borrow_mut().push(plait::is_stopping());
            })
            .add()?;
        *run.borrow_mut() = Some(graph.freeze()?.run(queue, with![])?);
        gate.raise(1)?;
        assert!(queue.finish().is_err());
        assert_eq!(*seen.borrow(), [false, true]);
        assert!(!plait::is_stopping());
        run.borrow_mut().take();
        Ok(())
    });
}

#[test]
fn dropped_in_any_order_while_in_flight() {
    for order in 0..24usize {
        alone(|system, _| {
            let gate = system.device().gate()?;
            let queue = system.device().queue()?;
            queue.wait(&gate, 1)?;
            let graph = system.graph()?;
            let buffer = system.device().zeros::<u32>(100)?;
            let first = graph.fill(&buffer, 7).add()?;
            graph.call(|| ()).after(first).add()?;
            let plan = graph.freeze()?;
            let run = plan.run(&queue, with![])?;
            let mut things: Vec<Box<dyn std::any::Any>> =
                vec![Box::new(run), Box::new((plan, buffer)), Box::new(graph), Box::new(queue)];
            let mut left = order;
            while !things.is_empty() {
                let at = left % things.len();
                left /= things.len();
                drop(things.swap_remove(at));
                if things.len() == 2 {
                    gate.raise(1)?;
                }
            }
            Ok(())
        });
    }
}

#[test]
fn the_system_goes_first() {
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let ran = Rc::new(Cell::new(0));
    let system = System::open().unwrap();
    let (device, count) = (system.device().clone(), ran.clone());
    let (queue, gate) = (device.queue().unwrap(), device.gate().unwrap());
    queue.wait(&gate, 1).unwrap();
    let graph = system.graph().unwrap();
    graph.call(move || count.set(count.get() + 1)).add().unwrap();
    let plan = graph.freeze().unwrap();
    let run = plan.run(&queue, with![]).unwrap();
    drop(system);
    assert_eq!(Rc::strong_count(&ran), 1); // its closures went with it
    gate.raise(1).unwrap();
    assert_eq!(run.wait().unwrap_err().status(), Status::Cancelled);
    assert!(queue.finish().is_err());
    assert_eq!(device.array(&[1u8]).unwrap().read().unwrap(), [1]); // memory is there still
    drop((run, plan, graph, queue, gate, device));
    assert_eq!(ran.get(), 0);
    nothing_is_left();
}

#[test]
fn plans_on_other_threads() {
    alone(|system, _| {
        let (x, y) = (system.device().array(&[1f32])?, system.device().zeros::<f32>(1)?);
        let graph = system.graph()?;
        graph.launch(&kernel(system, SAXPY)?, args![1, &x, parameter("y"), 1]).add()?;
        let plan = graph.freeze()?;
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mine = y.device().zeros::<f32>(1)?;
                        for _ in 0..100 {
                            plan.call(with![y = &mine])?;
                        }
                        mine.read()
                    })
                })
                .collect();
            for one in threads {
                assert_eq!(one.join().unwrap()?, [100.0]);
            }
            Ok(())
        })
    });
}

#[test]
fn traces() {
    alone(|system, queue| {
        let graph = system.graph()?;
        graph.fill(&system.device().zeros::<u32>(1)?, 1).label("seen").add()?;
        let plan = graph.freeze()?;
        let run = plan.run(queue, with![])?;
        run.wait()?;
        assert_eq!(run.trace(TraceFormat::Json).unwrap_err().status(), Status::State);
        plan.record()?;
        let run = plan.run(queue, with![])?;
        run.wait()?;
        assert!(run.trace(TraceFormat::Json)?.contains("seen"));
        assert!(run.trace(TraceFormat::Svg)?.starts_with('<'));
        Ok(())
    });
}
