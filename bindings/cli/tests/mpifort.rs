//! `mpifort` and `pamir fortran` in a tree of their own, with a compiler that only writes down what it is asked.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use pamir_cli::fortran::MODULES_LIBRARY;

const COMPILER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/gfortran");
const LIBRARIES: &str = "-lmpi_abi_modules -lmpi_abi_fortran -lmpi_abi";

/// How a command ended, and what it said.
struct Ended {
    code: i32,
    output: String,
    complaint: String,
}

/// A prefix with the commands, removed at the end.
struct Prefix {
    path: PathBuf,
    version: &'static str,
}

impl Prefix {
    fn new(test: &str) -> Prefix {
        let name = format!("pamir-mpifort-{test}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        for folder in ["bin", "include", "lib"] {
            std::fs::create_dir_all(path.join(folder)).unwrap();
        }
        for (name, program) in [
            ("mpifort", env!("CARGO_BIN_EXE_mpicc")),
            ("pamir", env!("CARGO_BIN_EXE_pamir")),
        ] {
            // A copy just written cannot be run while another test's fork holds it open.
            std::fs::hard_link(program, path.join("bin").join(name)).unwrap();
        }
        std::fs::write(path.join("lib/libmpi_abi_fortran.so.1"), "").unwrap();
        Prefix {
            path: path.canonicalize().unwrap(),
            version: "7.1.0",
        }
    }

    /// One whose compiler has modules.
    fn with_modules(test: &str) -> Prefix {
        let prefix = Prefix::new(test);
        let made = prefix.run("pamir", &["fortran", "--compiler", COMPILER]);
        assert_eq!(made.code, 0, "{}", made.complaint);
        assert_eq!(made.output, format!("{}\n", prefix.set().display()));
        prefix.log();
        prefix
    }

    fn run(&self, name: &str, arguments: &[&str]) -> Ended {
        self.run_with(name, arguments, &[("PAMIR_FC", COMPILER)])
    }

