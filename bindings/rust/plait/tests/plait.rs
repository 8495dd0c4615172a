// SPDX-License-Identifier: MIT
//! Tests of the Rust layer.
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::os::raw::{c_int, c_ulong};
use std::os::unix::io::AsRawFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use plait::{args, iteration, parameter, scratch, with, Freeze, Kernel, KernelBuilder, PlanFormat,
            Queue, Result, Rows, Status, System, TraceFormat, Series};

const SAXPY: (&str, &str) = ("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
                             "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }");
const COUNT_DOWN: (&str, &str) = ("count_down(left: inout pointer u32)",
                                  "KERNEL(count_down) { EACH(i, 1) left[i] -= 1; }");

static ALONE: Mutex<()> = Mutex::new(());

/// Run a test with its own system, and check that no object is left.
fn alone(test: impl FnOnce(&System, &Queue) -> Result<()>) {
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let system = System::open().unwrap();
    let queue = system.device().queue().unwrap();
    test(&system, &queue).unwrap();
    drop(queue);
    drop(system);
    nothing_is_left();
}

/// What is in flight ends by itself; nothing else is left to end it.
fn nothing_is_left() {
    let end = Instant::now() + Duration::from_secs(60);
    while plait::live_count().unwrap() != 0 && Instant::now() < end {
        thread::yield_now();
    }
    assert_eq!(plait::live_count().unwrap(), 0);
}

fn kernel(system: &System, code: (&str, &str)) -> Result<Kernel> {
    // SAFETY: they do what they say.
    unsafe { system.kernel(code.0, code.1) }
}

// --- memory --------------------------------------------------------------------

#[test]
fn what_goes_in_comes_out() {
    alone(|system, _| {
        let device = system.device();
        assert_eq!(device.array(&[1f32, 2.0, 3.0])?.read()?, [1.0, 2.0, 3.0]);
        assert_eq!(device.array(&[u64::MAX])?.read()?, [u64::MAX]);
        assert_eq!(device.array(&[-1i16, 7])?.read()?, [-1, 7]);
        assert_eq!(device.zeros::<u8>(3)?.read()?, [0, 0, 0]);
        let empty = device.array::<f64>(&[])?;
        assert!(empty.is_empty() && empty.read()?.is_empty());
        assert_eq!(device.zeros::<u64>(usize::MAX).unwrap_err().status(), Status::Invalid);
        assert_eq!(empty.write(&[1.0]).unwrap_err().status(), Status::Invalid);
        Ok(())
    });
}

#[test]
fn a_map_is_the_memory() {
    alone(|system, _| {
        let mut buffer = system.device().zeros::<u32>(4)?;
        // SAFETY: nothing else uses it.
        unsafe {
            buffer.map_mut()?.copy_from_slice(&[1, 2, 3, 4]);
            buffer.map_mut()?[0] = 7;
            assert_eq!(&buffer.map()?[..], [7, 2, 3, 4]);
            assert!(system.device().zeros::<u32>(0)?.map()?.is_empty());
        }
        Ok(())
    });
}

#[test]
fn views_are_the_same_memory() {
    alone(|system, queue| {
        let buffer = system.device().array(&[1u16, 2, 3, 4, 5])?;
        let view = buffer.view(1..=2)?;
        let one = view.view(1..)?;
        queue.fill(&one, 9)?;
        queue.finish()?;
        assert_eq!(buffer.read()?, [1, 2, 9, 4, 5]);
        drop(buffer);
        assert_eq!(view.read()?, [2, 9]);
        assert!(view.view(1..4).is_err());
        Ok(())
    });
}

#[test]
fn rows_are_copied() {
    alone(|system, queue| {
        // The second column of three, of a table of two pages.
        let device = system.device();
        let table = device.array(&(0..24).collect::<Vec<i32>>())?.view(1..24)?;
        let (column, again) = (device.zeros::<i32>(8)?, device.zeros::<i32>(8)?);
        let rows = Rows::new(1, 4).slices(2).source(3, 12);
        queue.copy_rows(&column, &table, rows)?;
        queue.finish()?;
        let graph = system.graph()?;
        graph.copy_rows(&again, &table, rows).add()?;
        graph.freeze()?.call(with![])?;
        assert_eq!(column.read()?, [1, 4, 7, 10, 13, 16, 19, 22]);
        assert_eq!(again.read()?, column.read()?);
        for none in [Rows::new(1, 0), Rows::new(1, 4).slices(0)] {
            queue.copy_rows(&column, &table, none)?;
            queue.finish()?;
            assert_eq!(again.read()?, column.read()?);
        }
        let wide = graph.copy_rows(&again, &table, Rows::new(1, 9)).add().unwrap_err();
        assert!(wide.text().contains("36 bytes, but the target has 32"), "{}", wide);
        let huge = queue.copy_rows(&again, &table, Rows::new(usize::MAX, 1)).unwrap_err();
        assert!(huge.text().contains("exceed the address space"), "{}", huge);
        Ok(())
    });
}

