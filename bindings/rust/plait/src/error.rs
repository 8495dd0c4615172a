// SPDX-License-Identifier: MIT
//! Errors, and calls of C functions that report them.
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString};
use std::fmt;
use std::ptr;

use plait_sys as raw;

use crate::library::lib;

/// The result of all fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// An argument is invalid.
    Invalid,
    /// A handle that is stale, or of another type or system.
    Handle,
    /// Memory, or the memory budget of a device, is exhausted.
    NoMemory,
    /// The backend, or this version, does not support the operation.
    Unsupported,
    /// A library, backend, compiler or file is not available.
    Unavailable,
    /// Not possible in the object's current state.
    State,
    /// Not possible at present; a later retry may succeed.
    Busy,
    /// A wait reached its timeout.
    Timeout,
    /// The run or command was cancelled.
    Cancelled,
    /// A kernel or a host function failed.
    Failed,
    /// The device was lost.
    Lost,
    /// Only the owner thread may do this; the text names both threads.
    Thread,
    /// The wait could never end.
    Deadlock,
    /// The call was made in a forked child; only the parent may use plait.
    Forked,
    /// An invariant of the library or a plugin was violated; please report it.
    Internal,
    /// A status of a newer library.
    Other(i32),
}

impl Status {
    fn from_raw(status: raw::plait_status) -> Status {
        match status {
            raw::PLAIT_E_INVALID => Status::Invalid,
            raw::PLAIT_E_HANDLE => Status::Handle,
            raw::PLAIT_E_NOMEM => Status::NoMemory,
            raw::PLAIT_E_UNSUPPORTED => Status::Unsupported,
            raw::PLAIT_E_UNAVAILABLE => Status::Unavailable,
            raw::PLAIT_E_STATE => Status::State,
            raw::PLAIT_E_BUSY => Status::Busy,
            raw::PLAIT_E_TIMEOUT => Status::Timeout,
            raw::PLAIT_E_CANCELLED => Status::Cancelled,
            raw::PLAIT_E_FAILED => Status::Failed,
            raw::PLAIT_E_LOST => Status::Lost,
            raw::PLAIT_E_THREAD => Status::Thread,
            raw::PLAIT_E_DEADLOCK => Status::Deadlock,
            raw::PLAIT_E_FORKED => Status::Forked,
            raw::PLAIT_E_INTERNAL => Status::Internal,
            other => Status::Other(other),
        }
    }
}

struct Inner {
    status: Status,
    text: String,
    origin: i64,
    detail: Option<String>,
}

/// A failed call or command.
///
/// `{}` formats one line; `{:?}`, which `main` prints, adds the detail.
pub struct Error(Box<Inner>);

impl Error {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Error {
        Error(Box::new(Inner { status, text: text.into(), origin: 0, detail: None }))
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Error {
        Error::new(Status::Invalid, text)
    }

    /// Return the kind of the error.
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// Return the message: the failure, its place, and the remedy.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Return the number that the failing function or driver call returned; 0: none.
    pub fn origin(&self) -> i64 {
        self.0.origin
    }

