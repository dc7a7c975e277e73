internal import Glibc

/// fallocate(2).
let fallocateCases = Case.group(
    "fallocate",
    [
        Case(
            "makes a file longer", .open("f", [.create, .both], as: "a"), .allocate("a", at: 0, 10000),
            .stat("f", [.size, .blocks]), .readFile("f")),
        Case(
            "from an offset", .create("f", "abc"), .open("f", .both, as: "a"), .allocate("a", at: 8192, 4096),
            .size("f"), .pread("a", 5, at: 0)),
        Case(
            "does not make a file shorter", .open("f", [.create, .both], as: "a"), .fill("a", "x", 10000),
            .allocate("a", at: 0, 100), .stat("f", .size), .pread("a", 3, at: 50)),
        Case(
            "keeps the size", .create("f", "abc"), .open("f", .both, as: "a"),
            .allocate("a", .keepSize, at: 0, 65536), .stat("f", [.size, .blocks]), .readFile("f")),
        Case(
            "punches", .open("f", [.create, .both], as: "a"), .fill("a", "x", 16384),
            .allocate("a", [.punchHole, .keepSize], at: 4096, 4096), .readFile("f"), .stat("f", .size)),
        Case(
            "punches parts of pages", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .allocate("a", [.punchHole, .keepSize], at: 100, 5000), .readFile("f")),
        Case(
            "punches past the end", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .allocate("a", [.punchHole, .keepSize], at: 2048, 1 << 20), .readFile("f"), .size("f")),
        Case(
            "punch wants to keep the size", .create("f", "abc"), .open("f", .both, as: "a"),
            .allocate("a", .punchHole, at: 0, 1)),
        Case(
            "punches under a reader", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .open("f", .read, as: "b"), .read("b", 4), .allocate("a", [.punchHole, .keepSize], at: 0, 4096),
            .pread("b", 6, at: 4093)),
        Case(
            "punches under a map", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .map("a", as: "m", 8192), .peek("m", 4), .allocate("a", [.punchHole, .keepSize], at: 0, 4096),
            .peek("m", 6, at: 4093)),
        Case(
            "zeroes", .open("f", [.create, .both], as: "a"), .fill("a", "x", 16384),
            .allocate("a", .zeroRange, at: 4000, 5000), .readFile("f"), .size("f")),
        Case(
            "zeroes past the end", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .allocate("a", .zeroRange, at: 2048, 8192), .readFile("f"), .size("f")),
        Case(
            "zeroes past the end and keeps the size", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 4096),
            .allocate("a", [.zeroRange, .keepSize], at: 2048, 8192), .readFile("f"), .size("f")),
        Case(
            "collapses", .open("f", [.create, .both], as: "a"), .fill("a", "x", 16384),
            .allocate("a", .collapseRange, at: 4096, 4096), .size("f")),
        Case(
            "inserts", .open("f", [.create, .both], as: "a"), .fill("a", "x", 16384),
            .allocate("a", .insertRange, at: 4096, 4096), .size("f")),
        Case(
            "unshares", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .allocate("a", .unshareRange, at: 0, 4096), .size("f")),
        Case(
            "with a mode that is none", .open("f", [.create, .both], as: "a"),
            .allocate("a", Allocation(rawValue: 1 << 12), at: 0, 1)),
        Case(
            "with bad ranges", .open("f", [.create, .both], as: "a"), .allocate("a", at: 0, 0),
            .allocate("a", at: 0, -1), .allocate("a", at: -1, 5), .allocate("a", at: .max - 5, 100)),
        Case("of a read-only descriptor", .create("f"), .open("f", .read, as: "a"), .allocate("a", at: 0, 1)),
        Case(
            "of a fifo", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"),
            .allocate("a", at: 0, 1)),
        Case(
            "then written", .open("f", [.create, .both], as: "a"), .allocate("a", at: 0, 8192),
            .pwrite("a", "abc", at: 4095), .readFile("f")),
        Case(
            "of what is beyond all files", .open("f", [.create, .both], as: "a"),
            .allocate("a", at: 1 << 50, 1)),
    ])

