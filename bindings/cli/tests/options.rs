//! Every option that `mpiexec --help` shows works, in every spelling.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use pamir_cli::launch::arguments::options::{self, Action, LaunchOption};
use pamir_driver::topology::{Level, Machine};

fn directory() -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A file of this text, for this process alone.
fn file(name: &str, text: &str) -> String {
    let path = directory().join(format!("options-{name}-{}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path.into_os_string().into_string().unwrap()
}

/// Runs `mpiexec`, which ends by itself: the program is `true`.
fn mpiexec(words: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mpiexec"))
        .args(words)
        .env("PAMIR_CLAIMS", "off")
        .env_remove("HWLOC_SYNTHETIC")
        .env_remove("HWLOC_XMLFILE")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// A value that the option takes, for each that it has.
fn values(option: &LaunchOption) -> Vec<String> {
    let first = match option.action {
        Action::Network => "unix".to_string(),
        Action::BindTo | Action::MapBy => "core".to_string(),
        Action::PerObject => "1:node".to_string(),
        Action::RankBy => "slot".to_string(),
        Action::RankFile => file("ranks", "rank 0=localhost slot=0\n"),
        Action::ConfigFile => file("line", "-n 1 true\n"),
        Action::HostFile => file("hosts", "localhost\n"),
        Action::Hosts => "localhost".to_string(),
        Action::ProcessorSet => allowed().to_string(),
        Action::OutputPattern | Action::ErrorPattern => file("pattern", ""),
        Action::OutputName => file("name", ""),
        Action::PrependPattern => "%r".to_string(),
        Action::InputTo => "0".to_string(),
        Action::ProfileIterations => "barrier:1-2".to_string(),
        Action::FillIdle => "true".to_string(),
        Action::FillBy => "auto".to_string(),
        Action::Directory => "/".to_string(),
        Action::EnvironmentList | Action::GlobalEnvironmentList => "PATH".to_string(),
        _ => match option.values.first() {
            Some(&"FILE") => file("any", ""),
            _ => "1".to_string(),
        },
    };
    let mut values = vec![first];
    values.resize(option.values.len().max(1), "1".to_string());
    values.truncate(option.values.len());
    values
}

/// A processor that this process may use.
fn allowed() -> u32 {
    let machine = Machine::from_sysfs().unwrap();
    machine.allowed()[0]
}

/// What has to stand beside an option.
fn beside(option: &LaunchOption) -> &'static [&'static str] {
    match option.action {
        Action::ProfileIterations => &["--profile-comm", "/dev/null"],
        Action::FillBy => &["--fill-idle", "true"],
        Action::Network => &["--nodes", "2", "-n", "2"],
        _ => &[],
    }
}

#[test]
fn every_spelling_starts_a_job_or_says_why_not() {
    for option in options::all() {
        // The library that it preloads is not in a build directory of this crate alone.
        if option.action == Action::SharedHeap {
            continue;
        }
        for name in option.names {
            let mut words: Vec<String> = beside(option).iter().map(ToString::to_string).collect();
            words.push(options::dashed(name));
            words.extend(values(option));
            if option.action != Action::ConfigFile {
                words.push("true".to_string());
            }
            let output = mpiexec(&words);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let refused = option.action == Action::Refused;
            let expected = if refused { 2 } else { 0 };
            assert_eq!(output.status.code(), Some(expected), "{words:?}: {said}");
            assert_eq!(said.contains("is not there"), refused, "{words:?}: {said}");
        }
    }
}

#[test]
fn options_of_other_launchers_are_told_with_v_alone() {
    let told = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(String::from).collect();
        let output = mpiexec(&words);
        assert!(output.status.success(), "{line}");
        let said = String::from_utf8(output.stderr).unwrap();
        said.contains("-launcher ssh is accepted")
    };
    assert!(told("-v -launcher ssh true"));
    assert!(!told("-launcher ssh true"));
}

#[test]
fn a_file_has_the_rest_of_the_command_line() {
    let lines = file(
        "programs",
        "# two programs\n-n 2 sh -c 'echo a b'\n-n 1 -x C=d sh -c 'echo $C'\n",
    );
    let output = mpiexec(&["-l".to_string(), "-configfile".to_string(), lines.clone()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut printed: Vec<&str> = text.lines().collect();
    printed.sort_unstable();
    assert_eq!(printed, ["[0] a b", "[1] a b", "[2] d"]);
    let behind = mpiexec(&["-configfile".to_string(), lines, "true".to_string()]);
    assert_eq!(behind.status.code(), Some(2));
}

/// The processors of each rank of a job.
fn processors(options: &str, claims: &str) -> Vec<String> {
    let script = "sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status";
    let output = Command::new(env!("CARGO_BIN_EXE_mpiexec"))
        .args(options.split_whitespace())
        .args(["sh", "-c", script])
        .env("PAMIR_CLAIMS", claims)
        .env_remove("OMP_NUM_THREADS")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(String::from).collect()
}

#[test]
fn jobs_keep_off_each_others_cores() {
    let machine = Machine::from_sysfs().unwrap();
    let cores = machine.groups(Level::Core).unwrap();
    if cores.len() < 2 {
        return;
    }
    let claims = directory().join(format!("claims-{}", std::process::id()));
    let claims = claims.to_str().unwrap();
    let one = processors("-n 1 --bind-to core", claims);
    assert!(!std::path::Path::new(claims).exists());
    let mut first = Command::new(env!("CARGO_BIN_EXE_mpiexec"))
        .args([
            "-n",
            "1",
            "--bind-to",
            "core",
            "sh",
            "-c",
            "echo; read line; true",
        ])
        .env("PAMIR_CLAIMS", claims)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(first.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let other = processors("-n 1 --bind-to core", claims);
    assert_ne!(one, other);
    // As many ranks as cores find too few: they are bound to none.
    let all = processors(&format!("-n {}", cores.len()), claims);
    assert!(
        all.iter().all(|list| *list != one[0] && *list != other[0]),
        "{all:?}"
    );
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    assert_eq!(processors("-n 1 --bind-to core", claims), one);
    assert!(!std::path::Path::new(claims).exists());
}

#[test]
fn a_program_has_as_many_cores_as_threads() {
    let machine = Machine::from_sysfs().unwrap();
    let (units, cores) = (machine.allowed(), machine.groups(Level::Core).unwrap());
    let all = processors("-n 1 --bind-to none", "off");
    assert_eq!(processors("-n 1", "off"), all);
    let one = processors("-n 1 -x OMP_NUM_THREADS=1", "off");
    assert_eq!(one == all, cores.len() == 1);
    let many = format!("-n 1 -x OMP_NUM_THREADS={}", units.len());
    assert_eq!(processors(&many, "off"), all);
}
