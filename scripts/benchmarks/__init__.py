"""The runner behind scripts/bench.

The way of a figure, one file a step:

    command       options, the table of benchmarks, progress, exit code
    libraries     table: how each MPI library is installed, compiled for, launched
    installation  the virtual environment and the peers, under target/bench
    compilation   one C source -> one program a library
    benchmark     what a benchmark is: jobs that a library can run
    processes     running one command: time limit, whole process group ended
    distance      how far apart the processors are, which runs may be compared
    rounds        interleaving A B C A B C, one value a round
    figures       medians over rounds, ratios
    output/report    table on the terminal, CSV
    output/plot      CSV -> SVG, run inside the virtual environment
    output/markdown  CSV -> tables in a document

and one file for each benchmark (point_to_point, startup, ...). To add one:
write its file and name it in the table of command.py.
"""
