// SPDX-License-Identifier: MIT
//! Names of plans that were read, and the schedule of plans: binding, simulation, tuning.
use std::os::raw::c_void;
use std::sync::Arc;

use plait_sys as raw;

use crate::error::{borrowed_text, c_text, call, text_at, Result};
use crate::inbox::{answer_of, as_user_data, Outcome, Owner, Verdict};
use crate::kernel::Kernel;
use crate::library::{lib, Handle};
use crate::memory::{Buffer, Element};
use crate::plan::Plan;
use crate::queue::Signal;
use crate::system::{Device, System};

/// The kind of a name of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKind {
    Kernel,
    Buffer,
    Signal,
    Function,
    Device,
    Other(u32),
}

/// A name of a plan that was read; see [`Plan::bindings`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Binding {
    pub name: String,
    pub kind: BindingKind,
    /// `PLAIT_BINDING_IS_...` of `plait_sys`.
    pub flags: u32,
    pub bound: bool,
    /// Buffers: the smallest size.
    pub bytes: u64,
    /// The signature of a kernel, or the device of a buffer or signal.
    pub detail: String,
}

/// A mode of the host engine; see [`Freeze`](crate::Freeze).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Strict,
    Helped,
    Auto,
}

/// Options of [`Plan::tune`]; zeros are those of the plan.
#[derive(Clone, Copy, Debug)]
pub struct Tune {
    pub mode: Mode,
    pub lanes: u32,
    pub hop_ns: u64,
}

impl Default for Tune {
    fn default() -> Tune {
        Tune { mode: Mode::Auto, lanes: 0, hop_ns: 0 }
    }
}

/// The use of a lane in a [`Simulation`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaneUse {
    pub device: String,
    pub commands: u64,
    pub waits: u64,
    pub start: u64,
    pub end: u64,
    pub busy: u64,
}

/// The prediction of [`Plan::simulate`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Simulation {
    pub makespan: u64,
    pub critical_cost: u64,
    pub critical_count: u64,
    pub busy: u64,
    pub memory_peak: u64,
    pub lanes: Vec<LaneUse>,
}

/// A command on the path of [`Plan::critical_path`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CriticalCommand {
    pub lane: u32,
    pub node: u64,
    pub command: u64,
    pub label: String,
    pub start: u64,
    pub end: u64,
}

/// A command of a plan; see [`Plan::commands`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Command {
    /// `PLAIT_NODE_...` of `plait_sys`.
    pub kind: u32,
    pub lane: u32,
    pub device: u32,
    pub label: String,
}

/// Costs of a system, for [`Plan::simulate`]; see `plait_system_desc`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    pub hop_cost: u64,
    pub submit_cost: u64,
    pub copy_alpha: u64,
    pub copy_beta: u64,
}

impl Costs {
    fn raw(&self) -> raw::plait_system_desc {
        raw::plait_system_desc {
            hop_cost: self.hop_cost,
            submit_cost: self.submit_cost,
            copy_alpha: self.copy_alpha,
            copy_beta: self.copy_beta,
            ..Default::default()
        }
    }
}

fn kind_of(kind: u32) -> BindingKind {
    match kind {
        raw::PLAIT_BINDING_KERNEL => BindingKind::Kernel,
        raw::PLAIT_BINDING_BUFFER => BindingKind::Buffer,
        raw::PLAIT_BINDING_SIGNAL => BindingKind::Signal,
        raw::PLAIT_BINDING_FUNCTION => BindingKind::Function,
        raw::PLAIT_BINDING_DEVICE => BindingKind::Device,
        other => BindingKind::Other(other),
    }
}

// --- names ---------------------------------------------------------------------

impl Plan {
    /// Return the names of a plan that was read.
    pub fn bindings(&self) -> Result<Vec<Binding>> {
        let mut found = Vec::new();
        for i in 0..self.query()?.bindings {
            let mut one = raw::plait_plan_binding::default();
            // SAFETY: a plan of ours; the texts live as long as the plan.
            call(|error| unsafe {
                (lib().plait_plan_query_binding)(self.get(), i.into(), &mut one, error)
            })?;
            found.push(Binding {
                name: borrowed_text(one.name),
                kind: kind_of(one.kind),
                flags: one.flags,
                bound: one.bound != 0,
                bytes: one.bytes,
                detail: borrowed_text(one.detail),
            });
        }
        Ok(found)
    }

