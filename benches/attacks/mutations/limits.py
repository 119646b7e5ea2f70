"""Budgets of memory for readers, and by what share a run may go beyond its own."""

DECODE_BYTES = 192 << 20
MEMORY_BYTES = 400 << 20
SHARE = 1.1
