"""The memory that is left: that of the machine, or less in a job with a limit of its own."""

import pytest

from fathom.base import machine

gigabyte = 1 << 30


def tree(root, groups, files):
    """A root with 64 GB of memory, the control groups of a process, and files."""
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/meminfo").write_text(f"MemTotal: 1 kB\nMemAvailable: {64 << 20} kB\n")
    (root / "proc/self/cgroup").write_text(groups)
    for name, value in files.items():
        path = root / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")
    return root


def second(path, limit, used, cached):
    """Files of a group of version 2."""
    return {
        f"{path}/memory.max": limit,
        f"{path}/memory.current": used,
        f"{path}/memory.stat": f"anon 5\ninactive_file {cached}",
    }


job = second("slurm/job_7", 8 * gigabyte, 3 * gigabyte, gigabyte)
step = second("slurm/job_7/step_0", "max", 2 * gigabyte, 0)
first = {
    "memory/job/memory.limit_in_bytes": 4 * gigabyte,
    "memory/job/memory.usage_in_bytes": gigabyte,
    "memory/job/memory.stat": "inactive_file 7\ntotal_inactive_file 0",
    "memory/memory.limit_in_bytes": 9223372036854771712,
    "memory/memory.usage_in_bytes": gigabyte,
    "memory/memory.stat": "total_inactive_file 0",
}


@pytest.mark.parametrize(
    "groups, files, left",
    [
        ("0::/slurm/job_7/step_0\n", step | job, 6),  # 8 - 3 + 1, of the group around it
        ("0::/slurm/job_7/step_0\n", step, 64),
        ("0::/\n", second(".", 2 * gigabyte, 3 * gigabyte, 0), 0),  # in a container; too much used
        ("3:cpu:/x\n2:pids,memory:/job\n0::/\n", first, 3),
        ("", {}, 64),
        ("0::/gone\n", {}, 64),
    ],
)
def test_least_of_machine_and_job(tmp_path, groups, files, left):
    assert machine.free_memory(tree(tmp_path, groups, files)) == left * gigabyte


def test_where_nothing_is_told(tmp_path):
    assert machine.free_memory(tmp_path) == 4e9
