// SPDX-License-Identifier: MIT
//! Errors, and calling functions that have them.
use std::cell::UnsafeCell;
use std::ffi::{CStr, CString};
use std::fmt;
use std::ptr;

use plait_sys as raw;

use crate::library::lib;

/// What can go wrong here goes wrong with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Status {
    /// An argument is wrong.
    Invalid,
    /// An object of another system.
    Handle,
    /// There is no memory, or a device's budget is used up.
    NoMemory,
    /// The backend, or this version, cannot do it.
    Unsupported,
    /// A library, backend, compiler or file is not there.
    Unavailable,
    /// Not possible as things are.
    State,
    /// Possible later.
    Busy,
    /// It did not happen in time.
    Timeout,
    /// It was cancelled.
    Cancelled,
    /// A kernel or a function failed.
    Failed,
    /// The device is gone.
    Lost,
    /// Only another thread may do this.
    Thread,
    /// It could never end.
    Deadlock,
    /// The process was forked; only the parent has plait.
    Forked,
    /// A promise was broken, please report it.
    Internal,
    /// What a newer library says.
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

/// What plait refused or could not do.
///
/// `{}` is one line, `{:?}` (which `main` prints) has the detail as well.
pub struct Error(Box<Inner>);

impl Error {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Error {
        Error(Box::new(Inner { status, text: text.into(), origin: 0, detail: None }))
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Error {
        Error::new(Status::Invalid, text)
    }

    /// What kind of error it is.
    pub fn status(&self) -> Status {
        self.0.status
    }

    /// What happened, where, and what to do.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// What the function or the system below returned; 0 if that says nothing.
    pub fn origin(&self) -> i64 {
        self.0.origin
    }

    /// A compiler's log, for example.
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
            _ => Err(Error::new(Status::Handle, "the text is gone")),
        }
    })
    .ok()
}

/// Ask how long a text is, then for the text: `get(room, bytes, needed)`.
pub(crate) fn fill_text(get: impl Fn(*mut u8, u64, *mut u64) -> Result<()>) -> Result<String> {
    let mut needed = 0u64;
    get(ptr::null_mut(), 0, &mut needed)?;
    let mut room = vec![0u8; needed as usize];
    get(room.as_mut_ptr(), needed, &mut needed)?;
    room.truncate(needed as usize);
    while room.last() == Some(&0) {
        room.pop();
    }
    Ok(String::from_utf8_lossy(&room).into_owned())
}

thread_local! {
    /// What a call says of its failure.  It is used again, so that none is made for
    /// calls that do not fail.
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

/// Call a function of plait whose last parameter is the error; nothing else.
pub(crate) fn call(
    function: impl FnOnce(*mut raw::plait_error) -> raw::plait_status,
) -> Result<raw::plait_status> {
    let at = RECORD.with(UnsafeCell::get);
    let status = function(at);
    if status >= 0 {
        return Ok(status);
    }
    // SAFETY: this thread's own, which plait has filled in.
    let record = unsafe { &*at };
    Err(Error(Box::new(Inner {
        status: Status::from_raw(status),
        text: text_at(&record.text),
        origin: record.origin,
        detail: detail_text(record.detail),
    })))
}

/// A text as C has it; what is behind a NUL would be lost without a word.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::invalid(format!("{:?} has a NUL", text)))
}

pub(crate) fn pointer_of(text: &Option<CString>) -> *const std::os::raw::c_char {
    text.as_ref().map_or(ptr::null(), |text| text.as_ptr())
}

pub(crate) fn static_text(text: *const std::os::raw::c_char) -> String {
    // SAFETY: a text of the library's, which stays loaded.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