#[test]
fn wrapped_vectors_are_kept_until_nothing_uses_them() {
    alone(|system, queue| {
        let gate = system.device().gate()?;
        let wrapped = system.device().wrap(vec![1u32; 1000])?;
        let copy = system.device().zeros(1000)?;
        queue.wait(&gate, 1)?;
        queue.copy(&copy, &wrapped)?;
        drop(wrapped); // before it was read
        gate.raise(1)?;
        queue.finish()?;
        assert_eq!(copy.read()?, [1; 1000]);
        Ok(())
    });
}

#[test]
fn arrays_with_strides() {
    alone(|system, _| {
        let matrix = [[1, 2, 3], [4, 5, 6]];
        let column: Vec<i32> = matrix.iter().map(|row| row[1]).collect();
        assert_eq!(system.device().array(&column)?.read()?, [2, 5]);
        // A kernel takes the whole, and steps over it.
        let step = kernel(system, (
            "pick(all: in pointer i32, out: out pointer i32, from: u64, step: u64, n: u64)",
            "KERNEL(pick) { EACH(i, n) out[i] = all[from + i * step]; }"))?;
        let (all, out) = (system.device().array(&matrix.concat())?, system.device().zeros::<i32>(2)?);
        let graph = system.graph()?;
        graph.launch(&step, args![&all, &out, 1, 3, 2]).items(2).add()?;
        graph.freeze()?.call(with![])?;
        assert_eq!(out.read()?, [2, 5]);
        Ok(())
    });
}

#[test]
fn budgets() {
    alone(|system, _| {
        system.device().set_budget(1 << 20)?;
        let error = system.device().zeros::<u8>(1 << 30).unwrap_err();
        assert_eq!(error.status(), Status::NoMemory);
        assert!(error.to_string().contains("1073741824"), "{}", error);
        system.device().set_budget(0)
    });
}

#[test]
fn links() {
    alone(|system, _| {
        let device = system.device();
        let own = device.link_to(Some(device))?;
        assert_eq!((own.latency_ns, own.bytes_per_us), (0, u64::MAX));
        assert!(device.link_to(None)?.bytes_per_us > 0);
        assert!(device.link_from(None)?.bytes_per_us > 0);
        assert!(device.query()?.memory < u32::MAX);
        Ok(())
    });
}

// --- kernels -------------------------------------------------------------------

#[test]
fn sources() {
    alone(|system, queue| {
        let (x, y) = (system.device().array(&[1f32, 2.0, 3.0])?, system.device().array(&[1f32; 3])?);
        queue.launch(&kernel(system, SAXPY)?, args![2.0, &x, &y, 3], 3)?;
        queue.finish()?;
        assert_eq!(y.read()?, [3.0, 5.0, 7.0]);
        Ok(())
    });
}

#[test]
fn values_that_the_host_computes() {
    alone(|system, _| {
        let (graph, saxpy) = (system.graph()?, kernel(system, SAXPY)?);
        let (x, y) = (system.device().array(&[1f32, 2.0])?, system.device().array(&[1f32; 2])?);
        let (_, body) = graph.repeat(3u64).add()?;
        let first = body.read(&y, "state").host_offset(4).add()?;
        let given = args![plait::host_value("state", 4), &x, &y, 2];
        body.launch(&saxpy, given).items(2).after(first).add()?;
        let mut state = [0f32; 3];
        graph.freeze()?.call(with![state = plait::memory_mut(&mut state)])?;
        // The first word of y is doubled each time.
        assert_eq!((y.read()?, state[1]), (vec![8.0, 15.0], 4.0));
        let error = graph.launch(&saxpy, args![2, plait::host_value("state", 0), &y, 2]).add().err();
        assert!(error.unwrap().text().contains("values only"));
        Ok(())
    });
}

