"""From a benchmark to figures, whichever the benchmark is.

    benchmark   a benchmark: jobs that a library can run
    distance    how far apart the processors are, and which runs may be compared
    rounds      interleaving A B C A B C, one value a round
    row         a metric at one size and number of ranks, with a figure of each library
    figures     medians over rounds, ratios

No benchmark belongs here, and no file here knows one.
"""
