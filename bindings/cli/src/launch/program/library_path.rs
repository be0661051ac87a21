//! Where ranks find the MPI library whose linking kept no run path: cargo's programs, rsmpi's among them.
//!
//! What: [`add`] puts this installation's `lib` at the end of `LD_LIBRARY_PATH`.
//! Why at the end: what the user put there is looked at first.
//! Step before: [`super::environment`]. Step after: the dynamic linker of each rank.
//! Invariant: the order of the user's entries stays, and an empty one (the working directory) too.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::variables::{set_value, value_of};

const VARIABLE: &str = "LD_LIBRARY_PATH";

/// Adds the installation's libraries to a program's variables, where there is an installation.
pub fn add(variables: &mut Vec<(OsString, OsString)>) {
    if let Some(directory) = installed() {
        append(variables, &directory);
    }
}

fn append(variables: &mut Vec<(OsString, OsString)>, directory: &Path) {
    let added = directory.as_os_str().as_bytes();
    // The dynamic linker takes both for the end of an entry.
    let separates = |byte: &u8| [b':', b';'].contains(byte);
    if added.iter().any(separates) {
        return;
    }
    let mut list = value_of(variables, VARIABLE).unwrap_or_default().to_owned();
    let known = |list: &OsString| list.as_bytes().split(separates).any(|entry| entry == added);
    if known(&list) {
        return;
    }
    if !list.is_empty() {
        list.push(":");
    }
    list.push(directory);
    set_value(variables, VARIABLE, list);
}

/// The directory of the MPI library beside `bin`, if it is there.
fn installed() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let directory = own.parent()?.parent()?.join("lib");
    directory
        .join("libmpi_abi.so.1")
        .exists()
        .then_some(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_entries_come_first() {
        let after = |given: Option<&str>, directory: &str| {
            let mut variables: Vec<(OsString, OsString)> = given
                .map(|given| (VARIABLE.into(), given.into()))
                .into_iter()
                .collect();
            append(&mut variables, Path::new(directory));
            let value = value_of(&variables, VARIABLE);
            value.map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(after(None, "/p/lib").as_deref(), Some("/p/lib"));
        assert_eq!(after(Some(""), "/p/lib").as_deref(), Some("/p/lib"));
        assert_eq!(
            after(Some("/a:/b"), "/p/lib").as_deref(),
            Some("/a:/b:/p/lib")
        );
        assert_eq!(after(Some("/a:"), "/p/lib").as_deref(), Some("/a::/p/lib"));
        assert_eq!(
            after(Some("/p/lib:/a"), "/p/lib").as_deref(),
            Some("/p/lib:/a")
        );
        assert_eq!(after(Some("/a"), "/p:q/lib").as_deref(), Some("/a"));
    }
}
