# Sourced after setting.sh: a tree of everything that a file system holds, and its description.
# shellcheck shell=bash disable=SC2154

# make_tree DIR
make_tree() {
    mkdir -p "$1/folder/deep/deeper" "$1/empty" "$1/shared"
    local tree=$1 index
    for index in {1..200}; do printf 'file %s\n' "$index" >"$tree/folder/file-$index"; done
    head -c 3000000 /dev/zero | openssl enc -aes-128-ctr -K 00112233445566778899aabbccddeeff \
        -iv 00000000000000000000000000000000 2>/dev/null >"$tree/folder/deep/random"
    truncate -s 40M "$tree/sparse"
    printf 'middle' | dd of="$tree/sparse" bs=1 seek=20000000 conv=notrunc status=none
    : >"$tree/$(printf 'n%.0s' {1..255})"
    printf 'spaces and\nnewline' >"$tree/a name with spaces"
    printf 'x' >"$tree/"$'new\nline'
    printf 'e' >"$tree/Crêpes"
    ln -s folder/file-1 "$tree/link"
    ln -s /nowhere/at/all "$tree/dangling"
    ln "$tree/folder/file-2" "$tree/hard"
    ln "$tree/folder/file-2" "$tree/folder/deep/deeper/harder"
    mkfifo "$tree/fifo"
    chmod 700 "$tree/folder/deep"
    chmod 2755 "$tree/shared"
    chmod 1777 "$tree/empty"
    chmod 400 "$tree/folder/file-3"
    chmod 755 "$tree/folder/file-4"
    if [[ $EUID -eq 0 ]]; then
        chown 1234:5678 "$tree/folder/file-5"
        chown -h 1234:5678 "$tree/link"
        chmod 4755 "$tree/folder/file-6"
    fi
    setfattr -n user.note -v 'kept' "$tree/folder/file-7"
    setfattr -n user.bytes -v 0x00ff00 "$tree/folder/file-7"
    setfattr -n user.folder -v 'too' "$tree/folder/deep"
    if [[ $apple_attributes == yes ]]; then
        setfattr -n user.com.apple.MobileBackup -v 0x01 "$tree/folder/file-8"
    fi
    touch -h -d '2001-02-03 04:05:06.123456789 UTC' "$tree/folder/file-9" "$tree/link"
    touch -d '1999-12-31 23:59:59 UTC' "$tree/shared"
}

# describe_tree DIR: type, mode, owner, links, size, time, target, content and attributes of everything.
# Sizes of directories differ between file systems, and times below a second where `tar` has to cut them.
describe_tree() (
    cd -- "$1" || exit
    find . -mindepth 1 -type d -printf '%P %y %m %U:%G %TY-%Tm-%Td %TH:%TM:%.2TS\n' | sort
    find . -mindepth 1 ! -type d -printf '%P %y %m %U:%G %n %s %TY-%Tm-%Td %TH:%TM:%.2TS %l\n' | sort
    find . -type f -print0 | sort -z | xargs -0 sha256sum
    find . -print0 | sort -z |
        xargs -0 getfattr --no-dereference --dump --match='^user\.' --encoding=hex -- 2>/dev/null
)