    fn run_with(&self, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = Command::new(self.path.join("bin").join(name));
        for variable in ["PAMIR_FC", "MPICH_FC", "OMPI_FC"] {
            command.env_remove(variable);
        }
        command
            .env("COMPILER_LOG", self.path.join("log"))
            .env("COMPILER_VERSION", self.version);
        command
            .envs(variables.iter().copied())
            .current_dir(&self.path);
        let output = command.args(arguments).output().unwrap();
        Ended {
            code: output.status.code().unwrap(),
            output: String::from_utf8(output.stdout).unwrap(),
            complaint: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn set(&self) -> PathBuf {
        self.path.join("lib/pamir/fortran/gfortran-7")
    }

    /// What the compiler has been asked for since the last time.
    fn log(&self) -> String {
        let log = self.path.join("log");
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let _ = std::fs::remove_file(log);
        text
    }

    /// The record of another compiler's file, as an upgrade leaves it.
    fn make_record_old(&self) {
        let record = self.set().join("compiler.json");
        let text = std::fs::read_to_string(&record).unwrap();
        std::fs::write(record, text.replace("\"bytes\": ", "\"bytes\": 1")).unwrap();
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

#[test]
fn a_set_has_modules_a_library_and_a_record_and_nothing_else() {
    let prefix = Prefix::new("set");
    let made = prefix.run("pamir", &["fortran", "--compiler", COMPILER]);
    assert_eq!(made.code, 0, "{}", made.complaint);
    let log = prefix.log();
    assert!(
        log.lines().skip(1).all(|line| line.contains(" -c ")),
        "{log}"
    );
    let entries = std::fs::read_dir(prefix.set()).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.retain(|name| !name.ends_with(".mod"));
    names.sort();
    assert_eq!(names, ["compiler.json", MODULES_LIBRARY]);
    let sets = std::fs::read_dir(prefix.path.join("lib/pamir/fortran")).unwrap();
    assert_eq!(sets.count(), 1, "nothing of the work is left");
}

#[test]
fn each_module_is_compiled_in_the_order_in_which_the_texts_are_written() {
    let prefix = Prefix::with_modules("order");
    let written = prefix.run("pamir", &["fortran", "--write-sources", "texts"]);
    let texts: Vec<_> = written.output.lines().map(Path::new).collect();
    assert!(texts.len() > 1 && texts.iter().all(|text| prefix.path.join(text).is_file()));
    assert_eq!(texts[0], Path::new("texts/mpif.h"));
    assert!(prefix.path.join("include/mpif.h").is_file());
    prefix.run("pamir", &["fortran", "--renew"]);
    let log = prefix.log();
    let compiled = log
        .lines()
        .filter_map(|line| line.strip_prefix("-O2 -fPIC -I. -c "));
    let names = texts[1..]
        .iter()
        .map(|text| text.file_name().unwrap().to_str().unwrap());
    assert!(compiled.eq(names), "{log}");
}

#[test]
fn a_set_whose_compiler_is_gone_is_told_and_the_others_are_renewed() {
    let prefix = Prefix::with_modules("renewed");
    let gone = prefix.path.join("lib/pamir/fortran/flang-3");
    std::fs::create_dir(&gone).unwrap();
    let record = r#"{"compiler": ["/no/flang"], "version": "flang version 3.0", "file": null}"#;
    std::fs::write(gone.join("compiler.json"), record).unwrap();
    let renewed = prefix.run("pamir", &["fortran", "--renew"]);
    assert!(
        prefix.log().contains("mpi_f08.f90"),
        "gfortran's is renewed"
    );
    let told = renewed.complaint;
    assert!(
        renewed.code == 1 && told.contains(&format!("rm -r {}", gone.display())),
        "{told}"
    );
}

#[test]
fn sets_are_listed_and_a_failed_one_leaves_the_old() {
    let prefix = Prefix::with_modules("list");
    let listed = prefix.run("pamir", &["fortran", "--list"]).output;
    assert!(
        listed.starts_with("gfortran-7  GNU Fortran (Test 7.1.0) 7.1.0  ("),
        "{listed}"
    );
    let arguments = ["fortran", "--compiler", COMPILER];
    let failed = prefix.run_with("pamir", &arguments, &[("COMPILER_CODE", "3")]);
    assert!(
        failed.code == 1 && failed.complaint.contains("failed"),
        "{}",
        failed.complaint
    );
    assert_eq!(prefix.run("pamir", &["fortran", "--list"]).output, listed);
    assert_eq!(prefix.run("pamir", &["fortran"]).code, 2);
}

#[test]
fn without_an_installation_nothing_is_made() {
    let prefix = Prefix::new("nothing");
    std::fs::remove_file(prefix.path.join("lib/libmpi_abi_fortran.so.1")).unwrap();
    let refused = prefix.run("pamir", &["fortran", "--compiler", COMPILER]);
    assert!(refused.code == 1 && refused.complaint.contains("scripts/install"));
    let listed = prefix.run("pamir", &["fortran", "--list"]).output;
    assert!(
        listed.contains("pamir fortran --compiler gfortran"),
        "{listed}"
    );
}

#[test]
fn the_compiler_gets_its_modules_without_being_asked_for_its_version() {
    let prefix = Prefix::with_modules("compile");
    assert_eq!(prefix.run("mpifort", &["a.f90", "-o", "a"]).code, 0);
    let (path, set) = (prefix.path.display(), prefix.set());
    let set = set.display();
    assert_eq!(
        prefix.log(),
        format!(
            "-I{path}/include -I{set} a.f90 -o a -L{path}/lib -L{set} \
             -Wl,-rpath,{path}/lib {LIBRARIES}\n"
        )
    );
    assert_eq!(
        prefix.run("mpifort", &["-showme:compile"]).output,
        format!("-I{path}/include -I{set}\n")
    );
    assert!(
        prefix
            .run("mpifort", &["-show"])
            .output
            .ends_with(&format!("{LIBRARIES}\n"))
    );
    assert_eq!(
        prefix.run("mpifort", &["-showme:libs"]).output,
        "mpi_abi_modules mpi_abi_fortran mpi_abi\n"
    );
}

#[test]
fn a_compiler_that_was_replaced_or_stands_behind_another_is_asked() {
    let mut prefix = Prefix::with_modules("asked");
    let behind = format!("env {COMPILER}");
    let named = format!("-fc={behind}");
    assert_eq!(
        prefix
            .run_with("mpifort", &[&named, "-c", "a.f90"], &[])
            .code,
        0
    );
    assert!(prefix.log().starts_with("--version\n-I"));
    prefix.make_record_old();
    assert_eq!(prefix.run("mpifort", &["-c", "a.f90"]).code, 0);
    assert!(prefix.log().starts_with("--version\n-I"));
    prefix.version = "8.2.0";
    let refused = prefix.run("mpifort", &["-c", "a.f90"]);
    let (code, complaint) = (refused.code, refused.complaint);
    assert!(
        code == 1 && complaint.contains(&format!("pamir fortran --compiler '{COMPILER}'")),
        "{complaint}"
    );
}

#[test]
fn what_has_nothing_to_do_with_modules_needs_none() {
    let prefix = Prefix::new("none");
    assert_eq!(
        prefix.run("mpifort", &["-showme:command"]).output,
        format!("{COMPILER}\n")
    );
    assert!(
        prefix
            .run("mpifort", &["--version"])
            .output
            .starts_with("GNU Fortran")
    );
    assert_eq!(prefix.run("mpifort", &["-show"]).code, 1);
    let missing = prefix.run_with("mpifort", &["a.f90"], &[("MPICH_FC", "/no/fc")]);
    assert!(missing.complaint.contains("/no/fc") && missing.complaint.contains("PAMIR_FC"));
}

#[test]
fn integers_of_8_bytes_are_refused() {
    let prefix = Prefix::with_modules("integers");
    let refused = prefix.run("mpifort", &["-c", "-fdefault-integer-8", "a.f90"]);
    assert!(
        refused.code == 1 && refused.complaint.contains("4 bytes"),
        "{}",
        refused.complaint
    );
    assert_eq!(prefix.log(), "", "nothing is compiled");
}

#[test]
fn pkg_config_knows_the_first_set_and_takes_another_one() {
    let mut prefix = Prefix::with_modules("package");
    prefix.version = "9.4.0";
    assert_eq!(
        prefix
            .run("pamir", &["fortran", "--compiler", COMPILER])
            .code,
        0
    );
    for (name, more, id) in [
        ("mpi-fort", None, "gfortran-7"),
        (
            "ompi-fort",
            Some("--define-variable=fortran=gfortran-9"),
            "gfortran-9",
        ),
    ] {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.path.join("lib/pkgconfig"));
        let output = command.args(more).args(["--libs", name]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("pamir/fortran/{id} ")), "{text}");
        assert!(text.trim_end().ends_with(LIBRARIES), "{text}");
    }
}
