internal import CLinux
internal import Glibc

/// truncate(2) and ftruncate(2).
let truncateCases = Case.group(
    "truncate",
    [
        Case("shorter", .create("f", "abcdef"), .truncate("f", 3), .readFile("f"), .size("f")),
        Case("longer", .create("f", "abc"), .truncate("f", 8), .readFile("f"), .size("f")),
        Case(
            "shorter then longer shows zeros", .create("f", "abcdef"), .truncate("f", 2), .truncate("f", 6),
            .readFile("f")),
        Case(
            "within a page, then longer over pages", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 10000),
            .ftruncate("a", 5000), .ftruncate("a", 12000), .pread("a", 20, at: 4990), .readFile("f")),
        Case(
            "to nothing gives the blocks back", .open("f", [.create, .both], as: "a"), .fill("a", "x", 65536),
            .sync("a"), .stat("f", .blocks), .ftruncate("a", 0), .stat("f", [.size, .blocks])),
        Case("to a size below zero", .create("f", "abc"), .truncate("f", -1), .size("f")),
        Case(
            "of others", .mkdir("d"), .mknod("p", S_IFIFO), .symlink("gone", "l"), .truncate("d", 0),
            .truncate("p", 0), .truncate("l", 0), .truncate("gone", 0), .truncate("", 0)),
        Case("below a file", .create("f"), .truncate("f/x", 0)),
        Case(
            "of a read-only descriptor", .create("f", "abc"), .open("f", .read, as: "a"), .ftruncate("a", 0)),
        Case("of a closed descriptor", .ftruncate("none", 0)),
        Case(
            "past 4 GiB", .create("f"), .truncate("f", 5_000_000_000), .stat("f", [.size, .blocks]),
            .open("f", .both, as: "a"), .pwrite("a", "end", at: 4_999_999_997),
            .pread("a", 10, at: 4_999_999_995),
            .seekData("a", 0)),
        Case("beyond what the file system holds", .create("f"), .truncate("f", 1 << 50), .size("f")),
        Case(
            "under an open descriptor's position", .open("f", [.create, .both], as: "a"),
            .write("a", "abcdef"),
            .truncate("f", 2), .write("a", "g"), .readFile("f")),
        Case(
            "seen by another descriptor", .create("f", "abcdef"), .open("f", .read, as: "a"), .read("a", 2),
            .truncate("f", 4), .read("a", 10), .truncate("f", 8), .read("a", 10)),
        Case(
            "O_TRUNC seen by another descriptor", .create("f", "abcdef"), .open("f", .read, as: "a"),
            .tryOpen("f", [.write, .truncate]), .read("a", 10), .fstat("a", .size)),
    ])

/// Holes, SEEK_DATA and SEEK_HOLE.
let holeCases = Case.group(
    "hole",
    [
        Case(
            "before what is written", .open("f", [.create, .both], as: "a"), .pwrite("a", "x", at: 100_000),
            .stat("f", .size), .readFile("f")),
        Case(
            "takes no blocks", .open("f", [.create, .both], as: "a"), .ftruncate("a", 1 << 20), .sync("a"),
            .stat("f", [.size, .blocks]), .pwrite("a", "x", at: 1 << 19), .sync("a"), .stat("f", .blocks)),
        Case(
            "data in the middle", .open("f", [.create, .both], as: "a"), .ftruncate("a", 65536),
            .fill("a", "x", 4096, at: 16384), .sync("a"), .seekData("a", 0), .seekHole("a", 0),
            .seekData("a", 16384),
            .seekHole("a", 16384), .seekData("a", 20480), .seekHole("a", 20480)),
        Case(
            "file of one hole", .open("f", [.create, .both], as: "a"), .ftruncate("a", 8192),
            .seekData("a", 0),
            .seekHole("a", 0), .seekHole("a", 8191)),
        Case(
            "file without a hole", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192), .sync("a"),
            .seekData("a", 0), .seekHole("a", 0), .seekData("a", 8191), .seekHole("a", 8191)),
        Case("empty file", .open("f", [.create, .both], as: "a"), .seekData("a", 0), .seekHole("a", 0)),
        Case(
            "past the end", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .seekData("a", 4096),
            .seekHole("a", 4096), .seekData("a", 10000), .seekHole("a", 10000), .seekData("a", -1),
            .seekHole("a", -1)),
        Case(
            "of unsynced data", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096, at: 8192),
            .seekData("a", 0), .seekHole("a", 8192)),
        Case(
            "moves the position", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096, at: 4096),
            .seekData("a", 0), .read("a", 3), .seek("a", 0, from: SEEK_CUR)),
        Case(
            "punched", .open("f", [.create, .both], as: "a"), .fill("a", "x", 32768), .sync("a"),
            .allocate("a", [.punchHole, .keepSize], at: 8192, 8192), .seekHole("a", 0), .seekData("a", 8192),
            .stat("f", [.size, .blocks]), .readFile("f")),
        Case(
            "filled", .open("f", [.create, .both], as: "a"), .ftruncate("a", 8192), .fill("a", "x", 8192),
            .sync("a"), .seekHole("a", 0), .stat("f", .blocks)),
    ])

