// SPDX-License-Identifier: MIT
//! The program of same.py: t/bindings/colls.t compares their outputs.
use plait::CollBuffer::{Input, Output};
use plait::{with, Buffer, Claim, Coll, CollKind, CollOptions, CompileOptions, Element, Reduction, Result,
            ScheduleFormat, System};

const CLUSTER: &str = "cluster ranks=4\nlane rate=1";

fn content<T: Element + ToString>(buffer: &Buffer<T>) -> Result<String> {
    Ok(buffer.read()?.iter().map(T::to_string).collect::<Vec<_>>().join(" "))
}

fn ring_of(system: &System, n: u32) -> Result<Coll> {
    let made = CollOptions::new(CollKind::Allreduce, n).chunks(n).in_place().create(system)?;
    for r in 0..n {
        let mut chunk = made.chunk((r + 1) % n, Input, r.into(), 1)?;
        for s in 2..=n {
            chunk = made.chunk((r + s) % n, Input, r.into(), 1)?.reduce(chunk)?;
        }
        for s in 1..n {
            chunk = chunk.copy((r + s) % n)?;
        }
    }
    Ok(made)
}

fn main() -> Result<()> {
    let system = System::options().backend("host").open()?;
    let device = system.device();
    let ring = ring_of(&system, 4)?.compile_with(&CompileOptions::new().instances(2))?;
    let (proof, info) = (ring.check()?, ring.query()?);
    println!("{} {} {}", proof.steps, proof.depth_min, if proof.same_bits { "same bits" } else { "other bits" });
    println!("{} {} {}", info.ranks, info.share_chunks, if info.in_place { "in place" } else { "out of place" });
    let numbers = |r: u8| (0..5).map(|i| f32::from(r + i)).collect::<Vec<_>>();
    let buffers = (0..4).map(|r| device.array(&numbers(r))).collect::<Result<Vec<_>>>()?;
    ring.collective::<f32>(5).outputs(&buffers).graph()?.freeze()?.call(with![])?;
    println!("{}", content(&buffers[3])?);
    let (time, drawing) = (ring.simulate(CLUSTER, "cluster", 8)?, ring.draw(CLUSTER, "cluster", 8)?);
    let drawn = if drawing.contains("</svg>") { "True" } else { "False" };
    println!("{} {} {}", time.time_ns, time.critical_steps, drawn);

    let gather = CollOptions::new(CollKind::Allgather, 2).known(&system, "ring")?.compile()?;
    let gather = gather.collective::<i32>(3).op(Reduction::Max).graph()?.freeze()?;
    let inputs = (device.array(&[0, 5, 6])?, device.array(&[1, 5, 6])?);
    let outputs = (device.zeros::<i32>(6)?, device.zeros::<i32>(6)?);
    gather.call(with![in0 = &inputs.0, in1 = &inputs.1, out0 = &outputs.0, out1 = &outputs.1])?;
    println!("{}", content(&outputs.1)?);

    let custom = CollOptions::new(CollKind::Custom, 2).buffers(2, 2).promise(1, 0, &[(0, 0), (1, 0)]).create(&system)?;
    custom.parallel(2, || {
        let both = custom.chunk(0, Input, 0, 1)?.join(custom.chunk(0, Input, 1, 1)?)?;
        let moved = both.part(0, 1)?.channel(1).append_to(1, 0)?;
        custom.chunk(1, Input, 0, 1)?.copy_to(1, Output, 0)?.reduce(moved)
    })?;
    let schedule = custom.compile()?;
    let (proof, refused) = schedule.examine(&Claim::new().promise(1, 0, &[(1, 0)]));
    if let (Some(reason), Err(_)) = (proof.reason, refused) {
        println!("refused: {}", format!("{:?}", reason).to_lowercase());
    }
    let (xml, binary) = (schedule.write(ScheduleFormat::Msccl)?, schedule.write(ScheduleFormat::Binary)?);
    let again = system.read_schedule(&binary, "schedule")?.write(ScheduleFormat::Binary)? == binary;
    let text = String::from_utf8_lossy(&xml);
    println!("{} {}", text.split_whitespace().next().unwrap_or(""), if again { "True" } else { "False" });
    let steps = system.read_coll("broadcast ranks=2 chunks=8 in_place\nfor i in 0..8 { copy(input[0, i], 1) }\n", "it", 0, 0)?;
    let joined = steps.compile_with(&CompileOptions::new().aggregate(4))?;
    println!("{} {}", steps.compile()?.check()?.steps, joined.check()?.steps);
    if let Err(error) = system.read_coll("broadcast ranks=2\nnothing", "mine", 0, 0) {
        println!("{}", error.text().split(' ').next().unwrap_or(""));
    }
    Ok(())
}
