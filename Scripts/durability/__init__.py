"""Tests that events survive killed processes and full or read-only disks. They run the program `durability`."""
