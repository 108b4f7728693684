"""A Ray cluster of two nodes on this machine, in a process of its own: its end is the cluster's.

Says the address; a line on stdin kills the node that is not the head, with its workers.
"""

import sys

from ray.cluster_utils import Cluster

_NODE = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 * 2**20}


def main() -> None:
    """Keep the cluster until stdin ends."""
    cluster = Cluster(initialize_head=True, head_node_args=_NODE)
    other = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    sys.stdout.write(f"{cluster.address}\n")
    sys.stdout.flush()
    for _ in sys.stdin:
        cluster.remove_node(other, allow_graceful=False)
        sys.stdout.write("killed\n")
        sys.stdout.flush()
        break
    sys.stdin.read()
    cluster.shutdown()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
