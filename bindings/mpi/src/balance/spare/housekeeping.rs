//! Housekeeping in dead time: the program's functions run while the rank waits for others anyway.
//!
//! Before: a rank has called a synchronisation in which, as the last ones show, it will wait for
//! long. After: memory was given back, tables were put in order, and the rank is at its place again
//! when the last one calls.
//!
//! ```text
//! called    poll, advance ─▶ slice ─▶ poll, advance ─▶ slice ─▶ ... ─▶ the usual wait    last call
//!    ├────────────────────────── spare ─────────────────────────┤      margin            │
//! ```
//!
//! A *slice* is one call of a function, which says whether it has more to do. Spare time is no
//! longer than either of the last two waits, less a margin (`Announcer::spare_ns`). A function gets
//! no slice where what is left is less than its longest one lately.
//!
//! Invariants: nothing of this is borrowed while a function runs; between two slices the context
//! advances, and other threads of the program have a turn, so that nobody waits for this rank for
//! longer than a slice.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context as TaskContext, Poll, Waker};

use pamir_driver::unit::UnitError;
use pamir_driver::waiting::clock::Clock;
use pamir_transport::context::Context;

/// Does some housekeeping, in about so many nanoseconds at most; whether it has more to do.
pub type Function = Rc<dyn Fn(u64) -> bool>;

/// One of the program's functions.
struct Keeper {
    number: u64,
    function: Function,
    /// Its longest slice lately, in nanoseconds.
    slice_ns: Cell<u64>,
    /// It has more to do in this wait.
    willing: Cell<bool>,
}

/// The housekeeping of a process.
#[derive(Default)]
pub struct Housekeeping {
    keepers: RefCell<Vec<Rc<Keeper>>>,
    last: Cell<u64>,
    /// Whose turn it is.
    turn: Cell<usize>,
    spent_ns: Cell<u64>,
}

impl std::fmt::Debug for Housekeeping {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let functions = self.keepers.borrow().len();
        formatter
            .debug_struct("Housekeeping")
            .field("functions", &functions)
            .finish_non_exhaustive()
    }
}

impl Housekeeping {
    /// Adds a function; the number by which it can be removed.
    pub fn add(&self, function: Function) -> u64 {
        let number = self.last.get() + 1;
        self.last.set(number);
        self.keepers.borrow_mut().push(Rc::new(Keeper {
            number,
            function,
            slice_ns: Cell::new(0),
            willing: Cell::new(false),
        }));
        number
    }

    /// Removes a function; whether there was one of that number.
    pub fn remove(&self, number: u64) -> bool {
        let mut keepers = self.keepers.borrow_mut();
        let before = keepers.len();
        keepers.retain(|keeper| keeper.number != number);
        keepers.len() < before
    }

    /// For how long functions ran so far, in nanoseconds.
    pub fn spent_ns(&self) -> u64 {
        self.spent_ns.get()
    }

