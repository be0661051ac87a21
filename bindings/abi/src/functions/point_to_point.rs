//! Blocking and nonblocking sends, receives and their combinations.
