"""Hardware of a network that makes sums or barriers without the processors: which of it is here."""

from __future__ import annotations

from pathlib import Path

# what it is, and the files of a node that has its adapters
known = {
    "InfiniBand, whose switches may sum (SHARP)": ("sys/class/infiniband/*",),
    "Tofu, with barrier gates": ("dev/tofu*", "proc/tofu*", "sys/class/tofu/*"),
    "Slingshot, whose adapters may sum": ("dev/cxi*", "sys/class/cxi/*"),
    "Omni-Path": ("sys/class/infiniband/hfi*",),
    "Blue Gene, with a collective network": ("proc/personality", "dev/bgpers"),
    "Aries or Gemini, with a collective engine": ("dev/kgni*", "sys/class/gni/*"),
}


def found(root: Path = Path("/")) -> list[str]:
    """Returns what a node has of it; root: above dev, proc and sys."""
    return [name for name, files in known.items() if any(any(root.glob(f)) for f in files)]


def told(root: Path = Path("/")) -> str:
    """Returns in one line what sums in hardware are possible here."""
    here = found(root)
    if here:
        return f"{', '.join(here)}: the library of messages may use it; not measured"
    networks = [name.partition(",")[0] for name in known]
    return f"none: no adapter of {', '.join(networks)}"
