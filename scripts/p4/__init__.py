"""Parts of scripts/p4-experiments."""
