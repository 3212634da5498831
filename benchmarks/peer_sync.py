"""Runs inside the published package's environment: its sync on the same notes.

Usage: peer_sync.py MEMORY_DIR REMOTE
Its command also rebuilds the index after every sync; that is not counted here.
"""

# mypy: ignore-errors
import json
import resource
import sys
import time

from anamnesis.sync import GitSyncBackend


def cpu(work):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.process_time()
    work()
    own = time.process_time() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own + after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(memory_dir, remote):
    backend = GitSyncBackend(memory_dir, remote=remote, machine_id="peer")
    backend.sync()
    print(json.dumps({"nothing": min(cpu(backend.sync) for _ in range(7))}))


main(*sys.argv[1:])
