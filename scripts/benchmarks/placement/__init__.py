"""scripts/bench placement: how well ranks are placed, and how fast.

    qaplib   its command line, and the searches on the problems of QAPLIB
    trees    --sparse: thousands of ranks on machines that are trees, beside other mappers
    graphs   the communication graphs of those ranks
    runs     --runs: programs in the default order and as they are placed

Its tables are by problem, not by message size or library. Therefore it has a command line of its own, and no
`BENCHMARK`. A new comparison of mappings is a file here with `add_options` and `measure`, which qaplib calls.
"""
