// SPDX-License-Identifier: MIT
//! Systems (a plait_context with an inbox) and devices.
use std::os::unix::io::{AsRawFd, RawFd};
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use plait_sys as raw;

use crate::error::{c_text, call, fill_text, pointer_of, text_at, Error, Result, Status};
use crate::graph::Graph;
use crate::inbox::{once, Outcome, Owner, Shared};
use crate::kernel::{Kernel, KernelBuilder};
use crate::library::{lib, load, Handle};
use crate::plan::Plan;
use crate::queue::{wait_points, Queue, Signal};

/// Options of a system; see [`System::options`].
#[derive(Clone, Debug, Default)]
pub struct Options {
    backend: Option<String>,
    options: Option<String>,
    wrap: Option<String>,
    plugin_path: Option<String>,
    workers: Option<u32>,
    sync: bool,
}

impl Options {
    /// Set the backends, in the form of `PLAIT_BACKEND`.
    pub fn backend(mut self, names: &str) -> Options {
        self.backend = Some(names.into());
        self
    }

    /// Set the options of backends, in the form of `PLAIT_OPTIONS`.
    pub fn options(mut self, text: &str) -> Options {
        self.options = Some(text.into());
        self
    }

    /// Set the interposers around the backends, in the form of `PLAIT_WRAP`.
    pub fn wrap(mut self, names: &str) -> Options {
        self.wrap = Some(names.into());
        self
    }

    /// Set the folders in which plugins are searched.
    pub fn plugin_path(mut self, path: &str) -> Options {
        self.plugin_path = Some(path.into());
        self
    }

    /// Set the number of worker threads; 0: no workers, waiting threads do the work.
    pub fn workers(mut self, count: u32) -> Options {
        self.workers = Some(count);
        self
    }

    /// Wait for every command where it is submitted, to locate a failure.
    pub fn sync(mut self, sync: bool) -> Options {
        self.sync = sync;
        self
    }

    /// Open the system; the calling thread owns it.
    pub fn open(self) -> Result<System> {
        self.with_desc(|desc| {
            // SAFETY: what `desc` refers to lives until the call returns.
            let context =
                Handle::make(|out, error| unsafe { (lib().plait_context_open)(desc, out, error) })?;
            System::new(context)
        })
    }

    /// Return what [`open`](Options::open) would find, without opening it.
    pub fn report(&self) -> Result<String> {
        self.with_desc(|desc| {
            fill_text(|room, bytes, needed| {
                // SAFETY: `room` has `bytes` bytes, or is null.
                call(|error| unsafe {
                    (lib().plait_backend_report)(desc, room.cast(), bytes, needed, error)
                })?;
                Ok(())
            })
        })
    }

    fn with_desc<T>(&self, f: impl FnOnce(&raw::plait_context_desc) -> Result<T>) -> Result<T> {
        load()?;
        let texts = [&self.backend, &self.options, &self.wrap, &self.plugin_path];
        let mut kept = Vec::new();
        for text in texts {
            kept.push(text.as_deref().map(c_text).transpose()?);
        }
        let desc = raw::plait_context_desc {
            backends: pointer_of(&kept[0]),
            options: pointer_of(&kept[1]),
            wrap: pointer_of(&kept[2]),
            plugin_path: pointer_of(&kept[3]),
            workers: self.workers.unwrap_or(0),
            flags: if self.workers == Some(0) { raw::PLAIT_CONTEXT_NO_WORKERS } else { 0 }
                | if self.sync { raw::PLAIT_CONTEXT_SYNC } else { 0 },
            ..Default::default()
        };
        f(&desc)
    }
}

/// An open context: its devices, and the inbox for closures.
///
/// A system stays on the thread that opened it.  Closures run on that thread, while it
/// waits for an object of plait or in [`System::pump`].  Objects made from a system may
/// be dropped before or after it.  A dropped system calls no more closures: commands
/// that need one fail as cancelled.
pub struct System {
    pub(crate) owner: Rc<Owner>,
    devices: Vec<Device>,
}

