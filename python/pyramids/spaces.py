"""Spaces: those of Gymnasium if it is installed, otherwise simple ones with the same methods."""
import random

from .observation import numpy

try:
    from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
except ImportError:
    class Space:
        """The common part of all spaces: a seed for sample, membership by `in`."""

        def __init__(self, shape, dtype):
            self.shape, self.dtype = shape, dtype
            self._random = random.Random()

        def seed(self, seed=None):
            self._random = random.Random(seed)
            return seed

        def contains(self, x):
            raise NotImplementedError

        def __contains__(self, x):
            return self.contains(x)

        def __eq__(self, other):
            return type(self) is type(other) and self._key() == other._key()

        def __hash__(self):
            return hash(self._key())

        def __repr__(self):
            return f"{type(self).__name__}{self._key()}"

    class Discrete(Space):
        """The numbers from 0 to n - 1."""

        def __init__(self, n):
            super().__init__((), "int64")
            self.n, self.start = n, 0

        def _key(self):
            return (self.n,)

        def contains(self, x):
            try:
                return x == int(x) and 0 <= int(x) < self.n
            except (TypeError, ValueError):
                return False

        def sample(self, mask=None):
            if mask is None:
                return self._random.randrange(self.n)
            allowed = [i for i, bit in enumerate(mask) if bit]
            return self._random.choice(allowed) if allowed else 0

    class MultiDiscrete(Space):
        """One number per row."""

        def __init__(self, nvec):
            self.nvec = list(nvec)
            super().__init__((len(self.nvec),), "int64")

        def _key(self):
            return (tuple(self.nvec),)

        def contains(self, x):
            return len(x) == len(self.nvec) and all(0 <= int(a) < n for a, n in zip(x, self.nvec))

        def sample(self, mask=None):
            return [self._random.randrange(n) for n in self.nvec]

    class Box(Space):
        """Numbers from low to high."""

        def __init__(self, low, high, shape, dtype):
            super().__init__(tuple(shape), dtype)
            self.low, self.high = low, high

        def _key(self):
            return (self.low, self.high, self.shape, str(self.dtype))

        def contains(self, x):
            if tuple(getattr(x, "shape", ())) != self.shape:
                return False
            flat = x.ravel() if hasattr(x, "ravel") else memoryview(x).cast("B")
            return all(self.low <= value <= self.high for value in flat)

        def sample(self, mask=None):
            count = 1
            for n in self.shape:
                count *= n
            values = bytes(self._random.randint(self.low, self.high) for _ in range(count))
            if numpy is not None:
                return numpy.frombuffer(values, "uint8").astype(self.dtype).reshape(self.shape)
            return memoryview(bytearray(values)).cast("B", self.shape)

    class Dict(Space):
        """Spaces by name."""

        def __init__(self, spaces):
            super().__init__(None, None)
            self.spaces = dict(spaces)

        def _key(self):
            return tuple(self.spaces.items())

        def __getitem__(self, name):
            return self.spaces[name]

        def keys(self):
            return self.spaces.keys()

        def contains(self, x):
            return isinstance(x, dict) and x.keys() == self.spaces.keys() and \
                all(x[name] in space for name, space in self.spaces.items())

        def sample(self, mask=None):
            return {name: space.sample() for name, space in self.spaces.items()}


def byte_box(*shape, high=255, kind="uint8"):
    """Bytes of a shape."""
    return Box(0, high, shape, numpy.dtype(kind).type if numpy is not None else kind)


__all__ = ["Box", "Dict", "Discrete", "MultiDiscrete", "byte_box"]
