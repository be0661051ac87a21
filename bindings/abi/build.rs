//! Generates the C face from the tables of `pamir-interface` before the crate is compiled.
//!
//! Reads the tables, looks which functions are written by
//! hand in `src/functions/`, and leaves in `OUT_DIR`: `types.rs`,
//! `constants.rs`, `error_classes.rs`, `exports.rs`. The compiler reads them next.

// The header's half of the generator is for the test of the header.
#[allow(dead_code)]
#[path = "generator/mod.rs"]
mod generator;

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let output = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for input in ["build.rs", "generator", "src/functions"] {
        println!("cargo:rerun-if-changed={input}");
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmpi_abi.so.1");
    // Threads of the library may still run when a plugin's handle to it is closed.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");

    let table = match pamir_interface::read() {
        Ok(table) => table,
        Err(message) => panic!("{message}"),
    };
    let sources: Vec<_> = table
        .chapters
        .iter()
        .map(|c| (c.path.clone(), chapter_source(&root, &c.path)))
        .collect();
    let is_written = |chapter: &str, name: &str| {
        sources
            .iter()
            .any(|(path, source)| path == chapter && defines(source, name))
    };
    write(&output.join("types.rs"), &generator::rust::types(&table));
    write(
        &output.join("constants.rs"),
        &generator::rust::constants(&table),
    );
    write(
        &output.join("error_classes.rs"),
        &generator::rust::error_classes(&table),
    );
    write(
        &output.join("exports.rs"),
        &generator::rust::exports(&table, is_written),
    );
}

/// What is written by hand for a chapter: `src/functions/<room>/<chapter>.rs`, or the
/// files of that folder if the chapter is one.
fn chapter_source(root: &Path, chapter: &str) -> String {
    let place = root.join("src/functions").join(chapter);
    let mut source = fs::read_to_string(place.with_extension("rs")).unwrap_or_default();
    add_files(&place, &mut source);
    source
}

/// Adds the text of all files below a folder, if it is one.
fn add_files(folder: &Path, source: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        source.push_str(&fs::read_to_string(entry.path()).unwrap_or_default());
        add_files(&entry.path(), source);
    }
}

/// Whether the source has `pub fn name` or `pub unsafe fn name`.
fn defines(source: &str, name: &str) -> bool {
    source.lines().any(|line| {
        let line = line.trim_start();
        let rest = line
            .strip_prefix("pub unsafe fn ")
            .or_else(|| line.strip_prefix("pub fn "));
        rest.and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with(['(', '<']))
    })
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
