//! The programs of a job: where they are, and the environment they see.
//!
//! What: [`locate`] finds a program the way a shell would, [`environment`] builds the variables
//! its ranks share, [`rank_variables`] those of one rank.
//! Why: a program that is not there is told before anything was started, with a shell's exit code.
//! [`library_path`] leads them to the MPI library, [`missing`] tells what of it a program will not find.
//! Step before: [`super::arguments`]. Step after: [`super::process::start`].
//! Invariant: nothing of another launcher's wire-up reaches a rank, so that no library thinks it
//! was started by somebody else.

pub mod library_path;
pub mod missing;
pub mod settings;
pub mod shared_heap;
pub mod variables;

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use pamir_settings::{Audience, JOB_FD, LAUNCHER, RANK, SIZE, SPARE_PROCESSORS, Unknown, document};

use super::request::{EnvironmentRequest, Inherited, Launch, Program};
use variables::set_value;

/// A program or directory that cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramError {
    /// No such file, in PATH or where the name points.
    #[error("cannot find the program `{program}` {place}")]
    NotFound {
        /// The name as typed.
        program: String,
        /// Where was looked.
        place: String,
    },
    /// It is there, but cannot be executed.
    #[error("cannot execute `{path}`: {reason}")]
    NotExecutable {
        /// Its path.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The working directory cannot be entered.
    #[error("cannot enter the working directory `{path}`: {reason}")]
    Directory {
        /// Its path.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A library that the programs were to be given is missing.
    #[error(transparent)]
    SharedHeap(#[from] shared_heap::SharedHeapError),
    /// A name, value or argument with a zero byte.
    #[error("`{text}` holds a zero byte, which no program can be given")]
    ZeroByte {
        /// The text.
        text: String,
    },
}

impl ProgramError {
    /// The exit code a shell would give.
    pub fn exit_code(&self) -> u8 {
        match self {
            ProgramError::NotFound { .. } => 127,
            ProgramError::NotExecutable { .. } => 126,
            _ => 1,
        }
    }
}

/// Text for a system call.
pub fn c_string(text: impl AsRef<OsStr>) -> Result<CString, ProgramError> {
    let text = text.as_ref();
    CString::new(text.as_bytes()).map_err(|_| ProgramError::ZeroByte {
        text: text.to_string_lossy().into_owned(),
    })
}

/// Finds the program: in its directory when the name has a slash, else along `path`, else in the
/// working directory, as people expect of a launcher.
pub fn locate(program: &Program, path: Option<&OsStr>) -> Result<PathBuf, ProgramError> {
    if let Some(directory) = &program.directory
        && !directory.is_dir()
    {
        let reason = if directory.exists() {
            "it is no directory"
        } else {
            "it does not exist"
        };
        let path = directory.display().to_string();
        return Err(ProgramError::Directory {
            path,
            reason: reason.to_string(),
        });
    }
    let name = &program.command[0];
    let start = program.directory.clone().unwrap_or_default();
    if name.as_bytes().contains(&b'/') {
        let file = start.join(name);
        return match usable(&file) {
            Usable::Yes => Ok(PathBuf::from(name)),
            Usable::No(reason) => Err(ProgramError::NotExecutable {
                path: file.display().to_string(),
                reason,
            }),
            Usable::Absent => {
                let place = match &program.directory {
                    Some(directory) => format!("(looked in {})", directory.display()),
                    None => "(no such file)".to_string(),
                };
                Err(ProgramError::NotFound {
                    program: lossy(name),
                    place,
                })
            }
        };
    }
    let path = path.unwrap_or(OsStr::new("/usr/local/bin:/usr/bin:/bin"));
    let mut refused = None;
    let places = std::env::split_paths(path).chain([PathBuf::from(".")]);
    for place in places.filter(|_| !name.is_empty()) {
        let file = place.join(name);
        match usable(&start.join(&file)) {
            Usable::Yes => return Ok(file),
            Usable::No(reason) => {
                let path = file.display().to_string();
                refused = refused.or(Some(ProgramError::NotExecutable { path, reason }));
            }
            Usable::Absent => {}
        }
    }
    Err(refused.unwrap_or_else(|| ProgramError::NotFound {
        program: lossy(name),
        place: "in PATH or the working directory".to_string(),
    }))
}

enum Usable {
    Yes,
    No(String),
    Absent,
}

fn usable(file: &Path) -> Usable {
    match file.metadata() {
        Ok(status) if status.is_dir() => Usable::No("it is a directory".to_string()),
        Ok(_) if access(file, AccessFlags::X_OK).is_ok() => Usable::Yes,
        Ok(_) => Usable::No("it lacks the permission to be executed (chmod +x)".to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Usable::No(error.to_string())
        }
        Err(_) => Usable::Absent,
    }
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// The variables that all ranks of a program share.
pub fn environment(launch: &Launch, program: &Program) -> Vec<(OsString, OsString)> {
    let inherited = program.environment.inherited.as_ref();
    let inherited = inherited.or(launch.environment.inherited.as_ref());
    let mut variables: Vec<(OsString, OsString)> = match inherited {
        None | Some(Inherited::All) => std::env::vars_os().collect(),
        Some(Inherited::Only(names)) => {
            let value = |name: &OsString| Some((name.clone(), std::env::var_os(name)?));
            names.iter().filter_map(value).collect()
        }
    };
    variables.retain(|(name, _)| !is_wire_up(name));
    for EnvironmentRequest { set, .. } in [&launch.environment, &program.environment] {
        for (name, value) in set {
            set_value(&mut variables, name, value.clone());
        }
    }
    variables
}

/// Names among the variables of all programs that look like settings and are none, each once.
pub fn unknown_settings(launch: &Launch) -> Vec<Unknown> {
    let programs = launch.programs.iter();
    let variables = programs.flat_map(|program| environment(launch, program));
    let names: Vec<OsString> = variables.map(|(name, _)| name).collect();
    pamir_settings::unknown(names.iter().map(OsString::as_os_str))
}

/// Whether a variable is how some launcher tells a process which rank it is.
fn is_wire_up(name: &OsStr) -> bool {
    const NAMES: [&[u8]; 2] = [b"MPI_LOCALRANKID", b"MPI_LOCALNRANKS"];
    const PREFIXES: [&[u8]; 4] = [b"PMI_", b"PMIX_", b"OMPI_COMM_WORLD_", b"PRTE_"];
    let mut own = document::of(Audience::Launcher);
    let is_own = own.any(|setting| name == setting.name());
    let name = name.as_bytes();
    is_own || NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// `NAME=VALUE` for these variables.
pub fn assignments(variables: Vec<(OsString, OsString)>) -> Result<Vec<CString>, ProgramError> {
    let join = |(name, value): (OsString, OsString)| {
        let mut bytes = name.into_vec();
        bytes.push(b'=');
        bytes.extend_from_slice(value.as_bytes());
        c_string(OsString::from_vec(bytes))
    };
    variables.into_iter().map(join).collect()
}

/// Tells a rank which processors it may give to threads that help it, where there are any.
pub fn spare_variable(processors: &[u32]) -> Option<CString> {
    if processors.is_empty() {
        return None;
    }
    let list: Vec<String> = processors.iter().map(u32::to_string).collect();
    let text = CString::new(format!("{}={}", SPARE_PROCESSORS.name(), list.join(",")));
    Some(text.expect("digits and commas hold no zero byte"))
}

/// What tells a process which rank it is: the contract with the ranks.
///
/// `local` is its number among the ranks of its node, and how many those are.
pub fn rank_variables(
    rank: usize,
    size: usize,
    local: (usize, usize),
    job: i32,
    launcher: i32,
) -> Vec<CString> {
    let (local_rank, local_ranks) = local;
    let variables = [
        format!("{}={rank}", RANK.name()),
        format!("{}={size}", SIZE.name()),
        format!("{}={launcher}", LAUNCHER.name()),
        format!("MPI_LOCALRANKID={local_rank}"),
        format!("MPI_LOCALNRANKS={local_ranks}"),
        format!("{}={job}", JOB_FD.name()),
    ];
    let c_strings = variables.into_iter().map(CString::new);
    c_strings
        .map(|text| text.expect("digits and letters hold no zero byte"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::variables::value_of;
    use super::*;

    fn program(command: &str, directory: Option<&str>) -> Program {
        Program {
            ranks: 1,
            command: vec![command.into()],
            directory: directory.map(PathBuf::from),
            ..Program::default()
        }
    }

    #[test]
    fn programs_are_found_as_a_shell_does() {
        let path = Some(OsStr::new("/nowhere:/bin"));
        assert_eq!(
            locate(&program("sh", None), path),
            Ok(PathBuf::from("/bin/sh"))
        );
        assert_eq!(
            locate(&program("/bin/sh", None), None),
            Ok(PathBuf::from("/bin/sh"))
        );
        assert_eq!(
            locate(&program("./sh", Some("/bin")), None),
            Ok(PathBuf::from("./sh"))
        );
        let here = locate(&program("sh", Some("/bin")), Some(OsStr::new("/nowhere")));
        assert_eq!(here, Ok(PathBuf::from("./sh")));
    }

    #[test]
    fn what_is_wrong_has_a_shells_exit_code() {
        let code = |command, directory| {
            let path = Some(OsStr::new("/bin"));
            locate(&program(command, directory), path)
                .expect_err(command)
                .exit_code()
        };
        assert_eq!(code("no-such-program-here", None), 127);
        assert_eq!(code("/no/such/file", None), 127);
        assert_eq!(code("/etc/passwd", None), 126);
        assert_eq!(code("/etc", None), 126);
        assert_eq!(code("sh", Some("/no/such/directory")), 1);
        assert_eq!(code("", None), 127);
    }

    #[test]
    fn requests_apply_from_general_to_particular() {
        let set = |value: &str| EnvironmentRequest {
            inherited: None,
            set: vec![("TONE".into(), value.into())],
        };
        let launch = Launch {
            environment: set("low"),
            ..Launch::default()
        };
        let mut program = program("a", None);
        let tone = |program: &Program| {
            value_of(&environment(&launch, program), "TONE").map(OsStr::to_os_string)
        };
        assert_eq!(tone(&program), Some("low".into()));
        program.environment = set("high");
        assert_eq!(tone(&program), Some("high".into()));
        program.environment.inherited = Some(Inherited::Only(vec!["PATH".into()]));
        let names: Vec<OsString> = environment(&launch, &program)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["PATH", "TONE"]);
    }

    #[test]
    fn wire_up_of_other_launchers_is_dropped() {
        for name in ["PMI_RANK", "PMI_SIZE", "PMIX_RANK", "PAMIR_JOB_FD"] {
            assert!(is_wire_up(OsStr::new(name)), "{name}");
        }
        assert!(!is_wire_up(OsStr::new("PAMIR_EAGER_BYTES")));
    }
}
