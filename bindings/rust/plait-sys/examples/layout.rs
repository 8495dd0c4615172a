// SPDX-License-Identifier: MIT
//! Print the memory layout of this crate's structs, and those whose size differs in the
//! library.
use std::ffi::CString;

fn main() {
    // SAFETY: the library that the user has.
    let library = match unsafe { plait_sys::Library::open() } {
        Ok(library) => library,
        Err(text) => {
            eprintln!("{}", text);
            std::process::exit(1);
        }
    };
    for one in plait_sys::layout() {
        println!("{} size {} align {}", one.name, one.bytes, one.align);
        for field in &one.fields {
            println!("  {}.{} at {} bytes {}", one.name, field.name, field.offset, field.bytes);
        }
        let name = CString::new(one.name).unwrap();
        let have = unsafe { (library.plait_sizeof)(name.as_ptr()) };
        if have != one.bytes as u64 {
            eprintln!("{}: the library's has {} bytes", one.name, have);
        }
    }
}
