//! Binding threads and processes to processing units.
//!
//! Why the result is read back: the kernel takes a mask that is partly outside the cgroup's
//! cpuset without a word and binds to the rest; a rank that runs elsewhere than reported is worse
//! than an error.
//!
//! Step before: [`super::plan`]. Step after: the scheduler. Between fork and exec use
//! [`AffinityMask::apply_to_current_thread`] with a mask made before: nothing here may run there.

use super::{BindingError, list_of_units};
use crate::topology::AffinityMask;

/// Binds the calling thread to these units (operating-system indices).
pub fn bind_current_thread(processing_units: &[u32]) -> Result<(), BindingError> {
    bind(0, processing_units, || "this thread".to_string())
}

/// Binds the main thread of a process to these units (operating-system indices); threads that it
/// starts later inherit them. 0 is the calling thread.
pub fn bind_process(process: libc::pid_t, processing_units: &[u32]) -> Result<(), BindingError> {
    bind(process, processing_units, || format!("process {process}"))
}

fn bind(
    process: libc::pid_t,
    processing_units: &[u32],
    target: impl Fn() -> String,
) -> Result<(), BindingError> {
    let refused = |source| BindingError::Refused {
        target: target(),
        processing_units: list_of_units(processing_units),
        source,
    };
    AffinityMask::new(processing_units)
        .apply_to_process(process)
        .map_err(refused)?;
    let given = AffinityMask::of_process(process).map_err(refused)?;
    if processing_units.iter().all(|&unit| given.contains(unit)) {
        return Ok(());
    }
    Err(BindingError::Narrowed {
        target: target(),
        processing_units: list_of_units(processing_units),
        given: list_of_units(&given.processing_units()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a thread of its own, so that the other tests keep their mask.
    #[test]
    fn a_thread_is_bound_where_it_is_told() {
        std::thread::spawn(|| {
            let unit = AffinityMask::of_current_thread()
                .unwrap()
                .processing_units()[0];
            bind_current_thread(&[unit]).unwrap();
            assert_eq!(
                AffinityMask::of_current_thread()
                    .unwrap()
                    .processing_units(),
                [unit]
            );
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_process_is_bound_where_it_is_told() {
        let units = AffinityMask::of_current_thread()
            .unwrap()
            .processing_units();
        let last = *units.last().unwrap();
        let mut child = std::process::Command::new("sleep")
            .arg("10")
            .spawn()
            .unwrap();
        let process = child.id() as libc::pid_t;
        let bound = bind_process(process, &[last]);
        let found = AffinityMask::of_process(process);
        child.kill().unwrap();
        child.wait().unwrap();
        bound.unwrap();
        assert_eq!(found.unwrap().processing_units(), [last]);
        // Waited for: the number stands for no process any more.
        let message = bind_process(process, &[last]).unwrap_err().to_string();
        assert!(
            message.contains(&format!("process {process} to processors {last}")),
            "{message}"
        );
    }

    #[test]
    fn units_that_are_not_there_are_named() {
        std::thread::spawn(|| {
            let units = AffinityMask::of_current_thread()
                .unwrap()
                .processing_units();
            let absent = 60_000;
            let refused = bind_current_thread(&[absent]).unwrap_err().to_string();
            assert!(refused.contains("60000"), "{refused}");
            let narrowed = bind_current_thread(&[units[0], absent]).unwrap_err();
            assert!(
                matches!(narrowed, BindingError::Narrowed { .. }),
                "{narrowed}"
            );
        })
        .join()
        .unwrap();
    }
}
