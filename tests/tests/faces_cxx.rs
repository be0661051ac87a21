//! Programs with the removed C++ bindings, over the faces' C++ libraries.
//!
//! What: one program, built by MPICH's and by Open MPI's compilers, which says the same over Pamir's library and over the
//! peer's own; and the peers' libraries, symbol by symbol and place by place of their tables, against ours.
//! Before: `bindings/faces/cxx` and its tables. After: binaries of distributions, which link these libraries.
//! Invariant: a symbol of the peer's that ours lacks stands in [`Peer::lacks`], with why nobody misses it. A compiler, a
//! launcher or a library that is not there skips the test with a line that says so.

#![cfg(target_arch = "x86_64")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pamir_tests::installation::{prefix, sources};
use pamir_tests::run::{Run, mpiexec};

/// A library whose programs a face runs.
struct Peer {
    name: &'static str,
    compiler: &'static str,
    /// Its launcher, to which the number of ranks is added.
    launcher: &'static [&'static str],
    /// Its C++ library, and ours.
    library: &'static str,
    ours: &'static str,
    /// Numbers of ranks with which its own library runs the program to the end.
    ranks: &'static [usize],
    /// How the symbols begin that ours lacks, and why.
    lacks: &'static [(&'static str, &'static str)],
}

const MPICH: Peer = Peer {
    name: "mpich",
    compiler: "mpicxx.mpich",
    launcher: &["mpiexec.mpich", "-n"],
    library: "/usr/lib/x86_64-linux-gnu/libmpichcxx.so.12",
    ours: "libmpicxx.so.12",
    ranks: &[1, 3],
    lacks: &[
        ("MPIR_Call_", "MPICH's own C library calls it"),
        ("MPIR_Grequest_call_", "as above"),
        (
            "_ZN3MPI3Win12NULL_COPY_FN",
            "inline: programs have their own",
        ),
        ("_ZN3MPI3Win14NULL_DELETE_FN", "as above"),
        ("_ZN3MPI4Comm12NULL_COPY_FN", "as above"),
        ("_ZN3MPI4Comm14NULL_DELETE_FN", "as above"),
        ("_ZN3MPI8Datatype12NULL_COPY_FN", "as above"),
        ("_ZN3MPI8Datatype14NULL_DELETE_FN", "as above"),
    ],
};

const OPENMPI: Peer = Peer {
    name: "openmpi",
    compiler: "mpicxx.openmpi",
    launcher: &[
        "mpirun.openmpi",
        "--allow-run-as-root",
        "--oversubscribe",
        "-n",
    ],
    library: "/usr/lib/x86_64-linux-gnu/libmpi_cxx.so.40",
    ours: "libmpi_cxx.so.40",
    // With one rank, Open MPI's own library ends at the window.
    ranks: &[2, 3],
    lacks: &[
        ("ompi_cxx_", "between Open MPI's two libraries"),
        (
            "ompi_mpi_cxx_comm_",
            "callbacks that its own library registers",
        ),
        ("ompi_mpi_cxx_file_", "as above"),
        ("ompi_mpi_cxx_type_", "as above"),
        ("ompi_mpi_cxx_win_", "as above"),
        ("ompi_mpi_cxx_throw_", "as above"),
    ],
};