    /// Bind a kernel of a plan that was read; its own name is the name.
    pub fn bind_kernel(&self, kernel: &Kernel) -> Result<()> {
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_plan_bind_kernel)(self.get(), kernel.raw.get(), error)
        })?;
        Ok(())
    }

    /// Bind a buffer to a name of a plan that was read.
    pub fn bind_buffer<T: Element>(&self, name: &str, buffer: &Buffer<T>) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_plan_bind_buffer)(self.get(), name.as_ptr(), buffer.raw.get(), error)
        })?;
        Ok(())
    }

    /// Bind a signal to a name of a plan that was read.
    pub fn bind_signal(&self, name: &str, signal: &Signal) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_plan_bind_signal)(self.get(), name.as_ptr(), signal.raw.get(), error)
        })?;
        Ok(())
    }

    /// Bind a closure to a function's name of a plan that was read; it runs on the thread of
    /// the system.  An error that it returns, or a panic, fails the node.
    pub fn bind_function<O: Outcome>(&mut self, system: &System, name: &str,
                                     mut f: impl FnMut() -> O + 'static) -> Result<()> {
        let registered = system.owner.register(Box::new(move || answer_of(f())));
        self.bind_registered(&system.owner, name, registered, false)
    }

    /// Bind a closure to the name of a loop's or a case's function in a plan that was read:
    /// its result decides.
    pub fn bind_predicate<V: Verdict>(&mut self, system: &System, name: &str,
                                      mut f: impl FnMut() -> V + 'static) -> Result<()> {
        let registered = system.owner.register(Box::new(move || f().verdict().map(i64::from)));
        self.bind_registered(&system.owner, name, registered, true)
    }

    fn bind_registered(&mut self, owner: &Owner, name: &str, registered: Arc<crate::inbox::Registered>,
                       predicate: bool) -> Result<()> {
        let wanted = self.bindings()?.into_iter().find(|one| {
            one.kind == BindingKind::Function && one.name == name
        });
        let decides = |one: &Binding| one.flags & raw::PLAIT_BINDING_IS_PREDICATE != 0;
        if wanted.map_or(false, |one| decides(&one) != predicate) {
            return Err(crate::Error::invalid(format!(
                "\"{}\" {}", name, if predicate { "decides nothing: use bind_function" }
                else { "decides a loop or a case: use bind_predicate" })));
        }
        let name = c_text(name)?;
        let desc = raw::plait_function_desc {
            user_data: as_user_data(registered.number),
            inbox: owner.shared.inbox.get(),
            ..Default::default()
        };
        // SAFETY: without a function plait hands the number out, and calls nothing.
        call(|error| unsafe {
            (lib().plait_plan_bind_function)(self.get(), name.as_ptr(), &desc, error)
        })?;
        self.keep(registered);
        Ok(())
    }

    /// Bind a C function to a name of a plan that was read; it runs on any thread.
    ///
    /// # Safety
    ///
    /// The function may be called with `user_data`, on any thread, while the plan or a run
    /// of it lives.
    pub unsafe fn bind_c_function(&self, name: &str,
                                  function: unsafe extern "C" fn(*mut c_void) -> i32,
                                  user_data: *mut c_void) -> Result<()> {
        let name = c_text(name)?;
        let desc = raw::plait_function_desc {
            flags: raw::PLAIT_CALL_ANY_THREAD,
            function: Some(function),
            user_data,
            ..Default::default()
        };
        call(|error| {
            (lib().plait_plan_bind_function)(self.get(), name.as_ptr(), &desc, error)
        })?;
        Ok(())
    }

    /// Bind a device to a name of a plan that was read.
    pub fn bind_device(&self, name: &str, device: &Device) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: both are ours.
        call(|error| unsafe {
            (lib().plait_plan_bind_device)(self.get(), name.as_ptr(), device.get(), error)
        })?;
        Ok(())
    }

    /// Allocate and compile all that a run needs; the first run does so otherwise.
    pub fn prepare(&self) -> Result<()> {
        // SAFETY: a plan of ours.
        call(|error| unsafe { (lib().plait_plan_prepare)(self.get(), error) })?;
        Ok(())
    }

    /// Replace a kernel of the plan by one with an equal signature, for later runs.
    pub fn exchange(&self, old: &Kernel, kernel: &Kernel) -> Result<()> {
        // SAFETY: all are ours.
        call(|error| unsafe {
            (lib().plait_plan_exchange)(self.get(), old.raw.get(), kernel.raw.get(), error)
        })?;
        Ok(())
    }
}

