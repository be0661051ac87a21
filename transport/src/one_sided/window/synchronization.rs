//! Synchronisation of windows: locks, posts and completions, and waiting for them.
//!
//! Before: a call that opens or ends an epoch. After: the words that members share say so, and who waited for it is awake.
//!
//! | call | waits for | tells |
//! |---|---|---|
//! | [`Window::lock`] | its turn | |
//! | [`Window::unlock`] | what is under way | those that wait for theirs |
//! | [`Window::lock_all`], [`Window::unlock_all`] | the end of exclusive locks; what is under way | those that wait for the window |
//! | [`Window::post`] | | each origin |
//! | [`Window::start`] | a post of each target | |
//! | [`Window::complete`] | what is under way | each target |
//! | [`Window::wait`], [`Window::test`] | a completion of each origin | |
//! | [`Window::flush`] | what is under way | |
//!
//! None of them sends a message. Who waits advances its context, and sleeps like any other wait: who tells wakes it.
//!
//! Invariant: a word is stored before those are woken that wait for it.
//!
//! Source: MPI-5.0 section 12.5; `pamir_shm::window` has the order of memory of each call.

use std::sync::atomic::{Ordering, fence};

use pamir_driver::unit::UnitError;
use pamir_shm::window::class_word::Class;

use super::{Window, WindowError};
use crate::context::Context;

/// What is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockKind {
    /// With others that share it.
    Shared,
    /// Alone.
    Exclusive,
}

const POSTS: usize = 0;
const COMPLETIONS: usize = 1;

impl Window {
    /// Locks a member's part.
    ///
    /// # Errors
    ///
    /// [`UnitError`] if the messaging unit fails while this waits.
    #[inline]
    pub fn lock(&self, context: &Context, rank: usize, kind: LockKind) -> Result<(), UnitError> {
        if kind == LockKind::Exclusive {
            self.enter_alone(context)?;
        }
        let lock = &self.words.member(rank).lock;
        let turn = match kind {
            LockKind::Shared => lock.ask_shared(),
            LockKind::Exclusive => lock.ask_exclusive(),
        };
        let Some(turn) = turn else { return Ok(()) };
        context.wait_told(&mut || lock.has_come(turn))?;
        lock.take(turn);
        // One that shares lets the next one share.
        if kind == LockKind::Shared && lock.is_awaited() {
            self.wake_all(context);
        }
        Ok(())
    }

    /// Locks a member's part if nobody is in the way; whether it did.
    #[inline]
    pub fn try_lock(&self, context: &Context, rank: usize, kind: LockKind) -> bool {
        let lock = &self.words.member(rank).lock;
        if kind == LockKind::Shared {
            return lock.try_take(true);
        }
        let classes = &self.words.common().classes;
        if self.alone.get() > 0 {
            classes.enter_again();
        } else if !classes.try_enter(Class::Single) {
            return false;
        }
        let taken = lock.try_take(false);
        if taken {
            self.alone.set(self.alone.get() + 1);
        } else if classes.leave() {
            self.wake_all(context);
        }
        taken
    }

    /// Enters the window to lock a part exclusively. One who has such a lock already is not kept waiting by those who wait for the
    /// whole window: they wait for it.
    fn enter_alone(&self, context: &Context) -> Result<(), UnitError> {
        match self.alone.get() {
            0 => self.enter(context, Class::Single)?,
            _ => self.words.common().classes.enter_again(),
        }
        self.alone.set(self.alone.get() + 1);
        Ok(())
    }

    /// Ends a lock of a member's part, once all of this member's transfers have ended.
    ///
    /// # Errors
    ///
    /// As for [`Window::complete_all`]; the lock is ended all the same.
    #[inline]
    pub fn unlock(
        &self,
        context: &Context,
        rank: usize,
        kind: LockKind,
    ) -> Result<(), WindowError> {
        let ended = self.complete_all(context);
        let lock = &self.words.member(rank).lock;
        let mut others = match kind {
            LockKind::Shared => {
                lock.end_shared();
                false
            }
            LockKind::Exclusive => {
                lock.end_exclusive();
                self.alone.set(self.alone.get() - 1);
                self.words.common().classes.leave()
            }
        };
        others |= lock.is_awaited();
        if others {
            self.wake_all(context);
        }
        ended
    }

