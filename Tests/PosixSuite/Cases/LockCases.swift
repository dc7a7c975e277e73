internal import Glibc

/// fcntl(2)'s locks, of a process and of an open file, between processes.
let lockCases = Case.group(
    "lock",
    [
        Case(
            "write against write", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .child(
                "c",
                .open("f", .both, as: "b"), .lock("b", .write), .lock("b", .read),
                .lockInTheWay("b", .write)),
            .finish("c")),
        Case(
            "read beside read", .open("f", [.create, .both], as: "a"), .lock("a", .read),
            .child(
                "c",
                .open("f", .both, as: "b"), .lock("b", .read), .lock("b", .write), .lockInTheWay("b", .write),
                .lockInTheWay("b", .read)), .finish("c")),
        Case(
            "ranges apart", .open("f", [.create, .both], as: "a"), .lock("a", .write, at: 0, 10),
            .child(
                "c",
                .open("f", .both, as: "b"), .lock("b", .write, at: 10, 10), .lock("b", .write, at: 5, 10),
                .lockInTheWay("b", .write, at: 5, 10)), .finish("c")),
        Case(
            "split by an unlock in the middle", .open("f", [.create, .both], as: "a"),
            .lock("a", .write, at: 0, 30),
            .lock("a", .none, at: 10, 10),
            .child(
                "c", .open("f", .both, as: "b"),
                .lockInTheWay("b", .write, at: 0, 5), .lockInTheWay("b", .write, at: 10, 10),
                .lockInTheWay("b", .write, at: 15, 0)), .finish("c")),
        Case(
            "joined", .open("f", [.create, .both], as: "a"), .lock("a", .write, at: 0, 10),
            .lock("a", .write, at: 10, 10),
            .child(
                "c", .open("f", .both, as: "b"),
                .lockInTheWay("b", .write, at: 5, 1)), .finish("c")),
        Case(
            "part made weaker", .open("f", [.create, .both], as: "a"), .lock("a", .write, at: 0, 20),
            .lock("a", .read, at: 5, 5),
            .child(
                "c", .open("f", .both, as: "b"), .lock("b", .read, at: 5, 5),
                .lock("b", .read, at: 4, 1), .lockInTheWay("b", .write, at: 5, 5)), .finish("c")),
        Case(
            "let go by unlock", .open("f", [.create, .both], as: "a"), .lock("a", .write), .lock("a", .none),
            .child("c", .open("f", .both, as: "b"), .lock("b", .write)), .finish("c")),
        Case(
            "let go by close of any descriptor", .open("f", [.create, .both], as: "a"),
            .open("f", .read, as: "b"),
            .lock("a", .write), .close("b"), .child("c", .open("f", .both, as: "d"), .lock("d", .write)),
            .finish("c")),
        Case(
            "let go by the holder's end", .create("f"),
            .child("c", .open("f", .both, as: "b"), .lock("b", .write)),
            .finish("c"), .open("f", .both, as: "a"), .lock("a", .write)),
        Case(
            "held by another that lives", .create("f"),
            .child(
                "c", .open("f", .both, as: "b"), .lock("b", .write),
                .pause()), .open("f", .both, as: "a"), .lock("a", .write), .lockInTheWay("a", .read),
            .finish("c"),
            .lock("a", .write)),
        Case(
            "own locks are never in the way", .open("f", [.create, .both], as: "a"),
            .open("f", .both, as: "b"),
            .lock("a", .write), .lock("b", .write), .lockInTheWay("b", .write)),
        Case(
            "not passed on to a child", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .child("c", .lock("a", .write), .lockInTheWay("a", .write)), .finish("c")),
        Case(
            "write on a read-only descriptor", .create("f"), .open("f", .read, as: "a"), .lock("a", .write),
            .lock("a", .read)),
        Case(
            "read on a write-only descriptor", .open("f", [.create, .write], as: "a"), .lock("a", .read),
            .lock("a", .write)),
        Case("on a closed descriptor", .lock("none", .read)),
        Case(
            "past the end and with no end", .open("f", [.create, .both], as: "a"),
            .lock("a", .write, at: 1 << 40, 0),
            .child(
                "c", .open("f", .both, as: "b"), .lock("b", .write, at: 0, 1 << 40),
                .lock("b", .write, at: 1 << 50, 1), .lockInTheWay("b", .write, at: 0, 0)), .finish("c")),
        Case("bad range", .open("f", [.create, .both], as: "a"), .lock("a", .write, at: -1, 5)),
        Case(
            "of negative length", .open("f", [.create, .both], as: "a"), .lock("a", .write, at: 10, -5),
            .child("c", .open("f", .both, as: "b"), .lockInTheWay("b", .write, at: 0, 0)), .finish("c")),
        Case(
            "waits until it is let go", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .child(
                "c",
                .open("f", .both, as: "b"), .ready(), .lockWaiting("b", .write), .pwrite("b", "got", at: 0)),
            .untilBlocked("c"), .size("f"), .lock("a", .none), .finish("c"), .readFile("f")),
        Case(
            "waits until the holder closes", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .child(
                "c",
                .close("a"), .open("f", .both, as: "b"), .ready(), .lockWaiting("b", .read)),
            .untilBlocked("c"),
            .close("a"), .finish("c")),
        Case(
            "two that wait for each other", .open("f", [.create, .both], as: "a"),
            .lock("a", .write, at: 0, 1),
            .child(
                "c", .open("f", .both, as: "b"), .lock("b", .write, at: 1, 1), .ready(),
                .lockWaiting("b", .write, at: 0, 1)), .untilBlocked("c"), .lockWaiting("a", .write, at: 1, 1),
            .lock("a", .none), .finish("c")),
        Case(
            "survives rename and unlink", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .rename("f", "g"),
            .child("c", .open("g", .both, as: "b"), .lock("b", .write)), .finish("c"), .unlink("g"),
            .create("g"),
            .child("d", .open("g", .both, as: "b"), .lock("b", .write)), .finish("d")),
        Case(
            "is the inode's, by any name", .open("f", [.create, .both], as: "a"), .link("f", "g"),
            .lock("a", .write),
            .child("c", .open("g", .both, as: "b"), .lock("b", .write)), .finish("c")),
        Case(
            "does not stop a write", .open("f", [.create, .both], as: "a"), .lock("a", .write),
            .child(
                "c",
                .open("f", .both, as: "b"), .write("b", "x")), .finish("c"), .readFile("f")),
        Case("of a fifo", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"), .lock("a", .write)),
    ])

/// Locks of open file descriptions.
let openFileLockCases = Case.group(
    "ofd-lock",
    [
        Case(
            "between two descriptors", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .lockOpen("a", .write), .lockOpen("b", .write), .openLockInTheWay("b", .write),
            .lockOpen("a", .none),
            .lockOpen("b", .write)),
        Case(
            "shared by a copied descriptor", .open("f", [.create, .both], as: "a"), .duplicate("a", as: "b"),
            .lockOpen("a", .write), .lockOpen("b", .write), .close("a"), .open("f", .both, as: "d"),
            .lockOpen("d", .write), .close("b"), .lockOpen("d", .write)),
        Case(
            "not let go by another's close", .open("f", [.create, .both], as: "a"),
            .open("f", .both, as: "b"),
            .lockOpen("a", .write), .close("b"), .open("f", .both, as: "d"), .lockOpen("d", .read)),
        Case(
            "passed on to a child", .open("f", [.create, .both], as: "a"), .lockOpen("a", .write),
            .child(
                "c",
                .lockOpen("a", .write), .open("f", .both, as: "b"), .lockOpen("b", .write)), .finish("c")),
        Case(
            "against a lock of the process", .open("f", [.create, .both], as: "a"),
            .open("f", .both, as: "b"),
            .lock("a", .write), .lockOpen("b", .write), .lockOpen("a", .read)),
        Case(
            "reads beside each other", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .lockOpen("a", .read), .lockOpen("b", .read), .lockOpen("a", .write)),
        Case(
            "ranges apart", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .lockOpen("a", .write, at: 0, 5), .lockOpen("b", .write, at: 5, 5),
            .lockOpen("b", .read, at: 4, 1)),
    ])

/// flock(2).
let flockCases = Case.group(
    "flock",
    [
        Case(
            "between two descriptors", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .flock("a", .write), .flock("b", .write), .flock("b", .read), .flock("a", .none),
            .flock("b", .write)),
        Case(
            "shared ones", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .flock("a", .read),
            .flock("b", .read), .flock("a", .write), .flock("b", .none), .flock("a", .write)),
        Case(
            "of a copied descriptor", .open("f", [.create, .both], as: "a"), .duplicate("a", as: "b"),
            .flock("a", .write), .flock("b", .write), .close("a"), .open("f", .both, as: "d"),
            .flock("d", .write),
            .close("b"), .flock("d", .write)),
        Case(
            "passed on to a child", .open("f", [.create, .both], as: "a"), .flock("a", .write),
            .child(
                "c",
                .flock("a", .write), .open("f", .both, as: "b"), .flock("b", .read), .flock("a", .none),
                .flock("b", .read), .flock("b", .none)), .finish("c"), .open("f", .both, as: "d"),
            .flock("d", .write)),
        Case(
            "let go by close", .open("f", [.create, .both], as: "a"), .flock("a", .write), .close("a"),
            .open("f", .both, as: "b"), .flock("b", .write)),
        Case("of a read-only descriptor", .create("f"), .open("f", .read, as: "a"), .flock("a", .write)),
        Case(
            "apart from fcntl's", .open("f", [.create, .both], as: "a"), .flock("a", .write),
            .child(
                "c",
                .open("f", .both, as: "b"), .lock("b", .write), .flock("b", .write)), .finish("c")),
        Case(
            "waits until it is let go", .open("f", [.create, .both], as: "a"), .flock("a", .write),
            .child(
                "c",
                .open("f", .both, as: "b"), .ready(), .flockWaiting("b"), .pwrite("b", "got", at: 0)),
            .untilBlocked("c"),
            .size("f"), .flock("a", .none), .finish("c"), .readFile("f")),
        Case("of a path descriptor", .create("f"), .open("f", .path, as: "a"), .flock("a", .read)),
        Case(
            "of a fifo", .mknod("p", S_IFIFO), .open("p", [.both, .nonblock], as: "a"),
            .open("p", [.both, .nonblock], as: "b"), .flock("a", .write), .flock("b", .write)),
    ])
