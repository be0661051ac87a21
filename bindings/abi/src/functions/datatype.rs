//! Datatype constructors, inquiry and decoding; address arithmetic.
