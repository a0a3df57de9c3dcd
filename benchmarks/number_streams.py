"""Permanent numbers as a stream of bytes, for batteries that read one from standard input.

python -m benchmarks.number_streams sequential-high --seed 42 | dieharder -a -g 200
"""

import argparse
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.number_rules import RULES, STREAMS, halves, md5_numbers, salts
from fewlabels.nouns.arrays import IntArray
from fewlabels.randomness import fast_numbers

CHUNK = 1 << 18
Words = NDArray[np.uint32]


def high(numbers: IntArray) -> Words:
    """The first 32 of the 52 bits, which are also the first 32 of the 64."""
    return (numbers >> 20).astype(np.uint32)


def packed(numbers: IntArray) -> Words:
    """All 52 bits of every number, end to end: two numbers in 13 bytes."""
    a, b = numbers[0::2], numbers[1::2]
    columns = [a >> s for s in range(44, -1, -8)] + [((a & 15) << 4) | (b >> 48)] + [b >> s for s in range(40, -1, -8)]
    return (np.stack(columns, axis=1) & 255).astype(np.uint8).reshape(-1).view(np.uint32)


def over_salts(seed: int, step: int) -> Words:
    """The numbers of 512 ids under 512 salts, all salts of one id after another."""
    ids = np.arange(512, dtype=np.int64)
    return high(np.stack([fast_numbers(salt, ids) for salt in salts(seed, 512, STREAMS + 1 + step)], axis=1).reshape(-1))


def words(name: str, seed: int, step: int) -> Words:
    """The words of one chunk of a stream."""
    salt = salts(seed, 1, STREAMS)[0]
    ids = np.arange(step * CHUNK, (step + 1) * CHUNK, dtype=np.int64)
    makers: dict[str, Callable[[], Words]] = {
        "sequential-high": lambda: high(fast_numbers(salt, ids)),
        "sequential-low": lambda: halves(salt, ids)[1].astype(np.uint32),
        "sequential-packed": lambda: packed(fast_numbers(salt, ids)),
        "shifted-32-low": lambda: halves(salt, ids << 32)[1].astype(np.uint32),
        "every-1000th-high": lambda: high(fast_numbers(salt, ids * 1000)),
        "shifted-20-packed": lambda: packed(fast_numbers(salt, ids << 20)),
        "salts-high": lambda: over_salts(seed, step),
        "md5-high": lambda: high(md5_numbers(salt, ids)),
        "4-rounds-high": lambda: high(RULES["4 rounds"](salt, ids)),
        "3-rounds-high": lambda: high(RULES["3 rounds"](salt, ids)),
        "linear-high": lambda: high(RULES["linear"](salt, ids)),
    }
    return makers[name]()


def main() -> None:
    """Writes one stream until the reader has had enough."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    step = 0
    try:
        while True:
            sys.stdout.buffer.write(words(options.name, options.seed, step).tobytes())
            step += 1
    except BrokenPipeError:
        sys.stderr.close()


if __name__ == "__main__":
    main()
