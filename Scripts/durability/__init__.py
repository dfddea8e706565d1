"""Proofs that events survive: killed processes, full and read-only disks. They run the program `durability`."""
