internal import Glibc

/// Which acts move which times of a file, and times that are set.
let timesCases = Case.group(
    "times",
    [
        Case("write", .open("f", [.create, .write], as: "a"), .watch("f", do: .write("a", "x"))),
        Case("write of nothing", .open("f", [.create, .write], as: "a"), .watch("f", do: .write("a", ""))),
        Case(
            "write, seen by fstat and stat alike", .open("f", [.create, .write], as: "a"),
            .watch(
                "f",
                do:
                    .write("a", "x"), .fstat("a", .size), .size("f"))),
        Case("read", .create("f", "x"), .open("f", .read, as: "a"), .watch("f", do: .read("a", 1))),
        Case(
            "close after write", .open("f", [.create, .write], as: "a"), .write("a", "x"), .stat("f", .size),
            .watch("f", do: .close("a"))),
        Case(
            "fsync after write", .open("f", [.create, .write], as: "a"), .write("a", "x"), .stat("f", .size),
            .watch("f", do: .sync("a"))),
        Case("open for writing", .create("f"), .watch("f", do: .tryOpen("f", .write))),
        Case("open with truncate", .create("f", "x"), .watch("f", do: .tryOpen("f", [.write, .truncate]))),
        Case(
            "open with truncate of an empty file", .create("f"),
            .watch("f", do: .tryOpen("f", [.write, .truncate]))),
        Case("truncate shorter", .create("f", "abc"), .watch("f", do: .truncate("f", 1))),
        Case("truncate longer", .create("f", "abc"), .watch("f", do: .truncate("f", 10))),
        Case("truncate to the same size", .create("f", "abc"), .watch("f", do: .truncate("f", 3))),
        Case(
            "ftruncate to the same size", .create("f", "abc"), .open("f", .write, as: "a"),
            .watch("f", do: .ftruncate("a", 3))),
        Case("truncate that is refused", .create("f", "abc"), .watch("f", do: .truncate("f", -1))),
        Case(
            "fallocate", .create("f"), .open("f", .write, as: "a"),
            .watch("f", do: .allocate("a", at: 0, 4096))),
        Case(
            "fallocate keeping the size", .create("f"), .open("f", .write, as: "a"),
            .watch("f", do: .allocate("a", .keepSize, at: 0, 4096))),
        Case(
            "punch", .open("f", [.create, .both], as: "a"), .fill("a", "x", 16384),
            .watch("f", do: .allocate("a", [.punchHole, .keepSize], at: 4096, 4096))),
        Case(
            "copy_file_range", .create("f", "abc"), .open("f", .read, as: "a"),
            .open("g", [.create, .write], as: "b"),
            .watch("f", "g", do: .copyRange("a", at: 0, to: "b", at: 0, 3))),
        Case("chmod", .create("f"), .watch("f", do: .chmod("f", 0o600))),
        Case("chmod to the same mode", .create("f"), .watch("f", do: .chmod("f", 0o644))),
        Case("chown to the same owner", .create("f"), .watch("f", do: .chown("f", -1, -1))),
        Case("setxattr", .create("f"), .watch("f", do: .setAttribute("f", "user.a", "1"))),
        Case("setxattr of a directory", .mkdir("d"), .watch("d", do: .setAttribute("d", "user.a", "1"))),
        Case(
            "removexattr", .create("f"), .setAttribute("f", "user.a", "1"),
            .watch("f", do: .removeAttribute("f", "user.a"))),
        Case(
            "getxattr and listxattr", .create("f"), .setAttribute("f", "user.a", "1"),
            .watch("f", do: .attribute("f", "user.a"), .attributes("f"))),
        Case(
            "lock", .open("f", [.create, .write], as: "a"),
            .watch("f", do: .lock("a", .write), .flock("a", .write))),
        Case(
            "write in a directory's file leaves the directory", .mkdir("d"), .create("d/f"),
            .open("d/f", .write, as: "a"), .watch("d", do: .write("a", "x"))),
        Case(
            "chmod in a directory leaves it", .mkdir("d"), .create("d/f"),
            .watch("d", do: .chmod("d/f", 0o600))),
        Case(
            "later writes each move them", .open("f", [.create, .write], as: "a"),
            .watch("f", do: .write("a", "x")),
            .watch("f", do: .write("a", "y")), .watch("f", do: .pwrite("a", "z", at: 0))),
        Case(
            "of two files made in order", .create("f"), .watch("f", do: .create("g")),
            .sameModification("f", "g")),
    ])

