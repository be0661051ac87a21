//! The epochs of a window at one member: what may be accessed now, and what may begin.
//!
//! Before: a synchronisation call, or an access. After: the state below, or an error of class `MPI_ERR_RMA_SYNC`.
//!
//! | access epoch | fence | start | complete | lock | unlock | lock_all | unlock_all |
//! |---|---|---|---|---|---|---|---|
//! | none | fence | started | - | locked | - | all locked | - |
//! | fence | fence | started, if unused | - | locked, if unused | - | all locked, if unused | - |
//! | started | - | - | none | - | - | - | - |
//! | locked | - | - | - | another target | none after the last | - | - |
//! | all locked | - | - | - | - | - | - | none |
//!
//! A fence opens an epoch that the program may not use: with nothing accessed since, another kind may begin.
//!
//! | exposure epoch | post | wait, test | fence |
//! |---|---|---|---|
//! | none | posted | - | none |
//! | posted | - | none | - |
//!
//! Invariant: a target may be accessed if and only if the epoch names it, or names all.
//!
//! Source: MPI-5.0 section 12.5.

use std::cell::{Cell, RefCell};

use pamir_transport::one_sided::window::synchronization::LockKind;

use super::error::EpochError;

/// What kind of access epoch is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    None,
    Fence,
    Started,
    Locked { targets: usize },
    AllLocked,
}

/// How one target may be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Closed,
    Started,
    /// None where the program said that no lock is needed.
    Locked(Option<LockKind>),
}

type Checked<T = ()> = Result<T, EpochError>;

/// The epochs of one member.
#[derive(Debug)]
pub struct Epochs {
    access: Cell<Access>,
    /// All targets may be accessed.
    all: Cell<bool>,
    /// Something was accessed since the last fence.
    used: Cell<bool>,
    /// Whether the window as a whole is locked by this member.
    whole: Cell<bool>,
    targets: Vec<Cell<Target>>,
    started: RefCell<Vec<usize>>,
    posted: RefCell<Option<Vec<usize>>>,
}

impl Epochs {
    /// None, with so many members.
    pub fn new(members: usize) -> Self {
        Self {
            access: Cell::new(Access::None),
            all: Cell::new(false),
            used: Cell::new(false),
            whole: Cell::new(false),
            targets: vec![Cell::new(Target::Closed); members],
            started: RefCell::default(),
            posted: RefCell::default(),
        }
    }

    /// Whether a target may be accessed; notes that something is.
    #[inline(always)]
    pub fn access(&self, target: usize) -> bool {
        self.used.set(true);
        self.all.get() || self.targets[target].get() != Target::Closed
    }

    /// Whether a target is locked by this member.
    pub fn is_passive(&self, target: usize) -> bool {
        let locked = matches!(self.targets[target].get(), Target::Locked(_));
        locked || self.access.get() == Access::AllLocked
    }

    fn is_free(&self) -> bool {
        match self.access.get() {
            Access::None => true,
            Access::Fence => !self.used.get(),
            _ => false,
        }
    }

    fn refuse<T>(&self) -> Checked<T> {
        let state = match self.access.get() {
            Access::None => "no access epoch is open that this could end: begin one first",
            Access::Fence => {
                "an epoch between fences is open, in which something was accessed: end it by MPI_Win_fence first"
            }
            Access::Started => "an epoch of MPI_Win_start is open: call MPI_Win_complete first",
            Access::Locked { .. } => {
                "targets are locked: call MPI_Win_unlock for each of them first"
            }
            Access::AllLocked => "all targets are locked: call MPI_Win_unlock_all first",
        };
        Err(EpochError::Access { state })
    }

    /// Before a fence.
    ///
    /// # Errors
    ///
    /// [`EpochError`], as for all of these, where the table has none.
    pub fn check_fence(&self) -> Checked {
        if self.posted.borrow().is_some() {
            return Err(EpochError::Posted);
        }
        match self.access.get() {
            Access::None | Access::Fence => Ok(()),
            _ => self.refuse(),
        }
    }

    /// After a fence; `succeeds` where an epoch follows it.
    pub fn fenced(&self, succeeds: bool) {
        self.access.set(if succeeds {
            Access::Fence
        } else {
            Access::None
        });
        self.all.set(succeeds);
        self.used.set(false);
    }

