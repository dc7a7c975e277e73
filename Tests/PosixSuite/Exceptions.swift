/// The written list: where a mount differs from ext4, why, and what exactly it shows.
///
/// Two outcomes of one pair are the two ways in which data is served: through the kernel's cache, or passed
/// through to the backing file, which then answers as ext4 itself.
extension Exception {
    static let all: [Exception] = [
        Exception(
            "O_TMPFILE",
            reason: "libfuse 3.14 has no operation for FUSE_TMPFILE: the kernel's request gets ENOSYS",
            (
                "open/temporary file",
                [Pair("mkdir ok; open ok; list nothing", mount: "mkdir ok; open EOPNOTSUPP; list nothing")]
            ),
            (
                "open/temporary file given a name",
                [
                    Pair(
                        "open ok; write 3; link descriptor ok; list named",
                        mount: "open EOPNOTSUPP; write EBADF; link descriptor ENOENT; list nothing")
                ]
            )),
        Exception(
            "COLLAPSE_RANGE and INSERT_RANGE",
            reason:
                "the kernel's FUSE passes on KEEP_SIZE, PUNCH_HOLE and ZERO_RANGE, no other fallocate mode",
            (
                "fallocate/collapses",
                [
                    Pair(
                        "open ok; fill 16384; fallocate ok; stat size 12288",
                        mount: "open ok; fill 16384; fallocate EOPNOTSUPP; stat size 16384")
                ]
            ),
            (
                "fallocate/inserts",
                [
                    Pair(
                        "open ok; fill 16384; fallocate ok; stat size 20480",
                        mount: "open ok; fill 16384; fallocate EOPNOTSUPP; stat size 16384")
                ]
            )),
        Exception(
            "FS_IOC_GETFLAGS", reason: "inode flags are asked for by FUSE_IOCTL, which is not served: ENOTTY",
            (
                "stat/inode flags",
                [Pair("create ok; open ok; getflags ok", mount: "create ok; open ok; getflags ENOTTY")]
            )
        ),
        Exception(
            "names of more than 255 bytes", reason: "iOS takes 255 UTF-16 units, and so does a home",
            (
                "name/of 86 characters of three bytes",
                [Pair("create ENAMETOOLONG", mount: "create ok")]
            )),
        Exception(
            "FIEMAP", reason: "FUSE inodes have no fiemap operation: the kernel answers alone",
            (
                "stat/extents",
                [
                    Pair(
                        "open ok; fill 4096; fsync ok; fiemap 1 extents",
                        mount: "open ok; fill 4096; fsync ok; fiemap EOPNOTSUPP")
                ]
            )),
        Exception(
            "RENAME_WHITEOUT",
            reason: "it makes a device node (a whiteout), which a home does not hold: EINVAL",
            (
                "rename2/whiteout",
                [
                    Pair(
                        "create ok; rename whiteout ok; list f% g",
                        mount: "create ok; rename whiteout EINVAL; list f")
                ]
            )),
        deviceNodes, accessTimes, unalignedDirect,
        Exception(
            "birth time",
            reason: "libfuse 3.14 has no operation for FUSE_STATX: the kernel knows no birth time",
            (
                "stat/birth time",
                [
                    Pair(
                        "create ok; birth time known; mkdir ok; birth time known",
                        mount: "create ok; birth time unknown; mkdir ok; birth time unknown")
                ]
            )),
        accessLists,
    ]
}
