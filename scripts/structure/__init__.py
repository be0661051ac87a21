"""What scripts/layering reads from the source tree; its self-test."""
