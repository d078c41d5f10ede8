"""What the programs that read reports share: scripts/report-view and scripts/assay-report."""
