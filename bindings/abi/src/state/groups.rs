//! Groups that the program made, by handle.

use std::rc::Rc;

use pamir_mpi::group::{Group, GroupError};

use super::handles::{Kind, Table, names_nothing};
use crate::constants::{MPI_GROUP_EMPTY, MPI_GROUP_NULL};
use crate::error::{Error, ErrorClass, Result};
use crate::types::MPI_Group;

impl From<GroupError> for Error {
    #[cold]
    fn from(error: GroupError) -> Self {
        let class = match error {
            GroupError::NoSuchRank { .. } | GroupError::RankTwice { .. } => ErrorClass::Rank,
            GroupError::TaskTwice { .. } => ErrorClass::Group,
            _ => ErrorClass::Arg,
        };
        class.with(error.to_string())
    }
}

/// Groups that the program made.
#[derive(Debug)]
pub struct Groups(Table<Group>);

impl Default for Groups {
    fn default() -> Self {
        Self(Table::new(Kind::Group))
    }
}

impl Groups {
    /// The group that a handle names.
    ///
    /// # Errors
    ///
    /// `MPI_ERR_GROUP` for a handle that names none.
    pub fn named(&self, group: MPI_Group) -> Result<Rc<Group>> {
        if group == MPI_GROUP_EMPTY {
            return Ok(Rc::new(Group::empty()));
        }
        self.0.get(group.0).ok_or_else(|| {
            let null = (group == MPI_GROUP_NULL).then_some("MPI_GROUP_NULL");
            names_nothing(ErrorClass::Group, group.0, null, "group")
        })
    }

    /// Takes a group, and gives its handle; an empty one is `MPI_GROUP_EMPTY`.
    pub fn insert(&self, group: Group) -> MPI_Group {
        if group.is_empty() {
            return MPI_GROUP_EMPTY;
        }
        MPI_Group(self.0.insert(Rc::new(group)))
    }

    /// Lets the handle name nothing any more. `MPI_GROUP_EMPTY` goes on to name its group: a construction
    /// may have given it, so the program may free it.
    pub fn remove(&self, group: MPI_Group) {
        self.0.remove(group.0);
    }
}