impl System {
    /// Open the backend that `PLAIT_BACKEND` names, or else the best available.
    pub fn open() -> Result<System> {
        System::options().open()
    }

    /// Start with default options; [`Options::open`] opens the system.
    pub fn options() -> Options {
        Options::default()
    }

    fn new(context: Handle<raw::plait_context>) -> Result<System> {
        let owner = Owner::new(context)?;
        let context = owner.shared.context.get();
        let mut count = 0;
        // SAFETY: `owner` holds a reference to the context.
        call(|error| unsafe { (lib().plait_context_device_count)(context, &mut count, error) })?;
        let mut devices = Vec::new();
        for i in 0..count {
            let mut at = ptr::null_mut();
            call(|error| unsafe { (lib().plait_context_device)(context, i, &mut at, error) })?;
            devices.push(Device { at: DeviceAt(at), shared: owner.shared.clone() });
        }
        Ok(System { owner, devices })
    }

    /// Return all devices, in the order of their backends.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Return the first device.
    pub fn device(&self) -> &Device {
        &self.devices[0]
    }

    /// Return the device with that name, such as `"host:0"`.
    pub fn find_device(&self, name: &str) -> Result<&Device> {
        let name = c_text(name)?;
        let mut at = ptr::null_mut();
        // SAFETY: `name` lives until the call returns.
        call(|error| unsafe {
            (lib().plait_context_find_device)(self.context(), name.as_ptr(), &mut at, error)
        })?;
        let found = self.devices.iter().find(|device| device.get() == at);
        found.ok_or_else(|| Error::new(Status::Internal, "a device that is not listed"))
    }

    /// Return the report of the backends that were found, chosen and rejected, and why.
    pub fn report(&self) -> Result<String> {
        fill_text(|room, bytes, needed| {
            // SAFETY: `room` has `bytes` bytes, or is null.
            call(|error| unsafe {
                (lib().plait_context_report)(self.context(), room.cast(), bytes, needed, error)
            })?;
            Ok(())
        })
    }

    /// Create a kernel from portable source; see [`KernelBuilder`] for other forms.
    ///
    /// # Safety
    ///
    /// The code runs unchecked: it must access memory as its signature declares, and
    /// stay inside the arrays that it is given.
    pub unsafe fn kernel(&self, signature: &str, source: &str) -> Result<Kernel> {
        KernelBuilder::new(signature).portable(source).build(self)
    }

    /// Create a kernel from a file of portable source, `NAME.plk`; the comment
    /// `NAME(...)` in the file is the signature.
    ///
    /// # Safety
    ///
    /// As [`System::kernel`].
    pub unsafe fn kernel_file(&self, path: impl AsRef<std::path::Path>) -> Result<Kernel> {
        KernelBuilder::read(path.as_ref())?.build(self)
    }

    /// Create an empty graph.
    pub fn graph(&self) -> Result<Graph> {
        Graph::new(&self.owner)
    }

    /// Create a graph from its text form; see plait-graph(5).  `name` is that of the file,
    /// for errors.
    pub fn read_graph(&self, text: &str, name: &str) -> Result<Graph> {
        Graph::read_text(&self.owner, text, name)
    }

    /// Turn what `submit` submits to queues into a graph.  Emissions become edges to waits, and
    /// nodes unless `local_signals`; [`Queue::read_later`] and `write_later` are nodes whose
    /// memory each run gives as `host0`, `host1`, ...: drop what they return.  Functions are
    /// refused, and calls that wait.
    pub fn capture(&self, queues: &[&Queue], local_signals: bool,
                   submit: impl FnOnce() -> Result<()>) -> Result<Graph> {
        Graph::capture(&self.owner, queues, local_signals, submit)
    }

    /// Read a plan from what [`Plan::bytes`] returned; see [`load`](System::load).
    pub fn read(&self, bytes: &[u8]) -> Result<Plan> {
        Plan::read(&self.owner, bytes)
    }