impl Peer {
    /// Builds the program; none where there is no compiler.
    fn build(&self, optimize: &str) -> Option<PathBuf> {
        let directory = sources().join("target/test/tests/programs");
        std::fs::create_dir_all(&directory).unwrap();
        let program = directory.join(format!("faces_cxx.{}{optimize}", self.name));
        let output = Command::new(self.compiler)
            .args([optimize, "-w", "-pthread", "-o"])
            .arg(&program)
            .arg(sources().join("tests/programs/faces_cxx.cpp"))
            .output();
        let Ok(output) = output else {
            println!("skipped: there is no {}", self.compiler);
            return None;
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        Some(program)
    }

    /// What the program says over the peer's own library; none where there is no launcher.
    fn oracle(&self, program: &Path, ranks: usize) -> Option<Vec<String>> {
        let output = Command::new(self.launcher[0])
            .args(&self.launcher[1..])
            .arg(ranks.to_string())
            .arg(program)
            .stdin(Stdio::null())
            .output();
        let Ok(output) = output else {
            println!("skipped: there is no {}", self.launcher[0]);
            return None;
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", self.name);
        Some(sorted(&String::from_utf8_lossy(&output.stdout)))
    }

    fn face(&self) -> PathBuf {
        prefix().join("lib/pamir/faces").join(self.name)
    }

    /// What it says over Pamir's.
    fn answer(&self, program: &Path, ranks: usize) -> Vec<String> {
        let mut command = mpiexec(ranks, Path::new("env"));
        command
            .arg(format!("LD_LIBRARY_PATH={}", self.face().display()))
            .arg(program);
        sorted(Run::whole(command).success())
    }

    fn says_the_same(&self) {
        for optimize in ["-O0", "-O2"] {
            let Some(program) = self.build(optimize) else {
                return;
            };
            for ranks in self.ranks {
                let Some(expected) = self.oracle(&program, *ranks) else {
                    return;
                };
                assert!(expected.len() > 100 * ranks, "the peer says too little");
                let answer = self.answer(&program, *ranks);
                let differences: Vec<_> = answer
                    .iter()
                    .zip(&expected)
                    .filter(|(a, b)| a != b)
                    .collect();
                assert!(differences.is_empty(), "{ranks} ranks: {differences:?}");
                assert_eq!(answer.len(), expected.len());
            }
        }
    }

    /// Both libraries' symbols; none where the peer's library is not there.
    fn libraries(&self) -> Option<[Library; 2]> {
        if !Path::new(self.library).exists() {
            println!("skipped: there is no {}", self.library);
            return None;
        }
        let ours = self.face().join(self.ours);
        Some([Library::read(self.library.as_ref()), Library::read(&ours)])
    }

    fn has_all_symbols(&self) {
        let Some([own, ours]) = self.libraries() else {
            return;
        };
        let missing: BTreeSet<&str> = own
            .symbols
            .keys()
            .filter(|name| !ours.symbols.contains_key(*name))
            .map(String::as_str)
            .collect();
        let unexplained: Vec<&&str> = missing
            .iter()
            .filter(|name| !self.lacks.iter().any(|(begin, _)| name.starts_with(begin)))
            .collect();
        assert!(unexplained.is_empty(), "missing: {unexplained:?}");
        for (begin, reason) in self.lacks {
            let used = missing.iter().any(|name| name.starts_with(begin));
            assert!(used, "{begin}: ours has it, in spite of: {reason}");
        }
    }

    /// Copies in executables have the peer's sizes, and tables its order.
    fn has_the_layout(&self) {
        let Some([own, ours]) = self.libraries() else {
            return;
        };
        let mut tables = 0;
        for (name, symbol) in own.symbols.iter().filter(|(_, symbol)| symbol.is_object) {
            let Some(found) = ours.symbols.get(name) else {
                continue;
            };
            assert_eq!(found.bytes, symbol.bytes, "{name}");
            if name.starts_with("_ZTV") || name.starts_with("_ZTI") {
                let (ours, own) = (ours.words(name), own.words(name));
                for (place, (ours, own)) in ours.iter().zip(own).enumerate() {
                    assert!(
                        !ours.is_disjoint(&own),
                        "{name}, {place}: {ours:?}, not {own:?}"
                    );
                }
                tables += 1;
            }
        }
        assert!(tables > 30, "{tables} tables and type informations");
    }
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// A symbol that a library exports.
struct Symbol {
    address: u64,
    bytes: u64,
    is_object: bool,
}

/// What readelf says of a library.
struct Library {
    symbols: BTreeMap<String, Symbol>,
    /// The names at an address.
    names: BTreeMap<u64, BTreeSet<String>>,
    /// What the loader writes to an address: a symbol, or the address of one of the library's own.
    words: BTreeMap<u64, Result<String, u64>>,
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// A size, which readelf writes in hexadecimal where it is long.
fn size(text: &str) -> Option<u64> {
    text.strip_prefix("0x")
        .map_or_else(|| text.parse().ok(), hexadecimal)
}

impl Library {
    fn read(path: &Path) -> Self {
        let mut library = Self {
            symbols: BTreeMap::new(),
            names: BTreeMap::new(),
            words: BTreeMap::new(),
        };
        let output = Command::new("readelf")
            .args(["--dyn-syms", "-rW"])
            .arg(path)
            .output()
            .unwrap();
        assert!(output.status.success(), "readelf {}", path.display());
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            library.read_symbol(&words);
            library.read_word(&words);
        }
        assert!(!library.symbols.is_empty(), "{}", path.display());
        library
    }

    fn read_symbol(&mut self, words: &[&str]) -> Option<()> {
        let [number, address, bytes, kind, _, _, section, name] = words else {
            return None;
        };
        if !number.ends_with(':') || *section == "UND" {
            return None;
        }
        let address = hexadecimal(address)?;
        let name = name.split('@').next()?.to_string();
        self.names.entry(address).or_default().insert(name.clone());
        let symbol = Symbol {
            address,
            bytes: size(bytes)?,
            is_object: *kind == "OBJECT",
        };
        self.symbols.insert(name, symbol);
        Some(())
    }

    fn read_word(&mut self, words: &[&str]) -> Option<()> {
        let word = match words {
            [_, _, "R_X86_64_RELATIVE", address] => Err(hexadecimal(address)?),
            [_, _, "R_X86_64_64", _, name, "+", offset] => {
                let name = name.split('@').next()?;
                Ok(format!("{name} + {offset}"))
            }
            _ => return None,
        };
        self.words.insert(hexadecimal(words[0])?, word);
        Some(())
    }

    /// What stands in an object, each word by the names that it may have.
    fn words(&self, name: &str) -> Vec<BTreeSet<String>> {
        let symbol = &self.symbols[name];
        let addresses = (symbol.address..symbol.address + symbol.bytes).step_by(8);
        addresses.map(|address| self.word(address)).collect()
    }

    fn word(&self, address: u64) -> BTreeSet<String> {
        match self.words.get(&address) {
            None => BTreeSet::from(["0".to_string()]),
            Some(Ok(name)) => {
                BTreeSet::from([any_class(name.strip_suffix(" + 0").unwrap_or(name))])
            }
            Some(Err(own)) => {
                let names = self.names.get(own).into_iter().flatten();
                names.map(|name| any_class(name)).collect()
            }
        }
    }
}

/// A name without the class where it is a destructor's: those of all classes do the same, and may be one function.
fn any_class(name: &str) -> String {
    match name {
        _ if name.ends_with("D0Ev") => "D0".to_string(),
        _ if name.ends_with("D1Ev") || name.ends_with("D2Ev") => "D1".to_string(),
        _ => name.to_string(),
    }
}

#[test]
fn a_program_of_mpich_says_the_same() {
    MPICH.says_the_same();
}

#[test]
fn a_program_of_open_mpi_says_the_same() {
    OPENMPI.says_the_same();
}

#[test]
fn mpichs_symbols_are_there() {
    MPICH.has_all_symbols();
}

#[test]
fn open_mpis_symbols_are_there() {
    OPENMPI.has_all_symbols();
}

#[test]
fn mpichs_tables_have_its_order() {
    MPICH.has_the_layout();
}

#[test]
fn open_mpis_tables_have_its_order() {
    OPENMPI.has_the_layout();
}
