# The file systems that mount-scripts/bench compares a home with: sourced, never run.
#
# A peer NAME is a function peer_NAME, which calls `serve` with a program that shows $disk/NAME at
# $mounts/NAME and stays in the foreground, and a line in `peer_packages`.
# shellcheck shell=bash
# `disk`, `mounts` and `scratch` are of the script that sources this.
# shellcheck disable=SC2154

examples=/usr/share/doc/libfuse3-dev/examples
# shellcheck disable=SC2034
all_peers=(pll hp hp-unchecked bindfs mergerfs gocryptfs rclone)
declare -A peer_packages=(
    [pll]='gcc libc6-dev' [hp]='g++ libcxxopts-dev' [hp-unchecked]='g++ libcxxopts-dev' [bindfs]=bindfs
    [mergerfs]=mergerfs [gocryptfs]=gocryptfs [rclone]=rclone
)
# The process that serves each mount, by name.
declare -A servers=()

# Users other than the mounter need no leave from root's own mounts.
allow_other() { if [[ $EUID -eq 0 ]]; then printf '%s' "$1"; fi; }

# serve NAME COMMAND…: starts a server and waits until its mount is there. In a session of its own, as a
# home's daemon: the kernel schedules by session (autogroup).
serve() {
    local name=$1
    shift
    setsid "$@" </dev/null >"$scratch/$name.log" 2>&1 &
    servers[$name]=$!
    local waited
    for ((waited = 0; waited < 200; waited++)); do
        if grep -qF " $mounts/$name " /proc/self/mountinfo; then return; fi
        kill -0 "${servers[$name]}" 2>/dev/null || break
        sleep 0.05
    done
    say "$name does not start: $(tail -n 3 "$scratch/$name.log")"
    return 1
}

# compile COMPILER…: with what libfuse's own build finds on Linux.
compile() {
    local flags
    read -ra flags <<<"$(pkg-config --cflags --libs fuse3)"
    "$@" -O2 -w -DHAVE_SETXATTR -DHAVE_UTIMENSAT -DHAVE_FALLOCATE -DHAVE_POSIX_FALLOCATE \
        -DHAVE_COPY_FILE_RANGE "${flags[@]}"
}

# libfuse's example with every cache on, as in its own benchmarks.
peer_pll() {
    compile gcc "$examples/passthrough_ll.c" -o "$scratch/passthrough_ll" || return
    serve pll "$scratch/passthrough_ll" -f "$mounts/pll" \
        -o "source=$disk/pll,cache=always,xattr,default_permissions$(allow_other ,allow_other)"
}

# libfuse's fast example: Debian ships it with some versions only.
# PASSTHROUGH_HP names its source or a program, with options (`-o io_uring` where its libfuse has that).
peer_hp() { serve_hp hp "${PASSTHROUGH_HP:-$examples/passthrough_hp.cc}" PASSTHROUGH_HP; }

# The same without default_permissions: a changed copy of a source; for a program PASSTHROUGH_HP_UNCHECKED
# names another.
peer_hp-unchecked() {
    local named=${PASSTHROUGH_HP_UNCHECKED:-${PASSTHROUGH_HP:-$examples/passthrough_hp.cc}} words
    read -ra words <<<"$named"
    if [[ ${words[0]} == *.cc && -e ${words[0]} ]]; then
        grep -v '"default_permissions"' "${words[0]}" >"$scratch/unchecked_hp.cc"
        named="$scratch/unchecked_hp.cc ${words[*]:1}"
    elif [[ -z ${PASSTHROUGH_HP_UNCHECKED:-} ]]; then
        say "hp-unchecked: PASSTHROUGH_HP_UNCHECKED may name a program without default_permissions"
        return 1
    fi
    serve_hp hp-unchecked "$named" PASSTHROUGH_HP_UNCHECKED
}

# serve_hp NAME 'SOURCE-OR-PROGRAM OPTIONS…' VARIABLE
serve_hp() {
    local command
    read -ra command <<<"$2"
    if [[ $EUID -ne 0 ]]; then
        say "$1: only root may start it"
        return 1
    fi
    if [[ ! -e ${command[0]} ]]; then
        say "$1: ${command[0]} is not there; $3 may name its source or a program"
        return 1
    fi
    if [[ ${command[0]} == *.cc ]]; then
        compile g++ -std=c++17 "${command[0]}" -o "$scratch/$1" -lpthread || return
        command[0]=$scratch/$1
    fi
    say "$1 is ${command[*]}"
    serve "$1" "${command[@]}" --foreground "$disk/$1" "$mounts/$1"
}

peer_bindfs() {
    local options=(-f)
    [[ $EUID -eq 0 ]] || options+=(--no-allow-other)
    serve bindfs bindfs "${options[@]}" "$disk/bindfs" "$mounts/bindfs"
}

# Its page cache is off without cache.files; its reserve of 4 GiB would leave no room on this disk.
# Only root may start Debian's: its own fusermount is not set-user-ID.
peer_mergerfs() {
    serve mergerfs mergerfs -f "$disk/mergerfs" "$mounts/mergerfs" \
        -o "minfreespace=0,cache.files=auto-full$(allow_other ,allow_other)"
}

peer_gocryptfs() {
    printf 'bench\n' >"$scratch/password"
    # A cheap key derivation: it costs at mount only.
    gocryptfs -init -q -scryptn 10 -passfile "$scratch/password" "$disk/gocryptfs" || return
    local options=(-fg -q -nosyslog -passfile "$scratch/password")
    [[ $EUID -ne 0 ]] || options+=(-allow_other)
    serve gocryptfs gocryptfs "${options[@]}" "$disk/gocryptfs" "$mounts/gocryptfs"
}

# A local folder, with no cache of its own, which is its default.
peer_rclone() {
    : >"$scratch/rclone.conf"
    local options=(--config "$scratch/rclone.conf" --vfs-cache-mode off)
    [[ $EUID -ne 0 ]] || options+=(--allow-other)
    serve rclone rclone mount "$disk/rclone" "$mounts/rclone" "${options[@]}"
}

# start_peer NAME: 1 where it cannot run here, which is said.
start_peer() {
    local packages
    read -ra packages <<<"${peer_packages[$1]}"
    install_missing "${packages[@]}"
    mkdir "$disk/$1" "$mounts/$1"
    "peer_$1"
}

# has_ended PID SECONDS: waits that long at most.
has_ended() {
    local waited
    for ((waited = 0; waited < $2 * 20; waited++)); do
        kill -0 "$1" 2>/dev/null || return 0
        sleep 0.05
    done
    return 1
}

# stop_servers: unmounts all that they serve, and ends those that stay.
stop_servers() {
    local name point
    while IFS= read -r point; do unmount_plain "$point"; done < <(mounts_below "$mounts")
    for name in "${!servers[@]}"; do
        has_ended "${servers[$name]}" 5 || kill -KILL "${servers[$name]}" 2>/dev/null || true
        wait "${servers[$name]}" 2>/dev/null || true
    done
    servers=()
}
