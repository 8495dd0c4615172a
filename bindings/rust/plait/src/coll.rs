// SPDX-License-Identifier: MIT
//! Chunk programs: the copies and reductions of a collective, in order.
use std::ptr;
use std::rc::Rc;

use plait_sys as raw;

use crate::error::{c_text, call, pointer_of, Result};
use crate::inbox::Owner;
use crate::library::{lib, Handle};
use crate::schedule::Schedule;
use crate::system::System;

/// A collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CollKind {
    Custom = raw::PLAIT_COLL_CUSTOM as isize,
    Allreduce = raw::PLAIT_COLL_ALLREDUCE as isize,
    Allgather = raw::PLAIT_COLL_ALLGATHER as isize,
    ReduceScatter = raw::PLAIT_COLL_REDUCE_SCATTER as isize,
    Alltoall = raw::PLAIT_COLL_ALLTOALL as isize,
    Broadcast = raw::PLAIT_COLL_BROADCAST as isize,
    Reduce = raw::PLAIT_COLL_REDUCE as isize,
    Gather = raw::PLAIT_COLL_GATHER as isize,
    Scatter = raw::PLAIT_COLL_SCATTER as isize,
    Alltonext = raw::PLAIT_COLL_ALLTONEXT as isize,
}

/// The executor whose rules and limits a schedule keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CollTarget {
    Plait = raw::PLAIT_TARGET_PLAIT as isize,
    Msccl = raw::PLAIT_TARGET_MSCCL as isize,
    Executor = raw::PLAIT_TARGET_EXECUTOR as isize,
    Rccl = raw::PLAIT_TARGET_RCCL as isize,
}

/// How messages travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    Auto = raw::PLAIT_PROTOCOL_AUTO as isize,
    Simple = raw::PLAIT_PROTOCOL_SIMPLE as isize,
    Ll = raw::PLAIT_PROTOCOL_LL as isize,
    Ll128 = raw::PLAIT_PROTOCOL_LL128 as isize,
}

/// A buffer of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollBuffer {
    Input,
    Output,
    Scratch(u32),
}

impl CollBuffer {
    fn number(self) -> u32 {
        match self {
            CollBuffer::Input => raw::PLAIT_CHUNK_INPUT,
            CollBuffer::Output => raw::PLAIT_CHUNK_OUTPUT,
            CollBuffer::Scratch(number) => raw::PLAIT_CHUNK_SCRATCH.saturating_add(number),
        }
    }
}

// --- promises --------------------------------------------------------------------

/// Promises of a custom collective: which input chunks each output chunk shall reduce.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promises(Vec<(u32, u64, Vec<u32>, Vec<u64>)>);

impl Promises {
    pub(crate) fn add(&mut self, rank: u32, chunk: u64, sources: &[(u32, u64)]) {
        let (ranks, chunks) = sources.iter().copied().unzip();
        self.0.push((rank, chunk, ranks, chunks));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Return the table for C, which refers to `self`.
    pub(crate) fn raw(&self) -> Vec<raw::plait_coll_promise> {
        let one = |(rank, index, ranks, chunks): &(u32, u64, Vec<u32>, Vec<u64>)| raw::plait_coll_promise {
            rank: *rank,
            index: *index,
            source_count: ranks.len() as u64,
            source_ranks: ranks.as_ptr(),
            source_indices: chunks.as_ptr(),
            ..Default::default()
        };
        self.0.iter().map(one).collect()
    }
}

// --- creation --------------------------------------------------------------------

/// A collective that is being described; [`create`](CollOptions::create) makes an empty
/// program, [`known`](CollOptions::known) that of an algorithm.
#[derive(Clone, Debug)]
pub struct CollOptions {
    kind: CollKind,
    ranks: u32,
    root: u32,
    chunks: u32,
    inputs: u64,
    outputs: u64,
    in_place: bool,
    promises: Promises,
    label: Option<String>,
}

impl CollOptions {
    /// Start with the collective and the number of ranks.
    pub fn new(kind: CollKind, ranks: u32) -> CollOptions {
        CollOptions {
            kind,
            ranks,
            root: 0,
            chunks: 0,
            inputs: 0,
            outputs: 0,
            in_place: false,
            promises: Promises::default(),
            label: None,
        }
    }

