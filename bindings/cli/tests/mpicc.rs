//! `mpicc` and its links in a tree of their own: what it runs, and what it answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::Command;

/// A prefix with a wrapper under the given name, removed at the end.
struct Prefix {
    path: PathBuf,
    wrapper: PathBuf,
}

impl Prefix {
    fn with(name: &str, test: &str) -> Prefix {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("pamir-{test}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("bin")).unwrap();
        std::fs::create_dir_all(path.join("include")).unwrap();
        let wrapper = path.join("bin").join(name);
        // A link: a copy just written cannot be run while another test's fork holds it open.
        let _ = std::fs::remove_file(&wrapper);
        std::fs::hard_link(env!("CARGO_BIN_EXE_mpicc"), &wrapper).unwrap();
        let path = path.canonicalize().unwrap();
        Prefix { path, wrapper }
    }

    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(&self.wrapper);
        for variable in [
            "PAMIR_CC",
            "MPICH_CC",
            "OMPI_CC",
            "PAMIR_CXX",
            "MPICH_CXX",
            "OMPI_CXX",
        ] {
            command.env_remove(variable);
        }
        let output = command.args(arguments).output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap(),
        )
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[test]
fn paths_are_those_of_the_tree_it_lies_in() {
    let prefix = Prefix::with("mpicc", "paths");
    let (code, text) = prefix.run(&["-show"]);
    let path = prefix.path.display();
    assert_eq!(code, 0);
    assert_eq!(
        text,
        format!("cc -I{path}/include -L{path}/lib -Wl,-rpath,{path}/lib -lmpi_abi\n")
    );
    assert_eq!(
        prefix.run(&["-showme:compile"]).1,
        format!("-I{path}/include\n")
    );
    assert_eq!(
        prefix.run(&["-compile-info"]).1,
        format!("cc -I{path}/include\n")
    );
    assert_eq!(prefix.run(&["-showme:nonsense"]).0, 1);
}

#[test]
fn the_compiler_sees_the_header_and_its_exit_code_comes_back() {
    let prefix = Prefix::with("mpic++", "compiles");
    std::fs::write(
        prefix.path.join("include/mpi.h"),
        "#define FROM_THE_TREE 1\n",
    )
    .unwrap();
    let source = prefix.path.join("check.cpp");
    let object = prefix.path.join("check.o");
    let arguments = [
        "-c",
        source.to_str().unwrap(),
        "-o",
        object.to_str().unwrap(),
    ];
    std::fs::write(
        &source,
        "#include <mpi.h>\nclass A {}; int a = FROM_THE_TREE;\n",
    )
    .unwrap();
    assert_eq!(prefix.run(&arguments).0, 0);
    assert!(object.exists());
    std::fs::write(&source, "#error no\n").unwrap();
    assert_ne!(prefix.run(&arguments).0, 0);
}

#[test]
fn the_compiler_can_be_named() {
    let prefix = Prefix::with("mpicc", "named");
    let mut command = Command::new(&prefix.wrapper);
    command
        .env_remove("PAMIR_CC")
        .env("MPICH_CC", "wrap gcc")
        .arg("-showme:command");
    assert_eq!(command.output().unwrap().stdout, b"wrap gcc\n");
    let mut command = Command::new(&prefix.wrapper);
    let output = command
        .env("PAMIR_CC", "/no/such/compiler")
        .args(["-c", "a.c"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("/no/such/compiler") && said.contains("PAMIR_CC"),
        "{said}"
    );
}

#[test]
fn makefiles_words_of_other_wrappers_serve() {
    let prefix = Prefix::with("mpicc", "words");
    let path = prefix.path.display().to_string();
    assert_eq!(prefix.run(&["-cc=gcc", "-showme:command"]).1, "gcc\n");
    let compile = format!("-I{path}/include\n");
    assert_eq!(prefix.run(&["-show-compile-info"]).1, compile);
    let (code, link) = prefix.run(&["-show-link-info"]);
    assert!(
        code == 0 && link.starts_with(&format!("-L{path}/lib ")),
        "{link}"
    );
    assert_eq!(prefix.run(&["-static", "a.c"]).0, 1);
    assert_eq!(
        prefix.run(&["-echo", "-cc=true", "a.c"]),
        (0, String::new())
    );
    assert!(prefix.run(&["-help"]).1.contains("-showme:link"));
}
