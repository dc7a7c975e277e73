# What mount-scripts/bench-sync and sync-large are made of: sourced, never run.
# shellcheck shell=bash
# `scratch`, `mounts` and `binaries` are of the scripts that source this.
# shellcheck disable=SC2154

row() { printf '%-64s %9s %14s\n' "$1" "$2" "$3"; }

# In nanoseconds, and the seconds since then.
now() { date +%s%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }'; }
mebibytes() { awk -v n="$1" 'BEGIN { printf "%.2f", n / 1048576 }'; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# need_programs PRODUCT…: in $binaries; those of APPHOME_BINARIES, or built.
need_programs() {
    [[ -n ${APPHOME_BINARIES:-} ]] || build_release "$@"
    binaries=${APPHOME_BINARIES:-$binaries}
}

# on DEVICE ARGUMENTS…: apphome for that device.
on() {
    local name=$1
    shift
    APPHOME_DEVICE=$scratch/$name/device "$binaries/apphome" "$@"
}

# device NAME KIND APP…: with a store of that kind.
device() {
    local name=$1 kind=$2 app
    shift 2
    mkdir "$scratch/$name"
    for app in "$@"; do on "$name" new "$app" >/dev/null; done
    on "$name" device set quota 1000G >/dev/null
    if [[ $kind == folder ]]; then
        on "$name" cloud account set "file://$scratch/store" >/dev/null
    else
        start_seaweed
        on "$name" cloud account set "$seaweed_url" >/dev/null
    fi
}

start_seaweed() {
    [[ -z ${seaweed_url:-} ]] || return 0
    local line
    while IFS= read -r line; do
        case $line in
        url=*) seaweed_url=${line#url=} ;;
        metrics=*) seaweed_metrics=${line#metrics=} ;;
        pid=*) seaweed_pid=${line#pid=} ;;
        AWS_*) export "${line?}" ;;
        esac
    done < <("$repository/mount-scripts/seaweed" start "$scratch/seaweed")
}

# A stopped server: connections are neither refused nor answered by anybody else.
seaweed_pause() { kill -STOP "$seaweed_pid"; }
seaweed_resume() { kill -CONT "$seaweed_pid"; }