    /// Set the chunks of a rank's share; the default is 1, or the algorithm's choice.
    pub fn chunks(mut self, chunks: u32) -> Self {
        self.chunks = chunks;
        self
    }

    /// Set the rank with the input, or the output, of the kinds that have one.
    pub fn root(mut self, rank: u32) -> Self {
        self.root = rank;
        self
    }

    /// Let input and output share memory.
    pub fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    /// Set the chunks of each rank's input and output, of a custom collective.
    pub fn buffers(mut self, inputs: u64, outputs: u64) -> Self {
        (self.inputs, self.outputs) = (inputs, outputs);
        self
    }

    /// Promise that an output chunk is the reduction of input chunks, each (rank, chunk), of a
    /// custom collective.
    pub fn promise(mut self, rank: u32, chunk: u64, sources: &[(u32, u64)]) -> Self {
        self.promises.add(rank, chunk, sources);
        self
    }

    /// Set the name, for errors and drawings.
    pub fn label(mut self, text: &str) -> Self {
        self.label = Some(text.into());
        self
    }

    fn make(&self, system: &System, algorithm: Option<&str>) -> Result<Coll> {
        let label = self.label.as_deref().map(c_text).transpose()?;
        let name = algorithm.map(c_text).transpose()?;
        let promises = self.promises.raw();
        let desc = raw::plait_coll_desc {
            flags: if self.in_place { raw::PLAIT_COLL_IN_PLACE } else { 0 },
            kind: self.kind as raw::plait_coll_kind,
            ranks: self.ranks,
            root: self.root,
            chunks: self.chunks,
            input_chunks: self.inputs,
            output_chunks: self.outputs,
            promise_count: promises.len() as u64,
            promises: if promises.is_empty() { ptr::null() } else { promises.as_ptr() },
            label: pointer_of(&label),
            ..Default::default()
        };
        // SAFETY: what `desc` refers to lives until the call returns.
        let raw = Handle::make(|out, error| unsafe {
            match &name {
                Some(name) => (lib().plait_coll_known)(system.context(), name.as_ptr(), &desc, out, error),
                None => (lib().plait_coll_create)(system.context(), &desc, out, error),
            }
        })?;
        Ok(Coll { raw, owner: system.owner.clone() })
    }

    /// Create a program without operations.
    pub fn create(&self, system: &System) -> Result<Coll> {
        self.make(system, None)
    }

    /// Create the program of a known algorithm, such as `ring`, `tree` or `hierarchical:8`.
    pub fn known(&self, system: &System, algorithm: &str) -> Result<Coll> {
        self.make(system, Some(algorithm))
    }
}

impl System {
    /// Create a chunk program from its text form, doc/coll-text.md.  `name` is that of the
    /// file, for errors; `ranks` and `chunks` 0: those of the text.
    pub fn read_coll(&self, text: &str, name: &str, ranks: u32, chunks: u32) -> Result<Coll> {
        let name = c_text(name)?;
        // SAFETY: the text has its length beside it.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_coll_read)(self.context(), text.as_ptr().cast(), text.len() as u64, name.as_ptr(), ranks,
                                    chunks, out, error)
        })?;
        Ok(Coll { raw, owner: self.owner.clone() })
    }
}

// --- programs --------------------------------------------------------------------