/// lseek(2).
let seekCases = Case.group(
    "seek",
    [
        Case(
            "from each end", .create("f", "abcdef"), .open("f", .read, as: "a"), .seek("a", 2), .read("a", 1),
            .seek("a", 1, from: SEEK_CUR), .read("a", 1), .seek("a", -2, from: SEEK_END), .read("a", 5)),
        Case(
            "past the end", .create("f", "abc"), .open("f", .both, as: "a"), .seek("a", 10), .read("a", 5),
            .size("f"), .write("a", "x"), .readFile("f")),
        Case(
            "before the start", .create("f", "abc"), .open("f", .read, as: "a"), .seek("a", -1),
            .seek("a", -4, from: SEEK_END), .seek("a", -1, from: SEEK_CUR)),
        Case("of an unknown kind", .create("f"), .open("f", .read, as: "a"), .seek("a", 0, from: 99)),
        Case("of a closed descriptor", .seek("none", 0)),
        Case(
            "end after another's write", .create("f", "abc"), .open("f", .read, as: "a"),
            .open("f", .write, as: "b"),
            .seek("a", 0, from: SEEK_END), .pwrite("b", "defgh", at: 3), .seek("a", 0, from: SEEK_END)),
        Case(
            "end after truncate", .create("f", "abcdef"), .open("f", .read, as: "a"), .truncate("f", 2),
            .seek("a", 0, from: SEEK_END)),
        Case(
            "leaves pread alone", .create("f", "abcdef"), .open("f", .read, as: "a"), .seek("a", 3),
            .pread("a", 2, at: 0), .read("a", 2)),
    ])

