//! Whole numbers on the command line of `pamir`.
//!
//! Before: clap, with an option's text. After: the subcommand, with a number within its bounds.
//! Why: clap says what is wrong with a text, and not what the option takes.

use std::ops::RangeInclusive;

use pamir_driver::job::layout::MAXIMUM_RANKS;

/// Ranks that a job can have.
pub const MOST_RANKS: u64 = MAXIMUM_RANKS as u64;

/// A parser of whole numbers within `range`, whose error says what is allowed.
///
/// Invariant: a number of the range fits `N`.
pub fn whole<N: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number
            .and_then(|number| N::try_from(number).ok())
            .ok_or_else(|| {
                let (least, most) = range.clone().into_inner();
                format!("give a whole number from {least} to {most}")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_bounds() {
        let read = whole::<u32>(2..=1024);
        assert_eq!((read("2"), read("1024")), (Ok(2), Ok(1024)));
        for text in [
            "",
            "x",
            "-1",
            "0",
            "1",
            "1025",
            "2.5",
            "99999999999999999999999",
        ] {
            assert_eq!(read(text), Err("give a whole number from 2 to 1024".into()));
        }
        assert!(whole::<u8>(0..=u64::MAX)("256").is_err());
    }
}
