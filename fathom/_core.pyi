"""Types of the compiled core. Made by tools/stub.py: change bindings, not this."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy
from numpy.typing import NDArray

constants: dict[str, Any]

usual: dict[str, Any]

def triad_bandwidth(bytes: int = 134217728, repetitions: int = 5) -> float:
    """bytes per second, three streams counted, with the threads that are set"""

def fma_rate(precision: int = 8, seconds: float = 0.2) -> float:
    """operations per second of fused multiply-adds; precision: bytes of a number"""

def second_level_cache() -> int:
    """bytes of a core's"""

@overload
def elementary(name: str, x: NDArray[numpy.float64], width: int = 0, power: float = 0.0) -> None:
    """exp, log, sin, cos, atan, pow of packs (width 0) or numbers (1), in place"""

@overload
def elementary(
    name: str, x: NDArray[numpy.float32], width: int = 0, power: float = 0.0
) -> None: ...

class Within:
    """A region of the profile, as a context manager; comm: all its ranks meet in it."""

    def __init__(self, name: str, phase: str = "", kind: str = "", comm: int = 0) -> None: ...
    def __enter__(self) -> None: ...
    def __exit__(self, *args: object) -> None: ...

class Counters:
    """What the processor counts of this process, from now on."""

    def __init__(self) -> None: ...
    def read(self) -> dict[str, Any]: ...
    @property
    def why_not(self) -> str:
        """empty if there are any"""

def reset_regions(comm: int, events: int = 0) -> None:
    """a new tree, of which this thread keeps account, on all ranks of a communicator; events:
    room for a trace
    """

def pads_rows(on: bool) -> None: ...
def profiling(on: bool) -> None: ...
def by_processor_clock(on: bool) -> bool:
    """work is timed by the processor time of its thread, else by the wall; returns whether it
    was
    """

def settle_meetings() -> None:
    """ranks tell each other when they came; collective"""

def meetings_full() -> bool: ...
def meetings_lost() -> int:
    """whose waiting is not known"""

def clock_offset(comm: int, apart: bool = False, ahead: float = 0.0) -> float:
    """seconds to add to this rank's clock for that of rank 0; apart, ahead: as if each rank were
    a node, its clock ahead
    """

def regions() -> list[Any]:
    """the tree so far, parents first"""

def step_times() -> Any:
    """when each step began [s]"""

steps_kept: int

def trace() -> dict[str, Any]:
    """events of this rank by the clock of rank 0, in the order of their ends; meetings: from
    when to when it was blocked, and how much of that it waited
    """

class MeridionalSpacing:
    """Shape of the spacing of rows."""

    def __init__(self, equatorial: float = 1, width: float = 10, polar: float = 0) -> None: ...
    def __call__(self, latitude: float) -> float: ...

def departure_from_right_angle(grid: HorizontalGrid) -> NDArray[numpy.float64]: ...
def uniform_latitudes(south: float, north: float, ny: int) -> list[float]: ...
def mercator_latitudes(south: float, north: float, ny: int) -> list[float]: ...
def stretched_latitudes(
    south: float, north: float, ny: int, spacing: MeridionalSpacing
) -> list[float]: ...

class HorizontalGrid:
    """Coordinates, lengths, areas and angles of the points of a grid."""

    @property
    def nx(self) -> int: ...
    @property
    def ny(self) -> int: ...
    @property
    def periodic(self) -> bool: ...
    @property
    def periodic_j(self) -> bool: ...
    @property
    def fold(self) -> bool: ...
    @property
    def spherical(self) -> bool: ...
    @property
    def radius(self) -> float: ...
    @property
    def regular_rows(self) -> int: ...
    @property
    def corner_longitude(self) -> Any: ...
    @property
    def corner_latitude(self) -> Any: ...
    @property
    def center_longitude(self) -> Any: ...
    @property
    def center_latitude(self) -> Any: ...
    @property
    def kx(self) -> Any: ...
    @property
    def ky(self) -> Any: ...
    @property
    def dx_center(self) -> Any: ...
    @property
    def dy_center(self) -> Any: ...
    @property
    def area_center(self) -> Any: ...
    @property
    def dx_corner(self) -> Any: ...
    @property
    def dy_corner(self) -> Any: ...
    @property
    def length_east_face(self) -> Any: ...
    @property
    def length_north_face(self) -> Any: ...
    @property
    def dx_east_face(self) -> Any: ...
    @property
    def dy_north_face(self) -> Any: ...
    @property
    def angle_center(self) -> Any: ...
    @property
    def angle_corner(self) -> Any: ...
    @property
    def curvature_x(self) -> Any: ...
    @property
    def curvature_y(self) -> Any: ...
    @property
    def curvature_squared(self) -> Any: ...

metrics: dict[str, Any]

def latitude_longitude_grid(
    nx: int,
    latitudes: Sequence[float],
    west: float = 0,
    east: float = 360,
    periodic: bool = True,
    radius: float = 6371220.0,
) -> HorizontalGrid: ...
def cartesian_grid(
    x: Sequence[float], y: Sequence[float], periodic: bool = False, periodic_j: bool = False
) -> HorizontalGrid: ...
def dipole_grid(
    nx: int,
    ny: int,
    south: float,
    pole_longitude: float,
    pole_latitude: float,
    ring: float,
    spacing: MeridionalSpacing,
    radius: float = 6371220.0,
) -> HorizontalGrid: ...
def tripolar_grid(
    nx: int,
    ny: int,
    south: float,
    join: float,
    pole_longitude: float,
    cap: float,
    spacing: MeridionalSpacing,
    radius: float = 6371220.0,
) -> HorizontalGrid: ...
def curvilinear_grid(
    corner_longitude: NDArray[numpy.float64],
    corner_latitude: NDArray[numpy.float64],
    periodic: bool = False,
    fold: bool = False,
    radius: float = 6371220.0,
) -> HorizontalGrid: ...

class VerticalGrid:
    """Layers from the surface down."""

    @property
    def levels(self) -> int: ...
    @property
    def depth(self) -> float: ...
    @property
    def thickness(self) -> Any: ...
    @property
    def interface_depth(self) -> Any: ...
    @property
    def layer_depth(self) -> Any: ...

def levels_from_thickness(thickness: Sequence[float]) -> VerticalGrid: ...
def uniform_levels(number: int, depth: float) -> VerticalGrid: ...
def stretched_levels(number: int, depth: float, surface: float) -> VerticalGrid: ...
def flood(
    height: NDArray[numpy.float64], neighbours: NDArray[numpy.int64], shore: NDArray[numpy.bool_]
) -> tuple[Any, ...]: ...
def mpi_library() -> str:
    """The MPI library that the core calls, in its own words"""

mpi_of_build: str

class Topology:
    """How the edges of the global grid are joined."""

    def __init__(
        self, nx: int, ny: int, periodic: bool = False, fold: bool = False, periodic_j: bool = False
    ) -> None: ...
    @property
    def nx(self) -> int: ...
    @property
    def ny(self) -> int: ...
    @property
    def periodic(self) -> bool: ...
    @property
    def fold(self) -> bool: ...
    @property
    def periodic_j(self) -> bool: ...
    def source(self, place: str, i: int, j: int) -> tuple[int, int, bool, bool]:
        """(i, j, inside, flipped): the owned point that is also called (i, j)"""

class Decomposition:
    """The grid cut into blocks, and who owns them."""

    @property
    def topology(self) -> Topology: ...
    @property
    def ranks(self) -> int: ...
    @property
    def blocks(self) -> Any:
        """rows of id, i0, j0, nx, ny, owner; owner -1: no water"""

    @property
    def i_cuts(self) -> list[int]: ...
    @property
    def j_cuts(self) -> list[int]: ...
    @property
    def load(self) -> list[float]:
        """estimated time of each rank, in wet levels of one column"""

    def of(self, rank: int) -> list[int]:
        """ids of a rank's blocks"""

    @property
    def imbalance(self) -> float:
        """greatest load over mean load"""

    def describe(self) -> str: ...

def decompose(
    topology: Topology,
    wet_levels: Sequence[int],
    ranks: int,
    block_nx: int = 0,
    block_ny: int = 0,
    distribution: str = "auto",
    halo: int = 2,
) -> Decomposition: ...

work_of_message: float

def arrange(
    topology: Topology,
    wet_levels: Sequence[int],
    ranks: int,
    i_cuts: Sequence[int],
    j_cuts: Sequence[int],
    owners: Sequence[int],
    halo: int = 2,
) -> Decomposition:
    """a decomposition with given cuts and owners"""

