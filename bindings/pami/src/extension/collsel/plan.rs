//! What is measured: kinds, numbers of members, sizes of messages and how often.
//!
//! Before: a program's parameters, or nothing where the library chooses. After: task 0's plan, which all tasks have
//! from it as words, so that they measure the same whatever their own parameters say.

use crate::extension::collsel::parameters::Parameters;
use crate::refusal::Refusal;
use crate::structures::kind::TransferKind;

/// Operations of each algorithm, unless the program says how many.
const OPERATIONS: usize = 100;

/// The longest message, unless the program lists sizes: 1 byte to this, in powers of two.
const LONGEST_BYTES: usize = 4 << 20;

/// The plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) kinds: Vec<TransferKind>,
    /// Numbers of members, the greatest first.
    pub(super) members: Vec<usize>,
    /// Bytes of messages.
    pub(super) bytes: Vec<usize>,
    pub(super) operations: usize,
    pub(super) is_verbose: bool,
    /// The file is written after each number of members.
    pub(super) writes_early: bool,
}

fn refused(reason: impl Into<String>) -> Refusal {
    let reason = reason.into();
    Refusal::Advisor { reason }
}

impl Plan {
    /// What a program's parameters ask for in a job of `tasks` tasks.
    ///
    /// # Errors
    ///
    /// A kind, a number of members or a number of operations that cannot be.
    pub(super) fn of(parameters: &Parameters, tasks: usize) -> Result<Self, Refusal> {
        let listed = |list: Option<&[usize]>| list.unwrap_or_default().to_vec();
        let kinds = parameters.collectives.get(parameters.collective_count);
        let mut members = listed(
            parameters
                .geometry_sizes
                .get(parameters.geometry_size_count),
        );
        let mut bytes = listed(parameters.message_sizes.get(parameters.message_size_count));
        if members.is_empty() {
            members = powers(tasks);
        }
        if bytes.is_empty() {
            bytes = powers(LONGEST_BYTES);
        }
        if let Some(most) = members.iter().find(|most| !(1..=tasks).contains(most)) {
            return Err(refused(format!(
                "a geometry of {most} tasks is asked for in a job of {tasks}"
            )));
        }
        let operations = match parameters.operations {
            0 => OPERATIONS,
            operations => usize::try_from(operations).map_err(|_| refused("iter is negative"))?,
        };
        members.sort_unstable_by(|one, other| other.cmp(one));
        members.dedup();
        bytes.sort_unstable();
        bytes.dedup();
        Ok(Self {
            kinds: Self::kinds_of(kinds.unwrap_or_default())?,
            members,
            bytes,
            operations,
            is_verbose: parameters.verbose != 0,
            writes_early: parameters.checkpoint != 0,
        })
    }

    /// The kinds with C's numbers, all where there are none. Active-message operations have one algorithm, and nothing to
    /// choose.
    fn kinds_of(numbers: &[u32]) -> Result<Vec<TransferKind>, Refusal> {
        let kind = |number: &u32| {
            TransferKind::of(*number).ok_or(Refusal::TransferType { number: *number })
        };
        let mut kinds: Vec<_> = numbers.iter().map(kind).collect::<Result<_, _>>()?;
        if kinds.is_empty() {
            kinds = TransferKind::ALL.to_vec();
        }
        kinds.retain(|kind| !kind.is_active());
        Ok(kinds)
    }

    /// The sizes that a kind is measured with: one where no size is known to all members of an operation.
    pub(super) fn sizes(&self, kind: TransferKind) -> Vec<usize> {
        if is_sized(kind) {
            self.bytes.clone()
        } else if kind == TransferKind::Barrier {
            vec![0]
        } else {
            self.bytes
                .get(self.bytes.len() / 2)
                .copied()
                .into_iter()
                .collect()
        }
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let flags = usize::from(self.is_verbose) | usize::from(self.writes_early) << 1;
        let mut words = vec![self.operations, flags];
        let kinds: Vec<usize> = self.kinds.iter().map(|kind| *kind as usize).collect();
        for list in [&kinds, &self.members, &self.bytes] {
            words.push(list.len());
            words.extend(list);
        }
        words.into_iter().flat_map(usize::to_ne_bytes).collect()
    }

