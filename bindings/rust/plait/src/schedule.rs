// SPDX-License-Identifier: MIT
//! Schedules of collectives: proofs, forms, predicted times, and graphs.
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;

use plait_sys as raw;

use crate::coll::{CollKind, CollTarget, Promises};
use crate::error::{c_text, call, fill_bytes, fill_text, text_at, Error, Result};
use crate::graph::Graph;
use crate::inbox::Owner;
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::system::{Device, System};

/// How chunks are reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reduction {
    Sum = raw::PLAIT_REDUCE_SUM as isize,
    Prod = raw::PLAIT_REDUCE_PROD as isize,
    Min = raw::PLAIT_REDUCE_MIN as isize,
    Max = raw::PLAIT_REDUCE_MAX as isize,
}

/// Form of [`Schedule::write`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduleFormat {
    Binary = raw::PLAIT_SCHEDULE_BINARY as isize,
    Msccl = raw::PLAIT_SCHEDULE_XML_MSCCL as isize,
    Executor = raw::PLAIT_SCHEDULE_XML_EXECUTOR as isize,
    Rccl = raw::PLAIT_SCHEDULE_XML_RCCL as isize,
}

/// Why a schedule is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    Shape = raw::PLAIT_PROOF_SHAPE as isize,
    Deadlock = raw::PLAIT_PROOF_DEADLOCK as isize,
    Race = raw::PLAIT_PROOF_RACE as isize,
    Value = raw::PLAIT_PROOF_VALUE as isize,
}

/// Properties of a schedule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScheduleInfo {
    /// `PLAIT_COLL_...` of `plait::sys`, as a kind; `None`: one of a newer library.
    pub kind: Option<CollKind>,
    pub target: Option<CollTarget>,
    pub name: String,
    pub ranks: u32,
    pub root: u32,
    pub in_place: bool,
    pub share_chunks: u32,
    pub input_chunks: u32,
    pub output_chunks: u32,
    pub depth: u32,
    pub lanes: u64,
    pub steps: u64,
}

/// What a proof found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// `None`: proved.
    pub reason: Option<Refusal>,
    /// All ranks get the same bits.
    pub same_bits: bool,
    /// The XML of these executors can express the schedule.
    pub exports: Vec<ScheduleFormat>,
    pub depth: u32,
    pub depth_min: u32,
    pub lanes: u32,
    pub channels: u32,
    pub lane_steps: u32,
    pub step_chunks: u32,
    pub ranks: u32,
    pub steps: u64,
    /// The largest size that the target ends with; `None`: any.
    pub safe_bytes: Option<u64>,
}

/// The predicted time of a schedule on a cluster.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CollTime {
    pub time_ns: u64,
    pub tiles: u64,
    pub executed_tiles: u64,
    pub tile_bytes: u64,
    pub critical_steps: u64,
    pub critical_ns: u64,
    pub latency_ns: u64,
}

/// What [`Schedule::examine`] proves, beside what the schedule says of itself.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    target: Option<CollTarget>,
    kind: Option<CollKind>,
    depth: u32,
    root: u32,
    slot_bytes: u64,
    promises: Promises,
}

impl Claim {
    /// Start with what the schedule says of itself.
    pub fn new() -> Claim {
        Claim::default()
    }

    /// Prove the rules of an executor.
    pub fn target(mut self, target: CollTarget) -> Self {
        self.target = Some(target);
        self
    }

    /// Prove a collective; `root` is that of the kinds that have one.
    pub fn kind(mut self, kind: CollKind, root: u32) -> Self {
        self.kind = Some(kind);
        self.root = root;
        self
    }

    /// Prove with as many slots per connection.
    pub fn depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Prove with slots of so many bytes.
    pub fn slot_bytes(mut self, bytes: u64) -> Self {
        self.slot_bytes = bytes;
        self
    }

    /// Prove that an output chunk is the reduction of input chunks, each (rank, chunk).
    pub fn promise(mut self, rank: u32, chunk: u64, sources: &[(u32, u64)]) -> Self {
        self.promises.add(rank, chunk, sources);
        self
    }
}

const KINDS: [CollKind; 10] = [
    CollKind::Custom, CollKind::Allreduce, CollKind::Allgather, CollKind::ReduceScatter, CollKind::Alltoall,
    CollKind::Broadcast, CollKind::Reduce, CollKind::Gather, CollKind::Scatter, CollKind::Alltonext,
];
const TARGETS: [CollTarget; 4] = [CollTarget::Plait, CollTarget::Msccl, CollTarget::Executor, CollTarget::Rccl];
const REFUSALS: [Refusal; 4] = [Refusal::Shape, Refusal::Deadlock, Refusal::Race, Refusal::Value];
const EXPORTS: [(raw::plait_proof_flags, ScheduleFormat); 3] = [
    (raw::PLAIT_PROOF_EXPORTS_MSCCL, ScheduleFormat::Msccl),
    (raw::PLAIT_PROOF_EXPORTS_EXECUTOR, ScheduleFormat::Executor),
    (raw::PLAIT_PROOF_EXPORTS_RCCL, ScheduleFormat::Rccl),
];

