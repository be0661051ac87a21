//! The macro that makes an enum of algorithms a kind of instruction.
//!
//! A kind is an enum whose variants are the algorithms, written by the macro `choices!`; collectives
//! write theirs through `algorithms!` ([`crate::collective::select`]). Every kind stands once in
//! [`super::kind::KINDS`], by which files, the environment and the commands reach it.
//!
//! Before: a kind's own file. After: [`super::table`].

/// Makes an enum of algorithms a kind of instruction: one line an algorithm, with its name and
/// what it needs, and the rows that serve by default.
macro_rules! choices {
    (
        $(#[$about:meta])*
        $enum:ident, $kind:literal, $size:expr;
        $( $(#[$about_one:meta])* $variant:ident = $name:ident, $needs:ident; )+
        => $rows:expr;
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $enum {
            $( $(#[$about_one])* $variant, )+
        }

        impl $crate::selection::Choice for $enum {
            const KIND: &'static str = $kind;
            const SIZE: Option<&'static str> = $size;
            const ALL: &'static [Self] = &[$( Self::$variant, )+];
            const DEFAULT: &'static [$crate::selection::Row<Self>] = $rows;

            fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => stringify!($name), )+
                }
            }

            fn needs(self) -> $crate::selection::Needs {
                match self {
                    $( Self::$variant => $crate::selection::Needs::$needs, )+
                }
            }

            fn table() -> &'static $crate::selection::Table<Self> {
                static TABLE: $crate::selection::Table<$enum> =
                    $crate::selection::Table::new();
                &TABLE
            }
        }
    };
}
pub(crate) use choices;
