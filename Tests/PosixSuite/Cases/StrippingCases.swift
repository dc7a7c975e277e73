internal import Glibc

/// Set-user-id and set-group-id taken away by a write and the like, from every mode that matters.
let strippingCases = Case.group(
    "strip",
    Case.each(modes) { mode in
        // By root, who keeps them over a write, and by the owner and another, who do not.
        Case(
            "\(Answer.mode(mode)) by write", .create("r", "x"), .create("o", "x"), .create("a", "x"),
            .chown("o", 1000, 1000), .chmod("r", mode), .chmod("o", mode), .chmod("a", mode),
            .open("r", .write, as: "r"), .write("r", "y"), .mode("r"),
            .asUser(
                1000, .open("o", .write, as: "o"), .write("o", "y"), .mode("o"),
                .open("a", .write, as: "a"), .write("a", "y"), .fstat("a", .mode)), .mode("a"))
    }
        + Case.each(modes) { mode in
            Case(
                "\(Answer.mode(mode)) by chown", .create("r"), .chmod("r", mode), .chown("r", 5, 5),
                .mode("r"),
                .create("s"), .chmod("s", mode), .chown("s", -1, -1), .mode("s"), .create("g"),
                .chmod("g", mode),
                .chown("g", -1, 5), .mode("g"))
        }
        + Case.each(acts) { name, act in
            Case(
                "6777 by \(name)", .create("r", "abcdef"), .create("o", "abcdef"), .create("a", "abcdef"),
                .create("source", "source"), .chown("o", 1000, 1000), .chmod("r", 0o6777),
                .chmod("o", 0o6777),
                .chmod("a", 0o6777), act("r"), .mode("r"),
                .asUser(1000, act("o"), .mode("o"), act("a"), .mode("a")))
        } + [
            Case(
                "by the second write as by the first", .create("f", "abc"), .chmod("f", 0o6777),
                .asUser(
                    1000,
                    .open("f", .write, as: "a"), .write("a", "1")), .mode("f"), .chmod("f", 0o6777),
                .asUser(1000, .write("a", "2")), .mode("f")),
            Case(
                "not by a read", .create("f", "abc"), .chmod("f", 0o6777),
                .asUser(
                    1000, .readFile("f"),
                    .tryOpen("f", .both)), .mode("f")),
            Case(
                "not by a write of nothing", .create("f", "abc"), .chmod("f", 0o6777),
                .asUser(
                    1000,
                    .open("f", .write, as: "a"), .write("a", "")), .mode("f")),
            Case(
                "not by times, link or rename", .makeOpenDirectory("d", mode: 0o777), .create("d/f"),
                .chmod("d/f", 0o6777),
                .asUser(
                    1000, .touch("d/f"), .rename("d/f", "d/g"), .link("d/g", "d/h"),
                    .setAttribute("d/g", "user.a", "1")), .mode("d/g")),
            Case(
                "by the owner's chown to the same", .create("f"), .chown("f", 1000, 1000),
                .chmod("f", 0o6755),
                .asUser(1000, .chown("f", 1000, 1000)), .mode("f"), .chmod("f", 0o6755),
                .asUser(1000, .chown("f", -1, -1)), .mode("f")),
            Case(
                "by the owner's chown to a group of theirs", .create("f"), .chown("f", 1000, 1000),
                .chmod("f", 0o6755),
                .asUser(1000, groups: [50], .chown("f", -1, 50)), .mode("f")),
            Case(
                "not by a refused chown", .create("f"), .chmod("f", 0o6755),
                .asUser(1000, .chown("f", 1000, -1)),
                .mode("f")),
            Case(
                "of one's own new file by one's own write", .makeOpenDirectory("d", mode: 0o777),
                .asUser(
                    1000,
                    .umask(0), .open("d/f", [.create, .both], mode: 0o6755, as: "a"), .mode("d/f"),
                    .write("a", "x"),
                    .mode("d/f"))),
            Case(
                "ordinary modes stay", .create("f"), .chmod("f", 0o1777),
                .asUser(
                    1000, .open("f", .write, as: "a"),
                    .write("a", "x")), .mode("f"), .chown("f", 5, 5), .mode("f")),
            Case(
                "capability by write", .create("f", "x"), .setCapability("f"), .chmod("f", 0o666),
                .attributes("f"), .asUser(1000, .open("f", .write, as: "a"), .write("a", "y")),
                .attributes("f")),
            Case(
                "capability by root's write", .create("f", "x"), .setCapability("f"),
                .open("f", .write, as: "a"),
                .write("a", "y"), .attributes("f")),
            Case(
                "capability by chown", .create("f", "x"), .setCapability("f"), .chown("f", 5, 5),
                .attributes("f")),
            Case(
                "capability by truncate", .create("f", "x"), .setCapability("f"), .truncate("f", 0),
                .attributes("f")),
            Case(
                "capability not by chmod", .create("f", "x"), .setCapability("f"), .chmod("f", 0o600),
                .attributes("f")),
            Case(
                "own file by own hand", .create("f", "x"), .chmod("f", 0o6755), .open("f", .write, as: "a"),
                .mode("f"),
                .write("a", "y"), .mode("f")),
            Case(
                "own file truncated by own hand", .create("f", "x"), .chmod("f", 0o6755), .truncate("f", 0),
                .mode("f")),
        ])

private let modes: [mode_t] = [0o4755, 0o2755, 0o6755, 0o6745, 0o2745, 0o6644, 0o6777, 0o7777]

/// Ways to change a file's bytes.
private let acts: [(String, @Sendable (String) -> Step)] = [
    ("truncate", { .truncate($0, 2) }),
    ("truncate to the same size", { .truncate($0, 6) }),
    ("open with truncate", { .tryOpen($0, [.write, .truncate]) }),
    ("ftruncate", { path in .steps(.open(path, .write, as: path), .ftruncate(path, 1)) }),
    ("pwrite", { path in .steps(.open(path, .write, as: path), .pwrite(path, "z", at: 3)) }),
    ("append", { path in .steps(.open(path, [.write, .append], as: path), .write(path, "z")) }),
    ("writev", { path in .steps(.open(path, .write, as: path), .writev(path, "a", "b")) }),
    ("write with sync", { path in .steps(.open(path, [.write, .sync], as: path), .write(path, "z")) }),
    (
        "direct write",
        { path in .steps(.open(path, [.write, .direct], as: path), .directWrite(path, 4096, at: 0)) }
    ),
    ("fallocate", { path in .steps(.open(path, .write, as: path), .allocate(path, at: 0, 8192)) }),
    (
        "punch",
        { path in
            .steps(.open(path, .write, as: path), .allocate(path, [.punchHole, .keepSize], at: 0, 4096))
        }
    ),
    (
        "copy_file_range",
        { path in
            .steps(
                .open("source", .read, as: "source"), .open(path, .write, as: path),
                .copyRange("source", at: 0, to: path, at: 0, 6))
        }
    ),
    (
        "map",
        { path in
            .steps(
                .open(path, .both, as: path), .map(path, as: path, 6), .poke(path, "z"), .syncMap(path),
                .unmap(path))
        }
    ),
]
