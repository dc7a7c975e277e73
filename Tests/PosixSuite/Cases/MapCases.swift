internal import Glibc

/// Memory maps, and the times that they move.
let mapCases = Case.group(
    "map",
    [
        Case(
            "shared, written, seen by read", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .poke("m", "hello"), .pread("a", 7, at: 0), .readFile("f")),
        Case(
            "shared, sees what is written", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .peek("m", 3), .pwrite("a", "hello", at: 0), .peek("m", 7)),
        Case(
            "private, keeps its own", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096, .private), .poke("m", "hello"), .peek("m", 7), .readFile("f")),
        Case(
            "two maps of one file", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .map("a", as: "m", 8192), .map("a", as: "n", 4096, at: 4096), .poke("m", "hello", at: 4096),
            .peek("n", 6),
            .poke("n", "J"), .peek("m", 6, at: 4096)),
        Case(
            "by two processes", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096),
            .child("c", .open("f", .both, as: "b"), .map("b", as: "n", 4096), .poke("n", "hello")),
            .finish("c"),
            .peek("m", 6)),
        Case(
            "outlives its descriptor", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .close("a"), .poke("m", "hello"), .syncMap("m"), .readFile("f"),
            .unmap("m"),
            .readFile("f")),
        Case(
            "kept after unmap without msync", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .poke("m", "hello"), .unmap("m"), .close("a"), .readFile("f")),
        Case(
            "page's rest is zeros", .open("f", [.create, .both], as: "a"), .write("a", "abc"),
            .map("a", as: "m", 4096),
            .peek("m", 6), .poke("m", "Z", at: 10), .syncMap("m"), .size("f"), .readFile("f")),
        Case(
            "page's rest does not come back by growing", .open("f", [.create, .both], as: "a"),
            .write("a", "abc"),
            .map("a", as: "m", 4096), .poke("m", "Z", at: 10), .syncMap("m"), .unmap("m"),
            .ftruncate("a", 20),
            .readFile("f")),
        Case(
            "past the end ends the process", .open("f", [.create, .both], as: "a"), .write("a", "abc"),
            .child(
                "c",
                .map("a", as: "m", 8192), .peek("m", 1), .peek("m", 1, at: 4096)), .finish("c")),
        Case(
            "past a truncated end ends the process", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 8192),
            .child(
                "c", .map("a", as: "m", 8192), .peek("m", 1, at: 4096), .ftruncate("a", 100),
                .peek("m", 2, at: 99),
                .peek("m", 1, at: 4096)), .finish("c")),
        Case(
            "grows with its file", .open("f", [.create, .both], as: "a"), .write("a", "abc"),
            .map("a", as: "m", 8192),
            .peek("m", 3), .ftruncate("a", 8192), .poke("m", "far", at: 8000), .pread("a", 5, at: 7999)),
        Case(
            "of a hole, written", .create("f"), .truncate("f", 16384), .open("f", .both, as: "a"),
            .map("a", as: "m", 16384), .poke("m", "x", at: 8192), .syncMap("m"), .seekData("a", 0),
            .readFile("f")),
        Case(
            "of a read-only descriptor", .create("f", "abc"), .open("f", .read, as: "a"),
            .map("a", as: "m", 4096), .map("a", as: "n", 4096, writable: false),
            .map("a", as: "p", 4096, .private),
            .protect("n", writable: true), .poke("p", "X"), .peek("p", 3), .readFile("f")),
        Case(
            "of a write-only descriptor", .open("f", [.create, .write], as: "a"), .map("a", as: "m", 4096),
            .map("a", as: "n", 4096, .private, writable: false)),
        Case(
            "of nothing, at odd offsets", .open("f", [.create, .both], as: "a"), .map("a", as: "m", 0),
            .map("a", as: "m", 4096, at: 100), .map("none", as: "m", 4096)),
        Case(
            "of others", .mkdir("d"), .mknod("p", S_IFIFO), .open("d", .directory, as: "d"),
            .open("p", [.both, .nonblock], as: "p"), .map("d", as: "m", 4096, writable: false),
            .map("p", as: "m", 4096)),
        Case(
            "made writable later", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096, writable: false), .peek("m", 2), .protect("m", writable: true),
            .poke("m", "y"),
            .syncMap("m"), .readFile("f")),
        Case(
            "of a file renamed over", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .create("g", "new"), .rename("g", "f"), .poke("m", "y"), .syncMap("m"),
            .pread("a", 2, at: 0), .readFile("f")),
        Case(
            "truncated and grown shows zeros", .open("f", [.create, .both], as: "a"), .fill("a", "x", 8192),
            .map("a", as: "m", 8192), .peek("m", 1, at: 4096), .ftruncate("a", 10), .ftruncate("a", 8192),
            .peek("m", 2, at: 9), .peek("m", 2, at: 4096)),
        Case(
            "of 3 megabytes, written here and there", .create("f"), .truncate("f", 3 << 20),
            .open("f", .both, as: "a"), .map("a", as: "m", 3 << 20), .poke("m", "a", at: 1000),
            .poke("m", "b", at: 1 << 20), .poke("m", "c", at: (3 << 20) - 1), .syncMap("m"), .readFile("f")),
        Case(
            "asynchronous msync", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .poke("m", "y"), .syncMap("m", MS_ASYNC), .syncMap("m", MS_INVALIDATE),
            .syncMap("m", MS_SYNC | MS_ASYNC), .readFile("f")),
        Case(
            "written, fsynced, times", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .watch("f", do: .poke("m", "y"), .sync("a"))),
        Case(
            "written, msynced, times", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .watch("f", do: .poke("m", "y"), .syncMap("m"))),
        Case(
            "written, msynced, closed, times", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096),
            .watch("f", do: .poke("m", "y"), .syncMap("m"), .unmap("m"), .close("a"))),
        Case(
            "written twice, msynced twice, times", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .watch("f", do: .poke("m", "y"), .syncMap("m")),
            .watch("f", do: .poke("m", "z"), .syncMap("m"))),
        Case(
            "written after close, msynced, times", .open("f", [.create, .both], as: "a"),
            .fill("a", "x", 4096),
            .map("a", as: "m", 4096), .close("a"), .watch("f", do: .poke("m", "y"), .syncMap("m"))),
        Case(
            "read, times", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096),
            .watch("f", do: .peek("m", 1), .syncMap("m"))),
        Case(
            "private, written, times", .open("f", [.create, .both], as: "a"), .fill("a", "x", 4096),
            .map("a", as: "m", 4096, .private), .watch("f", do: .poke("m", "y"), .unmap("m"))),
    ])
