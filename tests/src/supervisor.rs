//! A supervisor that answers system calls of programs in the kernel's place.
//!
//! What: programs install a seccomp filter with a listener and send that over a socket; from then on
//! [`supervise`] is given the calls that the filter names, with the arguments as they were made,
//! and says what they return. The caller is stopped in its call until then.
//! Why: what a kernel is asked for can be seen, and its answer be given, where the kernel at hand
//! lacks the feature.
//! Invariants: a program whose supervisor has gone gets ENOSYS and goes on; threads of this file end
//! with the last process of the program.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;

/// A call that a thread is stopped in.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The thread, as the system numbers it.
    pub thread: i32,
    /// The call's number.
    pub number: i64,
    /// Its arguments.
    pub arguments: [u64; 6],
}

/// What answers: the value that the call returns, or the number of an error.
pub type Answer = dyn Fn(&Call) -> Result<i64, i32> + Send + Sync;

/// Answers the calls of as many processes as connect to the socket at `path`, each on a thread of
/// its own.
///
/// # Panics
/// When there can be no socket at that path.
pub fn supervise(path: &Path, answer: Arc<Answer>) {
    let socket = UnixListener::bind(path).expect("a socket in a directory of the test's own");
    std::thread::spawn(move || {
        while let Ok((connection, _)) = socket.accept() {
            let Ok(listener) = received(&connection) else {
                continue;
            };
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || while answered(&listener, &*answer).is_ok() {});
        }
    });
}

/// Whether this system lets a program have a supervisor; asked by a thread that lets all its calls
/// pass, and ends.
pub fn is_permitted() -> bool {
    let asks = || {
        let mut pass = libc::sock_filter {
            code: (libc::BPF_RET | libc::BPF_K) as u16,
            jt: 0,
            jf: 0,
            k: libc::SECCOMP_RET_ALLOW,
        };
        let filter = libc::sock_fprog {
            len: 1,
            filter: &raw mut pass,
        };
        // SAFETY: these calls read the filter, which is live, and change this thread only.
        let listener = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
            let mode = libc::SECCOMP_SET_MODE_FILTER;
            libc::syscall(libc::SYS_seccomp, mode, flags, &raw const filter)
        };
        if listener < 0 {
            return false;
        }
        // SAFETY: the descriptor was just made, and is nobody else's.
        drop(unsafe { OwnedFd::from_raw_fd(listener as libc::c_int) });
        true
    };
    std::thread::spawn(asks).join().unwrap_or(false)
}

impl Call {
    /// Reads memory of the caller.
    ///
    /// # Errors
    ///
    /// The system's, where there is no such memory.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()> {
        let memory = OpenOptions::new().read(true).open(self.memory())?;
        memory.read_exact_at(bytes, address)
    }

    /// Writes memory of the caller.
    ///
    /// # Errors
    ///
    /// The system's, where there is no such memory.
    pub fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        let memory = OpenOptions::new().write(true).open(self.memory())?;
        memory.write_all_at(bytes, address)
    }

    fn memory(&self) -> String {
        format!("/proc/{}/mem", self.thread)
    }
}

/// The descriptor that comes over a connection.
fn received(connection: &UnixStream) -> io::Result<OwnedFd> {
    let mut byte = [0_u8; 1];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: byte.len(),
    };
    let mut control = [0_u64; 8];
    // SAFETY: a message header of zeros is one that says that there is nothing.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    // SAFETY: the parts are live and writable, and as long as the header says.
    let got = unsafe { libc::recvmsg(connection.as_raw_fd(), &raw mut message, 0) };
    if got < 1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the header was filled by the kernel; what it points to is live.
    let first = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
    // SAFETY: it is null, or lies in `control`, where the kernel has written it.
    match unsafe { first.as_ref() } {
        Some(header) if header.cmsg_type == libc::SCM_RIGHTS => {
            // SAFETY: such a message carries a descriptor, which is nobody else's.
            Ok(unsafe { OwnedFd::from_raw_fd(*libc::CMSG_DATA(first).cast::<libc::c_int>()) })
        }
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Room for a notification or an answer of any kernel.
#[repr(C)]
union Notification {
    notification: libc::seccomp_notif,
    answer: libc::seccomp_notif_resp,
    room: [u64; 128],
}

/// Waits for a call, and answers it; an error once no process is left that could call.
fn answered(listener: &OwnedFd, answer: &Answer) -> io::Result<()> {
    let mut interest = libc::pollfd {
        fd: listener.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    // SAFETY: one live entry.
    let ready = unsafe { libc::poll(&raw mut interest, 1, -1) };
    if ready < 0 || interest.revents & libc::POLLIN == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let mut exchanged = Notification { room: [0; 128] };
    if control(listener, libc::SECCOMP_IOCTL_NOTIF_RECV, &mut exchanged).is_err() {
        // The caller was killed between both calls.
        return Ok(());
    }
    // SAFETY: the kernel has filled it.
    let call = unsafe { exchanged.notification };
    let outcome = answer(&Call {
        thread: call.pid as i32,
        number: call.data.nr.into(),
        arguments: call.data.args,
    });
    exchanged.room = [0; 128];
    exchanged.answer = libc::seccomp_notif_resp {
        id: call.id,
        val: outcome.unwrap_or(0),
        error: outcome.err().map_or(0, |error| -error),
        flags: 0,
    };
    // Who was killed meanwhile needs no answer.
    let _ = control(listener, libc::SECCOMP_IOCTL_NOTIF_SEND, &mut exchanged);
    Ok(())
}

fn control(
    listener: &OwnedFd,
    request: libc::Ioctl,
    exchanged: &mut Notification,
) -> io::Result<()> {
    // SAFETY: it is live, writable, and larger than what the kernel reads or writes.
    let outcome = unsafe { libc::ioctl(listener.as_raw_fd(), request, &raw mut *exchanged) };
    if outcome < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
