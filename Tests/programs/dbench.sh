#!/usr/bin/env bash
# dbench: four clients of a file server, as fast as they can.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

seconds=$(by_length 3 20 120)
dbench -D "$work" -t "$seconds" 4 >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; exit 1; }
grep -i -E '^throughput' "$scratch/log" >&2
# Its own complaints leave the exit status at 0.
grep -i -E 'failed|error|mismatch' "$scratch/log" >"$scratch/complaints" || true
cat "$scratch/complaints" >&2
echo "complaints: $(wc -l <"$scratch/complaints")"
