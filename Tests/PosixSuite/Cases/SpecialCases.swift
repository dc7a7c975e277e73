internal import Glibc

/// Fifos, sockets and devices.
let specialCases = Case.group(
    "special",
    [
        Case(
            "fifo, its status", .mknod("p", S_IFIFO, mode: 0o640),
            .stat("p", [.kind, .mode, .links, .size, .blocks])),
        Case(
            "fifo between two descriptors", .mknod("p", S_IFIFO), .open("p", [.read, .nonblock], as: "r"),
            .open("p", [.write, .nonblock], as: "w"), .write("w", "hello"), .read("r", 10), .read("r", 10),
            .close("w"), .read("r", 10)),
        Case("fifo without a reader", .mknod("p", S_IFIFO), .open("p", [.write, .nonblock], as: "w")),
        Case(
            "fifo between two processes", .mknod("p", S_IFIFO), .open("p", [.read, .nonblock], as: "r"),
            .child("c", .open("p", .write, as: "w"), .write("w", "from the child")), .finish("c"),
            .read("r", 20)),
        Case(
            "fifo by two names", .mknod("p", S_IFIFO), .link("p", "q"),
            .open("p", [.read, .nonblock], as: "r"),
            .open("q", [.write, .nonblock], as: "w"), .write("w", "x"), .read("r", 1)),
        Case(
            "fifo does not seek", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"),
            .seek("a", 0),
            .pread("a", 1, at: 0), .ftruncate("a", 0)),
        Case(
            "fifo renamed while open", .mknod("p", S_IFIFO), .open("p", [.read, .nonblock], as: "r"),
            .rename("p", "q"), .open("q", [.write, .nonblock], as: "w"), .write("w", "x"), .read("r", 1)),
        Case("fifo over what is there", .create("f"), .mknod("f", S_IFIFO)),
        Case("socket, its status", .bind("s", as: "s"), .stat("s", [.kind, .links, .size])),
        Case("socket connected", .bind("s", as: "s"), .connect("s", as: "c")),
        Case(
            "socket by another name", .bind("s", as: "s"), .link("s", "t"), .rename("s", "u"),
            .connect("t", as: "c"),
            .connect("u", as: "d"), .connect("s", as: "e")),
        Case("socket of nobody", .bind("s", as: "s"), .close("s"), .connect("s", as: "c"), .stat("s", .kind)),
        Case("socket bound twice", .bind("s", as: "s"), .bind("s", as: "t")),
        Case(
            "socket opened as a file", .bind("s", as: "s"), .tryOpen("s", .read), .tryOpen("s", .write),
            .tryOpen("s", .path)),
        Case("socket made by mknod", .mknod("s", S_IFSOCK), .stat("s", .kind), .connect("s", as: "c")),
        Case(
            "connecting to others", .create("f"), .mkdir("d"), .connect("f", as: "a"), .connect("d", as: "b"),
            .connect("gone", as: "c")),
        Case(
            "another's socket", .bind("s", as: "s"), .asUser(1000, .connect("s", as: "c")),
            .chmod("s", 0o777),
            .asUser(1000, .connect("s", as: "c"))),
        Case("mknod of a kind that is none", .mknod("x", 0o030000), .list(".")),
        Case(
            "device node of one's own", .mknod("null", S_IFCHR, mode: 0o666, device: 0x103),
            .stat("null", [.kind, .mode, .device]), .tryOpen("null", .read)),
        Case("whiteout node", .mknod("w", S_IFCHR), .stat("w", [.kind, .device])),
    ])

/// Programs run from the file system.
let programCases = Case.group(
    "program",
    [
        Case(
            "run", .copyProgram("/bin/true", to: "t"), .execute("./t"), .copyProgram("/bin/false", to: "u"),
            .execute("./u")),
        Case(
            "without x", .copyProgram("/bin/true", to: "t", mode: 0o644), .execute("./t"), .chmod("t", 0o755),
            .execute("./t"), .chmod("t", 0o644), .execute("./t")),
        Case("that is no program", .create("t", mode: 0o755, "no program"), .execute("./t")),
        Case("script", .create("t", mode: 0o755, "#!/bin/sh\nexit 7\n"), .execute("./t")),
        Case("directory", .mkdir("d"), .execute("./d"), .execute("./gone")),
        Case(
            "not written while it runs", .copyProgram("/bin/sleep", to: "t"),
            .whileRunning(
                "./t", "1000",
                .tryOpen("t", .write), .tryOpen("t", .read), .truncate("t", 0), .rename("t", "u")),
            .tryOpen("u", .write)),
        Case(
            "not run while it is written", .copyProgram("/bin/true", to: "t"), .open("t", .write, as: "a"),
            .execute("./t"), .close("a"), .execute("./t")),
        Case(
            "removed while it runs", .copyProgram("/bin/sleep", to: "t"),
            .whileRunning(
                "./t", "1000", .unlink("t"),
                .create("t", "new")), .readFile("t")),
        Case(
            "run by others", .copyProgram("/bin/true", to: "t", mode: 0o711),
            .asUser(
                1000, .access("t", X_OK),
                .tryOpen("t", .read))),
    ])

/// stat(2) and statvfs(3).
let statCases = Case.group(
    "stat",
    [
        Case(
            "of nothing", .stat("gone", .kind), .stat("", .kind), .stat("gone/x", .kind),
            .statFollowing("gone", .kind)),
        Case(
            "of each kind by descriptor", .create("f", "abc"), .mkdir("d"), .symlink("f", "l"),
            .open("f", .read, as: "f"), .open("d", .directory, as: "d"),
            .open("l", [.path, .noFollow], as: "l"),
            .fstat("f", [.kind, .size]), .fstat("d", [.kind, .links]), .fstat("l", [.kind, .size])),
        Case(
            "following", .create("f", "abc"), .symlink("f", "l"), .statFollowing("l", [.kind, .size]),
            .stat("l", [.kind, .size])),
        Case(
            "blocks of a written file", .open("f", [.create, .both], as: "a"), .fill("a", "x", 40960),
            .sync("a"),
            .stat("f", [.size, .blocks])),
        Case(
            "blocks before they are written back", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 40960),
            .stat("f", [.size, .blocks])),
        Case("birth time", .create("f"), .birthTime("f"), .mkdir("d"), .birthTime("d")),
        Case("space adds up", .fileSystemAddsUp(".")),
        Case(
            "two names of one file", .create("f"), .link("f", "g"), .same("f", "g"), .create("h"),
            .same("f", "h")),
        Case(
            "stays the same inode", .create("f"), .open("f", .read, as: "a"), .chmod("f", 0o600),
            .truncate("f", 5),
            .rename("f", "g"), .isOpen("a", "g")),
        Case("inode flags", .create("f"), .open("f", .read, as: "a"), .inodeFlags("a")),
        Case(
            "extents", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096), .sync("a"), .extents("a")
        ),
    ])