/// read(2), write(2) and their kin.
let dataCases = Case.group(
    "data",
    [
        Case(
            "written and read", .open("f", [.create, .both], as: "a"), .write("a", "hello"), .seek("a", 0),
            .read("a", 100), .read("a", 100)),
        Case(
            "over what is there", .create("f", "abcdef"), .open("f", .both, as: "a"),
            .pwrite("a", "XY", at: 2),
            .readFile("f")),
        Case(
            "over the end", .create("f", "abc"), .open("f", .both, as: "a"), .pwrite("a", "XYZ", at: 2),
            .readFile("f"), .size("f")),
        Case(
            "read past the end", .create("f", "abc"), .open("f", .read, as: "a"), .pread("a", 10, at: 1),
            .pread("a", 10, at: 3), .pread("a", 10, at: 1000)),
        Case(
            "at an offset below zero", .create("f"), .open("f", .both, as: "a"), .pread("a", 1, at: -1),
            .pwrite("a", "x", at: -1)),
        Case(
            "at an offset that no file reaches", .create("f"), .open("f", .both, as: "a"),
            .pwrite("a", "x", at: .max), .size("f")),
        Case("read of no bytes", .create("f", "abc"), .open("f", .read, as: "a"), .read("a", 0)),
        Case(
            "in many parts", .open("f", [.create, .both], as: "a"), .writev("a", "abc", "defgh"),
            .seek("a", 0),
            .readv("a"), .readv("a")),
        Case(
            "over page bounds", .open("f", [.create, .both], as: "a"), .fill("a", "a", 4096),
            .fill("a", "b", 4096, at: 4096), .pwrite("a", "XXXX", at: 4094), .pread("a", 8, at: 4092),
            .readFile("f")),
        Case(
            "of a megabyte and a byte", .open("f", [.create, .both], as: "a"), .fill("a", "m", 1_048_577),
            .fill("a", "n", 3, at: 500_000), .readFile("f"), .size("f")),
        Case(
            "of three megabytes at once", .open("f", [.create, .both], as: "a"), .fill("a", "m", 3 << 20),
            .pread("a", 3 << 20, at: 0), .size("f")),
        Case(
            "seen at once by another descriptor", .open("f", [.create, .both], as: "a"),
            .open("f", .read, as: "b"),
            .write("a", "one"), .read("b", 10), .write("a", "two"), .read("b", 10), .fstat("b", .size)),
        Case(
            "seen at once by another process", .open("f", [.create, .both], as: "a"), .write("a", "one"),
            .child("c", .readFile("f"), .open("f", .write, as: "b"), .pwrite("b", "two", at: 3)),
            .finish("c"),
            .readFile("f")),
        Case("to a closed descriptor", .write("none", "x"), .read("none", 1)),
        Case(
            "kept over close and open", .create("f", "abc"), .readFile("f"), .open("f", .write, as: "a"),
            .write("a", "xyz"), .close("a"), .readFile("f")),
        Case(
            "size known after each write", .open("f", [.create, .write], as: "a"), .write("a", "abc"),
            .size("f"),
            .fstat("a", .size), .write("a", "def"), .size("f"), .pwrite("a", "x", at: 99), .size("f")),
        Case(
            "zeros written are data", .open("f", [.create, .both], as: "a"), .fill("a", "\0", 8192),
            .sync("a"),
            .seekData("a", 0), .stat("f", [.size, .blocks])),
    ])

/// O_APPEND.
let appendCases = Case.group(
    "append",
    [
        Case(
            "goes to the end", .create("f", "abc"), .open("f", [.write, .append], as: "a"),
            .write("a", "def"),
            .readFile("f")),
        Case(
            "whatever the position is", .create("f", "abc"), .open("f", [.both, .append], as: "a"),
            .seek("a", 0),
            .read("a", 1), .write("a", "def"), .seek("a", 0, from: SEEK_CUR), .readFile("f")),
        Case(
            "of two descriptors", .open("f", [.create, .write, .append], as: "a"),
            .open("f", [.write, .append], as: "b"),
            .write("a", "1"), .write("b", "2"), .write("a", "3"), .write("b", "4"), .readFile("f")),
        Case(
            "after another's write beyond", .open("f", [.create, .write, .append], as: "a"),
            .open("f", .write, as: "b"),
            .pwrite("b", "x", at: 5), .write("a", "y"), .readFile("f")),
        Case(
            "after another's truncate", .create("f", "abcdef"), .open("f", [.write, .append], as: "a"),
            .truncate("f", 2), .write("a", "y"), .readFile("f")),
        Case(
            "pwrite appends", .create("f", "abc"), .open("f", [.write, .append], as: "a"),
            .pwrite("a", "X", at: 0),
            .readFile("f")),
        Case(
            "with truncate", .create("f", "abc"), .open("f", [.write, .append, .truncate], as: "a"),
            .write("a", "X"),
            .readFile("f")),
        Case(
            "by two processes", .create("f"), .open("f", [.write, .append], as: "a"), .write("a", "1"),
            .child("c", .open("f", [.write, .append], as: "b"), .write("b", "2")), .finish("c"),
            .write("a", "3"),
            .readFile("f")),
        Case(
            "copy_file_range refuses", .create("f", "abc"), .create("g", "xyz"), .open("f", .read, as: "a"),
            .open("g", [.write, .append], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 3)),
        Case(
            "turned off", .open("f", [.create, .write, .append], as: "a"), .write("a", "abc"),
            .statusFlags("a"),
            .open("f", .write, as: "b"), .write("b", "X"), .readFile("f")),
    ])
