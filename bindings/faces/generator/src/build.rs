//! What the build script of a face's package does.
//!
//! What: [`build`] writes the generated files and a stand-in for `libmpi_abi.so.1`, and tells Cargo which face is made.
//! Step before: Cargo. Step after: the compiler, with the sources in `source/`. Invariant: linking with the stand-in makes
//! the loader look for `libmpi_abi.so.1`, whose functions are found through one symbol.

use std::path::{Path, PathBuf};
use std::{env, fs};

use pamir_interface::stand_in;

use crate::argument::Rules;
use crate::description::{Description, Standard};
use crate::meaning::Meanings;
use crate::{call, constant, function, handle};

/// A face, as its package says.
pub struct Face {
    /// `mpich` or `openmpi`.
    pub name: &'static str,
    /// The library's name.
    pub soname: &'static str,
    /// Whether handles are objects of the library.
    pub has_objects: bool,
}

/// Does all of it.
///
/// # Panics
///
/// With the line of a table that is wrong, or the file that cannot be written.
pub fn build(face: &Face) {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo sets it"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    println!("cargo:rerun-if-changed=table");
    println!("cargo:rustc-check-cfg=cfg(face, values(\"mpich\", \"openmpi\"))");
    println!("cargo:rustc-cfg=face=\"{}\"", face.name);
    generate(face, &root, &output).unwrap_or_else(|message| panic!("{message}"));
    link(face, &output);
}

fn generate(face: &Face, root: &Path, output: &Path) -> Result<(), String> {
    let read = |name: &str| {
        let path = root.join("table").join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let table = pamir_interface::read()?;
    let own = pamir_interface::Table::parse(&read("functions.txt")?, "")?;
    let description = Description::parse(&read("constants.txt")?)?;
    let rules = Rules {
        table: &table,
        meanings: &Meanings::parse(crate::MEANINGS)?,
        face: &description,
        standard: &Standard::new(&table),
    };
    let handles = match face.has_objects {
        true => handle::write_objects(&description, rules.standard),
        false => handle::write_numbers(&description, rules.standard)?,
    };
    let functions = function::write(&rules) + &function::write_own(&rules, &own);
    for (name, text) in [
        ("calls.rs", call::write(&table)),
        (
            "constants.rs",
            constant::write(rules.meanings, &description, rules.standard),
        ),
        ("handles.rs", handles),
        ("functions.rs", functions),
    ] {
        write(&output.join(name), &text);
    }
    Ok(())
}

fn link(face: &Face, output: &Path) {
    let table = ".data\n.globl pamir_functions\n.type pamir_functions,%object\n\
                 .size pamir_functions,8\npamir_functions: .quad 0\n";
    let arguments = [
        stand_in::argument("libmpi_abi.so.1", table, output),
        // Threads of the library may still run when a plugin's handle to it is closed.
        "-Wl,-z,nodelete".to_string(),
    ];
    // From lib/pamir/faces/NAME to lib.
    stand_in::link(face.soname, "$ORIGIN/../../..", &arguments);
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
