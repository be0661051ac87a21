//! Groups from two groups: `MPI_Group_union`, `_intersection` and `_difference`
//! (MPI-5.0 section 7.3.2).
//!
//! The result follows the order of the first group, then that of the second.
//! Each costs a look-up for every member of one group: O(n) in ranges,
//! O(n log n) in lists.

use super::Group;

impl Group {
    /// The members of this group, then those of `other` that are not in it.
    pub fn union(&self, other: &Self) -> Self {
        let added: Vec<u32> = other.tasks().filter(|&task| !self.contains(task)).collect();
        if added.is_empty() {
            return self.clone();
        }
        Self::from_distinct(self.tasks().chain(added).collect())
    }

    /// The members of this group that are in `other`, in this group's order.
    pub fn intersection(&self, other: &Self) -> Self {
        Self::from_distinct(self.tasks().filter(|&task| other.contains(task)).collect())
    }

    /// The members of this group that are not in `other`, in this group's order.
    pub fn difference(&self, other: &Self) -> Self {
        Self::from_distinct(self.tasks().filter(|&task| !other.contains(task)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn group() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::hash_set(0u32..20, 0..15).prop_map(|set| set.into_iter().collect())
    }

    proptest! {
        #[test]
        fn sets_have_the_standard_s_members_and_order(a in group(), b in group()) {
            let (first, second) = (Group::from_tasks(&a).unwrap(), Group::from_tasks(&b).unwrap());
            let tasks = |group: Group| group.tasks().collect::<Vec<u32>>();
            let (both, only): (Vec<u32>, Vec<u32>) = a.iter().partition(|task| b.contains(task));
            let rest = b.iter().copied().filter(|task| !a.contains(task));
            prop_assert_eq!(tasks(first.intersection(&second)), both);
            prop_assert_eq!(tasks(first.difference(&second)), only);
            let union: Vec<u32> = a.iter().copied().chain(rest).collect();
            prop_assert_eq!(tasks(first.union(&second)), union);
        }
    }

    #[test]
    fn halves_of_a_world_make_the_world_again() {
        let world = Group::world(10);
        let low = world.include(&[0, 1, 2, 3, 4]).unwrap();
        let high = world.difference(&low);
        assert_eq!(low.union(&high), world);
        assert!(low.intersection(&high).is_empty());
    }
}
