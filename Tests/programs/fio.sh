#!/usr/bin/env bash
# fio: random reads and writes, each block verified by its checksum; buffered, mapped and direct.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/setting.sh"

size=$(by_length 16m 128m 1g)

# verify NAME OPTION…
verify() {
    local name=$1
    shift
    # Reads back what it wrote: in the run itself, and once more from the start at its end.
    if fio --name="$name" --directory="$work" --size="$size" --rw=randrw --bs=4k --verify=crc32c \
        --verify_fatal=1 --do_verify=1 --verify_backlog=256 --randseed=7 --fallocate=none \
        --unlink=1 --output="$scratch/$name.log" "$@" </dev/null; then
        echo "$name: verified"
    else
        echo "$name: failed"
        cat "$scratch/$name.log" >&2
        return 1
    fi
}

cd "$scratch"
verify buffered --ioengine=psync
verify mapped --ioengine=mmap
verify direct --ioengine=libaio --direct=1 --iodepth=8
verify synced --ioengine=psync --fsync=32 --size=8m
verify jobs --ioengine=psync --numjobs=2 --size="$(by_length 8m 32m 256m)" --group_reporting
