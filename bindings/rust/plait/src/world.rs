// SPDX-License-Identifier: MIT
//! Worlds: ranks that are processes, and the collectives of all of them.
use std::marker::PhantomData;
use std::ptr;
use std::rc::Rc;
use std::time::Duration;

use plait_sys as raw;

use crate::error::{c_text, call, fill_text, pointer_of, Error, Result};
use crate::graph::{Graph, Node};
use crate::inbox::Owner;
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::queue::Queue;
use crate::schedule::{element_of, Reduction, Schedule};
use crate::system::{Device, System};

/// A world that is being described; [`open`](WorldOptions::open) opens it, on all ranks.
#[derive(Clone, Default)]
pub struct WorldOptions {
    transports: Option<String>,
    desc: raw::plait_world_desc,
}

fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().min(u64::MAX as u128 - 1) as u64
}

impl WorldOptions {
    /// Start with the defaults: `PLAIT_TRANSPORT`, and what a launcher says.
    pub fn new() -> WorldOptions {
        WorldOptions::default()
    }

    /// Set the transports, such as `shm,mpi`.
    pub fn transports(mut self, names: &str) -> Self {
        self.transports = Some(names.into());
        self
    }

    /// Set the rank of this process, and the number of ranks.
    pub fn rank(mut self, rank: u32, ranks: u32) -> Self {
        (self.desc.rank, self.desc.ranks) = (rank, ranks);
        self
    }

    /// Set the time that the other ranks have to come; the default is 60 s.
    pub fn open_time(mut self, time: Duration) -> Self {
        self.desc.open_ns = nanoseconds(time);
        self
    }

    /// Let a call fail in which nothing moves for so long.
    pub fn silence(mut self, time: Duration) -> Self {
        self.desc.silence_ns = nanoseconds(time);
        self
    }

    /// Open the world; returns when each rank has said hello.
    pub fn open(&self, system: &System) -> Result<World> {
        let names = self.transports.as_deref().map(c_text).transpose()?;
        let desc = raw::plait_world_desc { transports: pointer_of(&names), ..self.desc };
        // SAFETY: what `desc` refers to lives until the call returns.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_world_open)(system.context(), &desc, out, error)
        })?;
        let mut info = raw::plait_world_info::default();
        // SAFETY: a world of ours.
        call(|error| unsafe { (lib().plait_world_query)(raw.get(), &mut info, error) })?;
        Ok(World { raw, owner: system.owner.clone(), info })
    }
}

/// The ranks of a program, which are processes.
pub struct World {
    raw: Handle<raw::plait_world>,
    owner: Rc<Owner>,
    info: raw::plait_world_info,
}

impl World {
    /// Return the rank of this process.
    pub fn rank(&self) -> u32 {
        self.info.rank
    }

    /// Return the number of ranks.
    pub fn ranks(&self) -> u32 {
        self.info.ranks
    }

    /// Return the number of machines that the ranks are on.
    pub fn machines(&self) -> u32 {
        self.info.machines
    }

    /// Return by which transport each rank is reached, and why not by others.
    pub fn report(&self) -> Result<String> {
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null and `bytes` 0.
            call(|error| unsafe { (lib().plait_world_report)(self.raw.get(), room.cast(), bytes, needed, error) })?;
            Ok(())
        })
    }

    /// Create a buffer of `len` zeros that the ranks of this machine read in place in
    /// collectives; an ordinary one of the device where nothing can be shared.
    pub fn zeros<T: Element>(&self, device: &Device, len: usize) -> Result<Buffer<T>> {
        let made = device.allocate_in(self.raw.get(), len)?;
        made.clear()?;
        Ok(made)
    }

    /// Make a collective of schedules, on all ranks; a call takes the first one that is for its
    /// size.
    pub fn collective(&self, schedules: &[&Schedule]) -> Result<WorldCollective> {
        let handles: Vec<_> = schedules.iter().map(|one| one.raw()).collect();
        // SAFETY: the array lives for the call.
        let raw = Handle::make(|out, error| unsafe {
            (lib().plait_collective_create)(self.raw.get(), handles.as_ptr(), handles.len() as u64, out, error)
        })?;
        Ok(WorldCollective { raw, _owner: self.owner.clone() })
    }
}

/// A collective of a world.  Called, submitted and added to graphs in one order on all ranks.
pub struct WorldCollective {
    raw: Handle<raw::plait_collective>,
    _owner: Rc<Owner>,
}

impl WorldCollective {
    /// Describe a call with `count` elements in a share.
    pub fn share<T: Element>(&self, count: u64) -> CollectiveCall<'_, T> {
        let (element, element_bits) = element_of::<T>();
        let desc = raw::plait_collective_run { element, element_bits, count, ..Default::default() };
        CollectiveCall { collective: self, desc, kind: PhantomData }
    }
}

/// A call of a collective that is being described, with this rank's buffers.
#[must_use = "nothing is done before call(), submit() or add()"]
pub struct CollectiveCall<'a, T: Element> {
    collective: &'a WorldCollective,
    desc: raw::plait_collective_run,
    kind: PhantomData<&'a T>,
}

impl<'a, T: Element> CollectiveCall<'a, T> {
    /// Set how chunks are reduced; the default is the sum.
    pub fn op(mut self, op: Reduction) -> Self {
        self.desc.reduction = op as raw::plait_reduction;
        self
    }

    /// Set the input.
    pub fn input(mut self, buffer: &'a Buffer<T>) -> Self {
        self.desc.input = buffer.raw.get();
        self
    }

    /// Set the output; in place it is the only buffer.
    pub fn output(mut self, buffer: &'a Buffer<T>) -> Self {
        self.desc.output = buffer.raw.get();
        self
    }

    /// Execute the collective, and wait.
    pub fn call(self) -> Result<()> {
        // SAFETY: the buffers live for the call.
        call(|error| unsafe { (lib().plait_collective_call)(self.collective.raw.get(), &self.desc, error) })?;
        Ok(())
    }

    /// Submit the call to a queue, which holds no thread while other ranks are late.
    pub fn submit(self, queue: &Queue) -> Result<()> {
        // SAFETY: the submission retains the buffers.
        call(|error| unsafe {
            (lib().plait_collective_submit)(self.collective.raw.get(), queue.raw.get(), &self.desc, ptr::null_mut(),
                                            error)
        })?;
        Ok(())
    }

    /// Add the call to a graph, behind a node if one is given.  Paths order the collectives of
    /// one world.
    pub fn add(self, graph: &Graph, label: &str, after: Option<Node>) -> Result<Node> {
        let label = c_text(label)?;
        let before = after.map_or(Some(0), |node| node.number_in(graph));
        let before = before.ok_or_else(|| Error::invalid("after: a node of another graph"))?;
        let mut number = 0;
        // SAFETY: the graph retains the buffers and the collective.
        call(|error| unsafe {
            (lib().plait_graph_collective)(graph.raw(), self.collective.raw.get(), &self.desc, label.as_ptr(), before,
                                           &mut number, error)
        })?;
        Ok(Node::of(graph, number))
    }
}