# mount_app DEVICE APP [SUFFIX] [OPTION…]
mount_app() {
    local name=$1 app=$2 point=$mounts/$1${3:+.$3}
    shift 2
    [[ $# -eq 0 ]] || shift
    on "$name" mount "$app" "$point" "$@" >/dev/null
}

unmount_app() { on "$1" unmount --wait=60 "$mounts/$1${2:+.$2}" >/dev/null; }

# remove_device NAME: with its mounts, and the account's store when it is the last.
remove_device() {
    local point
    while IFS= read -r point; do
        on "$1" unmount --wait=0 "$point" >/dev/null 2>&1 || true
    done < <(mounts_below "$mounts" | grep -E "^$mounts/$1(\.|$)" || true)
    rm -rf -- "${scratch:?}/$1"
    local rest
    rest=$(find "$scratch" -mindepth 2 -maxdepth 2 -name device | head -n 1)
    if [[ -z $rest ]]; then
        rm -rf -- "$scratch/store"
        if [[ -n ${seaweed_url:-} ]]; then "$repository/mount-scripts/seaweed" stop "$scratch/seaweed"; fi
        seaweed_url=
    fi
}

clean_up() {
    local name
    jobs -p | xargs -r kill 2>/dev/null || true
    if [[ -n ${seaweed_url:-} ]]; then seaweed_resume || true; fi
    for name in one two on off; do
        if [[ -d $scratch/$name ]]; then remove_device "$name"; fi
    done
    if [[ -z $(mounts_below "$scratch") ]]; then rm -rf -- "$scratch"; fi
}

# Waits until nothing is left to do, in either direction.
sync_all() { on "$1" cloud sync "$2" --wait >/dev/null; }

documents_of() { printf '%s/Documents\n' "$(on "$1" info "$2" | awk '$1 == "home" { print $2 }')"; }

daemon_of() {
    local pid
    for pid in $(pgrep -f "apphome daemon $scratch/$1/device"); do echo "$pid" && return; done
}

# fill DIRECTORY COUNT PER: small documents, in folders of so many.
fill() {
    mkdir -p -- "$1"
    awk -v top="$1" -v count="$2" -v per="$3" 'BEGIN {
        for (d = 0; d < count / per; d++) {
            folder = sprintf("%s/folder %05d", top, d)
            system("mkdir \"" folder "\"")
            for (i = 0; i < per; i++) {
                file = sprintf("%s/document %05d.txt", folder, i)
                printf "document %d of folder %d\n", i, d > file
                close(file)
            }
        }
    }'
}

# watch_memory DEVICE: prints the process that keeps the daemon's peak of anonymous memory.
watch_memory() {
    local pid
    pid=$(daemon_of "$1")
    (
        peak=0
        while read -r kib < <(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null); do
            if [[ $kib -gt $peak ]]; then peak=$kib && echo "$peak" >"$scratch/peak"; fi
            sleep 0.2
        done
    ) >/dev/null 2>&1 &
    echo $!
}

end_watch() {
    kill "$1" 2>/dev/null || true
    awk '{ printf "%.0f", $1 / 1024 }' "$scratch/peak"
}

cpu_ticks() { awk '{ print $14 + $15 }' "/proc/$(daemon_of "$1")/stat"; }
cpu_seconds() { awk -v ticks="$(cpu_ticks "$1")" 'BEGIN { printf "%.1f", ticks / 100 }'; }
context_switches() {
    cat "/proc/$(daemon_of "$1")"/task/*/status | awk '/ctxt_switches/ { sum += $2 } END { print sum }'
}

status_milliseconds() {
    local start
    start=$(now)
    on "$1" cloud status >/dev/null
    echo $((($(now) - start) / 1000000))
}

# slowest_status DEVICE PID: asked each half second until that process ends.
slowest_status() {
    local worst=0 took
    while kill -0 "$2" 2>/dev/null; do
        took=$(status_milliseconds "$1")
        if [[ $took -gt $worst ]]; then worst=$took; fi
        sleep 0.5
    done
    echo "$worst"
}

# stored_bytes KIND: SeaweedFS's volumes only grow.
stored_bytes() {
    local where=("$scratch/store" -type f)
    [[ $1 == folder ]] || where=("$scratch/seaweed/data" -name '*.dat')
    find "${where[@]}" -printf '%s\n' | awk '{ sum += $1 } END { printf "%.0f", sum }'
}

newest_commit_bytes() { stat -c %s "$(find "$scratch/store/v1/a" -path '*/log/*' | sort | tail -n 1)"; }

requests() {
    if [[ $1 == folder ]]; then echo 0 && return; fi
    curl -s "$seaweed_metrics" |
        awk -v kind="${2:-}" '/^SeaweedFS_s3_request_total/ && index($0, kind) { sum += $NF }
            END { printf "%.0f", sum }'
}

puts() {
    if [[ $1 == s3 ]]; then requests s3 'type="PUT"'; else find "$scratch/store" -type f | wc -l; fi
}

wait_for() {
    local deadline=$((SECONDS + 600))
    until [[ -e $1 ]]; do
        ((SECONDS < deadline)) || fail "$1 did not come"
        sleep 0.01
    done
}

# save_latencies COUNT: milliseconds from the end of a save until the other device shows it, each.
save_latencies() {
    local index start
    for ((index = 0; index < $1; index++)); do
        echo "saved $index" >"$mounts/one/Documents/save $index"
        start=$(now)
        wait_for "$mounts/two/Documents/save $index"
        echo $((($(now) - start) / 1000000))
        sleep 0.$((RANDOM % 900 + 100))
    done
}

# bench LABEL=DEVICE… -- OPTION…: apphome-bench's medians, a line each: workload, directory, microseconds.
bench() {
    local directories=()
    while [[ $1 != -- ]]; do
        directories+=("${1%%=*}=$mounts/${1#*=}/Documents@$(daemon_of "${1#*=}")")
        shift
    done
    "$binaries/apphome-bench" "${directories[@]}" "${@:2}" --pin no --json \
        --only create+write+close --only rename --only 'write large' --size-mib 256 |
        awk -F '"' '/"directory"/ { directory = $4 } /"median"/ { split($3, value, /[ :,]+/) }
            /"unit"/ { isRate = $4 ~ /mebibytes/ }
            /"workload"/ { print $4 "\t" directory "\t" (isRate ? 1e6 / value[2] : value[2]) }'
}

# ratios FILE: of the medians of `on` to those of `native`, by workload.
ratios() {
    local workload
    cut -f 1 "$1" | sort -u | while IFS= read -r workload; do
        awk -F '\t' -v on="$(of "$1" "$workload" on | median)" \
            -v off="$(of "$1" "$workload" native | median)" -v name="$workload" \
            'BEGIN { printf "%s %.2f\n", name, on / off }'
    done
}
of() { awk -F '\t' -v workload="$2" -v label="$3" '$1 == workload && $2 == label { print $3 }' "$1"; }

# compare ROUNDS: both homes in turn.
compare() {
    bench native=off on=on -- --rounds "$1" >"$scratch/samples"
    ratios "$scratch/samples"
}

# compare_with_upload ROUNDS: one home at rest, then the other while large files go up, and so on.
compare_with_upload() {
    local round
    : >"$scratch/samples"
    for ((round = 0; round < $1; round++)); do
        bench native=off -- --rounds 3 >>"$scratch/samples"
        random_bytes "upload $round" 1500M >"$mounts/on.Files/Documents/upload"
        sync -f "$mounts/on.Files/Documents"
        # It goes up a second after its last change.
        sleep 1.5
        bench native=on -- --rounds 3 | sed 's/\tnative\t/\ton\t/' >>"$scratch/samples"
        sync_all on Files
    done
    ratios "$scratch/samples"
}