class Plan:
    """Who sends which points to whom."""

    @property
    def messages(self) -> Any:
        """rows of from_rank, to_rank, points"""

    @property
    def runs(self) -> Any:
        """rows of from_rank, to_rank, from_block, to_block, from_row, from_column, to_row,
        to_column, count, step, flipped
        """

    def adjoint(self) -> Plan: ...

def halo_plan(
    decomposition: Decomposition, place: str, halo: int = 2, width: int = 2, rank: int = -1
) -> Plan: ...
def gather_plan(
    decomposition: Decomposition,
    place: str,
    halo: int,
    rectangles: Sequence[tuple[int, int, int, int, int]],
    rank: int = -1,
) -> Plan:
    """rectangles: (i0, j0, nx, ny, owner)"""

def synchronise(halos: int, transpositions: int, on_demand: int) -> None:
    """of exchanges of each kind: 0; 1: all ranks meet before messages go; 2: also once they have
    come
    """

def in_flight(bytes: int) -> None:
    """bytes of a rank's messages of one exchange that are under way at most; 0: all"""

def sum_words(words: int) -> None:
    """words of 64 bits of a sum over all ranks at most, more one after another; 0: all"""

def transports() -> list[tuple[str, str]]:
    """(name, text) of the ways in which exchanges travel"""

