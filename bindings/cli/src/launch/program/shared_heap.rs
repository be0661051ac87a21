//! `mpiexec --shared-heap`: the variables with which a program's large allocations come from memory
//! that the other ranks can map.
//!
//! What: adds `libpamir-heap.so` to `LD_PRELOAD`, and the variable that switches it on.
//! Why a variable too: programs that a rank starts inherit the preload, and may be asked not to.
//! Step before: [`super::environment`]. Step after: the dynamic linker of each rank, and
//! `bindings/heap`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use pamir_settings::SHARED_HEAP;

use super::variables::{set_value, value_of};

/// Switches the heap on, for whoever has preloaded it; 0 is off, and with 2 it says what is worth knowing.
const VARIABLE: &str = SHARED_HEAP.name();
const PRELOAD: &str = "LD_PRELOAD";

/// The library is missing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("--shared-heap: there is no {}; install Pamir whole (scripts/install)", .path.display())]
pub struct SharedHeapError {
    path: PathBuf,
}

type Variables = Vec<(OsString, OsString)>;

/// Adds what the heap needs to a program's variables, if the option or the program's variable asks
/// for it.
pub fn add(
    variables: &mut Variables,
    asked_for: bool,
    verbose: bool,
) -> Result<(), SharedHeapError> {
    let wanted = SHARED_HEAP.value_of(value_of(variables, VARIABLE)) != 0;
    if !(asked_for || wanted) {
        return Ok(());
    }
    let library = library()?;
    set_value(variables, VARIABLE, if verbose { "2" } else { "1" }.into());
    preload(variables, &library);
    Ok(())
}

/// Puts the library before what is preloaded already.
fn preload(variables: &mut Variables, library: &Path) {
    let mut list = OsString::from(library);
    if let Some(others) = value_of(variables, PRELOAD).filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    set_value(variables, PRELOAD, list);
}

/// Where the library is: in the installation, or in a build directory.
fn library() -> Result<PathBuf, SharedHeapError> {
    let own = std::env::current_exe().ok();
    let own = own.and_then(|path| path.canonicalize().ok());
    let directory = own
        .as_deref()
        .and_then(Path::parent)
        .unwrap_or(Path::new("."));
    let installed = directory
        .parent()
        .unwrap_or(directory)
        .join("lib/libpamir-heap.so");
    let built = directory.join("libpamir_heap.so");
    if installed.exists() {
        Ok(installed)
    } else if built.exists() {
        Ok(built)
    } else {
        Err(SharedHeapError { path: installed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_preloaded_already_stays() {
        let mut variables: Variables = vec![("LD_PRELOAD".into(), "/a.so:/b.so".into())];
        preload(&mut variables, Path::new("/heap.so"));
        let expected: Variables = vec![("LD_PRELOAD".into(), "/heap.so:/a.so:/b.so".into())];
        assert_eq!(variables, expected);
    }

    #[test]
    fn nothing_is_added_unless_asked_for() {
        for value in ["", "0"] {
            let mut variables: Variables = vec![(VARIABLE.into(), value.into())];
            add(&mut variables, false, true).unwrap();
            assert_eq!(variables.len(), 1);
        }
    }
}
