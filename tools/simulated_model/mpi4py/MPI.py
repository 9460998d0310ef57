"""Communicators of simulated ranks; see __init__.py."""

import ctypes
import pickle
from pathlib import Path

UNDEFINED, COMM_TYPE_SHARED = -1, 1
THREAD_FUNNELED = 1
BAND, LAND, LOR = "band", "land", "lor"
SUM, MIN, MAX, PROD = "sum", "min", "max", "prod"
DOUBLE = "double"
_of = {
    SUM: lambda a, b: a + b,
    PROD: lambda a, b: a * b,
    MIN: lambda a, b: a if a <= b else b,
    MAX: lambda a, b: a if a >= b else b,
    BAND: lambda a, b: a & b,
    LAND: lambda a, b: bool(a and b),
    LOR: lambda a, b: bool(a or b),
}

# calls that let other ranks run (run.py)
_lib = ctypes.PyDLL(str(next(Path(__file__).parents[3].glob("build/simulated/_core*.so"))))
_Handle = ctypes.c_void_p
_lib.MPI_Comm_c2f.argtypes = [_Handle]
_lib.MPI_Comm_f2c.restype = _Handle
_world = _Handle.in_dll(_lib, "MPI_COMM_WORLD")


def Is_initialized():
    return True


def Get_library_version():
    text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
    _lib.MPI_Get_library_version(text, ctypes.byref(length))
    return text.value.decode()


class Comm:
    """Of one rank: each has its own object."""

    _handed = {}  # messages of ranks: (communicator, how many before) -> {rank: what}

    def __init__(self, handle, key):
        self.handle, self.key, self.calls = handle, key, 0
        number = ctypes.c_int()
        _lib.MPI_Comm_rank(handle, ctypes.byref(number))
        self.rank = number.value
        _lib.MPI_Comm_size(handle, ctypes.byref(number))
        self.size = number.value

    Get_rank = property(lambda self: lambda: self.rank)
    Get_size = property(lambda self: lambda: self.size)

    @staticmethod
    def f2py(number):
        raise NotImplementedError("ranks that serve output are not simulated with a model")

    def py2f(self):
        return _lib.MPI_Comm_c2f(self.handle)

    def barrier(self):
        _lib.MPI_Barrier(self.handle)

    Barrier = barrier

    def _told(self, value):
        """The values of all ranks, pickled."""
        self.calls += 1
        slot = Comm._handed.setdefault((self.key, self.calls), {})
        slot[self.rank] = pickle.dumps(value)
        self.barrier()
        held = dict(slot)
        self.barrier()
        Comm._handed.pop((self.key, self.calls), None)
        return held

    def bcast(self, value=None, root=0):
        return pickle.loads(self._told(value if self.rank == root else None)[root])

    def allgather(self, value):
        held, known = self._told(value), {}
        return [
            known.setdefault(text, pickle.loads(text))
            if isinstance(value, (int, float, str, bytes, bool, type(None), tuple))
            else pickle.loads(text)
            for _, text in sorted(held.items())
        ]

    def gather(self, value, root=0):
        found = self.allgather(value)
        return found if self.rank == root else None

    def allreduce(self, value, op=SUM):
        first, *others = self.allgather(value)
        for other in others:
            first = _of[op](first, other)
        return first

    def reduce(self, value, op=SUM, root=0):
        found = self.allreduce(value, op)
        return found if self.rank == root else None

    def alltoall(self, values):
        return [held[self.rank] for held in self.allgather(list(values))]

    def Allreduce(self, given, into, op=SUM):
        import numpy as np

        into[...] = self.allreduce(np.array(given), op)

    def Bcast(self, values, root=0):
        values[...] = self.bcast(values, root)

    def Split(self, colour=0, key=0):
        made = _Handle()
        _lib.MPI_Comm_split(self.handle, colour, key, ctypes.byref(made))
        self.calls += 1
        return Comm(made, (self.key, self.calls, colour)) if colour != UNDEFINED else None

    def Split_type(self, kind, key=0):
        return self.Split(self.rank // 16, self.rank)  # nodes of sixteen

    def Dup(self):
        return self.Split(0, self.rank)

    def Free(self):
        pass

    def Abort(self, status=1):
        _lib.MPI_Abort(self.handle, status)


class _World:
    """COMM_WORLD of the calling rank."""

    own = {}

    def __getattr__(self, name):
        rank = ctypes.c_int()
        _lib.MPI_Comm_rank(_world, ctypes.byref(rank))
        if rank.value not in self.own:
            made = _Handle()
            _lib.MPI_Comm_split(_world, 0, rank, ctypes.byref(made))
            self.own[rank.value] = Comm(made, "world")
        return getattr(self.own[rank.value], name)


COMM_WORLD = _World()
