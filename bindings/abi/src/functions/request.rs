//! Completing, inquiring, starting and cancelling requests; generalized requests.