#[test]
fn reads_and_writes_in_a_graph() {
    alone(|system, queue| {
        let (graph, x) = (system.graph()?, system.device().array(&[0u32; 2])?);
        let first = graph.write(&x, "given").host_offset(4).label("in").add()?;
        graph.read(&x, "got").after(first).add()?;
        let plan = graph.freeze()?;
        let (given, mut got) = ([9u32, 1, 2], [0u32; 2]);
        plan.call(with![given = plait::memory(&given), got = plait::memory_mut(&mut got)])?;
        assert_eq!(got, [1, 2]);
        let says = |given: &[plait::Given<'_>], text: &str| {
            let error = plan.call(given).unwrap_err();
            assert!(error.text().contains(text), "{}", error);
        };
        says(with![given = plait::memory(&[0u32; 2]), got = plait::memory_mut(&mut got)],
             "\"in\" uses 8 bytes, and there are 4");
        says(with![given = plait::memory(&given), got = plait::memory(&[0u32; 2])],
             "got is written: give it memory_mut");
        says(with![given = 3, got = plait::memory_mut(&mut got)], "given is memory of the program");
        let error = plan.run(queue, with![given = plait::memory(&given),
                                          got = plait::memory_mut(&mut got)]).err();
        assert!(error.unwrap().text().contains("which a run borrows: use call"));
        Ok(())
    });
}

#[test]
fn batches() {
    alone(|system, queue| {
        let step = kernel(system, ("step(a: u32, x: inout pointer u32, n: u64)",
                                   "KERNEL(step) { EACH(i, n) x[i] = a * x[i] + 1; }"))?;
        let (x, y) = (system.device().array(&[0u32; 2])?, system.device().array(&[0u32; 2])?);
        let signal = system.device().signal()?;
        let number = queue.submit(|batch| {
            batch.fill(&x, 2);
            for factor in [3, 5] {
                batch.launch(&step, args![factor, &x, 2], 2)?;
            }
            batch.copy(&y, &x)?;
            batch.emit(&signal);
            batch.wait(&signal, 0);
            batch.fill(&x, 7);
            batch.copy_rows(&x, &y, plait::Rows::new(1, 1))
        })?;
        queue.finish()?;
        assert_eq!((number, y.read()?, x.read()?), (1, vec![36, 36], vec![36, 7]));
        let error = queue.submit(|batch| {
            batch.fill(&y, 0);
            batch.launch(&step, args![1, &x, 2], (1 << 62, 4))
        }).unwrap_err();
        assert!(error.text().contains("command 1: step: "), "{}", error);
        let one = system.device().array(&[0u32])?;
        let error = queue.submit(|batch| {
            batch.fill(&y, 0);
            batch.copy(&y, &one)
        });
        assert!(error.is_err());
        queue.finish()?;
        assert_eq!(y.read()?, [36, 36]);
        Ok(())
    });
}

#[test]
fn a_source_that_does_not_compile() {
    alone(|system, _| {
        let error = kernel(system, ("f(x: inout pointer f32)", "KERNEL(f) {\n x[0] = oops; }"))
            .unwrap_err();
        assert_eq!(error.status(), Status::Invalid);
        assert!(error.to_string().contains("f:2"), "{}", error);
        assert!(error.detail().unwrap().contains("oops"));
        assert!(format!("{:?}", error).contains("oops"));
        let error: Box<dyn std::error::Error + Send + Sync> = format!("{}", error).into();
        assert!(error.to_string().contains("f:2"));
        Ok(())
    });
}

#[test]
fn wrong_arguments() {
    alone(|system, queue| {
        let (saxpy, x) = (kernel(system, SAXPY)?, system.device().array(&[1f32])?);
        let doubles = system.device().array(&[1f64])?;
        let says = |given: &[plait::Argument<'_>], text: &str| {
            let error = queue.launch(&saxpy, given, 1).unwrap_err();
            assert!(error.text().contains(text), "{}", error);
        };
        says(args![1, &x, &x], "takes 4 arguments (a, x, y, n), not 3");
        says(args![1, 2, &x, 1], "argument 1 \"x\" is a pointer");
        says(args![&x, &x, &x, 1], "argument 0 \"a\"");
        says(args![1, &x, &x, 1.5], "1.5 is not a u64");
        says(args![1, &x, &x, -1], "-1 is not a u64");
        says(args![1, &x, &doubles, 1], "pointer to f32, the buffer has f64");
        queue.finish()
    });
}

