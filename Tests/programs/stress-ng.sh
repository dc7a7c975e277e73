#!/usr/bin/env bash
# stress-ng: its file system class, one stressor after the other. None may fail that does not fail elsewhere.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

total_seconds=${PROGRAMS_STRESS_SECONDS:-$(by_length 20 120 600)}
if [[ $length == quick ]]; then
    stressors=(chmod chown copy-file dentry dir dup fallocate fcntl flock fpunch fstat getdent hdd link
        lockf lockofd open rename symlink touch utime xattr)
else
    read -ra stressors < <(stress-ng --class 'filesystem?' 2>&1 | sed -n "s/^class .* stressors: //p")
fi
seconds=$(((total_seconds + ${#stressors[@]} - 1) / ${#stressors[@]}))
which=$(IFS=,; echo "${stressors[*]}")

cd "$scratch"
status=0
stress-ng --with "$which" --sequential 1 --timeout "${seconds}s" --temp-path "$work" --verify \
    >"$scratch/log" 2>&1 || status=$?
echo "exit status $status"
# "stress-ng: fail:  [pid] name: what": without the process's number.
grep -E ' fail: ' "$scratch/log" | sed -E 's/\[[0-9]+\] *//' | sort | uniq >"$scratch/failures" || true
cat "$scratch/failures"
# What is skipped depends on the file system and is no failure; it is listed.
grep -i -E 'skip' "$scratch/log" | sed -E 's/\[[0-9]+\] *//' | sort -u >&2 || true