/// copy_file_range(2).
let copyRangeCases = Case.group(
    "copy",
    [
        Case(
            "of a whole file", .create("f", "hello world"), .open("f", .read, as: "a"),
            .open("g", [.create, .both], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 100), .readFile("g")
        ),
        Case(
            "of a middle", .create("f", "hello world"), .open("f", .read, as: "a"),
            .open("g", [.create, .both], as: "b"), .copyRange("a", at: 6, to: "b", at: 3, 5), .readFile("g")),
        Case(
            "over what is there", .create("f", "abc"), .create("g", "123456"), .open("f", .read, as: "a"),
            .open("g", .write, as: "b"), .copyRange("a", at: 0, to: "b", at: 2, 2), .readFile("g")),
        Case(
            "past the end", .create("f", "abc"), .open("f", .read, as: "a"),
            .open("g", [.create, .write], as: "b"),
            .copyRange("a", at: 3, to: "b", at: 0, 10), .copyRange("a", at: 100, to: "b", at: 0, 10),
            .size("g")),
        Case(
            "of nothing", .create("f", "abc"), .open("f", .read, as: "a"),
            .open("g", [.create, .write], as: "b"),
            .copyRange("a", at: 0, to: "b", at: 0, 0)),
        Case(
            "moves the descriptors' positions", .create("f", "abcdef"), .open("f", .read, as: "a"),
            .open("g", [.create, .both], as: "b"), .read("a", 2), .write("b", "12"), .copyOn("a", to: "b", 3),
            .read("a", 5), .write("b", "x"), .readFile("g")),
        Case(
            "within a file", .open("f", [.create, .both], as: "a"), .write("a", "abcdef"),
            .copyRange("a", at: 0, to: "a", at: 6, 3), .readFile("f")),
        Case(
            "within a file, over itself", .open("f", [.create, .both], as: "a"), .write("a", "abcdef"),
            .copyRange("a", at: 0, to: "a", at: 2, 4)),
        Case(
            "from a write-only descriptor", .open("f", [.create, .write], as: "a"),
            .open("g", [.create, .write], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 1)),
        Case(
            "to a read-only descriptor", .create("f", "abc"), .create("g"), .open("f", .read, as: "a"),
            .open("g", .read, as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 1)),
        Case(
            "from a directory", .mkdir("d"), .open("d", .directory, as: "a"),
            .open("g", [.create, .write], as: "b"),
            .copyRange("a", at: 0, to: "b", at: 0, 1)),
        Case(
            "from a fifo", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"),
            .open("g", [.create, .write], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 1)),
        Case(
            "of what is not synced yet", .open("f", [.create, .both], as: "a"), .fill("a", "x", 200_000),
            .open("g", [.create, .both], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 200_000),
            .readFile("g")),
        Case(
            "over what is cached", .create("f", "new"), .create("g", "old"), .readFile("g"),
            .open("f", .read, as: "a"),
            .open("g", .both, as: "b"), .pread("b", 3, at: 0), .copyRange("a", at: 0, to: "b", at: 0, 3),
            .pread("b", 3, at: 0), .readFile("g")),
        Case(
            "of a hole", .create("f"), .truncate("f", 10000), .open("f", .read, as: "a"),
            .open("g", [.create, .both], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 10000),
            .readFile("g")),
    ])

/// O_DIRECT, with buffers and offsets that suit a disk and that do not.
let directCases = Case.group(
    "direct",
    [
        Case(
            "aligned", .open("f", [.create, .both, .direct], as: "a"), .directWrite("a", 4096, at: 0),
            .directWrite("a", 8192, at: 4096), .directRead("a", 4096, at: 8192), .readFile("f"), .size("f")),
        Case(
            "read at the end", .create("f", "abc"), .open("f", [.read, .direct], as: "a"),
            .directRead("a", 4096, at: 0), .directRead("a", 4096, at: 4096)),
        Case(
            "beside a buffered descriptor", .open("f", [.create, .both], as: "a"), .fill("a", "b", 8192),
            .open("f", [.both, .direct], as: "d"), .directRead("d", 4096, at: 0),
            .directWrite("d", 4096, at: 0),
            .pread("a", 3, at: 4094), .pwrite("a", "zz", at: 4095), .readFile("f")),
        Case(
            "append", .open("f", [.create, .write, .direct, .append], as: "a"),
            .directWrite("a", 4096, at: 0),
            .directWrite("a", 4096, at: 0), .size("f")),
        Case(
            "truncate between", .open("f", [.create, .both, .direct], as: "a"),
            .directWrite("a", 8192, at: 0),
            .ftruncate("a", 4096), .directRead("a", 8192, at: 0)),
        Case(
            "unaligned offset", .open("f", [.create, .both, .direct], as: "a"),
            .directWrite("a", 4096, at: 0),
            .directWrite("a", 4096, at: 100), .directRead("a", 4096, at: 100)),
        Case(
            "unaligned count", .open("f", [.create, .both, .direct], as: "a"), .directWrite("a", 4096, at: 0),
            .directWrite("a", 100, at: 0), .directRead("a", 100, at: 0)),
        Case(
            "unaligned buffer", .open("f", [.create, .both, .direct], as: "a"),
            .directWrite("a", 4096, at: 0, shift: 8), .size("f")),
    ])

/// What is asked to reach the disk.
let syncCases = Case.group(
    "sync",
    [
        Case(
            "of a file", .open("f", [.create, .write], as: "a"), .write("a", "x"), .sync("a"),
            .syncData("a")),
        Case(
            "of a file opened to be read", .create("f", "x"), .open("f", .read, as: "a"), .sync("a"),
            .syncData("a")),
        Case(
            "of a directory", .mkdir("d"), .open("d", .directory, as: "d"), .create("d/f"), .sync("d"),
            .syncData("d")),
        Case("of a range", .open("f", [.create, .write], as: "a"), .write("a", "x"), .syncRange("a")),
        Case(
            "of the file system", .open("f", [.create, .write], as: "a"), .write("a", "x"),
            .syncFileSystem("a")),
        Case("of a path descriptor", .create("f"), .open("f", .path, as: "a"), .sync("a")),
        Case("of a closed descriptor", .sync("none"), .syncData("none")),
        Case("of a fifo", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"), .sync("a")),
        Case(
            "of a symlink's target", .create("f", "x"), .symlink("f", "l"), .open("l", .read, as: "a"),
            .sync("a")),
        Case(
            "of what has no name", .open("f", [.create, .write], as: "a"), .unlink("f"), .write("a", "x"),
            .sync("a")),
        Case(
            "advice", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192), .sync("a"),
            .advise("a", POSIX_FADV_DONTNEED), .advise("a", POSIX_FADV_WILLNEED),
            .advise("a", POSIX_FADV_SEQUENTIAL), .advise("a", 99), .pread("a", 3, at: 0)),
    ])