#[test]
fn local_memory() {
    alone(|system, queue| {
        let turn = kernel(system, ("turn(row: local i32, x: inout pointer i32)",
                                   "GROUP_KERNEL(turn, 4, 1, 1) {
                                    ITEMS row[LOCAL_ID(0)] = x[LOCAL_ID(0)];
                                    ITEMS x[LOCAL_ID(0)] = row[3 - LOCAL_ID(0)]; }"))?;
        let x = system.device().array(&[1i32, 2, 3, 4])?;
        queue.launch(&turn, args![16, &x], 4)?;
        queue.finish()?;
        assert_eq!(x.read()?, [4, 3, 2, 1]);
        let graph = system.graph()?;
        graph.launch(&turn, args![parameter("bytes"), &x]).items(4).add()?;
        graph.freeze()?.call(with![bytes = 32])?;
        assert_eq!(x.read()?, [1, 2, 3, 4]);
        assert!(system.device().query()?.local_bytes >= 32768);
        let says = |given: &[plait::Argument<'_>], text: &str| {
            let error = queue.launch(&turn, given, 4).unwrap_err();
            assert!(error.text().contains(text), "{}", error);
        };
        says(args![&x, &x], "turn: argument 0 \"row\" is local memory: give its bytes");
        says(args![1.5, &x], "turn: argument 0 \"row\" is local memory: give its bytes");
        says(args![-1, &x], "turn: argument 0 \"row\": -1 is no number of bytes");
        says(args![6, &x], "6 bytes of local memory are not a multiple of 4");
        says(args![1u64 << 40, &x], "1099511627776 bytes of local memory");
        queue.finish()
    });
}

#[test]
fn structs_and_vectors() {
    alone(|system, queue| {
        let weigh = kernel(system, ("weigh(b: struct body 16, v: f32x4, i: i16x2, y: out pointer f64)",
                                    "struct body { f64 mass; i32 count; };
                                     KERNEL(weigh) { EACH(k, 1)
                                     y[0] = b.mass * b.count + v.v[0] + 10 * v.v[3] + i.v[1]; }"))?;
        let body = |mass: f64, count: i32| {
            let mut made = [0u8; 16];
            made[..8].copy_from_slice(&mass.to_ne_bytes());
            made[8..12].copy_from_slice(&count.to_ne_bytes());
            made
        };
        let y = system.device().array(&[0f64])?;
        queue.launch(&weigh, args![plait::bytes(&body(1.5, 4)), &[1f32, 2., 3., 4.5], &[7i16, -8], &y], 1)?;
        queue.finish()?;
        assert_eq!(y.read()?, [6. + 1. + 45. - 8.]);
        let graph = system.graph()?;
        graph.launch(&weigh, args![parameter("b"), parameter("v"), &[0i16, 1], &y]).add()?;
        let plan = graph.freeze()?;
        for count in 0..3 {
            let (given, v) = (body(2., count), [count as f32, 0., 0., 1.]);
            plan.call(with![b = plait::bytes(&given), v = &v])?;
            assert_eq!(y.read()?, [f64::from(3 * count + 11)]);
        }
        let says = |given: &[plait::Argument<'_>], text: &str| {
            let error = queue.launch(&weigh, given, 1).unwrap_err();
            assert!(error.text().contains(text), "{}", error);
        };
        let (good, v) = (body(1., 1), [1f32, 2., 3., 4.]);
        says(args![3, &v, &[1i16, 2], &y], "weigh: argument 0 \"b\" is a struct: give it 16 bytes");
        says(args![plait::bytes(&good[1..]), &v, &[1i16, 2], &y], "is a struct: give it 16 bytes");
        says(args![plait::bytes(&good), &[1f64, 2., 3., 4.], &[1i16, 2], &y],
             "weigh: argument 1 \"v\" is a vector: give it an array of type f32x4");
        let error = plan.call(with![b = plait::bytes(&good), v = 3]).unwrap_err();
        assert!(error.text().contains("v is a vector: give it an array of type f32x4"), "{}", error);
        queue.finish()
    });
}

#[test]
fn large_numbers() {
    alone(|system, queue| {
        let keep = kernel(system, ("keep(x: u64, y: out pointer u64)",
                                   "KERNEL(keep) { EACH(i, 1) y[i] = x; }"))?;
        let out = system.device().zeros::<u64>(1)?;
        queue.launch(&keep, args![(1u64 << 63) + 7, &out], 1)?;
        queue.finish()?;
        assert_eq!(out.read()?, [(1u64 << 63) + 7]);
        // More items than 2^31 and than 2^32; the kernel does one of them.
        let last = kernel(system, ("last(y: out pointer u64, most: u64)",
                                   "KERNEL(last) { EACH(i, 1) y[i] = most; }"))?;
        let graph = system.graph()?;
        graph.launch(&last, args![&out, parameter("most")]).items(1).add()?;
        let plan = graph.freeze()?;
        for most in [1u64 << 31, (1 << 32) + 1, u64::MAX] {
            plan.call(with![most = most])?;
            assert_eq!(out.read()?, [most]);
        }
        let gate = system.device().gate()?;
        gate.raise(1 << 40)?;
        assert_eq!(gate.reached()?, 1 << 40);
        Ok(())
    });
}

#[test]
fn kernels_of_a_library() {
    alone(|system, _| {
        // SAFETY: the function has this type.
        let error = unsafe {
            KernelBuilder::new("no_such_function(x: f64): void").library("libm.so.6").build(system)
        };
        let error = error.unwrap_err();
        assert_eq!(error.status(), Status::Unavailable);
        assert!(error.text().contains("no_such_function"), "{}", error);
        Ok(())
    });
}

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
        assert!(error.text().contains("another graph") && error.text().contains("plait.rs:"));
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

// --- futures -------------------------------------------------------------------

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: i16,
    revents: i16,
}

extern "C" {
    fn poll(fds: *mut PollFd, count: c_ulong, milliseconds: c_int) -> c_int;
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// An executor of one future: it sleeps on the descriptor.
fn block_on<T>(system: &System, future: impl Future<Output = T>) -> T {
    let mut future: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(future);
    let flag = Arc::new(Flag(AtomicBool::new(true)));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    loop {
        while flag.0.swap(false, Ordering::Acquire) {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
        let mut one = PollFd { fd: system.as_raw_fd(), events: 1, revents: 0 };
        assert_eq!(unsafe { poll(&mut one, 1, 100_000) }, 1);
        system.pump().unwrap();
    }
}

#[test]
fn awaited() {
    alone(|system, queue| {
        let (out, ran) = (system.device().zeros::<f32>(1)?, Rc::new(Cell::new(0)));
        let count = ran.clone();
        let graph = system.graph()?;
        let one = system.device().array(&[1f32])?;
        let first = graph.launch(&kernel(system, SAXPY)?, args![parameter("a"), &one, &out, 1]).add()?;
        graph.call(move || count.set(count.get() + 1)).after(first).add()?;
        let plan = graph.freeze()?;
        block_on(system, async {
            for a in 1..=3 {
                plan.run(queue, with![a = a])?.await?;
            }
            // Two at once, the later one first.
            let (one, two) = (plan.run(queue, with![a = 1])?, plan.run(queue, with![a = 1])?);
            two.await?;
            one.await
        })?;
        assert_eq!((out.read()?, ran.get()), (vec![8.0], 5));
        Ok(())
    });
}

#[test]
fn awaited_failures() {
    alone(|system, queue| {
        let graph = system.graph()?;
        graph.call(|| Err::<(), _>("not today")).add()?;
        let plan = graph.freeze()?;
        let error = block_on(system, async { plan.run(queue, with![])?.await }).unwrap_err();
        assert!(error.text().contains("not today"), "{}", error);
        assert!(queue.finish().is_err());
        Ok(())
    });
}

#[test]
fn a_future_without_its_system_ends() {
    let _lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let system = System::open().unwrap();
    let (queue, gate) = (system.device().queue().unwrap(), system.device().gate().unwrap());
    queue.wait(&gate, 1).unwrap();
    let graph = system.graph().unwrap();
    graph.join().add().unwrap();
    let mut run = graph.freeze().unwrap().run(&queue, with![]).unwrap();
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(flag.clone());
    let mut context = Context::from_waker(&waker);
    assert!(Pin::new(&mut run).poll(&mut context).is_pending());
    assert!(Pin::new(&mut run).poll(&mut context).is_pending());
    drop(system);
    assert!(flag.0.load(Ordering::Acquire)); // it was woken
    match Pin::new(&mut run).poll(&mut context) {
        Poll::Ready(Err(error)) => assert_eq!(error.status(), Status::State),
        _ => panic!("it waits for what cannot come"),
    }
    gate.raise(1).unwrap();
    run.wait().unwrap();
    drop((run, graph, queue, gate));
    nothing_is_left();
}

// --- what is not there ---------------------------------------------------------

#[test]
fn a_missing_backend_says_what_was_tried() {
    let error = System::options().backend("nothing").open().err().unwrap();
    assert_eq!(error.status(), Status::Unavailable);
    assert!(error.text().contains("nothing"), "{}", error);
    assert!(System::options().backend("a\0b").open().err().unwrap().text().contains("NUL"));
}

#[test]
fn things_go_where_they_may() {
    fn anywhere<T: Send + Sync>() {}
    anywhere::<plait::Device>();
    anywhere::<plait::Buffer<f32>>();
    anywhere::<plait::Kernel>();
    anywhere::<plait::Queue>();
    anywhere::<plait::Signal>();
    anywhere::<plait::Plan>();
    anywhere::<plait::Run>();
    anywhere::<plait::Error>();
}