/// A chunk program: the copies and reductions of a collective, in order.
///
/// ```no_run
/// # use plait::{CollBuffer::Input, CollKind, CollOptions, System};
/// # fn main() -> plait::Result<()> {
/// # let (system, n) = (System::open()?, 4);
/// let ring = CollOptions::new(CollKind::Allreduce, n).chunks(n).in_place().create(&system)?;
/// for r in 0..n {
///     let mut chunk = ring.chunk((r + 1) % n, Input, r.into(), 1)?;
///     for s in 2..=n {
///         chunk = ring.chunk((r + s) % n, Input, r.into(), 1)?.reduce(chunk)?;
///     }
///     for s in 1..n {
///         chunk = chunk.copy((r + s) % n)?;
///     }
/// }
/// let schedule = ring.compile()?;
/// # Ok(())
/// # }
/// ```
pub struct Coll {
    raw: Handle<raw::plait_coll>,
    owner: Rc<Owner>,
}

/// Options of [`Coll::compile_with`]; the target chooses those that are not set.
#[derive(Clone, Copy)]
pub struct CompileOptions {
    desc: raw::plait_compile_desc,
}

impl Default for CompileOptions {
    fn default() -> Self {
        CompileOptions { desc: Default::default() }
    }
}

macro_rules! setters {
    ($($(#[$text:meta])* $name:ident: $type:ty;)*) => { $(
        $(#[$text])*
        pub fn $name(mut self, $name: $type) -> Self {
            self.desc.$name = $name;
            self
        }
    )* };
}

impl CompileOptions {
    /// Start with the defaults.
    pub fn new() -> CompileOptions {
        CompileOptions::default()
    }

    /// Keep the rules and limits of an executor.
    pub fn target(mut self, target: CollTarget) -> Self {
        self.desc.target = target as raw::plait_coll_target;
        self
    }

    /// Choose how messages travel.
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.desc.protocol = protocol as raw::plait_coll_protocol;
        self
    }

    setters! {
        /// Set the parallel ways of the whole program.
        instances: u32;
        /// Set the slots per connection that suffice for the schedule.
        depth: u32;
        /// Set the lanes of a rank above which sends and receipts share lanes.
        lanes: u32;
        /// Set the maximum number of channels.
        channels: u32;
        /// Set the bytes per slot.
        slot_bytes: u64;
    }

    /// Set the sizes of the collective that the schedule is for, in bytes; a `max` of 0: any.
    pub fn sizes(mut self, min: u64, max: u64) -> Self {
        (self.desc.min_bytes, self.desc.max_bytes) = (min, max);
        self
    }

    /// Make each send, receipt, copy and reduction a step of its own.
    pub fn no_fusion(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_COMPILE_NO_FUSION;
        self
    }

    /// Let no lane both send and receive, unless a step does.
    pub fn separate_lanes(mut self) -> Self {
        self.desc.flags |= raw::PLAIT_COMPILE_SEPARATE_LANES;
        self
    }

    /// Join messages of neighbouring chunks that are ready at about one time, up to so many
    /// chunks; 0: any number.
    pub fn aggregate(mut self, message_chunks: u32) -> Self {
        self.desc.flags |= raw::PLAIT_COMPILE_AGGREGATE;
        self.desc.message_chunks = message_chunks;
        self
    }
}

impl Coll {
    /// Return chunks as they are now.
    pub fn chunk(&self, rank: u32, buffer: CollBuffer, index: u64, count: u64) -> Result<Chunk<'_>> {
        Chunk::made(self, |out, error| {
            // SAFETY: a program of ours.
            unsafe { (lib().plait_coll_chunk)(self.raw.get(), rank, buffer.number(), index, count, out, error) }
        })
    }

    /// Split each operation that `f` adds into `ways` parts, which move at the same time.
    pub fn parallel<T>(&self, ways: u32, f: impl FnOnce() -> Result<T>) -> Result<T> {
        // SAFETY: a program of ours.
        call(|error| unsafe { (lib().plait_coll_parallel)(self.raw.get(), ways, error) })?;
        let made = f();
        // SAFETY: as above.
        let ended = call(|error| unsafe { (lib().plait_coll_end)(self.raw.get(), error) });
        made.and_then(|made| ended.map(|_| made))
    }

    /// Compile the program as it is now, and prove the schedule.
    pub fn compile(&self) -> Result<Schedule> {
        self.compile_with(&CompileOptions::new())
    }

    /// Compile as [`compile`](Coll::compile), with options.
    pub fn compile_with(&self, options: &CompileOptions) -> Result<Schedule> {
        // SAFETY: a program of ours.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_coll_compile)(self.raw.get(), &options.desc, out, error)
        })?;
        Ok(Schedule::new(raw, &self.owner))
    }
}

