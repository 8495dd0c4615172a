// SPDX-License-Identifier: MIT
//! Raw bindings of the C functions of plait, for the crate `plait`.
//!
//! The library is loaded at run time, not linked: a program starts without plait and
//! reports the paths tried, and building it needs neither plait nor pkg-config nor a C
//! compiler.
#![allow(non_camel_case_types)]

use std::ffi::{CStr, CString, OsString};
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

/// The file name of the installed library, with the ABI number.
pub const NAME: &str = "libplait.so.0";

/// The place of a field in its struct, in bytes.
pub struct Field {
    pub name: &'static str,
    pub offset: usize,
    pub bytes: usize,
}

/// The memory layout of a struct, for a comparison with C.
pub struct Struct {
    pub name: &'static str,
    pub bytes: usize,
    pub align: usize,
    pub fields: Vec<Field>,
}

fn bytes_at<T>(_: *const T) -> usize {
    std::mem::size_of::<T>()
}

macro_rules! opaque {
    ($($name:ident,)*) => { $(
        /// An opaque object of the library, used by pointer only.
        #[repr(C)]
        pub struct $name {
            _bytes: [u8; 0],
            _anywhere: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )* };
}

macro_rules! structs {
    ($(pub struct $name:ident [$($size:ident)?] { $(pub $field:ident: $type:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $field: $type,)* }

            impl Default for $name {
                /// All zero except the size.
                fn default() -> Self {
                    // SAFETY: the fields are numbers, pointers, optional functions and
                    // arrays of numbers, for all of which zero is a value.
                    #[allow(unused_mut)]
                    let mut made: Self = unsafe { std::mem::zeroed() };
                    $(made.$size = std::mem::size_of::<Self>() as u32;)?
                    made
                }
            }
        )*

        /// Return the memory layouts of all structs.
        pub fn layout() -> Vec<Struct> {
            vec![$({
                let room = std::mem::MaybeUninit::<$name>::uninit();
                let start = room.as_ptr();
                Struct {
                    name: stringify!($name),
                    bytes: std::mem::size_of::<$name>(),
                    align: std::mem::align_of::<$name>(),
                    fields: vec![$({
                        // SAFETY: inside of `room`; nothing is read.
                        let at = unsafe { std::ptr::addr_of!((*start).$field) };
                        Field {
                            name: stringify!($field).trim_start_matches("r#"),
                            offset: at as usize - start as usize,
                            bytes: bytes_at(at),
                        }
                    }),*],
                }
            }),*]
        }
    };
}

macro_rules! functions {
    ($(#[doc = $doc:literal] fn $name:ident($($given:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of a loaded library.
        pub struct Library {
            $(#[doc = $doc]
            pub $name: unsafe extern "C" fn($($given: $type),*) $(-> $result)?,)*
        }

        impl Library {
            unsafe fn fill(handle: *mut c_void, path: &str) -> Result<Library, String> {
                Ok(Library { $(
                    // The types are those of the headers.
                    $name: std::mem::transmute::<*mut c_void,
                                                 unsafe extern "C" fn($($type),*) $(-> $result)?>(
                        symbol(handle, path, stringify!($name))?),
                )* })
            }
        }
    };
}

include!("raw.rs");

// --- loading -------------------------------------------------------------------

const RTLD_NOW: c_int = 2;

extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

fn last_error() -> String {
    // SAFETY: the text is thread-local and valid until the next call of dlerror.
    unsafe {
        let text = dlerror();
        if text.is_null() {
            return "no reason was given".into();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}

unsafe fn symbol(handle: *mut c_void, path: &str, name: &str) -> Result<*mut c_void, String> {
    let name_of_c = CString::new(name).expect("a name has no NUL");
    let found = dlsym(handle, name_of_c.as_ptr());
    if found.is_null() {
        return Err(format!("{} has no {}: it is older than this crate", path, name));
    }
    Ok(found)
}

/// Return the paths to try; `PLAIT_LIBRARY`, if set, is the only one.
fn candidates() -> Vec<OsString> {
    match std::env::var_os("PLAIT_LIBRARY") {
        Some(chosen) => vec![chosen],
        None => vec![NAME.into(), "libplait.so".into()],
    }
}

impl Library {
    /// Find and load the library, and compare the layout of its structs.
    ///
    /// The library is never unloaded, since its threads may run as long as the process.
    /// The error lists every path tried.
    ///
    /// # Safety
    ///
    /// The constructors of the first library found by name run.
    pub unsafe fn open() -> Result<Library, String> {
        let mut tried = String::new();
        for candidate in candidates() {
            let path = candidate.to_string_lossy().into_owned();
            let name = match CString::new(candidate.as_bytes()) {
                Ok(name) => name,
                Err(_) => return Err(format!("PLAIT_LIBRARY has a NUL: {:?}", path)),
            };
            let handle = dlopen(name.as_ptr(), RTLD_NOW);
            if !handle.is_null() {
                let made = Library::fill(handle, &path)?;
                made.compare(&path)?;
                return Ok(made);
            }
            tried += &format!("  {}: {}\n", path, last_error());
        }
        Err(format!("libplait was not found; tried\n{}\
                     Install it, or set PLAIT_LIBRARY to the file.", tried))
    }

    /// Return an error if a struct of the library is smaller than this crate's.
    unsafe fn compare(&self, path: &str) -> Result<(), String> {
        for one in layout() {
            let name = CString::new(one.name).expect("a name has no NUL");
            let have = (self.plait_sizeof)(name.as_ptr());
            if have < one.bytes as u64 {
                return Err(format!("{}: its {} has {} bytes, this crate's {}", path, one.name,
                                   have, one.bytes));
            }
        }
        Ok(())
    }
}