    /// Runs functions while `future` is pending and `spare_ns` are not over; what it came to, if it
    /// ended meanwhile. Who asks waits for it as usual then.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if the context could not advance.
    pub fn during<F: Future>(
        &self,
        context: &Context,
        spare_ns: u64,
        mut future: Pin<&mut F>,
    ) -> Result<Option<F::Output>, UnitError> {
        if spare_ns == 0 || self.keepers.borrow().is_empty() {
            return Ok(None);
        }
        let until_ns = Clock::Monotonic.now_ns().saturating_add(spare_ns);
        self.begin();
        loop {
            let mut task = TaskContext::from_waker(Waker::noop());
            if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
                return Ok(Some(output));
            }
            if context.advance()? {
                continue;
            }
            if !self.slice(until_ns) {
                return Ok(None);
            }
            context.give_turn();
        }
    }

    /// A wait begins: all functions may have something to do.
    fn begin(&self) {
        for keeper in self.keepers.borrow().iter() {
            keeper.willing.set(true);
            // A slice that was long once is tried again some time.
            keeper.slice_ns.set(keeper.slice_ns.get() / 8 * 7);
        }
    }

    /// Runs one slice, if any function has more to do that may end by then.
    fn slice(&self, until_ns: u64) -> bool {
        let begun_ns = Clock::Monotonic.now_ns();
        let left_ns = until_ns.saturating_sub(begun_ns);
        let Some(keeper) = self.next(left_ns) else {
            return false;
        };
        let more = (keeper.function)(left_ns);
        let took_ns = Clock::Monotonic.now_ns().saturating_sub(begun_ns);
        keeper.willing.set(more);
        keeper.slice_ns.set(keeper.slice_ns.get().max(took_ns));
        self.spent_ns.set(self.spent_ns.get() + took_ns);
        true
    }

    /// The next in turn that has more to do, in so much time.
    fn next(&self, left_ns: u64) -> Option<Rc<Keeper>> {
        let keepers = self.keepers.borrow();
        let fits = |keeper: &Keeper| keeper.willing.get() && keeper.slice_ns.get() < left_ns;
        let turns = (0..keepers.len()).map(|step| (self.turn.get() + step) % keepers.len());
        let chosen = turns.into_iter().find(|turn| fits(&keepers[*turn]))?;
        self.turn.set(chosen + 1);
        Some(keepers[chosen].clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG_NS: u64 = 3_600_000_000_000;

    fn counted(more: u32) -> (Function, Rc<Cell<u32>>) {
        let calls = Rc::new(Cell::new(0_u32));
        let counts = calls.clone();
        let function: Function = Rc::new(move |budget_ns| {
            assert!(budget_ns > 0);
            counts.set(counts.get() + 1);
            !counts.get().is_multiple_of(more)
        });
        (function, calls)
    }

    fn all_slices(housekeeping: &Housekeeping, until_ns: u64) -> usize {
        housekeeping.begin();
        std::iter::repeat_with(|| housekeeping.slice(until_ns))
            .take_while(|ran| *ran)
            .count()
    }

    #[test]
    fn functions_take_turns_until_none_has_more_to_do() {
        let housekeeping = Housekeeping::default();
        let until_ns = Clock::Monotonic.now_ns() + LONG_NS;
        assert_eq!(all_slices(&housekeeping, until_ns), 0);
        let (once, once_calls) = counted(1);
        let (thrice, thrice_calls) = counted(3);
        let first = housekeeping.add(once);
        housekeeping.add(thrice);
        assert_eq!(all_slices(&housekeeping, until_ns), 4);
        assert_eq!((once_calls.get(), thrice_calls.get()), (1, 3));
        assert!(housekeeping.remove(first) && !housekeeping.remove(first));
        assert_eq!(all_slices(&housekeeping, until_ns), 3);
        assert_eq!(all_slices(&housekeeping, 0), 0, "nothing is left");
    }

    #[test]
    fn a_function_whose_slices_are_long_gets_none_where_little_is_left() {
        let housekeeping = Housekeeping::default();
        let slow: Function = Rc::new(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            false
        });
        housekeeping.add(slow);
        let now = || Clock::Monotonic.now_ns();
        assert_eq!(all_slices(&housekeeping, now() + LONG_NS), 1);
        assert!(housekeeping.spent_ns() >= 20_000_000);
        assert_eq!(all_slices(&housekeeping, now() + 10_000_000), 0);
        // It is tried again when it has not run for many waits.
        for _ in 0..200 {
            housekeeping.begin();
        }
        assert_eq!(all_slices(&housekeeping, now() + LONG_NS), 1);
    }

    #[test]
    fn a_function_may_remove_itself() {
        let housekeeping = Rc::new(Housekeeping::default());
        let own = Rc::new(Cell::new(0));
        let (held, number) = (Rc::downgrade(&housekeeping), own.clone());
        own.set(housekeeping.add(Rc::new(move |_| {
            held.upgrade().is_some_and(|held| held.remove(number.get()))
        })));
        assert_eq!(
            all_slices(&housekeeping, Clock::Monotonic.now_ns() + LONG_NS),
            1
        );
    }
}