/// Neighbouring chunks of one buffer of one rank, with the values that they have now.  A later
/// write makes a chunk stale, and its use an error.
#[derive(Clone, Copy)]
pub struct Chunk<'a> {
    coll: &'a Coll,
    number: u64,
    place: raw::plait_chunk_place,
}

impl<'a> Chunk<'a> {
    fn made(coll: &'a Coll, function: impl FnOnce(*mut u64, *mut raw::plait_error) -> i32) -> Result<Chunk<'a>> {
        let mut number = 0;
        call(|error| function(&mut number, error))?;
        Ok(Chunk { coll, number, place: Default::default() })
    }

    /// Use a channel for the next operation; transfers of other channels use other connections.
    pub fn channel(mut self, channel: u32) -> Self {
        self.place.flags |= raw::PLAIT_CHUNK_HAS_CHANNEL;
        self.place.channel = channel;
        self
    }

    /// Use these lanes for the next operation.
    pub fn lanes(mut self, send: u32, receive: u32) -> Self {
        self.place.flags |= raw::PLAIT_CHUNK_HAS_LANES;
        (self.place.send_lane, self.place.recv_lane) = (send, receive);
        self
    }

    fn copied(self, place: raw::plait_chunk_place) -> Result<Chunk<'a>> {
        Chunk::made(self.coll, |out, error| {
            // SAFETY: a program of ours; a wrong chunk is an error.
            unsafe { (lib().plait_coll_copy)(self.coll.raw.get(), self.number, &place, out, error) }
        })
    }

    /// Copy to the same place of a rank; return the copy.
    pub fn copy(self, rank: u32) -> Result<Chunk<'a>> {
        self.copied(raw::plait_chunk_place { rank, ..self.place })
    }

    /// Copy to a buffer of a rank; return the copy.
    pub fn copy_to(self, rank: u32, buffer: CollBuffer, index: u64) -> Result<Chunk<'a>> {
        let flags = self.place.flags | raw::PLAIT_CHUNK_HAS_BUFFER;
        self.copied(raw::plait_chunk_place { rank, buffer: buffer.number(), index, flags, ..self.place })
    }

    /// Copy to the end of a scratch buffer of a rank; return the copy.
    pub fn append_to(self, rank: u32, scratch: u32) -> Result<Chunk<'a>> {
        let (flags, buffer) = (self.place.flags | raw::PLAIT_CHUNK_APPEND, CollBuffer::Scratch(scratch).number());
        self.copied(raw::plait_chunk_place { rank, buffer, flags, ..self.place })
    }

    /// Add another chunk to this one; return this one as it is then.
    pub fn reduce(self, other: Chunk<'_>) -> Result<Chunk<'a>> {
        Chunk::made(self.coll, |out, error| {
            // SAFETY: a program of ours; a wrong chunk is an error.
            unsafe {
                (lib().plait_coll_reduce)(self.coll.raw.get(), self.number, other.number, &self.place, out, error)
            }
        })
    }

    /// Return some of the chunks.
    pub fn part(self, first: u64, count: u64) -> Result<Chunk<'a>> {
        Chunk::made(self.coll, |out, error| {
            // SAFETY: as above.
            unsafe { (lib().plait_coll_part)(self.coll.raw.get(), self.number, first, count, out, error) }
        })
    }

    /// Return these chunks and neighbouring ones as one.
    pub fn join(self, other: Chunk<'_>) -> Result<Chunk<'a>> {
        Chunk::made(self.coll, |out, error| {
            // SAFETY: as above.
            unsafe { (lib().plait_coll_join)(self.coll.raw.get(), self.number, other.number, out, error) }
        })
    }
}