    /// Wait until all signals reach their sequence numbers, for at most `time`; `None` waits
    /// without limit.
    pub fn wait(&self, points: &[(&Signal, u64)], time: Option<Duration>) -> Result<()> {
        wait_points(points, raw::PLAIT_WAIT_ALL, time).map(|_| ())
    }

    /// Wait as [`wait`](System::wait) for one of them; return its index.
    pub fn wait_any(&self, points: &[(&Signal, u64)], time: Option<Duration>) -> Result<usize> {
        wait_points(points, raw::PLAIT_WAIT_ANY, time)
    }

    /// Read a plan from a file that [`Plan::save`] wrote, or `save` of another language.  Its
    /// names have to be bound before it runs: [`Plan::bindings`], [`Plan::bind_kernel`] and
    /// others.
    pub fn load(&self, path: impl AsRef<std::path::Path>) -> Result<Plan> {
        Plan::load(&self.owner, path.as_ref())
    }

    /// Submit a closure to a queue; it runs on this thread and need not be `Send`.
    pub fn call<O: Outcome>(&self, queue: &Queue, f: impl FnOnce() -> O + 'static) -> Result<()> {
        let number = self.owner.add_once(Box::new(once(f)));
        queue.submit_call(number).map_err(|error| {
            drop(self.owner.take_once(number));
            error
        })
    }

    /// Run the closures that are pending for this thread, and wake the futures whose run
    /// is done; return the number of both.
    pub fn pump(&self) -> Result<usize> {
        self.owner.pump()
    }

    /// Pump as [`pump`](System::pump), after waiting for an event for at most `time`.  A
    /// device with `PLAIT_DEVICE_NEEDS_PUMP` progresses in such a wait only.
    pub fn pump_timeout(&self, time: Duration) -> Result<usize> {
        let left = time.as_nanos().min(u64::MAX as u128 - 1) as u64;
        // SAFETY: our inbox.
        let waited = call(|error| unsafe {
            (lib().plait_inbox_wait)(self.owner.shared.inbox.get(), left, error)
        });
        match waited {
            Err(error) if !matches!(error.status(), Status::Timeout | Status::Deadlock) => Err(error),
            _ => self.owner.pump(),
        }
    }

    /// Return the descriptor that is readable while [`pump`](System::pump) has work.
    pub fn descriptor(&self) -> Result<RawFd> {
        let mut out = -1;
        // SAFETY: our inbox.
        call(|error| unsafe {
            (lib().plait_inbox_descriptor)(self.owner.shared.inbox.get(), &mut out, error)
        })?;
        Ok(out)
    }

    /// Drop the system and wait, for at most `time` (`None`: without limit), until all its
    /// work, memory and threads are gone and traces are written.  Drop the objects made
    /// from the system before; any of them keeps it alive.  After [`Status::Timeout`] it
    /// ends later, after [`Status::Lost`] never: a backend does not tell the end of work.
    /// After [`Status::Failed`] it has ended, and a flow over ranks had failed without the
    /// error of a call.
    pub fn close(self, time: Option<Duration>) -> Result<()> {
        let left = time.map_or(raw::PLAIT_FOREVER, |time| {
            time.as_nanos().min(u64::MAX as u128 - 1) as u64
        });
        let context = self.context();
        // SAFETY: `self` holds a reference; the new one outlives it.
        unsafe { (lib().plait_context_retain)(context) };
        drop(self);
        // SAFETY: the call consumes that reference.
        let closed = call(|error| unsafe { (lib().plait_context_close)(context, left, error) });
        match closed {
            Err(error)
                if !matches!(error.status(), Status::Timeout | Status::Lost | Status::Failed) =>
            {
                // SAFETY: the call failed, so it gave nothing back.
                unsafe { (lib().plait_context_release)(context) };
                Err(error)
            }
            other => other.map(|_| ()),
        }
    }

    pub(crate) fn context(&self) -> *mut raw::plait_context {
        self.owner.shared.context.get()
    }
}