    /// Return further text, such as a compiler log.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.0.text, self.0.status)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        match &self.0.detail {
            Some(detail) => write!(f, "\n{}", detail.trim_end()),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

// --- calling -------------------------------------------------------------------

pub(crate) fn text_at(text: &[std::os::raw::c_char]) -> String {
    let bytes: Vec<u8> = text.iter().take_while(|c| **c != 0).map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn detail_text(number: u64) -> Option<String> {
    if number == 0 {
        return None;
    }
    fill_text(|room, bytes, needed| {
        // SAFETY: `room` has `bytes` bytes, or is null and `bytes` 0.
        match unsafe { (lib().plait_error_detail)(number, room.cast(), bytes, needed) } {
            raw::PLAIT_OK => Ok(()),
            _ => Err(Error::new(Status::Handle, "the detail text was discarded")),
        }
    })
    .ok()
}

/// Return a text of unknown length: `get(room, bytes, needed)` is called for the size,
/// then for the text.
pub(crate) fn fill_text(get: impl Fn(*mut u8, u64, *mut u64) -> Result<()>) -> Result<String> {
    let mut room = fill_bytes(get)?;
    while room.last() == Some(&0) {
        room.pop();
    }
    Ok(String::from_utf8_lossy(&room).into_owned())
}

/// The functions of C that error texts name, as this crate calls them.
const NAMES: [(&str, &str); 15] = [
    ("plait_plan_bind_kernel", "Plan::bind_kernel"),
    ("plait_plan_bind_buffer", "Plan::bind_buffer"),
    ("plait_plan_bind_signal", "Plan::bind_signal"),
    ("plait_plan_bind_function", "Plan::bind_function"),
    ("plait_plan_bind_device", "Plan::bind_device"),
    ("plait_plan_call", "Plan::call"),
    ("plait_plan_run", "Plan::run"),
    ("plait_plan_record", "Plan::record"),
    ("plait_plan_find_parameter", "Plan::parameters"),
    ("plait_flow_repeat", "Flow::repeat"),
    ("plait_run_cancel", "Run::cancel"),
    ("plait_signal_reset", "Signal::reset"),
    ("plait_inbox_adopt", "the thread that opened the system"),
    ("plait_launch: ", "launch: "),
    ("PLAIT_RUN_RECORD", "RunFlags::record"),
];

fn in_rust(mut text: String) -> String {
    for (name, ours) in NAMES {
        if text.contains(name) {
            text = text.replace(name, ours);
        }
    }
    for one in ["freeze", "kernel", "run", "tune", "callable", "import", "queue", "context"] {
        let found = format!("plait_{one}_desc");
        if text.contains(&found) {
            text = text.replace(&found, one);
        }
    }
    text
}

thread_local! {
    /// The error record of this thread's calls, reused so that a call that succeeds
    /// initializes nothing.
    static RECORD: UnsafeCell<raw::plait_error> = const {
        UnsafeCell::new(raw::plait_error {
            size: std::mem::size_of::<raw::plait_error>() as u32,
            status: 0,
            origin: 0,
            detail: 0,
            text: [0; 232],
        })
    };
}

/// Call a C function whose last parameter is the error.  The closure makes no other
/// call, since the record is shared.
pub(crate) fn call(
    function: impl FnOnce(*mut raw::plait_error) -> raw::plait_status,
) -> Result<raw::plait_status> {
    let at = RECORD.with(UnsafeCell::get);
    let status = function(at);
    if status >= 0 {
        return Ok(status);
    }
    // SAFETY: the record belongs to this thread, and plait has filled it in.
    let record = unsafe { &*at };
    Err(Error(Box::new(Inner {
        status: Status::from_raw(status),
        text: in_rust(text_at(&record.text)),
        origin: record.origin,
        detail: detail_text(record.detail),
    })))
}

/// Return the text of a C string of a struct; empty if it is null.
pub(crate) fn borrowed_text(text: *const std::os::raw::c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the object that the struct describes keeps the text.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Return bytes of unknown number: `get(room, bytes, needed)` is called for the size,
/// then for the contents.
pub(crate) fn fill_bytes(get: impl Fn(*mut u8, u64, *mut u64) -> Result<()>) -> Result<Vec<u8>> {
    let mut needed = 0u64;
    get(ptr::null_mut(), 0, &mut needed)?;
    let mut room = vec![0u8; needed as usize];
    get(room.as_mut_ptr(), needed, &mut needed)?;
    room.truncate(needed as usize);
    Ok(room)
}

/// Convert a text for C; refuse a NUL, which would truncate it silently.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::invalid(format!("{:?} has a NUL", text)))
}

pub(crate) fn pointer_of(text: &Option<CString>) -> *const std::os::raw::c_char {
    text.as_ref().map_or(ptr::null(), |text| text.as_ptr())
}

pub(crate) fn static_text(text: *const std::os::raw::c_char) -> String {
    // SAFETY: static text of the library, which is never unloaded.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
