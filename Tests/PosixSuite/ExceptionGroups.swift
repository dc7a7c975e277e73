/// Where a mount under the Simulator's names differs besides.
extension Exception {
    static let ofSimulatorNames: [Exception] = [
        Exception(
            "case is no difference",
            reason: "names that differ by case alone are one, as on a Mac's usual volume",
            (
                "name/case makes two",
                [
                    Pair(
                        "create ok; create ok; list README.txt readme.txt; contents '1'; mkdir ok; mkdir ok; "
                            + "list D/ README.txt d/ readme.txt",
                        mount:
                            "create ok; create ok; list README.txt; contents '2'; mkdir ok; mkdir EEXIST; "
                            + "list D/ README.txt")
                ]
            ),
            (
                "name/of letters that are like others",
                [
                    Pair(
                        "create ok; create ok; create ok; create ok; create ok; list %C4%B1 %C5%BF I i s",
                        mount:
                            "create ok; create ok; create ok; create ok; create ok; list %C4%B1 %C5%BF I")
                ]
            ),
            (
                "rename/two files of different case",
                [
                    Pair(
                        "create ok; create ok; list A a; contents '1'; rename ok; list A; contents '1'",
                        mount: "create ok; create ok; list a; contents '2'; rename ok; list a; contents '2'")
                ]
            )),
        Exception(
            "rename to another case",
            reason:
                "as between two spellings: the kernel answers with success and does nothing, where a Mac "
                + "would store the other case",
            (
                "rename/case of a letter",
                [
                    Pair(
                        "create ok; rename ok; list README; open ENOENT",
                        mount: "create ok; rename ok; list Readme; open ok")
                ]
            )),
    ]
}

/// The kinds of exceptions that show in several cases.
extension Exception {
    static let deviceNodes = Exception(
        "own device nodes",
        reason: "every mount is nodev and no app may make device nodes, so none is made: EPERM",
        (
            "special/device node of one's own",
            [
                Pair(
                    "mknod ok; stat character device 0644 device 259; open ok",
                    mount: "mknod EPERM; stat ENOENT; open ENOENT"),
                Pair("mknod EPERM; stat ENOENT; open ENOENT", mount: "mknod EPERM; stat ENOENT; open ENOENT"),
            ]
        ),
        (
            "special/whiteout node",
            [Pair("mknod ok; stat character device device 0", mount: "mknod EPERM; stat ENOENT")]
        ))

    static let accessTimes = Exception(
        "access time of cached reads",
        reason:
            "a read that the kernel answers from its cache, or knows to be past the end, sends no request",
        ("atime/read of fresh bytes", [atime("open ok; write 1; pread 'x'; f:")]),
        (
            "atime/second read of a cached page, as the file system knows it",
            [atime("open ok; fill 4096; pread 'x'; utimens ok; pread 'x'; chmod ok; f:")]
        ),
        ("atime/read of an empty file", [atime("create ok; contents ''; f:")]),
        ("atime/map that is read", [atime("open ok; fill 4096; mmap ok; peek 'x'; f:")]))

    private static func atime(_ steps: String) -> Pair {
        Pair("\(steps) atime moved", mount: "\(steps) atime moved", "\(steps) no time moved")
    }

    static let unalignedDirect = Exception(
        "unaligned O_DIRECT",
        reason:
            "FUSE hands direct I/O of any alignment to the file system, which does it through its own cache",
        (
            "direct/unaligned offset",
            [
                direct(
                    "open ok; write 4096;", plain: "write EINVAL; read EINVAL", mount: "write 4096; read 4096"
                )
            ]
        ),
        (
            "direct/unaligned count",
            [direct("open ok; write 4096;", plain: "write EINVAL; read EINVAL", mount: "write 100; read 100")]
        ),
        (
            "direct/unaligned buffer",
            [direct("open ok;", plain: "write EINVAL; stat size 0", mount: "write 4096; stat size 4096")]
        ))

    private static func direct(_ steps: String, plain: String, mount: String) -> Pair {
        Pair("\(steps) \(plain)", mount: "\(steps) \(mount)", "\(steps) \(plain)")
    }

    static let accessLists = Exception(
        "ACLs",
        reason:
            "without FUSE_POSIX_ACL the kernel would have lists stored and not check them: refused instead",
        (
            "acl/set on a file",
            [
                Pair(
                    "create ok; set acl ok; listxattr system.posix_acl_access; stat 0670",
                    mount: "create ok; set acl EOPNOTSUPP; listxattr nothing; stat 0644")
            ]
        ),
        (
            "acl/default set on a directory",
            [
                Pair(
                    "mkdir ok; set acl ok; listxattr system.posix_acl_default; create ok; "
                        + "listxattr system.posix_acl_access",
                    mount: "mkdir ok; set acl EOPNOTSUPP; listxattr nothing; create ok; listxattr nothing")
            ]
        ),
        (
            "acl/none there",
            [Pair("create ok; getxattr ENODATA", mount: "create ok; getxattr EOPNOTSUPP")]
        ),
        (
            "acl/removed where none is",
            [Pair("create ok; removexattr ok", mount: "create ok; removexattr EOPNOTSUPP")]
        ))

    static let renamedSpelling = Exception(
        "rename between two spellings",
        reason:
            "two spellings are two dentries of one inode: the kernel answers a rename between them with "
            + "success and does nothing",
        (
            "name/renamed from one spelling to another",
            [
                Pair(
                    "create ok; rename ok; list cafe%CC%81",
                    mount: "create ok; rename ok; list caf%C3%A9")
            ]
        ))

    static let invalidNames = Exception(
        "invalid UTF-8",
        reason: "names on iOS are UTF-8: other bytes are EILSEQ in every call that takes a name",
        (
            "name/that is no UTF-8",
            [
                Pair(
                    "create ok; stat file; list a%FF%FE",
                    mount: "create EILSEQ; stat EILSEQ; list nothing")
            ]
        ),
        (
            "name/that is no UTF-8, in every call",
            [
                Pair(
                    "create ok; mkdir ok; symlink ok; link ok; rename ok; mknod ok; open ENOENT; "
                        + "list %FFd/ %FFh %FFl@ %FFp| %FFr",
                    mount:
                        "create ok; mkdir EILSEQ; symlink EILSEQ; link EILSEQ; rename EILSEQ; mknod EILSEQ; "
                        + "open EILSEQ; list f")
            ]
        ),
        (
            "name/that is UTF-8 cut short",
            [
                Pair(
                    "create ok; create ok; create ok; list %C0%AF %ED%A0%80 a%E6%97",
                    mount: "create EILSEQ; create EILSEQ; create EILSEQ; list nothing")
            ]
        ))
}
