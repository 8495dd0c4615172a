// SPDX-License-Identifier: MIT
//! Tests of the Rust layer: collectives.
use plait::CollBuffer::{Input, Output, Scratch};
use plait::{with, Claim, CollKind, CollOptions, CollTarget, CompileOptions, Protocol, Reduction, Refusal, Result,
            ScheduleFormat, Status, System};

fn with_system(test: impl FnOnce(&System) -> Result<()>) {
    let system = System::options().backend("host").open().unwrap();
    test(&system).unwrap();
}

#[test]
fn known_algorithms() {
    with_system(|system| {
        let options = CollOptions::new(CollKind::Broadcast, 3).root(1).chunks(2).label("spread");
        let schedule = options.known(system, "ring")?.compile()?;
        let info = schedule.query()?;
        assert_eq!((info.kind, info.target), (Some(CollKind::Broadcast), Some(CollTarget::Plait)));
        assert_eq!((info.ranks, info.root, info.in_place, info.name.as_str()), (3, 1, false, "spread"));
        let source = system.device().array(&[2i64, 3])?;
        let outputs = (0..3).map(|_| system.device().zeros::<i64>(2)).collect::<Result<Vec<_>>>()?;
        let devices = vec![system.device(); 3];
        let graph = schedule.collective(2).inputs([None, Some(&source), None]).outputs(&outputs).devices(devices).graph()?;
        graph.freeze()?.call(with![])?;
        for output in &outputs {
            assert_eq!(output.read()?, [2, 3]);
        }
        let told = options.known(system, "nothing").err().unwrap();
        assert!(told.status() == Status::Invalid && told.text().contains("ring"), "{}", told);
        let told = schedule.collective(2).outputs(&outputs[..2]).graph().err().unwrap();
        assert!(told.text().contains("outputs: 2 given, the schedule has 3 ranks"), "{}", told);
        Ok(())
    });
}

#[test]
fn elements() {
    with_system(|system| {
        let schedule = CollOptions::new(CollKind::Allreduce, 2).in_place().known(system, "allpairs")?.compile()?;
        let pair = |one: u16, other: u16| -> Result<_> {
            Ok([system.device().array(&[one])?, system.device().array(&[other])?])
        };
        let halves = pair(0x3c00, 0x4000)?; // 1 and 2
        schedule.collective(1).f16().outputs(&halves).graph()?.freeze()?.call(with![])?;
        assert_eq!(halves[0].read()?, [0x4200]);
        let brains = pair(0x3f80, 0x4000)?;
        schedule.collective(1).bf16().op(Reduction::Prod).outputs(&brains).graph()?.freeze()?.call(with![])?;
        assert_eq!(brains[1].read()?, [0x4000]);
        let numbers = pair(7, 9)?;
        schedule.collective(1).op(Reduction::Min).outputs(&numbers).graph()?.freeze()?.call(with![])?;
        assert_eq!(numbers[1].read()?, [7]);
        Ok(())
    });
}

#[test]
fn chunks_become_stale() {
    with_system(|system| {
        let coll = CollOptions::new(CollKind::Custom, 2).buffers(2, 1).create(system)?;
        let old = coll.chunk(0, Input, 0, 2)?;
        let part = old.part(0, 1)?.lanes(0, 0).copy_to(1, Scratch(3), 0)?;
        coll.chunk(0, Input, 1, 1)?.reduce(part)?;
        assert_eq!(old.copy_to(1, Output, 0).err().unwrap().status(), Status::Invalid);
        assert_eq!(coll.chunk(2, Input, 0, 1).err().unwrap().status(), Status::Invalid);
        let told = coll.parallel(2, || coll.chunk(0, Output, 5, 1)).err().unwrap();
        assert_eq!(told.status(), Status::Invalid);
        coll.compile()?; // the failed fragment has ended
        Ok(())
    });
}

#[test]
fn proofs_and_forms() {
    with_system(|system| {
        let coll = system.read_coll("broadcast ranks=2\nfor r in 0..2 { copy(input[0, 0], output[r, 0]) }\n", "it", 0, 0)?;
        let options = CompileOptions::new().target(CollTarget::Executor).protocol(Protocol::Simple).depth(2).channels(1)
            .lanes(4).slot_bytes(1 << 16).sizes(0, 1 << 20).no_fusion().separate_lanes();
        let schedule = coll.compile_with(&options)?;
        let proof = schedule.check()?;
        assert!(proof.reason.is_none() && proof.exports.contains(&ScheduleFormat::Executor), "{:?}", proof);
        let (proof, refused) = schedule.examine(&Claim::new().kind(CollKind::Allreduce, 0));
        assert!(refused.is_err() && proof.reason.is_some());
        let (proof, refused) = schedule.examine(&Claim::new().promise(1, 0, &[(1, 0)]));
        assert!(refused.is_err() && proof.reason == Some(Refusal::Value));
        let claim = Claim::new().target(CollTarget::Executor).depth(1).slot_bytes(1 << 12);
        assert!(schedule.examine(&claim).1.is_ok());
        let xml = schedule.write(ScheduleFormat::Executor)?;
        assert!(system.read_schedule(&xml, "it.xml")?.check().is_ok());
        assert!(system.read_schedule(b"<algo", "it.xml").err().unwrap().text().contains("it.xml"));
        let told = schedule.simulate("cluster rank=4", "a.cluster", 8).unwrap_err();
        assert!(told.text().contains("a.cluster:1"), "{}", told);
        Ok(())
    });
}