/// A schedule of a collective: what each rank sends, receives and reduces, for any count.
pub struct Schedule {
    raw: Handle<raw::plait_schedule>,
    owner: Rc<Owner>,
}

impl System {
    /// Read a schedule from MSCCL XML or from the binary form of [`Schedule::write`].  `name`
    /// is that of the file, for errors.
    pub fn read_schedule(&self, bytes: &[u8], name: &str) -> Result<Schedule> {
        let name = c_text(name)?;
        // SAFETY: the bytes have their number beside them.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_schedule_read)(self.context(), bytes.as_ptr().cast(), bytes.len() as u64, name.as_ptr(), out,
                                        error)
        })?;
        Ok(Schedule::new(raw, &self.owner))
    }
}

impl Schedule {
    pub(crate) fn raw(&self) -> *mut raw::plait_schedule {
        self.raw.get()
    }

    pub(crate) fn new(raw: Handle<raw::plait_schedule>, owner: &Rc<Owner>) -> Schedule {
        Schedule { raw, owner: owner.clone() }
    }

    /// Return the properties of the schedule.
    pub fn query(&self) -> Result<ScheduleInfo> {
        let mut info = raw::plait_schedule_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_schedule_query)(self.raw.get(), &mut info, error) })?;
        Ok(ScheduleInfo {
            kind: KINDS.iter().copied().find(|&kind| kind as raw::plait_coll_kind == info.kind),
            target: TARGETS.iter().copied().find(|&target| target as raw::plait_coll_target == info.target),
            name: text_at(&info.name),
            ranks: info.ranks,
            root: info.root,
            in_place: info.flags & raw::PLAIT_SCHEDULE_IN_PLACE != 0,
            share_chunks: info.share_chunks,
            input_chunks: info.input_chunks,
            output_chunks: info.output_chunks,
            depth: info.depth,
            lanes: info.lanes,
            steps: info.steps,
        })
    }

    /// Prove the schedule, for what it says of itself; an error if it is refused.
    pub fn check(&self) -> Result<Proof> {
        let (proof, refused) = self.examine(&Claim::new());
        refused.map(|()| proof)
    }

    /// Prove a claim; return the proof, and the error if the schedule is refused.
    pub fn examine(&self, claim: &Claim) -> (Proof, Result<()>) {
        let promises = claim.promises.raw();
        let mut desc = raw::plait_proof_desc {
            depth: claim.depth,
            root: claim.root,
            slot_bytes: claim.slot_bytes,
            promise_count: promises.len() as u64,
            promises: if promises.is_empty() { ptr::null() } else { promises.as_ptr() },
            ..Default::default()
        };
        if let Some(target) = claim.target {
            desc.flags |= raw::PLAIT_PROOF_HAS_TARGET;
            desc.target = target as raw::plait_coll_target;
        }
        if let Some(kind) = claim.kind {
            desc.flags |= raw::PLAIT_PROOF_HAS_KIND;
            desc.kind = kind as raw::plait_coll_kind;
        }
        if !claim.promises.is_empty() {
            desc.flags |= raw::PLAIT_PROOF_HAS_PROMISES;
        }
        let mut made = raw::plait_proof::default();
        // SAFETY: a record of the right size; what `desc` refers to lives until the call returns.
        let checked =
            call(|error| unsafe { (lib().plait_schedule_check)(self.raw.get(), &desc, &mut made, error) });
        (proof_of(&made), checked.map(|_| ()))
    }

    /// Return the schedule in binary form, or as XML.
    pub fn write(&self, format: ScheduleFormat) -> Result<Vec<u8>> {
        fill_bytes(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_schedule_write)(self.raw.get(), format as raw::plait_schedule_format, room.cast(), bytes,
                                             needed, error)
            })?;
            Ok(())
        })
    }

    /// Predict the time on a cluster, a text of doc/cluster.md, with `size` bytes in the larger
    /// one of a rank's input and output.  `name` is that of the file, for errors.
    pub fn simulate(&self, cluster: &str, name: &str, size: u64) -> Result<CollTime> {
        let name = c_text(name)?;
        let mut made = raw::plait_coll_simulation::default();
        // SAFETY: the text has its length beside it; a record of the right size.
        call(|error| unsafe {
            (lib().plait_schedule_simulate)(self.raw.get(), cluster.as_ptr().cast(), cluster.len() as u64,
                                            name.as_ptr(), size, &mut made, error)
        })?;
        Ok(CollTime {
            time_ns: made.time_ns,
            tiles: made.tiles,
            executed_tiles: made.executed_tiles,
            tile_bytes: made.tile_bytes,
            critical_steps: made.critical_steps,
            critical_ns: made.critical_ns,
            latency_ns: made.latency_ns,
        })
    }

    /// Return the first tile of a simulation as SVG.
    pub fn draw(&self, cluster: &str, name: &str, size: u64) -> Result<String> {
        let name = c_text(name)?;
        fill_text(|room, bytes, needed| {
            // SAFETY: as above; `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_schedule_draw)(self.raw.get(), cluster.as_ptr().cast(), cluster.len() as u64,
                                            name.as_ptr(), size, room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }

    /// Describe the graph of all ranks, with `count` elements in a share.
    pub fn collective<T: Element>(&self, count: u64) -> Collective<'_, T> {
        let (element, element_bits) = element_of::<T>();
        let desc = raw::plait_collective_desc { element, element_bits, count, ..Default::default() };
        Collective { schedule: self, desc, inputs: Vec::new(), outputs: Vec::new(), devices: Vec::new(), kind: PhantomData }
    }
}

