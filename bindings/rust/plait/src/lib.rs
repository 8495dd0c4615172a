// SPDX-License-Identifier: MIT
//! plait for Rust: task graphs, scheduled once and replayed.
//!
//! ```no_run
//! use plait::{args, parameter, with, System};
//!
//! fn main() -> plait::Result<()> {
//!     let system = System::open()?;                 // PLAIT_BACKEND chooses
//!     let device = system.device();
//!     // SAFETY: the code accesses memory as its signature declares.
//!     let saxpy = unsafe {
//!         system.kernel("saxpy(a: f32, x: in pointer f32, y: inout pointer f32, n: u64)",
//!                       "KERNEL(saxpy) { EACH(i, n) y[i] += a * x[i]; }")?
//!     };
//!     let (x, y) = (device.array(&[1f32; 1000])?, device.array(&[1f32; 1000])?);
//!     let graph = system.graph()?;
//!     graph.launch(&saxpy, args![parameter("a"), &x, &y, 1000]).items(1000).add()?;
//!     let plan = graph.freeze()?;
//!     plan.call(with![a = 2.0])                     // may be called any number of times
//! }
//! ```
//!
//! Two promises only the caller can make are `unsafe`: that a kernel's code accesses
//! memory as its signature declares, and that nothing else uses mapped memory while a
//! slice of it exists.  All other functions are safe, and misuse does not compile:
//! closures submitted from any thread are `Send`, slices do not outlive their buffer.

mod access;
mod coll;
mod data;
mod error;
mod flow;
mod flow_options;
mod graph;
mod inbox;
mod kernel;
mod library;
mod memory;
mod names;
mod placement;
mod plan;
mod queue;
mod rows;
mod schedule;
mod suspend;
mod system;
mod task;
mod world;

pub use access::{chunk, Access, Accessed, Accesses, BySignature, Part, Reads, Span, Views, Writes};
pub use coll::{Chunk, Coll, CollBuffer, CollKind, CollOptions, CollTarget, CompileOptions, Protocol};
pub use data::{Advice, Data, DataBuilder, DataView, DataViewMut, Token};
pub use error::{Error, Result, Status};
pub use flow::{Done, Flow, FlowFormat, FlowInfo};
pub use flow_options::FlowOptions;
pub use graph::{Adding, Count, Freeze, Graph, Made, Node};
pub use inbox::{is_stopping, Outcome, Verdict};
pub use kernel::{bytes, host_value, iteration, memory, memory_mut, parameter, scratch, Argument, Items, Kernel, KernelBuilder, Parameter,
                 Rotation, Series};
pub use memory::{Buffer, Element, ImageFormat, Mapped, MappedMut, SAMPLER_LINEAR, SAMPLER_ZERO};
pub use plait_sys as sys;
pub use names::{Binding, BindingKind, Command, Costs, CriticalCommand, LaneUse, Mode, Simulation,
                Tune};
pub use placement::{DeviceChoice, LaneChoice, Memories, ParentChoice};
pub use plan::{Callable, Given, Plan, PlanFormat, Run, RunFlags, TraceFormat};
pub use queue::{Batch, Pending, Queue, Reach, Signal};
pub use rows::Rows;
pub use schedule::{Claim, CollTime, Collective, Proof, Reduction, Refusal, Schedule, ScheduleFormat, ScheduleInfo};
pub use system::{Device, DeviceInfo, LinkInfo, Options, System};
pub use task::Task;
pub use world::{CollectiveCall, World, WorldCollective, WorldOptions};

/// Arguments of a kernel: `args![2.0, &x, &y, 1000]`.
#[macro_export]
macro_rules! args {
    ($($value:expr),* $(,)?) => { &[$($crate::Argument::from($value)),*] };
}

/// Parameters of one run of a plan: `with![a = 2.0, y = &y]`.
#[macro_export]
macro_rules! with {
    ($($name:ident = $value:expr),* $(,)?) => {
        &[$((stringify!($name), $crate::Argument::from($value))),*]
    };
}

/// Return the version of the C library.
pub fn version() -> Result<String> {
    // SAFETY: a function of no arguments.
    Ok(error::static_text(unsafe { (library::load()?.plait_version)() }))
}

/// Return the number of live plait objects in this process.
pub fn live_count() -> Result<u64> {
    // SAFETY: a function of a number.
    Ok(unsafe { (library::load()?.plait_live_count)(sys::PLAIT_OBJECT_ANY as i32) })
}
