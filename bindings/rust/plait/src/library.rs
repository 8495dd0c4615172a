// SPDX-License-Identifier: MIT
//! The library, loaded once per process, and owning handles of its objects.
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Once;

use plait_sys as raw;

use crate::error::{call, Error, Result, Status};

type Loaded = std::result::Result<raw::Library, String>;

static ONCE: Once = Once::new();
static LOADED: AtomicPtr<Loaded> = AtomicPtr::new(std::ptr::null_mut());

fn loaded() -> &'static Loaded {
    ONCE.call_once(|| {
        // SAFETY: the user installed or named this library.
        let made: Box<Loaded> = Box::new(unsafe { raw::Library::open() });
        LOADED.store(Box::into_raw(made), Ordering::Release);
    });
    // SAFETY: stored once, never freed.
    unsafe { &*LOADED.load(Ordering::Acquire) }
}

/// Return the library, loading it at the first call; the error lists the paths tried.
pub(crate) fn load() -> Result<&'static raw::Library> {
    loaded().as_ref().map_err(|text| Error::new(Status::Unavailable, text.clone()))
}

/// Return the library; the caller holds an object of it, so it is loaded.
pub(crate) fn lib() -> &'static raw::Library {
    loaded().as_ref().expect("plait was loaded before")
}

// --- handles -------------------------------------------------------------------

pub(crate) trait Object {
    unsafe fn release(at: *mut Self);
}

macro_rules! objects {
    ($($name:ident $release:ident,)*) => { $(
        impl Object for raw::$name {
            unsafe fn release(at: *mut Self) {
                (lib().$release)(at)
            }
        }
    )* };
}

objects! {
    plait_context plait_context_release,
    plait_inbox plait_inbox_release,
    plait_queue plait_queue_release,
    plait_signal plait_signal_release,
    plait_buffer plait_buffer_release,
    plait_kernel plait_kernel_release,
    plait_graph plait_graph_release,
    plait_plan plait_plan_release,
    plait_run plait_run_release,
    plait_callable plait_callable_release,
    plait_flow plait_flow_release,
    plait_data plait_data_release,
    plait_coll plait_coll_release,
    plait_schedule plait_schedule_release,
    plait_world plait_world_release,
    plait_collective plait_collective_release,
}

/// One owned reference to an object; dropped in any order, on any thread.
pub(crate) struct Handle<T: Object>(NonNull<T>);

// SAFETY: plait's objects may be used and released on any thread, at any time.  The
// exceptions (graphs, inboxes) are in types that are not Send.
unsafe impl<T: Object> Send for Handle<T> {}
unsafe impl<T: Object> Sync for Handle<T> {}

impl<T: Object> Handle<T> {
    /// Call a function whose out parameter precedes the error; own the result.
    pub(crate) fn make(
        function: impl FnOnce(*mut *mut T, *mut raw::plait_error) -> raw::plait_status,
    ) -> Result<Handle<T>> {
        let mut out = std::ptr::null_mut();
        call(|error| function(&mut out, error))?;
        NonNull::new(out)
            .map(Handle)
            .ok_or_else(|| Error::new(Status::Internal, "plait made an object that is null"))
    }

    pub(crate) fn get(&self) -> *mut T {
        self.0.as_ptr()
    }
}

impl<T: Object> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: releases the owned reference once.
        unsafe { T::release(self.get()) }
    }
}