/// Return the type of an element for C, and its bits.
pub(crate) fn element_of<T: Element>() -> (raw::plait_element, u32) {
    let (kind, bits) = match T::NAME.split_at(1) {
        ("f", bits) => (raw::PLAIT_ELEMENT_FLOAT, bits),
        ("i", bits) => (raw::PLAIT_ELEMENT_INT, bits),
        (_, bits) => (raw::PLAIT_ELEMENT_UINT, bits),
    };
    (kind, bits.parse().unwrap_or(0))
}

fn proof_of(made: &raw::plait_proof) -> Proof {
    Proof {
        reason: REFUSALS.iter().copied().find(|&one| one as raw::plait_proof_reason == made.reason),
        same_bits: made.flags & raw::PLAIT_PROOF_SAME_BITS != 0,
        exports: EXPORTS.iter().filter(|(flag, _)| made.flags & flag != 0).map(|(_, format)| *format).collect(),
        depth: made.depth,
        depth_min: made.depth_min,
        lanes: made.lanes,
        channels: made.channels,
        lane_steps: made.lane_steps,
        step_chunks: made.step_chunks,
        ranks: made.ranks,
        steps: made.steps,
        safe_bytes: if made.safe_bytes == u64::MAX { None } else { Some(made.safe_bytes) },
    }
}

/// A collective of a schedule that is being described; [`graph`](Collective::graph) makes it.
///
/// Without buffers, runs of the plan set the parameters `in0`, `out0`, ...; in place the
/// outputs alone.
#[must_use = "nothing is made before graph()"]
pub struct Collective<'a, T: Element> {
    schedule: &'a Schedule,
    desc: raw::plait_collective_desc,
    inputs: Vec<*mut raw::plait_buffer>,
    outputs: Vec<*mut raw::plait_buffer>,
    devices: Vec<*mut raw::plait_device>,
    kind: PhantomData<&'a T>,
}

impl<'a, T: Element> Collective<'a, T> {
    /// Set how chunks are reduced; the default is the sum.
    pub fn op(mut self, op: Reduction) -> Self {
        self.desc.reduction = op as raw::plait_reduction;
        self
    }

    /// Set the inputs, one per rank; `None` for a rank without one.
    pub fn inputs(mut self, given: impl IntoIterator<Item = impl Into<Option<&'a Buffer<T>>>>) -> Self {
        self.inputs = given.into_iter().map(pointer_of_buffer).collect();
        self
    }

    /// Set the outputs, one per rank; `None` for a rank without one.
    pub fn outputs(mut self, given: impl IntoIterator<Item = impl Into<Option<&'a Buffer<T>>>>) -> Self {
        self.outputs = given.into_iter().map(pointer_of_buffer).collect();
        self
    }

    /// Set the devices, one per rank.
    pub fn devices(mut self, given: impl IntoIterator<Item = &'a Device>) -> Self {
        self.devices = given.into_iter().map(Device::get).collect();
        self
    }

    /// Make the graph.
    pub fn graph(mut self) -> Result<Graph> {
        let ranks = self.schedule.query()?.ranks as usize;
        let lengths = [("inputs", self.inputs.len()), ("outputs", self.outputs.len()), ("devices", self.devices.len())];
        for (name, length) in lengths {
            if length != 0 && length != ranks {
                return Err(Error::invalid(format!("{}: {} given, the schedule has {} ranks", name, length, ranks)));
            }
        }
        self.desc.inputs = table(&self.inputs);
        self.desc.outputs = table(&self.outputs);
        self.desc.devices = table(&self.devices);
        // SAFETY: the tables have an entry per rank; the graph retains the buffers.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_schedule_graph)(self.schedule.raw.get(), &self.desc, out, error)
        })?;
        Ok(Graph::of(raw, &self.schedule.owner))
    }
}

impl Collective<'_, u16> {
    /// Let the elements be half floats.
    pub fn f16(mut self) -> Self {
        self.desc.element = raw::PLAIT_ELEMENT_FLOAT;
        self
    }

    /// Let the elements be bfloat16.
    pub fn bf16(mut self) -> Self {
        self.desc.element = raw::PLAIT_ELEMENT_BFLOAT;
        self
    }
}

fn pointer_of_buffer<'a, T: Element>(given: impl Into<Option<&'a Buffer<T>>>) -> *mut raw::plait_buffer {
    given.into().map_or(ptr::null_mut(), |buffer| buffer.raw.get())
}

fn table<T>(given: &[*mut T]) -> *const *mut T {
    if given.is_empty() { ptr::null() } else { given.as_ptr() }
}
