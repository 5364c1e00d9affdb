"""Prints the tables of an explorer: what each depends on, at how many settings, and how long it takes to make.

    python scripts/tables.py bayes_error

A page that needs no kernel holds them all. The settings of a table are all combinations of what its function depends
on, so one slider more multiplies them by its stops.
"""

import argparse
import time

import dptutor as dp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=dp.explore.__all__, metavar="NAME")
    explorer = getattr(dp.explore, parser.parse_args().name)
    stops = {name: len(parameter.values) for name, parameter in explorer.parameters.items()}
    total = 0.0
    for table in explorer.tables:
        start = time.process_time()
        count = len(table.rows(explorer.parameters))
        took = time.process_time() - start
        total += took
        of = " × ".join(f"{name} ({stops[name]})" for name in table.dims) or "nothing"
        print(f"{took:7.1f} s  {count:7,}  {table.function.__name__:<36} {of}", flush=True)
    print(f"{total:7.1f} s  in all")


if __name__ == "__main__":
    main()