/// utimensat(2) and its kin.
let setTimesCases = Case.group(
    "utimens",
    Case.each(settableTimes) { seconds, nanoseconds in
        Case(
            "\(seconds).\(nanoseconds)", .create("f"),
            .setTimes("f", access: .at(seconds, nanoseconds), modification: .at(seconds, nanoseconds)),
            .times("f"))
    } + [
        Case(
            "access apart from modification", .create("f"),
            .setTimes("f", access: .at(100, 1), modification: .at(200, 2)), .times("f")),
        Case(
            "access alone", .create("f"), .setTimes("f", access: .at(100), modification: .at(200)),
            .setTimes("f", access: .at(300), modification: .omit), .times("f")),
        Case(
            "modification alone", .create("f"), .setTimes("f", access: .at(100), modification: .at(200)),
            .setTimes("f", access: .omit, modification: .at(300)), .times("f")),
        Case(
            "neither", .create("f"), .setTimes("f", access: .at(100), modification: .at(200)),
            .watch("f", do: .setTimes("f", access: .omit, modification: .omit)), .times("f")),
        Case(
            "moves ctime", .create("f"), .watch("f", do: .setTimes("f", access: .at(1), modification: .at(2)))
        ),
        Case(
            "to the same moves ctime", .create("f"), .setTimes("f", access: .at(1), modification: .at(2)),
            .watch("f", do: .setTimes("f", access: .at(1), modification: .at(2)))),
        Case(
            "to now", .create("f"), .setTimes("f", access: .at(1), modification: .at(2)),
            .watch("f", do: .setTimes("f", access: .now, modification: .now))),
        Case(
            "modification to now, access kept", .create("f"),
            .setTimes("f", access: .at(1), modification: .at(2)),
            .watchAccess("f", do: .setTimes("f", access: .omit, modification: .now))),
        Case(
            "nanoseconds out of range", .create("f"),
            .setTimes("f", access: .at(1, 1_000_000_000), modification: .at(1)),
            .setTimes("f", access: .at(1), modification: .at(1, -5))),
        Case(
            "of a directory", .mkdir("d"), .setTimes("d", access: .at(7, 8), modification: .at(9, 10)),
            .times("d")),
        Case(
            "of a fifo", .mknod("p", S_IFIFO), .setTimes("p", access: .at(7, 8), modification: .at(9, 10)),
            .times("p")),
        Case(
            "through a symlink", .create("f"), .symlink("f", "l"),
            .setTimes("l", access: .at(7, 8), modification: .at(9, 10)), .times("f")),
        Case("of nothing", .setTimes("gone", access: .now, modification: .now)),
        Case(
            "of a descriptor", .open("f", [.create, .write], as: "a"),
            .setDescriptorTimes("a", access: .at(11, 12), modification: .at(13, 14)), .times("f")),
        Case(
            "of a read-only descriptor", .create("f"), .open("f", .read, as: "a"),
            .setDescriptorTimes("a", access: .at(11), modification: .at(13)), .times("f")),
        Case(
            "touch", .create("f"), .setTimes("f", access: .at(1), modification: .at(2)),
            .watch("f", do: .touch("f"))),
        Case(
            "stay over rename and link", .create("f"), .setTimes("f", access: .at(1), modification: .at(2)),
            .rename("f", "g"), .link("g", "h"), .chmod("h", 0o600), .times("h")),
        Case(
            "stay over a close of a descriptor that wrote before", .open("f", [.create, .write], as: "a"),
            .write("a", "x"), .setTimes("f", access: .at(1), modification: .at(2)), .close("a"), .times("f")),
        Case(
            "are moved by a write after", .open("f", [.create, .write], as: "a"),
            .setTimes("f", access: .at(1), modification: .at(2)), .watch("f", do: .write("a", "x"))),
    ])

private let settableTimes = [
    (0, 0), (0, 1), (1, 999_999_999), (1_000_000_000, 123_456_789), (-1, 0), (-2_000_000_000, 5),
    (2_147_483_648, 1),
    (4_294_967_296, 0), (10_000_000_000, 7), (100_000_000_000, 0),
]

/// Access times, which the kernel alone knows of where it reads from its cache.
let accessTimeCases = Case.group(
    "atime",
    [
        Case(
            "read of fresh bytes", .open("f", [.create, .both], as: "a"), .write("a", "x"),
            .watchAccess("f", do: .pread("a", 1, at: 0))),
        Case("read by a new descriptor", .create("f", "x"), .watchAccess("f", do: .readFile("f"))),
        Case(
            "second read of a cached page, as the file system knows it",
            .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096), .pread("a", 1, at: 0),
            .setTimes("f", access: .at(1), modification: .omit),
            .watchAccess("f", do: .pread("a", 1, at: 0), .chmod("f", 0o600))),
        Case("read of a hole", .create("f"), .truncate("f", 4096), .watchAccess("f", do: .readFile("f"))),
        Case("read of an empty file", .create("f"), .watchAccess("f", do: .readFile("f"))),
        Case(
            "read with O_NOATIME", .create("f", "x"), .open("f", [.read, .noAccessTime], as: "a"),
            .watchAccess("f", do: .read("a", 1))),
        Case("listing", .mkdir("d"), .create("d/f"), .watchAccess("d", do: .list("d"))),
        Case("readlink", .symlink("x", "l"), .watchAccess("l", do: .readlink("l"))),
        Case(
            "map that is read", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .watchAccess("f", do: .map("a", as: "m", 4096, writable: false), .peek("m", 1))),
        Case("stat", .create("f", "x"), .watchAccess("f", do: .stat("f", .size), .tryOpen("f", .read))),
        Case("write", .open("f", [.create, .both], as: "a"), .watchAccess("f", do: .write("a", "x"))),
    ])
