//! Whole programs through the C ABI, faults and layouts.