class Exchange:
    """Halos of several fields, one message to each neighbour."""

    def __init__(
        self,
        comm: int,
        decomposition: Decomposition,
        halo: int,
        precision: int,
        items: Sequence[tuple[str, bool, int, int]],
        transport: str = "packed",
    ) -> None:
        """items: (place, vector, width, levels)"""

    @staticmethod
    def of_plans(
        comm: int,
        plans: Sequence[Plan],
        precision: int,
        items: Sequence[tuple[str, bool, int, int]],
        add: bool = False,
    ) -> Exchange: ...
    def start(self, fields: Sequence[Sequence[NDArray[Any]]]) -> None:
        """arrays of each field's blocks; kept alive by the caller until finish"""

    def finish(self, fields: Sequence[Sequence[NDArray[Any]]]) -> None: ...
    def on_device(self, device: Device) -> None:
        """from now on fields lie in memory of this device while they are exchanged"""

    @property
    def messages(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class GlobalSum:
    """Sums over all ranks by an algorithm of the catalogue."""

    @overload
    def sum(self, values: NDArray[numpy.float64]) -> None: ...
    @overload
    def sum(self, values: NDArray[numpy.int64]) -> None:
        """each number becomes its sum over all ranks"""

def global_sum(comm: int, name: str) -> GlobalSum: ...
def global_sums() -> list[tuple[str, str]]:
    """(name, text) of the catalogue"""

def exact_sum(comm: int, terms: NDArray[numpy.float64]) -> float:
    """the sum over all ranks, with the same bits however the terms are distributed and ordered"""

def exact_sum_with_unit(terms: NDArray[numpy.float64], exponent: int) -> tuple[float, bool]:
    """(sum in units of 2^exponent, whether all terms fitted)"""

def seconds_of_halo(
    comm: int, transport: str, words: int, strided: bool = False, repetitions: int = 100
) -> float:
    """of an exchange with both neighbours: blocks in a chain, strided: in a ring"""

def seconds_of_pairs(
    comm: int, get: bool, words: int, word_by_word: bool = False, repetitions: int = 100
) -> float:
    """of words that pairs of ranks give each other"""

def seconds_of_stream(
    comm: int, senders: int, of_node: int, away: int, repetitions: int = 100
) -> float:
    """of a message in a stream, while so many ranks of a node send one"""

def seconds_of_sum(
    comm: int, sum: str, words: int = 1, times: int = 1, repetitions: int = 100
) -> float:
    """of so many sums of so many numbers"""

def solvers() -> list[tuple[str, str]]:
    """(name, text) of the methods of the elliptic solver"""

def preconditioners() -> list[tuple[str, str]]:
    """(name, text) of the catalogue"""

def extremes(diagonal: Sequence[float], off: Sequence[float]) -> tuple[float, float]:
    """least and largest eigenvalue of a symmetric tridiagonal matrix"""

class EllipticSolver:
    """(M + K) x = b of the implicit free surface, by any solver and preconditioner of the
    catalogues.
    """

    def __init__(
        self,
        comm: int,
        decomposition: Decomposition,
        halo: int,
        wet: Sequence[NDArray[Any]],
        area: Sequence[NDArray[Any]],
        depth: Sequence[NDArray[Any]],
        dx: Sequence[NDArray[Any]],
        dy: Sequence[NDArray[Any]],
        mass: float,
        tolerance: float = 1e-12,
        maximum_iterations: int = 1000,
        solver: str = "chrongear",
        preconditioner: str = "diagonal",
        precision: str = "mixed",
        exchange: str = "packed",
        sum: str = "allreduce",
        reproducible: bool = True,
        steps: int = 4,
        compactness: float = 0.0,
    ) -> None: ...
    def solve(self, rhs: Sequence[NDArray[Any]], x: Sequence[NDArray[Any]]) -> int: ...
    def on_device(self, device: Device) -> bool:
        """from now on it solves in memory of this device; False: it cannot, of several ranks, or
        with another method than chrongear or pcsi with the diagonal
        """

    def apply(self, x: Sequence[NDArray[Any]], y: Sequence[NDArray[Any]]) -> None:
        """y = (M + K) x"""

    def precondition(self, x: Sequence[NDArray[Any]], y: Sequence[NDArray[Any]]) -> None:
        """y = the preconditioner's inverse of M + K, times x"""

    @property
    def last_residual(self) -> float: ...
    @property
    def iterations(self) -> int: ...
    @property
    def passes(self) -> int:
        """of the last solve: residuals from which iterations restarted"""

    @property
    def reductions(self) -> int:
        """sums over all ranks since it was made"""

    @property
    def halos(self) -> int:
        """exchanges since it was made"""

    @property
    def spectrum(self) -> tuple[float, float, int]:
        """(least, largest, Lanczos steps) where the solver needs them, else 0"""

    @property
    def history(self) -> list[tuple[int, float]]:
        """(iteration, residual / right-hand side) of the last solve; of iterations in fp64, and
        wherever the residual was computed again
        """

    @property
    def factor_numbers(self) -> int:
        """fp32 numbers of the factorisation on this rank; 0 without"""

    @property
    def wet_points(self) -> int:
        """of this rank"""

    @property
    def packs(self) -> int:
        """of 8 columns, of this rank: what is computed"""

    @property
    def inner_packs(self) -> int:
        """of these, in blocks that need nothing from other ranks: computed while messages
        travel, where the exchange overlaps
        """

class Process:
    """Something that changes fields: a scheme with its parameters, in one precision."""

    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def phase(self) -> str: ...
    @phase.setter
    def phase(self, arg: str, /) -> None: ...
    @property
    def every(self) -> int:
        """runs in every n-th step of a sequence only; its results are kept in between"""

    @every.setter
    def every(self, arg: int, /) -> None: ...
    @property
    def is_global(self) -> bool:
        """sees whole fields, not one column after another"""

    @property
    def kernel(self) -> int:
        """where its function begins in the library that holds it; 0: not a process of columns"""

    @property
    def fields(self) -> list[Any]:
        """fields that it reads, writes and updates, in the order of its arguments"""

    def on(self, names: Mapping[str, str]) -> Process:
        """the same scheme on other fields: {declared name: name}"""

    def at(self, field: str, horizontal: str, vertical: str, vector: bool = False) -> Process:
        """the same scheme on a field that is elsewhere"""

    def only_where(self, fields: Mapping[str, str]) -> Process:
        """the same scheme, which passes over rows in which all these fields of columns {name:
        units} are 0; it must change nothing there
        """

    def __repr__(self) -> str: ...

def load_schemes(library: str) -> list[str]:
    """adds the schemes of a compiled library to the catalogue; returns their names"""

compile_flags: str

def catalogue() -> list[Any]:
    """all schemes: name, in_cells_of (the scheme that this is in cells of varying thickness, or
    empty), summary, parameters, fields
    """

def process(
    scheme: str, parameters: Mapping[str, float] = {}, precision: int = 8, width: int = 0
) -> Process:
    """a scheme of the catalogue with these parameters; precision: bytes of a number; width: 0
    for packs, 1 for numbers
    """

def reference_density(pressure: float) -> float:
    """the reference of density anomalies, for equations of state without another one [kg m-3];
    pressure [dbar]
    """

def run_column(
    process: Process, arrays: dict[str, Any], levels: int, device: Device | None = None
) -> Any:
    """Runs a process on arrays (levels or levels + 1, rows, columns), (rows, columns), and (n,)
    for profiles, of the precision of the process. Returns the fields that it writes or
    updates; NaN where it wrote nothing, as in a rim as wide as its reach. device: where it is
    computed; here by default.
    """

def seconds_on_device(
    process: Process, arrays: dict[str, Any], levels: int, device: Device, repetitions: int
) -> Any:
    """Seconds of each repetition there, without copies: arrays as above."""

def run_tangent(
    process: Process, arrays: dict[str, Any], changes: dict[str, Any], levels: int
) -> Any:
    """The same with the derivative in the direction of `changes`, arrays like those of the
    fields that change; profiles do not. Returns (values, tangents).
    """

def run_linear(
    process: Process,
    arrays: dict[str, Any],
    changes: dict[str, Any],
    levels: int,
    adjoint: bool = False,
    by_hand: bool = True,
) -> Any:
    """What its tangent, or its adjoint, makes of `changes` of all fields {name: array}: by hand,
    or by dual numbers and a tape.
    """

def has_adjoint(process: Process) -> bool:
    """whether it has an adjoint, by hand or by a tape"""

def has_linear(process: Process) -> bool:
    """whether its tangent and adjoint are written by hand"""

class Device:
    """A device other than the processor, on which models run."""

    @property
    def name(self) -> str: ...
    @property
    def free_memory(self) -> int:
        """bytes"""

    @property
    def travelled(self) -> int:
        """bytes copied to it and from it"""

    @property
    def cache(self) -> int:
        """bytes, between its memory and all that computes"""

    def copy_bandwidth(self, bytes: int = 1073741824, repetitions: int = 20) -> float:
        """bytes per second of the copy within it, what is read and what is written"""

    def wait(self) -> None:
        """until all that was asked for is done"""

def processor_device() -> Device:
    """the processor in the part of a device: the same kernels, memory that is apart"""

def load_device(library: str, number: int = 0) -> Device:
    """the device of a library that fathom.model.device has made"""

class GaussianGrid:
    """Rows of a Gaussian grid, from south to north."""

    @property
    def sine(self) -> Any: ...
    @property
    def cosine(self) -> Any: ...
    @property
    def weight(self) -> Any:
        """adds up to 1"""

    @property
    def points(self) -> Any: ...
    def stretched(self, c: float) -> GaussianGrid:
        """the same points on a sphere that is stretched"""

    @property
    def rows(self) -> int: ...
    @property
    def longest(self) -> int: ...
    @property
    def size(self) -> int: ...

def full_gaussian_grid(rows: int, points: int) -> GaussianGrid: ...
def octahedral_gaussian_grid(rows: int) -> GaussianGrid: ...
def classical_gaussian_grid(rows: int, truncation: int, order: int) -> GaussianGrid: ...
def full_gaussian_grid_of(truncation: int, order: int) -> GaussianGrid: ...
def octahedral_gaussian_grid_of(truncation: int) -> GaussianGrid: ...
def classical_gaussian_grid_of(truncation: int, order: int) -> GaussianGrid: ...

class WaveDistribution:
    """Who owns which rows and which zonal wavenumbers, as rank 0 knows it."""

    @overload
    def __init__(
        self, grid: GaussianGrid, truncation: int, decomposition: Decomposition
    ) -> None: ...
    @overload
    def __init__(
        self, points: int, rows: int, truncation: int, decomposition: Decomposition
    ) -> None:
        """Of a plane, all of whose rows know all waves."""

    @property
    def row_rank(self) -> Any:
        """owner of each row"""

    @property
    def first_row(self) -> Any:
        """southernmost row that knows each m"""

    @staticmethod
    def waves_of_rank(truncation: int, ranks: int, rank: int) -> list[int]: ...

def between_levels(
    x: NDArray[numpy.float64],
    matrices: NDArray[numpy.float64],
    place: NDArray[numpy.int64],
    out: NDArray[numpy.float64],
    scatter: bool,
) -> None:
    """out_r = f x_r V_n of the rows r of each degree n (between_levels.hpp)"""

class TransformItems64:
    """What is transformed in one call; blocks of fields are arrays (rows, levels, columns) with
    any strides, coefficients arrays (waves, 2, levels).
    """

    def __init__(self, transform: RowTransform64) -> None: ...
    def scalar(
        self, coefficients: NDArray[numpy.float64], field: Sequence[NDArray[numpy.float64]]
    ) -> None: ...
    def gradient(
        self,
        coefficients: NDArray[numpy.float64],
        field: Sequence[NDArray[numpy.float64]] | None,
        east: Sequence[NDArray[numpy.float64]] | None,
        north: Sequence[NDArray[numpy.float64]] | None,
    ) -> None: ...
    def wind(
        self,
        vorticity: NDArray[numpy.float64],
        divergence: NDArray[numpy.float64],
        east: Sequence[NDArray[numpy.float64]],
        north: Sequence[NDArray[numpy.float64]],
    ) -> None: ...

class TransformItems32:
    """What is transformed in one call; blocks of fields are arrays (rows, levels, columns) with
    any strides, coefficients arrays (waves, 2, levels).
    """

    def __init__(self, transform: RowTransform32) -> None: ...
    def scalar(
        self, coefficients: NDArray[numpy.float32], field: Sequence[NDArray[numpy.float32]]
    ) -> None: ...
    def gradient(
        self,
        coefficients: NDArray[numpy.float32],
        field: Sequence[NDArray[numpy.float32]] | None,
        east: Sequence[NDArray[numpy.float32]] | None,
        north: Sequence[NDArray[numpy.float32]] | None,
    ) -> None: ...
    def wind(
        self,
        vorticity: NDArray[numpy.float32],
        divergence: NDArray[numpy.float32],
        east: Sequence[NDArray[numpy.float32]],
        north: Sequence[NDArray[numpy.float32]],
    ) -> None: ...

class RowTransform64:
    """What the transforms of sphere and plane share."""

    def inverse_on(
        self, device: Device, items: TransformItems64, repetitions: int = 1
    ) -> list[float]:
        """inverse on a device: the seconds of each repetition, without copies of arrays"""

    def direct_on(
        self, device: Device, items: TransformItems64, repetitions: int = 1
    ) -> list[float]:
        """direct on a device: the seconds of each repetition, without copies of arrays"""

    def inverse(self, items: TransformItems64) -> None:
        """coefficients -> fields"""

    def direct(self, items: TransformItems64) -> None:
        """fields -> coefficients"""

    def inverse_adjoint(self, items: TransformItems64) -> None:
        """fields -> coefficients: the transpose of inverse"""

    def direct_adjoint(self, items: TransformItems64) -> None:
        """coefficients -> fields: the transpose of direct"""

    @property
    def own(self) -> Any:
        """(m, n) of this rank's coefficients"""

    @property
    def flops_of_field(self) -> float:
        """of the sums within the wavenumbers of one field, one way, on this rank"""

class RowTransform32:
    """What the transforms of sphere and plane share."""

    def inverse_on(
        self, device: Device, items: TransformItems32, repetitions: int = 1
    ) -> list[float]:
        """inverse on a device: the seconds of each repetition, without copies of arrays"""

    def direct_on(
        self, device: Device, items: TransformItems32, repetitions: int = 1
    ) -> list[float]:
        """direct on a device: the seconds of each repetition, without copies of arrays"""

    def inverse(self, items: TransformItems32) -> None:
        """coefficients -> fields"""

    def direct(self, items: TransformItems32) -> None:
        """fields -> coefficients"""

    def inverse_adjoint(self, items: TransformItems32) -> None:
        """fields -> coefficients: the transpose of inverse"""

    def direct_adjoint(self, items: TransformItems32) -> None:
        """coefficients -> fields: the transpose of direct"""

    @property
    def own(self) -> Any:
        """(m, n) of this rank's coefficients"""

    @property
    def flops_of_field(self) -> float:
        """of the sums within the wavenumbers of one field, one way, on this rank"""

class SphericalHarmonics64(RowTransform64):
    """Fields on a Gaussian grid <-> coefficients of a triangular truncation."""

    def __init__(
        self,
        comm: int,
        grid: GaussianGrid,
        truncation: int,
        decomposition: Decomposition,
        radius: float = 6371220.0,
        fields: int = 0,
        threads: int = 0,
        table: int = 262144,
    ) -> None: ...
    @property
    def seconds(self) -> dict[str, Any]: ...
    @property
    def work(self) -> dict[str, Any]:
        """(operations, bytes) so far, of this rank: each number is read once and written once"""

    @property
    def table_bytes(self) -> int: ...

class SphericalHarmonics32(RowTransform32):
    """Fields on a Gaussian grid <-> coefficients of a triangular truncation."""

    def __init__(
        self,
        comm: int,
        grid: GaussianGrid,
        truncation: int,
        decomposition: Decomposition,
        radius: float = 6371220.0,
        fields: int = 0,
        threads: int = 0,
        table: int = 262144,
    ) -> None: ...
    @property
    def seconds(self) -> dict[str, Any]: ...
    @property
    def work(self) -> dict[str, Any]:
        """(operations, bytes) so far, of this rank: each number is read once and written once"""

    @property
    def table_bytes(self) -> int: ...

class BiFourier64(RowTransform64):
    """Periodic fields on a plane <-> coefficients of an elliptic truncation."""

    def __init__(
        self,
        comm: int,
        points: tuple[int, int],
        truncation: tuple[int, int],
        lengths: tuple[float, float],
        decomposition: Decomposition,
        fields: int = 0,
        threads: int = 0,
    ) -> None: ...
    @property
    def seconds(self) -> dict[str, Any]: ...

class BiFourier32(RowTransform32):
    """Periodic fields on a plane <-> coefficients of an elliptic truncation."""

    def __init__(
        self,
        comm: int,
        points: tuple[int, int],
        truncation: tuple[int, int],
        lengths: tuple[float, float],
        decomposition: Decomposition,
        fields: int = 0,
        threads: int = 0,
    ) -> None: ...
    @property
    def seconds(self) -> dict[str, Any]: ...

class GlobalProcess:
    """A process that needs communication: by all ranks together."""

    @property
    def name(self) -> str: ...
    def process(self) -> Process:
        """as a sequence takes it"""

class PythonProcess(GlobalProcess):
    """A process whose work is a Python function."""

    def __init__(
        self,
        name: str,
        fields: Sequence[tuple[str, str, str, str, bool, str]],
        function: Callable[..., Any],
    ) -> None:
        """fields: (name, units, horizontal, vertical, vector, access); function(ranks, blocks):
        the handle of an MPI communicator, and of each block {name: array}, which share their
        memory
        """

class Balanced(GlobalProcess):
    """A process of columns that are shared among ranks by what each has cost."""

    def __init__(
        self,
        process: Process,
        active: str = "",
        threshold: float = 0.05,
        share: bool = True,
        way: str = "messages",
    ) -> None:
        """active: the field of columns above 0 where there is work; share: whether columns
        travel; way: one of carriers()
        """

    @property
    def own_seconds(self) -> float:
        """processor time of the columns of this rank in the last call, wherever"""

    @property
    def seconds(self) -> float:
        """processor time on this rank in the last call"""

    @property
    def expected(self) -> float:
        """of own columns in the last call, by the cost of such columns on all ranks"""

    @property
    def sent(self) -> list[float]:
        """a part of `expected`: sent to each rank"""

    @property
    def travelled(self) -> int:
        """columns of this rank that other ranks computed, in all calls"""

    def costs(self, fields: FieldSet) -> list[float]:
        """rows of (i, j, seconds) of the columns of this rank, one after another"""

class Sampled(GlobalProcess):
    """A process of columns that is computed in some and interpolated to others."""

    def __init__(self, process: Process, rows: Sequence[tuple[int, Sequence[int]]]) -> None:
        """rows: (row, columns) from south to north and west to east"""

def balance_samples(
    process: Process, active: str = "", threshold: float = 0.05, way: str = "messages"
) -> Balanced:
    """shares the samples of a Sampled among ranks; None: it is another process"""

class Apart(GlobalProcess):
    """A process of columns that separate ranks compute, one call late."""

    def __init__(self, process: Process, world: int, helpers: Sequence[int]) -> None:
        """helpers: ranks in world"""

    def rest(self) -> None:
        """all that helpers owe has arrived"""

    def dismiss(self) -> None:
        """helpers leave `help`"""

    def help(self, device: Device | None) -> None:
        """on a helper: computes until it is dismissed"""

    @property
    def waited(self) -> float:
        """seconds of this rank for helpers"""

    @property
    def helped(self) -> float:
        """seconds of this helper"""

def carriers() -> list[tuple[str, str]]:
    """name and text of each way in which columns travel between ranks"""

def time_carrier(comm: int, way: str, bytes: int, idle: float) -> tuple[float, float, float, float]:
    """of two ranks: seconds until rank 1 has the inputs, and has put results; of rank 0 in its
    calls, and between them, when it makes none of MPI
    """

class Repeat(GlobalProcess):
    """A program within a program: processes that run several times in each step."""

    def __init__(self, name: str, times: int, processes: Sequence[Process]) -> None: ...
    @property
    def times(self) -> int: ...
    @property
    def groups(self) -> list[tuple[list[str], list[str]]]:
        """(fields that are exchanged, processes) of each group of a repetition"""

    @property
    def timings(self) -> list[tuple[str, float, int]]:
        """(name, seconds, calls) of each process and exchange within"""

def transfers(loads: Sequence[float], threshold: float = 0.05) -> list[tuple[int, int, float]]:
    """what ranks with these loads give to others: (from, to, amount)"""

class Domain:
    """The part of a grid that this rank computes."""

    def __init__(
        self,
        comm: int,
        nx: int,
        ny: int,
        periodic: bool,
        fold: bool,
        levels: int,
        wet_levels: Sequence[int],
        halo: int = 2,
        block_nx: int = 0,
        block_ny: int = 0,
        distribution: str = "auto",
        exchange: str = "packed",
        sum: str = "allreduce",
        periodic_j: bool = False,
        order: Sequence[int] = [],
    ) -> None: ...
    @property
    def blocks(self) -> list[tuple[int, int, int, int]]:
        """(j0, i0, ny, nx) of each block of this rank"""

    @property
    def decomposition(self) -> Decomposition: ...
    @property
    def imbalance(self) -> float: ...
    def weigh(
        self,
        area_center: NDArray[numpy.float64],
        area_corner: NDArray[numpy.float64],
        level_weights: Sequence[float],
    ) -> None:
        """what a value counts for in means: the area of its cell times the weight of its level"""

    def describe(self) -> str: ...

class StepProgram:
    """An ordered list of processes on a domain, with all that follows from their declarations: a
    program that is run on field sets.
    """

    def __init__(
        self,
        domain: Domain,
        processes: Sequence[Process],
        precision: int = 8,
        keep: Sequence[str] = [],
        rotate: Sequence[Sequence[str]] = [],
        tile: int = 0,
        tiles: Mapping[str, int] = {},
        compute_in_halo: bool = True,
        group: bool = True,
        device: bool = False,
        tangent: bool = False,
    ) -> None: ...
    def advance_with(self, fields: FieldSet, change: FieldSet, steps: int = 1) -> None:
        """steps of a state, and of a small change of it by the tangent"""

    def advance(self, fields: FieldSet, steps: int = 1) -> None: ...
    def prepare(self, fields: FieldSet, fill: Callable[..., Any]) -> None:
        """fill(fields) sets the geometry; then the global processes are readied, once, for sets
        with it
        """

    def start(self, fields: FieldSet) -> None:
        """what global processes do with an initial state; not after a restart"""

    def changed(self, fields: FieldSet) -> None:
        """what global processes do after fields were set between two steps"""

    def left_by(self, device: Device) -> list[str]:
        """names of the processes that a device cannot do: they are computed here"""

    @property
    def globals(self) -> list[Any]:
        """its global processes, in order"""

    def ramp(self, profile: str, step: float, origin: float, length: float) -> None: ...
    def follow_table(
        self,
        profile: str,
        step: float,
        times: Sequence[float],
        rows: Sequence[Sequence[float]],
        interpolated: bool = True,
    ) -> None:
        """sets a profile before each step from rows of values at times [s], interpolated between
        them or each until the next
        """

    def follow_wave(
        self,
        profile: str,
        step: float,
        frequency: float,
        phase: float,
        cosines: Sequence[float] = [1.0],
        sines: Sequence[float] = [],
        angle: float = 0.0,
        rate: float = 0.0,
    ) -> None:
        """sets [0] of a profile before each step to f cos(frequency t + phase + u), t [s] at its
        end; f and u are series in cosines and sines of multiples of angle + rate t
        """

    def follow_sun(
        self, step: float, days: float, period: float = 0.0, fixed_season: bool = False
    ) -> None:
        """sets the profile 'sun' before each step; days: of the first step, since 2000-01-01
        12:00; period: of the radiation [s]
        """

    @property
    def timings(self) -> list[Any]: ...
    def reset_timings(self) -> None: ...
    @property
    def counting(self) -> bool:
        """kernels count their operations, which the timings then hold: the same bits, slowly"""

    @counting.setter
    def counting(self, arg: bool, /) -> None: ...
    @property
    def groups(self) -> list[Any]: ...
    @property
    def scratch(self) -> list[str]:
        """fields that never leave the cache"""

    @property
    def bytes_allocated(self) -> int:
        """of scratch, and of one field set"""

class LinearStepProgram:
    """Tangent and adjoint of a sequence along a trajectory, from the declarations of its
    processes.
    """

    def __init__(
        self,
        sequence: StepProgram,
        keep: str = "all",
        every: int = 1,
        by_hand: bool = True,
        frozen: Sequence[str] = [],
    ) -> None:
        """frozen: names of processes whose results do not change with the state"""

    def follow(self, fields: FieldSet, steps: int) -> None:
        """takes steps with a state; its trajectory is kept after what was kept before"""

    def forget(self) -> None: ...
    @property
    def steps(self) -> int: ...
    @property
    def bytes(self) -> int:
        """of the trajectory"""

    def start(self, perturbation: FieldSet) -> None: ...
    def tangent(self, perturbation: FieldSet, first: int, steps: int) -> None:
        """what becomes of a perturbation in the steps from `first` on"""

    def adjoint(
        self, gradient: FieldSet, first: int, steps: int, ended: FieldSet | None = None
    ) -> None:
        """the transpose of `tangent`; ended: a set to whose fields the adjoints of what frozen
        processes write are added
        """

    def start_adjoint(self, gradient: FieldSet) -> None: ...

def release_memory() -> None:
    """gives what was freed back to the system"""

def threads() -> int: ...
def set_threads(arg: int, /) -> None: ...

class FieldSet:
    """Named fields on the blocks of this rank: a state, an increment, a member of an ensemble. A
    vector: copy, axpy, scale, dot.
    """

    @overload
    def __init__(self, sequence: StepProgram) -> None:
        """all that the processes of a sequence use, zero"""

    @overload
    def __init__(self, other: FieldSet, precision: int = 0) -> None:
        """a copy; precision: bytes of a number, as the other's"""

    def live_on(self, device: Device | None) -> None:
        """steps are taken on this device from now on; None: here again"""

    @property
    def count(self) -> int:
        """steps taken since the start"""

    @count.setter
    def count(self, arg: int, /) -> None: ...
    def has(self, arg: str, /) -> bool: ...
    def set(
        self,
        name: str,
        values: NDArray[numpy.float64],
        first_level: int = 0,
        nearest_outside: bool = False,
    ) -> None: ...
    def put(self, name: str, block: int, values: NDArray[numpy.float64]) -> None:
        """own points of a block of this rank, (levels, ny, nx); not its halo"""

    def stored(self, names: Sequence[str]) -> bytes:
        """fields of this rank with their halos, as bytes"""

    def put_columns(
        self, name: str, rows: Sequence[int], points: Sequence[int], values: NDArray[numpy.float64]
    ) -> None:
        """values (levels, columns) at rows and points of the global grid; not their halos"""

    def recall(self, names: Sequence[str], stored: bytes) -> None:
        """puts back what `stored` has returned"""

    def fill(self, name: str, value: float) -> None: ...
    def set_profile(self, arg0: str, arg1: Sequence[float], /) -> None: ...
    def windows(self, name: str, levels: int = 0) -> list[Any]:
        """values of each block of this rank, (levels, ny, nx), copies; levels: the first ones,
        0: all
        """

    def columns(self, name: str, rows: Sequence[int], points: Sequence[int], levels: int) -> Any:
        """(levels, columns) at rows and points of the global grid, 0 where another rank has it"""

    def part(self, name: str, block: int, j0: int, i0: int, ny: int, nx: int) -> Any:
        """(levels, ny, nx) of a block from its point (j0, i0) on, a copy"""

    def copy(self, other: FieldSet, names: Sequence[str] = []) -> None:
        """takes over these fields of another set; by default all that both have, and its time"""

    def copy_field(self, source: str, target: str) -> None: ...
    def axpy(self, a: float, x: FieldSet, names: Sequence[str] = []) -> None:
        """adds a times the fields of x; by default of the state"""

    def scale(self, a: float, names: Sequence[str] = []) -> None: ...
    def dot(self, x: FieldSet, names: Sequence[str] = []) -> float:
        """sum of products over all wet points of all ranks: exact, so the same on any ranks"""

    @property
    def state(self) -> list[str]: ...
    @property
    def fields(self) -> list[Any]: ...
    def extremes(self, arg: str, /) -> dict[str, Any]: ...
    def column_contents(self, name: str) -> list[Any]:
        """integrals over depth in each block of this rank, (ny, nx) [field m]"""

    def content(self, name: str, moving_surface: bool = True) -> float: ...
    def volume(self, moving_surface: bool = True) -> float: ...
    def motion(
        self,
        step: float,
        u: str = "velocity_x",
        v: str = "velocity_y",
        dx: str = "dx_corner",
        dy: str = "dy_corner",
    ) -> dict[str, Any]: ...
    def checksum(self, arg: Sequence[str], /) -> int: ...

class SurfaceBalance(GlobalProcess):
    """A flux that sums to nothing over the whole sea."""

    def __init__(self, name: str, units: str) -> None: ...

class Overflows(GlobalProcess):
    """Overflows of dense water."""

    def __init__(
        self,
        overflows: list[Any],
        thickness: Sequence[float],
        tracers: Sequence[tuple[str, str]],
        equation_of_state: str = "MWJF",
        parameters: Mapping[str, float] = {},
    ) -> None:
        """thickness: of the layers; tracers: (name, units), temperature and salinity first"""

    @property
    def transports(self) -> list[list[float]]: ...
    @property
    def sites(self) -> list[int]: ...

def overflow_transports(
    shape: Sequence[float], source_buoyancy: float, entrainment_buoyancy: float
) -> list[float]:
    """source, entrainment and product [m3 s-1]; shape: f, width, thickness, distance, slope,
    drag
    """

class BarotropicSolve(GlobalProcess):
    """The solver of the implicit free surface."""

    def __init__(
        self,
        step: float,
        implicitness: float,
        gravity: float,
        tolerance: float,
        maximum_iterations: int,
        solver: str = "chrongear",
        preconditioner: str = "diagonal",
        precision: str = "mixed",
        reproducible: bool = True,
        steps: int = 4,
        compactness: float = 0.0,
        rotation: bool = False,
        radiates: bool = False,
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    @property
    def solves(self) -> int: ...
    @property
    def reductions(self) -> int:
        """sums over all ranks"""

    @property
    def words(self) -> int:
        """of all these sums, 64 bits each"""

    @property
    def halos(self) -> int:
        """exchanges of the solver"""

    @property
    def halo_bytes(self) -> int:
        """of all these exchanges, for a point along an edge"""

    @property
    def factor_numbers(self) -> int:
        """fp32 numbers of the factorised matrix on this rank; 0 without"""

class Drifters(GlobalProcess):
    """Particles that go with the flow."""

    def __init__(self, step: float, flat: bool = False, own_cells: bool = False) -> None: ...
    def put(self, rows: NDArray[numpy.float64]) -> None:
        """more of them: rows of number, i, j, a, b, level, the same on all ranks"""

    @property
    def own(self) -> Any:
        """those of this rank, rows as `put` takes them"""

class IceDynamics(GlobalProcess):
    """Motion of sea ice (Hunke & Dukowicz 1997)."""

    def __init__(self, step: float, subcycles: int, strength: float, drag: float) -> None: ...

@overload
def stored(
    values: NDArray[numpy.float32], there: NDArray[numpy.int32], out: NDArray[numpy.float32]
) -> None: ...
@overload
def stored(
    values: NDArray[numpy.float32], there: NDArray[numpy.int32], out: NDArray[numpy.float64]
) -> None: ...
@overload
def stored(
    values: NDArray[numpy.float64], there: NDArray[numpy.int32], out: NDArray[numpy.float32]
) -> None: ...
@overload
def stored(
    values: NDArray[numpy.float64], there: NDArray[numpy.int32], out: NDArray[numpy.float64]
) -> None: ...
@overload
def stored_sum(
    a: NDArray[numpy.float32],
    b: NDArray[numpy.float32],
    p: NDArray[numpy.float64],
    q: NDArray[numpy.float64],
    there: NDArray[numpy.int32],
    out: NDArray[numpy.float32],
) -> None: ...
@overload
def stored_sum(
    a: NDArray[numpy.float32],
    b: NDArray[numpy.float32],
    p: NDArray[numpy.float64],
    q: NDArray[numpy.float64],
    there: NDArray[numpy.int32],
    out: NDArray[numpy.float64],
) -> None: ...
@overload
def stored_sum(
    a: NDArray[numpy.float64],
    b: NDArray[numpy.float64],
    p: NDArray[numpy.float64],
    q: NDArray[numpy.float64],
    there: NDArray[numpy.int32],
    out: NDArray[numpy.float32],
) -> None: ...
@overload
def stored_sum(
    a: NDArray[numpy.float64],
    b: NDArray[numpy.float64],
    p: NDArray[numpy.float64],
    q: NDArray[numpy.float64],
    there: NDArray[numpy.int32],
    out: NDArray[numpy.float64],
) -> None: ...

class Roles:
    """Which ranks compute and which serve output."""

    @property
    def own(self) -> int:
        """communicator of the ranks that compute; of the servers"""

    @property
    def server(self) -> int:
        """position among the servers; -1: this rank computes"""

    @property
    def per_set(self) -> int: ...
    @property
    def compute(self) -> list[int]: ...
    @property
    def servers(self) -> list[int]: ...
    @property
    def sets(self) -> int: ...

def roles(world: int, servers: int, per_set: int = 1) -> Roles: ...

class OutputEvent:
    """One time of a stream."""

    def __init__(
        self,
        stream: int,
        time: int,
        steps: int,
        seconds: float,
        begin: float = 0.0,
        end: float = 0.0,
        last: bool = False,
    ) -> None:
        """last: visible only after all that were handed over before"""

    def __copy__(self) -> OutputEvent: ...
    @property
    def number(self) -> int: ...
    @property
    def stream(self) -> int: ...
    @property
    def time(self) -> int: ...
    @property
    def slot(self) -> int: ...
    @property
    def set(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def begin(self) -> float: ...
    @property
    def end(self) -> float: ...

class OutputClient:
    """The computing side of output servers."""

    def __init__(
        self,
        roles: Roles,
        domain: Domain,
        streams: Sequence[
            tuple[int, Sequence[tuple[int, Sequence[tuple[int, int, int, int, int]]]], int, int]
        ],
        slots: int,
    ) -> None: ...
    def grant(self, event: OutputEvent, patience: float = 0.0) -> None: ...
    def post(self, event: OutputEvent, set: FieldSet, fields: Sequence[str]) -> None: ...
    def restored(self, event: OutputEvent) -> list[Any]:
        """of each field, (levels, ny, nx) of each block of this rank: what was posted"""

    def wrote(self, event: OutputEvent) -> None: ...
    def silent(self, seconds: float) -> list[int]: ...
    def give_up(self, set: int) -> list[OutputEvent]: ...
    def keep_ledger(self, times: Sequence[int]) -> None: ...
    def due(self) -> OutputEvent | None: ...
    def visible(self, event: OutputEvent) -> None: ...
    def idle(self) -> bool: ...
    def finish(self, failed: bool = False) -> None: ...
    @property
    def slot_bytes(self) -> int: ...
    def bytes(self, stream: int) -> int:
        """that this rank copies at each of its events"""

    @property
    def plan_bytes(self) -> int: ...
    @property
    def quantities(self) -> dict[str, Any]:
        """{name: {count, mean, most}}, core/output/quantities.hpp"""

class OutputJob:
    @property
    def event(self) -> OutputEvent: ...

class OutputServer:
    """The serving side of output."""

    def __init__(
        self,
        roles: Roles,
        decomposition: Decomposition,
        halo: int,
        streams: Sequence[
            tuple[int, Sequence[tuple[int, Sequence[tuple[int, int, int, int, int]]]], int, int]
        ],
    ) -> None: ...
    def poll(self, seconds: float) -> bool:
        """waits so long for messages; whether there was one"""

    def next(self) -> OutputJob: ...
    def arrays(self, job: OutputJob) -> list[Any]:
        """of each field, (levels, rows, columns) of each rectangle of this server; good until
        the job is written
        """

    @overload
    def written(self, job: OutputJob) -> None: ...
    @overload
    def written(self, event: OutputEvent) -> None:
        """that was staged"""

    def staged(self, job: OutputJob) -> None: ...
    def due(self) -> OutputEvent | None: ...
    def visible(self, event: OutputEvent) -> None: ...
    def done(self) -> bool: ...
    @property
    def abandoned(self) -> bool: ...
    @property
    def failed(self) -> bool: ...
    @property
    def plan_bytes(self) -> int: ...
    @property
    def quantities(self) -> dict[str, Any]:
        """{name: {count, mean, most}}, core/output/quantities.hpp"""

class Between:
    """Where targets (targets, points) lie among levels (levels, points)."""

    def __init__(self, x: NDArray[numpy.float64], target: NDArray[numpy.float64]) -> None: ...
    def linear(self, values: NDArray[numpy.float64]) -> Any: ...
    def cubic(self, values: NDArray[numpy.float64]) -> Any: ...
    def hermite(self, values: NDArray[numpy.float64], slopes: NDArray[numpy.float64]) -> Any: ...

class AirColumns:
    """Hydrostatic columns (levels, points), and fields at any ln p."""

    @overload
    def __init__(
        self,
        a: Sequence[float],
        b: Sequence[float],
        temperature: NDArray[numpy.float64],
        log_surface_pressure: NDArray[numpy.float64],
        surface_geopotential: NDArray[numpy.float64],
        humidity: NDArray[numpy.float64] | None = None,
        is_virtual: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self,
        a: Sequence[float],
        b: Sequence[float],
        temperature: NDArray[numpy.float32],
        log_surface_pressure: NDArray[numpy.float32],
        surface_geopotential: NDArray[numpy.float32],
        humidity: NDArray[numpy.float32] | None = None,
        is_virtual: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self,
        logarithm: NDArray[numpy.float64],
        temperature: NDArray[numpy.float64],
        virtual_temperature: NDArray[numpy.float64],
        geopotential: NDArray[numpy.float64],
        log_surface_pressure: NDArray[numpy.float64],
        surface_geopotential: NDArray[numpy.float64],
    ) -> None: ...
    @overload
    def at(self, values: NDArray[numpy.float64], order: int = 3) -> Any: ...
    @overload
    def at(self, values: NDArray[numpy.float32], order: int = 3) -> Any: ...
    @overload
    def relative_humidity(self, specific_humidity: NDArray[numpy.float64]) -> Any: ...
    @overload
    def relative_humidity(self, specific_humidity: NDArray[numpy.float32]) -> Any: ...
    @overload
    def where(self, values: NDArray[numpy.float64], wanted: float, rising: bool) -> Any: ...
    @overload
    def where(self, values: NDArray[numpy.float32], wanted: float, rising: bool) -> Any: ...
    @property
    def logarithm(self) -> Any: ...
    @property
    def geopotential(self) -> Any: ...
    @property
    def temperature(self) -> Any: ...
    @property
    def virtual_temperature(self) -> Any: ...
    def to(self, logarithms: NDArray[numpy.float64]) -> None: ...
    def at_geopotential(self, geopotential: NDArray[numpy.float64]) -> Any: ...
    def temperature_at(self, order: int = 3) -> Any: ...
    def geopotential_at(self) -> Any: ...
    def mean_sea_level_pressure(self) -> Any: ...

def hydrostatic_layers(
    interfaces: NDArray[numpy.float64],
    virtual_temperature: NDArray[numpy.float64],
    surface_geopotential: NDArray[numpy.float64],
) -> Any:
    """ln p, then geopotential [m2 s-2], of layers (2 layers, points)."""

@overload
def at_places(
    values: NDArray[numpy.float32],
    first: int,
    index: NDArray[numpy.int32],
    weight: NDArray[numpy.float32],
    factor: NDArray[numpy.float64] | None = None,
) -> Any: ...
@overload
def at_places(
    values: NDArray[numpy.float64],
    first: int,
    index: NDArray[numpy.int32],
    weight: NDArray[numpy.float32],
    factor: NDArray[numpy.float64] | None = None,
) -> Any:
    """Values (levels, places) from (levels, points), which are those from the first on."""

def saturation_pressure(temperature: NDArray[numpy.float64]) -> Any: ...
def surface_vapour_pressure(temperature: NDArray[numpy.float64]) -> Any: ...
def surface_vapour_slope(temperature: NDArray[numpy.float64]) -> Any: ...
def relative_humidity(
    specific_humidity: NDArray[numpy.float64],
    temperature: NDArray[numpy.float64],
    pressure: NDArray[numpy.float64],
) -> Any: ...
def specific_humidity(
    relative_humidity: NDArray[numpy.float64],
    temperature: NDArray[numpy.float64],
    pressure: NDArray[numpy.float64],
) -> Any: ...
def mean_sea_level_pressure(
    surface_pressure: NDArray[numpy.float64],
    surface_geopotential: NDArray[numpy.float64],
    ground_temperature: NDArray[numpy.float64],
) -> Any: ...
def place_of(
    value: NDArray[numpy.float64],
    left: NDArray[numpy.float64],
    right: NDArray[numpy.float64],
    begin: NDArray[numpy.float64],
    end: NDArray[numpy.float64],
) -> Any:
    """Where in [0, 1] a cubic with these ends and slopes has a value."""

class SemiLagrangian:
    """Semi-Lagrangian advection of arrays (rows from south to north, levels, points) on one
    rank.
    """

    def __init__(
        self,
        grid: GaussianGrid,
        eta: Sequence[float],
        precision: int,
        step: float,
        radius: float,
        rotation: float = 0.0,
        iterations: int = 2,
    ) -> None: ...
    def depart(self, wind: Sequence[NDArray[numpy.float64]]) -> None: ...
    def interpolate(
        self,
        fields: Sequence[NDArray[numpy.float64]],
        wind: bool = False,
        monotone: bool = False,
        by_levels: bool = True,
    ) -> None:
        """in place: values at the departure points"""

    def pass_(self, name: str) -> tuple[float, float]:
        """(seconds, operations) of one pass over all points with four fields: departure,
        weights, linear, cubic, monotone, by_levels
        """

    def seconds(self, together: int, repetitions: int, by_levels: bool = False) -> float:
        """of interpolating four fields, so many at once"""

class ScatterMeasured:
    """The adjoint of interpolation by itself, for measurements."""

    def __init__(
        self, grid: GaussianGrid, eta: Sequence[float], columns: float, rows: float
    ) -> None: ...
    def by_bands(self) -> None: ...
    def point_by_point(self, atomic: bool) -> None: ...
    def interpolate(self) -> None: ...
    @property
    def norm(self) -> float: ...
    @property
    def points(self) -> int: ...

class SpectralProcess(GlobalProcess):
    """The process of a scheme that goes through spectral space; it knows what all of them took."""

    @property
    def spent(self) -> dict[str, tuple[float, float, float]]:
        """by what was done: (seconds, operations, bytes) of this rank since it was made"""

    @property
    def seconds(self) -> dict[str, Any]:
        """by what was done, of this rank since it was made"""

    @property
    def halo(self) -> tuple[int, int]:
        """(points that this rank receives for its departure points, plans made so far)"""

    @property
    def rows_away(self) -> int:
        """how far these points lie away from the nearest row of this rank, at most"""

class EnergyFixer(GlobalProcess):
    """What keeps energy in the dynamics."""

    @property
    def returned(self) -> float:
        """energy that it has returned since it was made, mean over the sphere [J m-2]"""

    @property
    def heat_of_diffusion(self) -> float:
        """what truncation and diffusion turned from wind into heat since it was made [J m-2]"""

class OnPlane:
    """Points of a periodic plane, of which the first columns and rows are places on earth; waves
    (east, north); lengths [m].
    """

    def __init__(
        self,
        points: tuple[int, int],
        inside: tuple[int, int],
        waves: tuple[int, int],
        lengths: tuple[float, float],
        map_factor: Sequence[float] = [],
        relaxation: Sequence[float] = [],
        relaxation_of_tracers: Sequence[float] = [],
        relaxation_of_levels: Sequence[float] = [],
    ) -> None: ...

class SpectralDynamics:
    """The global processes of a hydrostatic spectral model."""

    @overload
    def __init__(
        self,
        scheme: str,
        grid: GaussianGrid,
        truncation: int,
        a: Sequence[float],
        b: Sequence[float],
        parameters: Mapping[str, float],
        temperature: str,
        tracers: Sequence[tuple[str, str]] = [],
        precision: int = 8,
    ) -> None:
        """scheme: eulerian or semi-lagrangian; tracers: (name, units)"""

    @overload
    def __init__(
        self,
        plane: OnPlane,
        a: Sequence[float],
        b: Sequence[float],
        parameters: Mapping[str, float],
        temperature: str,
        tracers: Sequence[tuple[str, str]] = [],
        precision: int = 8,
    ) -> None: ...
    @property
    def transport(self) -> GlobalProcess: ...
    @property
    def tracer_transport(self) -> GlobalProcess: ...
    @property
    def step(self) -> SpectralProcess: ...
    @property
    def total_energy(self) -> EnergyFixer: ...
    @property
    def coupling(self) -> GlobalProcess: ...
    @property
    def coupling_again(self) -> GlobalProcess: ...
    @property
    def correction(self) -> GlobalProcess: ...
    @property
    def tracer_mass(self) -> GlobalProcess: ...
    @property
    def tracer_leapfrog(self) -> GlobalProcess: ...

def shallow_water_dynamics(
    scheme: str,
    grid: GaussianGrid,
    truncation: int,
    mean_geopotential: float,
    parameters: Mapping[str, float],
    precision: int = 8,
) -> SpectralDynamics:
    """The global processes of shallow water on the sphere."""

def coupling(
    label: str,
    columns: int,
    fields: Sequence[tuple[str, str, str, str, Sequence[float]]],
    precision: int,
) -> GlobalProcess:
    """Draws fields (name, horizontal and vertical place, units, weights of all points) to those
    of the outer model.
    """

class GridPointCarrier(GlobalProcess):
    """A semi-Lagrangian process of the grid-point atmosphere."""

    @property
    def halo(self) -> tuple[int, int]:
        """(points that this rank receives for its departure points, plans made so far)"""

    @property
    def row_seconds(self) -> list[float]:
        """of the processor, if it has rows"""

    @row_seconds.setter
    def row_seconds(self, arg: Sequence[float], /) -> None: ...

class GridPointSetup:
    def __init__(
        self,
        step: float,
        implicitness: float,
        iterations: int,
        dx: float,
        dy: float,
        heights: Sequence[float],
        radius: float = 0.0,
        deep: bool = False,
        south: float = -90.0,
        area: bool = False,
        times: int = 1,
        hills: bool = False,
        own_of_wind: bool = False,
    ) -> None:
        """radius: of a sphere, 0 of a plane"""

def gridpoint_departure(setup: GridPointSetup, precision: int) -> GridPointCarrier: ...
def gridpoint_climb(setup: GridPointSetup, precision: int) -> GridPointCarrier: ...
def gridpoint_transport(setup: GridPointSetup, precision: int) -> GridPointCarrier: ...
def gridpoint_tracers(
    setup: GridPointSetup, tracers: Sequence[tuple[str, str]], keep_mass: bool, precision: int
) -> GridPointCarrier: ...

class DryMass(GlobalProcess):
    """Keeps the mass of air."""

    def __init__(self, curvature: float = 0.0) -> None: ...
    @property
    def correction(self) -> float:
        """of the last step: the factor less 1"""

class PoleWind(GlobalProcess):
    """Wind over the poles of the sphere."""

    def __init__(self, suffix: str = "") -> None: ...

class HelmholtzSolve(GlobalProcess):
    """The increment of the Exner function of the grid-point atmosphere."""

    def __init__(
        self,
        parameters: Mapping[str, float],
        preconditioner: str,
        method: str,
        tolerance: float,
        most_iterations: int,
        solves_of_a_step: int,
        about_state: bool,
        narrow: bool,
    ) -> None: ...
    @property
    def iterations(self) -> int: ...
    @property
    def solves(self) -> int: ...
    @property
    def residual(self) -> float: ...

helmholtz_preconditioners: dict[str, Any]

helmholtz_methods: dict[str, Any]

ground: dict[str, Any]

def hybrid_reference(
    a: Sequence[float],
    b: Sequence[float],
    pressure: float = 100000.0,
    temperature: float = 350.0,
    gas_constant: float = 287.0,
    heat_capacity: float = 1004.5,
) -> dict[str, Any]:
    """linear operators of the semi-implicit scheme; matrices row by row"""

def compressible_reference(
    a: Sequence[float],
    b: Sequence[float],
    beta: float,
    pressure: float = 100000.0,
    temperature: float = 350.0,
    acoustic_temperature: float = 100.0,
    gas_constant: float = 287.0,
    heat_capacity: float = 1004.5,
) -> dict[str, Any]:
    """linear operators of compressible air; matrices row by row, the acceleration L by its
    diagonals
    """

class KDistribution:
    """tables of a correlated-k gas optics"""

    @property
    def gpoints(self) -> int: ...
    @property
    def bands(self) -> int: ...
    @property
    def longwave(self) -> bool: ...
    @property
    def aerosols(self) -> int: ...

def sun_direction(days: float) -> list[float]:
    """to the sun, seen from the rotating Earth; days since 2000-01-01 12:00"""

def k_distribution(tables: dict[str, Any]) -> KDistribution:
    """from arrays as fathom.atmosphere.radiation makes them"""

def radiative_fluxes(
    tables: KDistribution,
    arrays: dict[str, Any],
    precision: int,
    angles: int,
    overlap: int,
    decorrelation: float,
    water_factors: Sequence[float],
    key: int,
) -> tuple[Any, ...]:
    """(up, down, other), each (column, interface); other: the emission of the ground that
    arrives, or the beam
    """

def rrtmgp_process(
    thermal: KDistribution,
    solar: KDistribution,
    mole_fraction_thermal: Sequence[float],
    mole_fraction_solar: Sequence[float],
    parameters: Mapping[str, float],
    water_factors: Sequence[float],
    precision: int,
    in_time: Sequence[Sequence[int]] = [],
) -> Process:
    """in_time: of gases that fields give their numbers in the tables of both, and rows of
    aerosols
    """

class RandomPattern(GlobalProcess):
    """A smooth random field on the sphere, or the wind of which it is the streamfunction; waves
    are AR(1) processes in time. scales: (time [s], standard deviation of a wave n, from 0
    on).
    """

    def __init__(
        self,
        name: str,
        fields: Sequence[str],
        units: str,
        scales: Sequence[tuple[float, Sequence[float]]],
        seed: int,
        radius: float,
        step: float,
    ) -> None: ...
    @property
    def member(self) -> int:
        """whose pattern it makes"""

    @member.setter
    def member(self, arg: int, /) -> None: ...
    def waves(self, step: int) -> list[float]:
        """coefficients of cos and sin of all waves after so many steps, by n, then m"""

class BufrTables:
    """Tables B and D of BUFR: elements (n, 6): descriptor, scale, reference, width, text, code."""

    def __init__(
        self, elements: NDArray[numpy.int64], sequences: Mapping[int, Sequence[int]]
    ) -> None: ...

class BufrMessage:
    """What sections 0, 1 and 3 of a message say."""

    @property
    def offset(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def edition(self) -> int: ...
    @property
    def category(self) -> int: ...
    @property
    def centre(self) -> int: ...
    @property
    def subcentre(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def local(self) -> int: ...
    @property
    def subsets(self) -> int: ...
    @property
    def problem(self) -> str: ...

class BufrRoles:
    """Which descriptors are coordinates, headers, data."""

    def __init__(
        self,
        slots: Mapping[int, int],
        headers: Mapping[int, int],
        names: Mapping[int, int],
        observed: Sequence[int],
        slot_count: int,
        header_count: int,
        name_count: int,
    ) -> None: ...

def interpolate_optimally(
    length: float,
    height: float,
    background_error: float,
    targets: NDArray[numpy.float64],
    target_height: NDArray[numpy.float64],
    observations: NDArray[numpy.float64],
    observation_height: NDArray[numpy.float64],
    departure: NDArray[numpy.float64],
    error: NDArray[numpy.float64],
    neighbours: NDArray[numpy.int32],
    threads: int = 1,
) -> tuple[Any, ...]:
    """increments at the targets and the deviations of their errors"""

observation_operators: list[Any]

class ObservedColumns:
    """Columns (n, 4 layers + 2): temperature, humidity, winds of the layers from the top down,
    surface pressure, skin temperature.
    """

    def __init__(
        self,
        a: NDArray[numpy.float64],
        b: NDArray[numpy.float64],
        columns: NDArray[numpy.float64],
        ground: NDArray[numpy.float64],
        level: NDArray[numpy.float64],
        roughness: NDArray[numpy.float64],
    ) -> None: ...
    def apply(self, name: str, threads: int = 1) -> Any:
        """what is observed (n)"""

    def tangent(self, name: str, change: NDArray[numpy.float64], threads: int = 1) -> Any:
        """its change (n) by those of the columns"""

    def adjoint(self, name: str, value: NDArray[numpy.float64], threads: int = 1) -> Any:
        """adjoints of the columns by those of the data"""

radiance_predictors: int

class Radiometer:
    """Regression of microwave optical depths."""

    def __init__(
        self,
        pressure: NDArray[numpy.float64],
        temperature: NDArray[numpy.float64],
        humidity: NDArray[numpy.float64],
        frequency: NDArray[numpy.float64],
        values: NDArray[numpy.float64],
    ) -> None: ...
    def apply(
        self,
        columns: NDArray[numpy.float64],
        channel: NDArray[numpy.int32],
        emissivity: NDArray[numpy.float64],
        secant: NDArray[numpy.float64],
        threads: int = 1,
    ) -> Any: ...
    def tangent(
        self,
        columns: NDArray[numpy.float64],
        channel: NDArray[numpy.int32],
        emissivity: NDArray[numpy.float64],
        secant: NDArray[numpy.float64],
        change: NDArray[numpy.float64],
        threads: int = 1,
    ) -> Any: ...
    def adjoint(
        self,
        columns: NDArray[numpy.float64],
        channel: NDArray[numpy.int32],
        emissivity: NDArray[numpy.float64],
        secant: NDArray[numpy.float64],
        value: NDArray[numpy.float64],
        threads: int = 1,
    ) -> Any: ...

def bufr_index(file: bytes, part: int = 0, parts: int = 1) -> list[BufrMessage]:
    """the messages of a file's bytes, or one of some parts of them with equally many bytes"""

def bufr_read(
    file: bytes,
    messages: Sequence[BufrMessage],
    tables: Sequence[BufrTables],
    roles: BufrRoles,
    threads: int = 1,
) -> tuple[Any, ...]:
    """rows of data and, for each message, what is wrong with it"""

class MeasuredSums:
    """The divergence of a five-point upwind flux and two adjoints of it: by sums of slots, and
    by scatter of one thread; to measure them.
    """

    def __init__(self, nx: int, ny: int, levels: int) -> None: ...
    def forward(self) -> None: ...
    def sums(self) -> None: ...
    def scatter(self) -> None: ...
    @property
    def difference(self) -> float:
        """of both adjoints, by the largest"""

    @property
    def points(self) -> float: ...

class MeasuredLayouts:
    """The operator of the free surface on rectangles, on cells with water, on water alone; to
    measure them.
    """

    def __init__(self, wet: NDArray[numpy.uint8]) -> None:
        """wet: (rows, points), uint8"""

    def product(self, layout: str) -> float:
        """seconds of one product: rectangle, cells or water"""

    def bytes(self, layout: str) -> float:
        """that a product moves"""

    def result(self, layout: str) -> list[float]:
        """of the last product, at the water in the order of rows"""

class Interruptions:
    """Interrupts this process, while it lives, so many times a second for so long [s]; together:
    at the same moments on all ranks.
    """

    def __init__(self, frequency: float, duration: float, together: bool) -> None: ...
    @property
    def count(self) -> int: ...
