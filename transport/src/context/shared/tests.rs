//! Transfers that go on while nobody of the program advances, and work from other threads.

use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use pamir_driver::job::{Job, JobSpecification};

use super::*;
use crate::active::Receive;
use crate::active::send::ActiveMessage;
use crate::client::Client;

/// A context of each of two tasks, for threads.
fn pair() -> Vec<Arc<SharedContext>> {
    let job = Job::create(&JobSpecification {
        ranks: 2,
        processing_units: vec![Some(0), Some(1)],
    })
    .unwrap();
    let shared = |task| {
        let client = Client::open_in(&job, task, "threads", 1).unwrap();
        // SAFETY: what the tests give to the context is only atomics and memory that lives on.
        Arc::new(unsafe { SharedContext::new(client.create_context().unwrap()).unwrap() })
    };
    (0..2).map(shared).collect()
}

/// What a program does that does not communicate.
fn compute_until(done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "nothing goes on");
        std::hint::spin_loop();
    }
}

#[test]
fn transfers_go_on_while_the_program_computes() {
    const BYTES: usize = 8 << 20;
    static COMPLETIONS: AtomicU64 = AtomicU64::new(0);
    let contexts = pair();
    let engines: Vec<_> = contexts
        .iter()
        .map(|context| context.start_engine().unwrap())
        .collect();
    let source: Vec<u8> = (0..BYTES).map(|at| (at / 3) as u8).collect();
    let mut target = vec![0_u8; BYTES];
    let address = target.as_mut_ptr() as usize;
    let receiver = move |_: &Context, arrival: crate::active::dispatch::Arrival<'_>| {
        assert_eq!((arrival.bytes, arrival.header), (BYTES, &b"big"[..]));
        // SAFETY: the vector outlives the engines, and has the bytes.
        unsafe { Receive::into(address as *mut u8, BYTES) }.then(|_, how| {
            COMPLETIONS.fetch_add(u64::from(how.is_ok()), Ordering::SeqCst);
        })
    };
    contexts[1].lock().set_dispatch(1, receiver).unwrap();
    let to = contexts[1].lock().endpoint();
    for round in 1..=3 {
        // Long enough that both engines sleep.
        std::thread::sleep(Duration::from_millis(20));
        let counted = || -> Option<crate::active::Completion> {
            Some(Box::new(|_, how| {
                COMPLETIONS.fetch_add(u64::from(how.is_ok()), Ordering::SeqCst);
            }))
        };
        let message = ActiveMessage {
            to,
            dispatch: 1,
            header: b"big",
            local: counted(),
            remote: counted(),
        };
        // SAFETY: the vector outlives the engines.
        unsafe {
            let context = contexts[0].lock();
            context
                .send_active(message, source.as_ptr(), BYTES)
                .unwrap();
        }
        compute_until(|| COMPLETIONS.load(Ordering::SeqCst) == 3 * round);
    }
    drop(engines);
    assert!(source == target);
    for context in &contexts {
        assert!(context.take_failure().is_none());
        assert_eq!(context.lock().transfers_under_way(), 0);
    }
}

#[test]
fn statistics_tell_what_pended() {
    const MESSAGES: u64 = 20_000;
    let contexts = pair();
    let arrived = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&arrived);
    let receiver = move |_: &Context, _: crate::active::dispatch::Arrival<'_>| {
        counted.fetch_add(1, Ordering::Relaxed);
        Receive::nowhere()
    };
    contexts[1].lock().set_dispatch(1, receiver).unwrap();
    let to = contexts[1].lock().endpoint();
    let source = [7_u8; 64];
    for _ in 0..MESSAGES {
        let message = ActiveMessage {
            to,
            dispatch: 1,
            header: b"many",
            local: None,
            remote: None,
        };
        let sender = contexts[0].lock();
        // SAFETY: the array outlives the messages.
        unsafe { sender.send_active(message, source.as_ptr(), 64).unwrap() };
    }
    let statistics = |unit| contexts[0].lock().injection_statistics(unit);
    assert!(statistics(1).most_pending > 0, "{:?}", statistics(1));
    while arrived.load(Ordering::Relaxed) < MESSAGES {
        contexts[1].lock().advance().unwrap();
        contexts[0].lock().advance().unwrap();
    }
    let after = statistics(1);
    assert_eq!(after.replenished, after.pended);
    assert!(after.interrupts > 0 && after.interrupts < after.pended);
    assert_eq!(
        statistics(9),
        Default::default(),
        "there is no such context"
    );
}

#[test]
fn posted_work_runs_where_the_context_is_advanced() {
    const POSTS: u64 = 500;
    let contexts = pair();
    let (ran, advancing) = (Arc::new(AtomicU64::new(0)), std::thread::current().id());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for number in 0..POSTS {
                    let ran = Arc::clone(&ran);
                    let mut turns = number % 3;
                    contexts[0].post(move |_| {
                        assert_eq!(std::thread::current().id(), advancing);
                        if turns > 0 {
                            turns -= 1;
                            return Progress::Again;
                        }
                        ran.fetch_add(1, Ordering::Relaxed);
                        Progress::Done
                    });
                }
            });
        }
        contexts[0]
            .advance_until(|_| ran.load(Ordering::Relaxed) == 4 * POSTS)
            .unwrap();
    });
}

#[test]
fn a_post_wakes_a_sleeping_context() {
    let contexts = pair();
    let woken = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let context = contexts[0].lock();
            // The context's own waiting, which sleeps on its doorbell in the end.
            context
                .advance_until(|| woken.load(Ordering::SeqCst))
                .unwrap();
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(contexts[0].try_lock().is_none());
        let woken: &'static AtomicBool =
            // SAFETY: the scope ends only after the work has run: the thread waits for it.
            unsafe { &*std::ptr::from_ref(&woken) };
        contexts[0].post(move |_| {
            woken.store(true, Ordering::SeqCst);
            Progress::Done
        });
    });
    assert!(contexts[0].try_lock().is_some());
}

#[test]
fn an_engine_thread_ends_while_it_sleeps() {
    let contexts = pair();
    for _ in 0..20 {
        let engine = contexts[0].start_engine().unwrap();
        std::thread::sleep(Duration::from_millis(1));
        drop(engine);
    }
}
