"""Ranks that SimGrid simulates in one process (Debian: libsimgrid-dev), on nodes of 16 cores or of
one; with links that messages share, or without.
"""

from __future__ import annotations

from pathlib import Path

platform = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="nodes" prefix="n" suffix="" radical="0-{last}" speed="4Gf"
           bw="10GBps" lat="0.3us" loopback_bw="20GBps" loopback_lat="0.2us" core="{cores}"/>
</platform>
"""
without_links = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="nodes" routing="None">
    {hosts}
  </zone>
</platform>
"""
# Each message takes the same time. It ends when none of its bytes are left, and round-off leaves
# some: without the second option, 1e-4 bytes that count as none, it may never end.
constant = ("--cfg=network/model:Constant", "--cfg=maxmin/precision:1e5")
simulated = (
    "--cfg=smpi/simulate-computation:no",
    "--cfg=contexts/factory:raw",
    "--cfg=contexts/guard-size:0",
    "-no-privatize",
    "--log=root.thres:error",
    "--cfg=network/crosstraffic:no",
)


def smpirun(
    folder: Path, ranks: int, *options: str, per_node: int = 16, links: bool = True
) -> list[str]:
    """The command that starts a program on so many ranks; its files are written into `folder`.
    The program and its arguments follow. links: of the network; without them a message takes the
    same time whatever its size, and costs the simulation much less.
    """
    nodes = -(-ranks // per_node)
    cluster, hosts = folder / "platform.xml", folder / "hosts"
    each = (f'<host id="n{n}" speed="4Gf" core="{per_node}"/>' for n in range(nodes))
    cluster.write_text(
        platform.format(last=nodes - 1, cores=per_node)
        if links
        else without_links.format(hosts="\n    ".join(each)),
        encoding="utf-8",
    )
    hosts.write_text("".join(f"n{rank // per_node}\n" for rank in range(ranks)), encoding="utf-8")
    return [
        *("smpirun", *simulated, *options, *(() if links else constant), "-np", str(ranks)),
        *("-hostfile", str(hosts), "-platform", str(cluster)),
    ]