    /// The plan that another task has made; none if the bytes are no plan.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.as_chunks::<{ size_of::<usize>() }>();
        let mut words = words.iter().map(|word| usize::from_ne_bytes(*word));
        let (operations, flags) = (words.next()?, words.next()?);
        let mut list = || {
            let length = words.next()?;
            let list: Vec<usize> = words.by_ref().take(length).collect();
            (list.len() == length).then_some(list)
        };
        let kind = |number: usize| TransferKind::of(u32::try_from(number).ok()?);
        let kinds: Option<Vec<_>> = list()?.into_iter().map(kind).collect();
        let plan = Self {
            kinds: kinds?,
            members: list()?,
            bytes: list()?,
            operations,
            is_verbose: flags & 1 != 0,
            writes_early: flags & 2 != 0,
        };
        (rest.is_empty() && words.next().is_none()).then_some(plan)
    }
}

/// Whether all members of an operation know its size.
pub(super) fn is_sized(kind: TransferKind) -> bool {
    use TransferKind::*;
    !matches!(
        kind,
        Barrier | Scatterv | ScattervInt | Gatherv | GathervInt | Alltoallv | AlltoallvInt
    )
}

/// 1, 2, 4 and so on up to `most`, and `most` itself.
fn powers(most: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1_usize), |one| one.checked_mul(2));
    let mut all: Vec<usize> = powers.take_while(|one| *one < most).collect();
    all.push(most);
    // One member alone has nothing to choose, unless there are no others.
    if all.len() > 1 && most <= 1024 {
        all.remove(0);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structures::pointer::vouched::list;

    fn parameters(members: &[usize], bytes: &[usize], operations: i32) -> Parameters {
        Parameters {
            collectives: list::<u32>(&[]),
            collective_count: 0,
            processes_per_node: list::<usize>(&[]),
            processes_per_node_count: 0,
            geometry_sizes: list(members),
            geometry_size_count: members.len(),
            message_sizes: list(bytes),
            message_size_count: bytes.len(),
            operations,
            verify: 0,
            verbose: 1,
            checkpoint: 0,
        }
    }

    #[test]
    fn a_plan_comes_back_from_its_bytes_and_from_nothing_else() {
        let plan = Plan::of(&parameters(&[2, 4, 2], &[64, 8], 0), 4).unwrap();
        assert_eq!(
            (&plan.members[..], &plan.bytes[..]),
            (&[4, 2][..], &[8, 64][..])
        );
        assert_eq!((plan.operations, plan.kinds.len()), (100, 18));
        let bytes = plan.to_bytes();
        assert_eq!(Plan::of_bytes(&bytes), Some(plan));
        assert_eq!(Plan::of_bytes(&bytes[1..]), None);
        assert_eq!(Plan::of_bytes(&bytes[..bytes.len() - 8]), None);
        assert_eq!(Plan::of_bytes(&[0; 8]), None);
    }

    #[test]
    fn the_library_chooses_where_the_program_does_not() {
        let plan = Plan::of(&parameters(&[], &[], 5), 6).unwrap();
        assert_eq!(plan.members, [6, 4, 2]);
        assert_eq!((plan.bytes[0], plan.bytes.len()), (1, 23));
        assert_eq!(plan.sizes(TransferKind::Barrier), [0]);
        assert_eq!(plan.sizes(TransferKind::Gatherv).len(), 1);
        assert_eq!(plan.sizes(TransferKind::Broadcast).len(), 23);
        let alone = Plan::of(&parameters(&[], &[], 5), 1).unwrap();
        assert_eq!(alone.members, [1]);
    }

    #[test]
    fn what_cannot_be_measured_is_refused() {
        assert!(Plan::of(&parameters(&[5], &[], 1), 4).is_err());
        assert!(Plan::of(&parameters(&[0], &[], 1), 4).is_err());
        assert!(Plan::of(&parameters(&[], &[], -1), 4).is_err());
        let mut unknown = parameters(&[], &[], 1);
        let numbers = [22_u32];
        (unknown.collectives, unknown.collective_count) = (list(&numbers), 1);
        assert!(Plan::of(&unknown, 4).is_err());
    }
}
