//! Which share of a core late ranks get, as the kernel's nice values.
//!
//! Before: [`super::controller`] has let ranks roam over all cores, since no seating is even. After:
//! the launcher sets the values, where it may take them back again.
//!
//! Ranks that roam get equal shares from the kernel, so one with more work than the others ends
//! after them, alone. With shares in proportion to their work all end together. A step of nice is
//! worth a factor of 1.25 in processor time.
//!
//! Invariant: the rank with most work keeps the value it has; nobody gets a lower one, which would
//! need a privilege and would push other users aside.

/// What a step of nice is worth.
const STEP: f64 = 1.25;

/// The most steps: below a ninth of the share a rank might starve while it holds a message that
/// others wait for.
const MOST: i32 = 10;

/// By how much to raise the nice value of each rank.
pub fn steps(work: &[f64]) -> Vec<i32> {
    let most = work.iter().copied().fold(0.0, f64::max);
    let steps = |work: &f64| {
        let ratio = (most / work).ln() / STEP.ln();
        if ratio.is_finite() {
            (ratio.round() as i32).clamp(0, MOST)
        } else {
            0
        }
    };
    work.iter().map(steps).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_work() {
        assert_eq!(steps(&[3.0, 2.0, 2.0]), [0, 2, 2]);
        assert_eq!(steps(&[1.0, 1.0]), [0, 0]);
        assert_eq!(steps(&[1000.0, 1.0]), [0, MOST]);
        // Nobody knows what a rank without work needs: it keeps its value.
        assert_eq!(steps(&[1.0, 0.0]), [0, 0]);
        assert_eq!(steps(&[0.0, 0.0]), [0, 0]);
    }
}
