//! The built library, and C programs that are linked to it.
//!
//! Cargo does not build a cdylib for tests, so this builds it once for each of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

/// The crate's folder.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Builds the library once; gives the folder that it is in under its soname.
pub fn library_folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "pamir-abi", "--lib"])
            .current_dir(root())
            .status()
            .expect("cargo runs, as it runs this test");
        assert!(built.success(), "the library does not build");
        let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let target = scratch
            .parent()
            .expect("cargo's folder for tests is in target/");
        let folder = scratch.join("library");
        fs::create_dir_all(&folder).expect("cargo's folder for tests is writable");
        for name in ["libmpi_abi.so.1", "libmpi_abi.so"] {
            fs::copy(target.join("debug/libmpi_abi.so"), folder.join(name))
                .expect("the library was built");
        }
        folder
    })
}

/// Compiles a C program; gives its path.
pub fn compile(name: &str, source: &str) -> PathBuf {
    let folder = library_folder();
    let file = folder.join(name);
    let program = file.with_extension("out");
    fs::write(&file, source).expect("the folder is writable");
    let compiled = Command::new("gcc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(root().join("include"))
        .arg("-o")
        .args([&program, &file])
        .arg("-L")
        .arg(folder)
        .args(["-lmpi_abi", "-Wl,-rpath"])
        .arg(folder)
        .output()
        .expect("gcc is there");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    program
}

/// Compiles a C program and runs it.
#[allow(dead_code)] // Not in every test that includes this file.
pub fn run(name: &str, source: &str) -> Output {
    Command::new(compile(name, source))
        .output()
        .expect("what was compiled runs")
}
