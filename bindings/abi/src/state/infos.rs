//! Info objects by handle: ordered (key, value) hints (MPI-5.0 chapter 10).
//!
//! They have a lock of their own: programs may make them before MPI is initialised and after it
//! is finalized, from any thread.
//!
//! `MPI_INFO_ENV` is made when it is first looked at; it cannot be changed.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use pamir_driver::topology::host_name;
use pamir_mpi::info::{Info, InfoError, InfoLimits};

use super::handles::{Kind, Slots};
use crate::constants::*;
use crate::error::{Error, ErrorClass, Result};
use crate::types::MPI_Info;

const LIMITS: InfoLimits = InfoLimits {
    key_bytes: MPI_MAX_INFO_KEY as usize - 1,
    value_bytes: MPI_MAX_INFO_VAL as usize - 1,
};

static INFOS: Mutex<Slots<Info>> = Mutex::new(Slots::new(Kind::Info));
static ENVIRONMENT: LazyLock<Info> = LazyLock::new(|| {
    let arguments: Vec<Vec<u8>> = std::env::args_os()
        .map(std::os::unix::ffi::OsStringExt::into_vec)
        .collect();
    environment(&arguments)
});

fn infos() -> MutexGuard<'static, Slots<Info>> {
    INFOS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl From<InfoError> for Error {
    #[cold]
    fn from(error: InfoError) -> Self {
        let class = match error {
            InfoError::EmptyKey | InfoError::KeyTooLong { .. } => ErrorClass::InfoKey,
            InfoError::ValueTooLong { .. } => ErrorClass::InfoValue,
            InfoError::NoSuchKey { .. } => ErrorClass::InfoNokey,
            _ => ErrorClass::Arg,
        };
        class.with(error.to_string())
    }
}

#[cold]
fn no_info(info: MPI_Info) -> Error {
    let what = match info {
        MPI_INFO_NULL => "MPI_INFO_NULL is",
        MPI_INFO_ENV => "MPI_INFO_ENV cannot be changed or freed; it is",
        _ => "this handle is freed, or",
    };
    ErrorClass::Info.with(format!("{what} no info object to use here ({:#x})", info.0))
}

/// Lets `look` see an info object.
///
/// # Errors
///
/// `MPI_ERR_INFO` for a handle that names none, and those of `look`.
pub fn with<T>(info: MPI_Info, look: impl FnOnce(&Info) -> Result<T>) -> Result<T> {
    if info == MPI_INFO_ENV {
        return look(&ENVIRONMENT);
    }
    look(infos().get(info.0).ok_or_else(|| no_info(info))?)
}

/// What hints an argument `info` holds: none, if it is `MPI_INFO_NULL`.
pub fn hints(info: MPI_Info) -> Result<Info> {
    if info == MPI_INFO_NULL {
        return Ok(Info::new(LIMITS));
    }
    with(info, |info| Ok(info.clone()))
}

/// Sets a key for the program to look at; `MPI_INFO_NULL` takes nothing.
pub fn tell(info: MPI_Info, key: &str, value: &str) -> Result {
    if info == MPI_INFO_NULL {
        return Ok(());
    }
    change(info, |own| Ok(own.set(key, value)?))
}

/// Refuses what is neither an info object nor `MPI_INFO_NULL`.
pub fn check(info: MPI_Info) -> Result {
    hints(info).map(|_| ())
}

/// An empty info object with the interface's limits.
pub fn empty() -> Info {
    Info::new(LIMITS)
}

/// What `MPI_INFO_ENV` says of a process with these arguments (section 11.2.1).
pub fn environment(arguments: &[Vec<u8>]) -> Info {
    let mut info = Info::new(LIMITS);
    let mut put = |key: &str, value: &[u8]| {
        let bytes = value.len().min(LIMITS.value_bytes);
        info.set(key, &value[..bytes])
            .expect("the key is short and the value was cut off");
    };
    if let Some((command, rest)) = arguments.split_first() {
        put("command", command);
        if !rest.is_empty() {
            put("argv", &rest.join(&b' '));
        }
    }
    let ranks = pamir_settings::SIZE.value().unwrap_or(1).to_string();
    put("maxprocs", ranks.as_bytes());
    let host = host_name();
    if !host.is_empty() {
        put("host", host.as_bytes());
    }
    put("arch", std::env::consts::ARCH.as_bytes());
    if let Ok(directory) = std::env::current_dir() {
        put("wdir", directory.as_os_str().as_encoded_bytes());
    }
    info
}

/// What `MPI_INFO_ENV` says of this process.
pub fn own_environment() -> Info {
    ENVIRONMENT.clone()
}

/// Lets `work` change an info object of the program's.
///
/// # Errors
///
/// `MPI_ERR_INFO` for a handle that names none, and those of `work`.
pub fn change(info: MPI_Info, work: impl FnOnce(&mut Info) -> Result) -> Result {
    let mut infos = infos();
    work(infos.get_mut(info.0).ok_or_else(|| no_info(info))?)
}

/// Takes an info object, and gives its handle.
pub fn insert(info: Info) -> MPI_Info {
    MPI_Info(infos().insert(info))
}

/// Lets a handle of the program's name nothing any more.
///
/// # Errors
///
/// `MPI_ERR_INFO` for a handle that names none, or one that is predefined.
pub fn remove(info: MPI_Info) -> Result {
    let freed = infos().remove(info.0);
    freed.map(drop).ok_or_else(|| no_info(info))
}
