# Sourced by each program: where it works. A program prints what must be the same on every file system, and
# everything else on standard error.
# shellcheck shell=bash disable=SC2034

# An empty folder of the file system under test, and one outside of it.
work=${1:?the folder under test}
scratch=${2:?a folder outside of it}
repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
# quick: seconds in all; usual; long: minutes each.
length=${PROGRAMS_LENGTH:-usual}
# Some programs copy what only certain mounts list (--xattr-list user).
apple_attributes=${PROGRAMS_APPLE_XATTRS:-no}

export LC_ALL=C
umask 022

# by_length QUICK USUAL LONG: the one that this run asks for.
by_length() {
    case $length in
    quick) echo "$1" ;;
    long) echo "$3" ;;
    *) echo "$2" ;;
    esac
}
