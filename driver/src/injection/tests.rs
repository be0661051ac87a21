//! The FIFO against a plain queue, and the figures of the document.

use std::time::Duration;

use proptest::prelude::*;

use super::criterion::Touch;
use super::*;

fn numbered(number: u64) -> Descriptor {
    Descriptor::memory_fifo(0, 1, number, std::ptr::null(), 8)
}

fn fifo(slots: usize, threshold: usize, criterion: Criterion) -> InjectionFifo {
    InjectionFifo::new(Configuration::new(slots, threshold, criterion).unwrap(), 0)
}

/// Lets the engine take one descriptor: a message's number, or that of an interrupt.
fn engine(fifo: &mut InjectionFifo) -> Option<u64> {
    fifo.look_at_timer();
    let done = *fifo.front()?;
    fifo.retire();
    if done.local {
        fifo.replenish();
        return engine(fifo);
    }
    Some(done.metadata)
}

#[test]
fn without_variables_the_fifo_is_the_default_one() {
    let configuration = Configuration::of(|_| None).unwrap();
    assert_eq!(configuration, Configuration::default());
}

#[test]
fn the_threshold_keeps_a_slot_free() {
    assert!(matches!(
        Configuration::new(8, 7, Criterion::Drained),
        Err(InjectionError::Threshold {
            threshold: 7,
            slots: 8
        })
    ));
    assert!(Configuration::new(1, 0, Criterion::Drained).is_err());
    assert!(Configuration::new(8, usize::MAX, Criterion::Drained).is_err());
}

#[test]
fn a_hundred_messages_in_eight_slots_take_fourteen_interrupts() {
    for criterion in [
        Criterion::Drained,
        Criterion::MemoryFifo,
        Criterion::CountedPut,
        Criterion::TouchingPut(Touch::Word),
    ] {
        let mut fifo = fifo(8, 6, criterion);
        (0..100).for_each(|number| fifo.inject(numbered(number)));
        let statistics = fifo.statistics();
        assert_eq!((statistics.direct, statistics.pended), (7, 93));
        for number in 0..100 {
            assert_eq!(engine(&mut fifo), Some(number));
        }
        assert_eq!(engine(&mut fifo), None);
        let interrupts = fifo.statistics().interrupts;
        assert!(interrupts <= 14, "{criterion:?}: {interrupts}");
    }
}

#[test]
fn a_timer_on_a_stalled_engine_injects_what_fits_and_starts_again() {
    let mut fifo = fifo(4, 0, Criterion::Timer(Some(Duration::ZERO)));
    (0..10).for_each(|number| fifo.inject(numbered(number)));
    assert_eq!(fifo.statistics().direct, 1);
    for _ in 1..4 {
        fifo.look_at_timer();
        let statistics = fifo.statistics();
        // One that finds no room is no interrupt.
        assert_eq!(statistics.interrupts, 1);
        assert_eq!((statistics.replenishments, fifo.slots_taken()), (1, 3));
    }
    for number in 0..10 {
        assert_eq!(engine(&mut fifo), Some(number));
    }
    let statistics = fifo.statistics();
    assert_eq!(statistics.interrupts, statistics.replenishments);
}

#[test]
fn a_million_pend_and_arrive() {
    let mut fifo = fifo(8, 6, Criterion::CountedPut);
    (0..1_000_000).for_each(|number| fifo.inject(numbered(number)));
    assert!((0..1_000_000).all(|number| engine(&mut fifo) == Some(number)));
    assert!(fifo.is_empty());
}

