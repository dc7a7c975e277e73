#!/usr/bin/env bash
# stress-ng: its file system class, one stressor after the other. None may fail that does not fail elsewhere.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

read -ra stressors < <(stress-ng --class 'filesystem?' 2>&1 | sed -n "s/^class .* stressors: //p")
excluded=()
if [[ $length == quick ]]; then
    # The rest makes the kernel slow to end, or looks at other file systems.
    wanted=' chmod copy-file dentry dir fallocate fcntl flock fpunch fstat getdent link rename utime xattr '
    for stressor in "${stressors[@]}"; do
        [[ $wanted == *" $stressor "* ]] || excluded+=("$stressor")
    done
fi
count=$((${#stressors[@]} - ${#excluded[@]}))
total_seconds=${PROGRAMS_STRESS_SECONDS:-$(by_length "$count" 120 600)}
seconds=$(((total_seconds + count - 1) / count))

cd "$scratch"
status=0
stress-ng --class filesystem --sequential 1 ${excluded:+--exclude "$(IFS=,; echo "${excluded[*]}")"} \
    --timeout "${seconds}s" --temp-path "$work" --verify >"$scratch/log" 2>&1 || status=$?
# Where it did not begin there is nothing to compare.
grep -q 'dispatching hogs' "$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
echo "exit status of $count stressors: $status"
# "stress-ng: fail:  [pid] name: what": without the process's number.
{ grep -E ' fail: ' "$scratch/log" || true; } | sed -E 's/\[[0-9]+\] *//' | sort -u
# What is skipped depends on the file system and is no failure; it is listed.
{ grep -i -E 'skip' "$scratch/log" || true; } | sed -E 's/\[[0-9]+\] *//' | sort -u >&2