    /// Before targets are started.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    pub fn check_start(&self) -> Checked {
        match self.is_free() {
            true => Ok(()),
            false => self.refuse(),
        }
    }

    /// These targets may be accessed.
    pub fn started(&self, targets: Vec<usize>) {
        self.all.set(false);
        for &target in &targets {
            self.targets[target].set(Target::Started);
        }
        self.started.replace(targets);
        self.access.set(Access::Started);
    }

    /// Ends that epoch; its targets.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    pub fn complete(&self) -> Checked<Vec<usize>> {
        if self.access.get() != Access::Started {
            return self.refuse();
        }
        let targets = self.started.take();
        for &target in &targets {
            self.targets[target].set(Target::Closed);
        }
        self.access.set(Access::None);
        Ok(targets)
    }

    /// Exposes this member's memory to origins.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    pub fn post(&self, origins: Vec<usize>) -> Checked {
        if self.posted.borrow().is_some() {
            return Err(EpochError::Posted);
        }
        if self.access.get() == Access::Fence && !self.is_free() {
            return self.refuse();
        }
        self.posted.replace(Some(origins));
        Ok(())
    }

    /// The origins that this member's memory is exposed to.
    ///
    /// # Errors
    ///
    /// [`EpochError::NotPosted`].
    pub fn origins(&self) -> Checked<Vec<usize>> {
        self.posted.borrow().clone().ok_or(EpochError::NotPosted)
    }

    /// The exposure has ended.
    pub fn waited(&self) {
        self.posted.replace(None);
    }

    /// Before a target is locked.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    #[inline]
    pub fn check_lock(&self, target: usize) -> Checked {
        match self.access.get() {
            Access::Locked { .. } if self.targets[target].get() == Target::Closed => Ok(()),
            Access::Locked { .. } => Err(EpochError::LockedTwice { target }),
            _ if self.is_free() => Ok(()),
            _ => self.refuse(),
        }
    }

    /// A target is locked: in the way that is said, or as if it were.
    #[inline]
    pub fn locked(&self, target: usize, kind: Option<LockKind>) {
        let targets = match self.access.get() {
            Access::Locked { targets } => targets,
            _ => 0,
        };
        self.all.set(false);
        self.targets[target].set(Target::Locked(kind));
        self.access.set(Access::Locked {
            targets: targets + 1,
        });
    }

    /// Before a target is unlocked: how it is locked.
    ///
    /// # Errors
    ///
    /// [`EpochError::NotLocked`].
    #[inline]
    pub fn lock_of(&self, target: usize) -> Checked<Option<LockKind>> {
        match self.targets[target].get() {
            Target::Locked(kind) => Ok(kind),
            _ => Err(EpochError::NotLocked { target }),
        }
    }

    /// A target is unlocked.
    #[inline]
    pub fn unlocked(&self, target: usize) {
        self.targets[target].set(Target::Closed);
        if let Access::Locked { targets } = self.access.get() {
            self.access.set(match targets - 1 {
                0 => Access::None,
                targets => Access::Locked { targets },
            });
        }
    }

    /// Before all targets are locked.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    #[inline]
    pub fn check_lock_all(&self) -> Checked {
        match self.is_free() {
            true => Ok(()),
            false => self.refuse(),
        }
    }

    /// All targets are locked; `whole` where that took the lock.
    #[inline]
    pub fn all_locked(&self, whole: bool) {
        self.access.set(Access::AllLocked);
        self.all.set(true);
        self.whole.set(whole);
    }

    /// Ends that; whether the lock was taken.
    ///
    /// # Errors
    ///
    /// As for [`Self::check_fence`].
    #[inline]
    pub fn unlock_all(&self) -> Checked<bool> {
        if self.access.get() != Access::AllLocked {
            return self.refuse();
        }
        self.access.set(Access::None);
        self.all.set(false);
        Ok(self.whole.replace(false))
    }

    /// Before a flush of one target, or of all.
    ///
    /// # Errors
    ///
    /// [`EpochError`] where nothing is locked.
    #[inline]
    pub fn check_flush(&self, target: Option<usize>) -> Checked {
        match (self.access.get(), target) {
            (Access::AllLocked, _) | (Access::Locked { .. }, None) => Ok(()),
            (_, Some(target)) => self.lock_of(target).map(drop),
            (_, None) => self.refuse(),
        }
    }

    /// Before the window is freed.
    ///
    /// # Errors
    ///
    /// [`EpochError`] where an epoch is open that another call must end.
    pub fn check_free(&self) -> Checked {
        if self.posted.borrow().is_some() {
            return Err(EpochError::Posted);
        }
        match self.access.get() {
            Access::None | Access::Fence => Ok(()),
            _ => self.refuse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_may_be_accessed_in_its_epoch_only() {
        let epochs = Epochs::new(3);
        let open = || [0, 1, 2].map(|target| epochs.access(target));
        assert_eq!(open(), [false; 3]);
        epochs.fenced(true);
        assert_eq!(open(), [true; 3]);
        assert!(epochs.check_lock(0).is_err() && epochs.check_start().is_err());
        epochs.fenced(true);
        assert!(epochs.check_start().is_ok(), "nothing was accessed");
        epochs.started(vec![2, 0]);
        assert_eq!(open(), [true, false, true]);
        assert!(epochs.check_fence().is_err() && epochs.check_lock(1).is_err());
        assert_eq!(epochs.complete(), Ok(vec![2, 0]));
        assert_eq!(open(), [false; 3]);
        assert!(epochs.complete().is_err());
        epochs.locked(1, Some(LockKind::Shared));
        assert!(epochs.check_lock(2).is_ok() && epochs.check_lock(1).is_err());
        epochs.locked(2, None);
        assert_eq!(open(), [false, true, true]);
        assert!(epochs.is_passive(1) && !epochs.is_passive(0));
        assert!(epochs.check_flush(Some(1)).is_ok() && epochs.check_flush(Some(0)).is_err());
        assert_eq!(epochs.lock_of(1), Ok(Some(LockKind::Shared)));
        epochs.unlocked(1);
        assert!(epochs.check_lock_all().is_err() && epochs.check_free().is_err());
        epochs.unlocked(2);
        assert!(epochs.check_lock_all().is_ok() && epochs.lock_of(2).is_err());
        epochs.all_locked(true);
        assert_eq!(open(), [true; 3]);
        assert_eq!(epochs.unlock_all(), Ok(true));
        assert_eq!(open(), [false; 3]);
    }

    #[test]
    fn an_exposure_ends_before_the_next() {
        let epochs = Epochs::new(2);
        assert_eq!(epochs.origins(), Err(EpochError::NotPosted));
        assert!(epochs.post(vec![1]).is_ok() && epochs.post(vec![1]).is_err());
        assert!(epochs.check_fence().is_err() && epochs.check_free().is_err());
        assert_eq!(epochs.origins(), Ok(vec![1]));
        epochs.waited();
        assert!(epochs.check_fence().is_ok());
    }
}
