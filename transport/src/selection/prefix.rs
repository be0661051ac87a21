//! Where this installation is: found from where this code was loaded from.
//!
//! The tree can be moved, so its place is not compiled in: the library is `PREFIX/lib/...`, a
//! command `PREFIX/bin/...`, and this code is in either.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The prefix of the installation that this code is part of.
pub fn of_installation() -> Option<PathBuf> {
    let file = own_file()?.canonicalize().ok()?;
    file.parent()?.parent().map(Path::to_path_buf)
}

/// The library or program that this code is in.
fn own_file() -> Option<PathBuf> {
    let mut found = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let address = own_file as *const libc::c_void;
    // SAFETY: any address may be asked for, and the structure is writable.
    let known = unsafe { libc::dladdr(address, &raw mut found) } != 0;
    if !known || found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gave a text that lives as long as this code stays loaded.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    let name = Path::new(OsStr::from_bytes(name.to_bytes()));
    // Of the program itself, only what it was called by is known there.
    if name.is_absolute() {
        Some(name.to_path_buf())
    } else {
        std::env::current_exe().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_code_is_in_the_test_program() {
        let program = std::env::current_exe().unwrap().canonicalize().unwrap();
        assert_eq!(own_file().unwrap().canonicalize().unwrap(), program);
        assert!(program.starts_with(of_installation().unwrap()));
    }
}
