//! Both controllers against the same expectations, and a kernel that refuses io_uring.

use std::sync::atomic::{AtomicBool, Ordering};

use pamir_shm::sleep;

use super::*;
use pamir_shm::atomic::AtomicU32;
use std::str::FromStr;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(60);

fn each(test: impl Fn(Box<dyn InterruptController>, &Arc<Signal>)) {
    for delivery in [Delivery::IoUring, Delivery::Epoll] {
        let signal = Arc::new(Signal::new().unwrap());
        match open_as(delivery, &signal) {
            Ok(controller) => {
                assert_eq!(controller.delivery(), delivery);
                test(controller, &signal);
            }
            // A kernel without it: then the reason is named, and how to go on.
            Err(error) => {
                assert!(matches!(error, InterruptError::NoRing { .. }), "{error}");
                assert!(error.to_string().contains("PAMIR_INTERRUPTS"), "{error}");
            }
        }
    }
}

#[test]
fn a_signal_before_or_during_a_wait_ends_it() {
    each(|mut controller, signal| {
        let asleep = AtomicU32::new(sleep::ASLEEP);
        for words in [&[][..], &[&asleep][..]] {
            signal.raise();
            assert_eq!(controller.wait(words, None), Ok(Cause::Signal));
            let begun = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !begun.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                    signal.raise();
                });
                begun.store(true, Ordering::Relaxed);
                assert_eq!(controller.wait(words, Some(LONG)), Ok(Cause::Signal));
            });
            assert!(!signal.take(), "it is taken once");
        }
    });
}

#[test]
fn a_limit_ends_a_wait() {
    each(|mut controller, _| {
        let asleep = AtomicU32::new(sleep::ASLEEP);
        for words in [&[][..], &[&asleep][..]] {
            for limit in [Duration::ZERO, Duration::from_micros(300)] {
                assert_eq!(controller.wait(words, Some(limit)), Ok(Cause::Timer));
            }
        }
    });
}

#[test]
fn whoever_rings_ends_a_wait_on_any_word() {
    each(|mut controller, signal| {
        let words = [0, 1, 2].map(|_| AtomicU32::new(sleep::ASLEEP));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(2));
                assert!(sleep::must_wake(&words[2]));
                sleep::wake(&words[2]);
            });
            let all: Vec<_> = words.iter().collect();
            assert_eq!(controller.wait(&all, Some(LONG)), Ok(Cause::Doorbell));
            // It is still awake: the next wait does not begin.
            assert_eq!(controller.wait(&all, Some(LONG)), Ok(Cause::Doorbell));
        });
        // Nothing of the earlier waits is left.
        signal.raise();
        assert_eq!(controller.wait(&[], None), Ok(Cause::Signal));
    });
}

#[test]
fn more_words_than_the_ring_has_entries() {
    each(|mut controller, _| {
        let words: Vec<_> = (0..100).map(|_| AtomicU32::new(sleep::ASLEEP)).collect();
        words[99].store(sleep::AWAKE, Ordering::Relaxed);
        let all: Vec<_> = words.iter().collect();
        assert_eq!(controller.wait(&all, Some(LONG)), Ok(Cause::Doorbell));
    });
}

#[test]
fn words_name_controllers() {
    assert_eq!("io_uring".parse(), Ok(Delivery::IoUring));
    assert_eq!("epoll".parse(), Ok(Delivery::Epoll));
    let error = Delivery::from_str("signals").unwrap_err();
    assert!(error.to_string().contains("epoll"), "{error}");
}