// --- the schedule --------------------------------------------------------------

impl Plan {
    /// Return the properties of the plan.
    pub fn query(&self) -> Result<raw::plait_plan_info> {
        let mut info = raw::plait_plan_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_plan_query)(self.get(), &mut info, error) })?;
        Ok(info)
    }

    /// Return the commands of the plan.
    pub fn commands(&self) -> Result<Vec<Command>> {
        let mut found = Vec::new();
        for i in 0..self.query()?.commands {
            let mut one = raw::plait_command_info::default();
            // SAFETY: a record of the right size.
            call(|error| unsafe {
                (lib().plait_plan_query_command)(self.get(), i, &mut one, error)
            })?;
            found.push(Command {
                kind: one.kind,
                lane: one.lane,
                device: one.device,
                label: text_at(&one.label),
            });
        }
        Ok(found)
    }

    /// Predict a run from the costs of the nodes and those of a system.
    pub fn simulate(&self, costs: &Costs) -> Result<Simulation> {
        let (system, mut out) = (costs.raw(), raw::plait_simulation::default());
        let mut lanes = vec![raw::plait_lane_use::default(); self.query()?.lanes as usize];
        // SAFETY: the arrays have the length beside them.
        call(|error| unsafe {
            (lib().plait_plan_simulate)(self.get(), &system, &mut out, lanes.as_mut_ptr(),
                                        lanes.len() as u64, error)
        })?;
        Ok(Simulation {
            makespan: out.makespan,
            critical_cost: out.critical_cost,
            critical_count: out.critical_count,
            busy: out.busy,
            memory_peak: out.memory_peak,
            lanes: lanes.iter().map(lane_use).collect(),
        })
    }

    /// Return the commands on the predicted critical path, in order of time.
    pub fn critical_path(&self, costs: &Costs) -> Result<Vec<CriticalCommand>> {
        let (system, count) = (costs.raw(), self.simulate(costs)?.critical_count);
        let mut path = vec![raw::plait_critical_command::default(); count as usize];
        if path.is_empty() {
            return Ok(Vec::new());
        }
        // SAFETY: the array has the length beside it.
        call(|error| unsafe {
            (lib().plait_plan_critical_path)(self.get(), &system, path.as_mut_ptr(), count, error)
        })?;
        Ok(path.iter().map(critical_command).collect())
    }

    /// Turn the plan into a rehearsal: runs execute costs, `unit_ns` nanoseconds per unit,
    /// and call nothing.
    pub fn rehearse(&self, unit_ns: u64) -> Result<()> {
        // SAFETY: a plan of ours.
        call(|error| unsafe { (lib().plait_plan_rehearse)(self.get(), unit_ns, error) })?;
        Ok(())
    }

    /// Plan the same graph again with the costs that recorded runs measured.  Compare
    /// `before_ns` and `after_ns`.
    pub fn tune(&self, how: &Tune) -> Result<(Plan, raw::plait_tune_info)> {
        let desc = raw::plait_tune_desc {
            mode: match how.mode {
                Mode::Strict => raw::PLAIT_MODE_STRICT,
                Mode::Helped => raw::PLAIT_MODE_HELPED,
                Mode::Auto => raw::PLAIT_MODE_AUTO,
            },
            lanes: how.lanes,
            hop_ns: how.hop_ns,
            ..Default::default()
        };
        let mut info = raw::plait_tune_info::default();
        // SAFETY: records of the right size.
        let made = Handle::make(|out, error| unsafe {
            (lib().plait_plan_tune)(self.get(), &desc, out, &mut info, error)
        })?;
        Ok((self.again(made)?, info))
    }
}

fn lane_use(one: &raw::plait_lane_use) -> LaneUse {
    LaneUse {
        device: borrowed_text(one.device_name),
        commands: one.commands,
        waits: one.waits,
        start: one.start,
        end: one.end,
        busy: one.busy,
    }
}

fn critical_command(one: &raw::plait_critical_command) -> CriticalCommand {
    CriticalCommand {
        lane: one.lane,
        node: one.node,
        command: one.command,
        label: borrowed_text(one.label),
        start: one.start,
        end: one.end,
    }
}
