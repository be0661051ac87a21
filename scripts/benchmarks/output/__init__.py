"""What becomes of figures: a table on the terminal and CSV (report), a picture (plot), tables in a document (markdown)."""
