internal import Glibc

/// chmod(2), and what modes let their owner do.
let modeCases = Case.group(
    "mode",
    Case.each([0o000, 0o400, 0o200, 0o100, 0o644, 0o711, 0o777, 0o1644, 0o2644, 0o4755, 0o6711, 0o7777]) {
        (mode: mode_t) in
        Case(
            "\(Answer.mode(mode)) on each kind", .create("f"), .mkdir("d"), .mknod("p", S_IFIFO),
            .bind("s", as: "s"),
            .chmod("f", mode), .mode("f"), .chmod("d", mode), .mode("d"), .chmod("p", mode), .mode("p"),
            .chmod("s", mode), .mode("s"), .tryOpen("f", .read), .tryOpen("f", .write), .list("d"),
            .create("d/new"))
    } + [
        Case(
            "by descriptor", .open("f", [.create, .read], as: "a"), .fchmod("a", 0o600), .mode("f"),
            .fstat("a", .mode)),
        Case("of nothing", .chmod("gone", 0o600), .chmod("", 0o600)),
        Case("below a file", .create("f"), .chmod("f/x", 0o600)),
        Case(
            "taken while open for writing", .open("f", [.create, .write], as: "a"), .chmod("f", 0),
            .write("a", "x"),
            .ftruncate("a", 0), .tryOpen("f", .write), .fstat("a", [.mode, .size])),
        Case("higher bits than twelve", .create("f"), .chmod("f", 0o170600), .stat("f", [.kind, .mode])),
        Case("moves the directory's times not", .create("f"), .watch(".", do: .chmod("f", 0o600))),
    ])

/// access(2) in every mode, for files and directories.
let accessCases = Case.group(
    "access",
    Case.each([0o000, 0o100, 0o200, 0o400, 0o500, 0o600, 0o700, 0o070, 0o007]) { (mode: mode_t) in
        Case(
            "of \(Answer.mode(mode))", .create("f"), .chmod("f", mode), .mkdir("d"), .chmod("d", mode),
            .access("f", F_OK), .access("f", R_OK), .access("f", W_OK), .access("f", X_OK),
            .access("d", R_OK),
            .access("d", W_OK), .access("d", X_OK), .access("d/gone", F_OK))
    }
        + Case.each([0o000, 0o001, 0o004, 0o010, 0o040, 0o070, 0o007, 0o707, 0o770]) { (mode: mode_t) in
            Case(
                "of \(Answer.mode(mode)) for others", .create("f", "x"), .makeOpenDirectory("d", mode: mode),
                .chown("f", 1000, 1000), .chmod("f", mode), .chown("d", 1000, 1000),
                .asUser(1000, .access("f", R_OK), .access("f", X_OK), .tryOpen("f", .read), .list("d")),
                .asUser(
                    1001, gid: 1000, .access("f", R_OK), .access("f", W_OK), .access("f", X_OK),
                    .tryOpen("f", .read),
                    .tryOpen("f", .write), .list("d"), .stat("d/.", .kind)),
                .asUser(
                    1001, groups: [1000], .access("f", R_OK), .access("f", W_OK), .tryOpen("f", .read),
                    .list("d")),
                .asUser(
                    1001, .access("f", R_OK), .access("f", W_OK), .access("f", X_OK), .tryOpen("f", .read),
                    .tryOpen("f", .write), .tryOpen("f", [.write, .truncate]), .list("d"), .create("d/new")))
        } + [
            Case("of nothing", .access("gone", F_OK), .access("gone/f", F_OK), .access("", F_OK)),
            Case("of a bad mode", .create("f"), .access("f", 16)),
            Case("below a file", .create("f"), .access("f/x", F_OK)),
            Case(
                "follows a symlink", .create("f"), .chmod("f", 0), .symlink("f", "l"), .access("l", R_OK),
                .symlink("gone", "m"), .access("m", F_OK),
                .accessAs("m", F_OK, effective: false, noFollow: true)),
            Case(
                "by the effective ids", .create("f"), .chmod("f", 0o600),
                .asUser(1000, .accessAs("f", R_OK, effective: true), .accessAs("f", R_OK, effective: false))),
            Case(
                "without search on the way", .makeOpenDirectory("d", mode: 0o777), .create("d/f"),
                .chmod("d", 0o666),
                .asUser(
                    1000, .access("d/f", F_OK), .stat("d/f", .kind), .tryOpen("d/f", .read), .unlink("d/f"),
                    .list("d"), .chdir("d"))),
            Case(
                "with search alone on the way", .makeOpenDirectory("d", mode: 0o777), .create("d/f", "x"),
                .chmod("d", 0o711), .asUser(1000, .readFile("d/f"), .list("d"), .create("d/g"), .chdir("d"))),
            Case(
                "program without x for root", .create("f"), .chmod("f", 0o666), .access("f", X_OK),
                .chmod("f", 0o667), .access("f", X_OK)),
        ])
