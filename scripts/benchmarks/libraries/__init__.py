"""The MPI libraries that are measured, and the way from a name to a program that can be started.

    table         the libraries: how each is installed, compiled for and launched
    installation  the virtual environment and the peers, under target/bench
    compilation   one C source -> one program a library

A new peer is an entry of table.py. No benchmark belongs here.
"""
