"""What becomes of figures.

    report      a table on the terminal, CSV
    plot        CSV -> SVG, run inside the virtual environment
    markdown    CSV -> tables in a document
    whole_file  files that have their old text or all of the new one

A new form of output is a file here, which command.py calls. No benchmark belongs here.
"""
