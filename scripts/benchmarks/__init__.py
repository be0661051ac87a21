"""The runner behind scripts/bench. One room a step on the way of a figure:

    command     options, progress, exit code
    libraries/  the MPI libraries: table, installation, compilation
    processes   running one command: time limit, whole process group ended
    measuring/  what a benchmark is, rounds, medians
    output/     tables on the terminal and in documents, CSV, pictures

and the benchmarks:

    messages/   how long communication takes (point_to_point, collectives, ...)
    costs/      what a job or a mechanism costs (startup, memory, instructions, ...)
    placement/  mappings of ranks to processors; a command line of its own

A new benchmark is a file in messages or costs, and its module's name in the list of that room's __init__.py.
"""