proptest! {
    /// As a plain queue, for every criterion: nothing overtakes, nothing is lost, and no more
    /// interrupts come than full batches need.
    #[test]
    fn nothing_overtakes(
        slots in 2usize..9,
        lower in 0usize..7,
        criterion in prop::sample::select(vec![
            Criterion::Drained,
            Criterion::Timer(Some(Duration::ZERO)),
            Criterion::LearnedTimer,
            Criterion::MemoryFifo,
            Criterion::CountedPut,
            Criterion::TouchingPut(Touch::Word),
        ]),
        steps in prop::collection::vec(any::<bool>(), 1..500),
    ) {
        let mut fifo = fifo(slots, (slots - 2).saturating_sub(lower), criterion);
        let (mut injected, mut processed) = (0, 0);
        for inject in steps {
            if inject {
                fifo.inject(numbered(injected));
                injected += 1;
            } else if let Some(number) = engine(&mut fifo) {
                prop_assert_eq!(number, processed);
                processed += 1;
            }
            prop_assert!(fifo.slots_taken() <= slots);
        }
        while processed < injected {
            if let Some(number) = engine(&mut fifo) {
                prop_assert_eq!(number, processed);
                processed += 1;
            } else {
                prop_assert_eq!(criterion, Criterion::LearnedTimer, "only a timer makes one wait");
            }
        }
        prop_assert!(fifo.is_empty());
    }

    /// The document's formula, with the engine paused while the messages come.
    #[test]
    fn interrupts_come_by_the_batch(slots in 2usize..20, messages in 1usize..400) {
        let mut fifo = fifo(slots, slots - 2, Criterion::MemoryFifo);
        (0..messages as u64).for_each(|number| fifo.inject(numbered(number)));
        while engine(&mut fifo).is_some() {}
        let most = (messages + 1).saturating_sub(slots).div_ceil(slots - 1);
        prop_assert!(fifo.statistics().interrupts as usize <= most);
    }
}

#[test]
fn a_fifo_grows_and_shrinks_while_it_is_in_use() {
    let mut fifo = fifo(8, 6, Criterion::Drained);
    (0..20).for_each(|number| fifo.inject(numbered(number)));
    assert_eq!((fifo.slots_taken(), fifo.pending()), (7, 13));
    let (before, given) = (fifo.row.capacity(), fifo.resize(64));
    assert_eq!(given, (fifo.row.capacity() - before) * PENDING_BYTES);
    assert!(fifo.row.capacity() >= 64);
    let sizes = (
        fifo.configuration().slots(),
        fifo.configuration().threshold(),
    );
    assert_eq!(sizes, (64, 62));
    // What pends still goes first.
    fifo.inject(numbered(20));
    assert_eq!(fifo.resize(4), 0, "seven are in the slots");
    for number in 0..21 {
        assert_eq!(engine(&mut fifo), Some(number));
    }
    (0..63).for_each(|number| fifo.inject(numbered(number)));
    assert_eq!(fifo.pending(), 0, "63 fit into slots now");
    (0..63).for_each(|number| assert_eq!(engine(&mut fifo), Some(number)));
    assert!(fifo.resize(4) >= 59 * PENDING_BYTES);
    assert!(fifo.row.capacity() <= 8);
    assert_eq!(
        fifo.resize(1),
        0,
        "no room for a descriptor and what replenishes"
    );
    assert_eq!(fifo.configuration().slots(), 4);
}

proptest! {
    /// Whatever the sizes, nothing is lost, nothing overtakes, and no FIFO holds more than it may.
    #[test]
    fn resizing_keeps_the_order(
        steps in proptest::collection::vec((0usize..3, 0usize..40), 1..60),
        criterion in 0usize..4,
    ) {
        let criterion = [
            Criterion::Drained,
            Criterion::MemoryFifo,
            Criterion::LearnedTimer,
            Criterion::Timer(None),
        ][criterion];
        let mut fifo = fifo(8, 5, criterion);
        let (mut injected, mut done) = (0, 0);
        for (step, amount) in steps {
            match step {
                0 => {
                    (0..amount).for_each(|at| fifo.inject(numbered(injected + at as u64)));
                    injected += amount as u64;
                }
                1 => {
                    for _ in 0..amount {
                        let Some(number) = engine(&mut fifo) else { break };
                        prop_assert_eq!(number, done);
                        done += 1;
                    }
                }
                _ => {
                    fifo.resize(amount);
                }
            }
            prop_assert!(fifo.slots_taken() <= fifo.configuration().slots());
        }
        let patience = std::time::Instant::now() + Duration::from_secs(20);
        while done < injected {
            prop_assert!(std::time::Instant::now() < patience, "{} of {}", done, injected);
            if let Some(number) = engine(&mut fifo) {
                prop_assert_eq!(number, done);
                done += 1;
            }
        }
    }
}
