// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: memory, kernels, systems.

use plait::{args, parameter, with, KernelBuilder, Rows, Status, System};

mod common;
use common::{alone, kernel, SAXPY};

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
fn arrays_and_chunks() {
    alone(|system, queue| {
        let turn = kernel(system, ("turn(u: in array2 f32, v: out array1 f32, c: chunk)",
                                   "KERNEL(turn) { CHUNK1(x) AT1(v, x) = AT2(u, 1, x); }"))?;
        let (numbers, device) = ([1f32, 2., 3., 4., 5., 6.], system.device());
        let (u, v) = (device.array(&numbers)?, device.array(&[0f32; 3])?);
        let items: Vec<u8> = [0u64, 0, 0, 3, 1, 1].iter().flat_map(|n| n.to_ne_bytes()).collect();
        queue.launch(&turn, args![&u, 0, 2, &v, 0, plait::bytes(&items)], 3)?;
        queue.finish()?;
        assert_eq!(v.read()?, [2., 4., 6.]);
        let graph = system.graph()?;
        graph.launch(&turn, args![&u, parameter("at"), 2, &v, 0, plait::bytes(&items)]).items(3).add()?;
        graph.freeze()?.call(with![at = -1])?;
        assert_eq!(v.read()?, [1., 3., 5.]);
        let says = |given: &[plait::Argument<'_>], text: &str| {
            let error = queue.launch(&turn, given, 3).unwrap_err();
            assert!(error.text().contains(text), "{}", error);
        };
        says(args![&u, &v, plait::bytes(&items)], "turn takes 6 arguments (u, u_at, u_pitch, v, v_at, c), not 3");
        says(args![&u, 0, -1, &v, 0, plait::bytes(&items)], "turn: argument 2 \"u_pitch\": -1 is not a u64");
        let flow = system.flow()?;
        let (a, b) = (flow.data((2, 3)).array(&numbers)?, flow.zeros::<f32>(3)?);
        flow.launch(&turn, args![&a, &b, plait::chunk()]).items(3).submit()?;
        assert_eq!(b.read()?, [2., 4., 6.]);
        let error = flow.launch(&turn, args![&a, 0, 2, &b, 0, plait::chunk()]).items(3).submit().unwrap_err();
        assert!(error.text().contains("turn takes 3 arguments (u, v, c), not 6"), "{}", error);
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
