//! Probing for messages, and receiving what a matched probe has claimed.