    /// Locks all members' parts, shared, if nobody is in the way; whether it did.
    #[inline]
    pub fn try_lock_all(&self) -> bool {
        self.words.common().classes.try_enter(Class::Whole)
    }

    /// Locks all members' parts, shared: one step, however many there are.
    ///
    /// # Errors
    ///
    /// As for [`Self::lock`].
    #[inline]
    pub fn lock_all(&self, context: &Context) -> Result<(), UnitError> {
        self.enter(context, Class::Whole)
    }

    /// Ends that, once all of this member's transfers have ended.
    ///
    /// # Errors
    ///
    /// As for [`Self::unlock`].
    #[inline]
    pub fn unlock_all(&self, context: &Context) -> Result<(), WindowError> {
        let ended = self.complete_all(context);
        if self.words.common().classes.leave() {
            self.wake_all(context);
        }
        ended
    }

    #[inline]
    fn enter(&self, context: &Context, class: Class) -> Result<(), UnitError> {
        let classes = &self.words.common().classes;
        match classes.enter(class) {
            None => Ok(()),
            Some(wait) => context.wait_told(&mut || classes.is_in(wait)),
        }
    }

    /// Makes all that this member has done to others' parts complete there.
    ///
    /// # Errors
    ///
    /// As for [`Window::complete_all`].
    #[inline(always)]
    pub fn flush(&self, context: &Context) -> Result<(), WindowError> {
        // A store may still be on its way: what this member looks at next would overtake it.
        fence(Ordering::SeqCst);
        self.complete_all(context)
    }

    /// The same where nothing is under way and nothing has failed; whether that is so.
    #[inline(always)]
    pub fn flush_quiet(&self) -> bool {
        fence(Ordering::SeqCst);
        self.has_ended_well()
    }

    /// Exposes this member's part to each of `origins`.
    pub fn post(&self, context: &Context, origins: &[usize]) {
        for &origin in origins {
            self.words.posted(origin, self.rank()).add();
            context.wake(self.task(origin));
        }
    }

    /// Waits until each of `targets` has exposed its part to this member, once more than before; without `waits`, the caller knows
    /// that they have.
    ///
    /// # Errors
    ///
    /// As for [`Self::lock`].
    pub fn start(
        &self,
        context: &Context,
        targets: &[usize],
        waits: bool,
    ) -> Result<(), UnitError> {
        for &target in targets {
            let known = &self.taken[target][POSTS];
            let posted = self.words.posted(self.rank(), target);
            if waits && !posted.has_passed(known.get()) {
                context.wait_told(&mut || posted.has_passed(known.get()))?;
            }
            known.set(known.get().wrapping_add(1));
        }
        Ok(())
    }

    /// Tells each of `targets` that this member's accesses have ended, once they have.
    ///
    /// # Errors
    ///
    /// As for [`Window::complete_all`]; the targets are told all the same.
    pub fn complete(&self, context: &Context, targets: &[usize]) -> Result<(), WindowError> {
        let ended = self.complete_all(context);
        for &target in targets {
            self.words.completed(target, self.rank()).add();
            context.wake(self.task(target));
        }
        ended
    }

    fn have_ended(&self, origins: &[usize]) -> bool {
        origins.iter().all(|&origin| {
            let known = self.taken[origin][COMPLETIONS].get();
            let completed = self.words.completed(self.rank(), origin);
            completed.has_passed(known)
        })
    }

    /// Whether each of `origins` has ended its accesses, once more than before: then they are taken.
    pub fn test(&self, origins: &[usize]) -> bool {
        let all = self.have_ended(origins);
        if all {
            for &origin in origins {
                let known = &self.taken[origin][COMPLETIONS];
                known.set(known.get().wrapping_add(1));
            }
        }
        all
    }

    /// Waits until that is so.
    ///
    /// # Errors
    ///
    /// As for [`Self::lock`].
    pub fn wait(&self, context: &Context, origins: &[usize]) -> Result<(), UnitError> {
        context.wait_told(&mut || self.have_ended(origins))?;
        self.test(origins);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn wake_all(&self, context: &Context) {
        let others = (0..self.size()).filter(|rank| *rank != self.rank());
        others.for_each(|rank| context.wake(self.task(rank)));
    }
}