impl AsRawFd for System {
    /// Return a descriptor that is readable while [`System::pump`] has work, for event
    /// loops; -1 in a forked child.
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor().unwrap_or(-1)
    }
}

impl Drop for System {
    fn drop(&mut self) {
        self.owner.close();
    }
}

// --- devices -------------------------------------------------------------------

#[derive(Clone, Copy)]
struct DeviceAt(*mut raw::plait_device);

// SAFETY: devices live as long as their context, and any thread may use them.
unsafe impl Send for DeviceAt {}
unsafe impl Sync for DeviceAt {}

/// A processor with memory that runs kernels, as a backend reports it.
#[derive(Clone)]
pub struct Device {
    at: DeviceAt,
    pub(crate) shared: Arc<Shared>,
}

impl std::fmt::Debug for Device {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Device").field(&self.at.0).finish()
    }
}

/// Properties of a device, at the time of the query.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceInfo {
    pub name: String,
    pub backend: String,
    pub description: String,
    /// `PLAIT_DEVICE_...` of `plait_sys`.
    pub capabilities: u32,
    /// Number of its memory: devices with equal ones share it; 0: that of the program.
    pub memory: u32,
    pub memory_bytes: u64,
    pub budget_bytes: u64,
    pub used_bytes: u64,
    /// Limit of the local memory of one group of a kernel; 0: unknown.
    pub local_bytes: u64,
}

/// How copies get from one memory to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkInfo {
    /// `PLAIT_LINK_...` of `plait_sys`: direct, shared, and what is assumed.
    pub flags: u32,
    pub latency_ns: u64,
    pub bytes_per_us: u64,
}

impl Device {
    pub(crate) fn get(&self) -> *mut raw::plait_device {
        self.at.0
    }

    /// Return the link from the device's memory to that of `other`, `None`: of the program.
    pub fn link_to(&self, other: Option<&Device>) -> Result<LinkInfo> {
        link(self.get(), other.map_or(std::ptr::null_mut(), Device::get))
    }

    /// Return the link from the memory of `other`, `None`: of the program, to the device's.
    pub fn link_from(&self, other: Option<&Device>) -> Result<LinkInfo> {
        link(other.map_or(std::ptr::null_mut(), Device::get), self.get())
    }

    /// Return the properties of the device.
    pub fn query(&self) -> Result<DeviceInfo> {
        let mut info = raw::plait_device_info::default();
        // SAFETY: a record of the right size.
        call(|error| unsafe { (lib().plait_device_query)(self.get(), &mut info, error) })?;
        Ok(DeviceInfo {
            name: text_at(&info.name),
            backend: text_at(&info.backend),
            description: text_at(&info.description),
            capabilities: info.capabilities,
            memory: info.memory,
            memory_bytes: info.memory_bytes,
            budget_bytes: info.budget_bytes,
            used_bytes: info.used_bytes,
            local_bytes: info.local_bytes,
        })
    }

    /// Return the native handle of a kind of `plait::sys`, such as `PLAIT_NATIVE_CL_DEVICE`.
    pub fn native(&self, kind: u32) -> Result<u64> {
        let mut out = 0;
        // SAFETY: a device of ours.
        call(|error| unsafe { (lib().plait_device_native)(self.get(), kind, &mut out, error) })?;
        Ok(out)
    }

    /// Limit the total size of the device's buffers, in bytes; 0: no limit.
    pub fn set_budget(&self, bytes: u64) -> Result<()> {
        // SAFETY: a device of ours.
        call(|error| unsafe { (lib().plait_device_set_budget)(self.get(), bytes, error) })?;
        Ok(())
    }
}

fn link(from: *mut raw::plait_device, to: *mut raw::plait_device) -> Result<LinkInfo> {
    let mut info = raw::plait_link_info::default();
    // SAFETY: devices of ours or null, a record of the right size.
    call(|error| unsafe { (lib().plait_device_query_link)(from, to, &mut info, error) })?;
    Ok(LinkInfo { flags: info.flags, latency_ns: info.latency_ns, bytes_per_us: info.bytes_per_us })
}
