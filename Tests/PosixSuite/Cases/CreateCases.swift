internal import Glibc

/// Making names, and what that does to the directory.
let createCases = Case.group(
    "create",
    [
        Case("file, its status", .create("f", "hello"), .stat("f", [.kind, .mode, .links, .size, .owner])),
        Case("empty file has no blocks", .create("f"), .stat("f", [.size, .blocks])),
        Case("directory, its status", .mkdir("d"), .stat("d", [.kind, .mode, .links, .owner])),
        Case(
            "directory counts in its parent's links", .links("."), .mkdir("d"), .links("."), .mkdir("d/e"),
            .links("d"), .rmdir("d/e"), .links("d"), .rmdir("d"), .links(".")),
        Case("file does not count in its parent's links", .create("f"), .links(".")),
        Case(
            "over a file", .create("f", "x"), .mkdir("f"), .symlink("a", "f"), .link("f", "f"), .readFile("f")
        ),
        Case(
            "over a directory", .mkdir("d"), .mkdir("d"), .symlink("a", "d"),
            .tryOpen("d", [.create, .write])),
        Case("over a link to nothing", .symlink("gone", "l"), .mkdir("l"), .symlink("x", "l"), .list(".")),
        Case(
            "below a file", .create("f"), .mkdir("f/d"), .symlink("a", "f/l"), .link("f", "f/g"),
            .mknod("f/p", S_IFIFO)),
        Case("below nothing", .mkdir("no/d"), .symlink("a", "no/l"), .mknod("no/p", S_IFIFO)),
        Case("with empty names", .mkdir(""), .symlink("a", ""), .symlink("", "l"), .mknod("", S_IFIFO)),
        Case("the dots", .mkdir("."), .mkdir(".."), .mkdir("d/."), .symlink("a", "."), .create(".")),
        Case("directory with slashes at the end", .mkdir("d///"), .stat("d//", .kind), .list(".")),
        Case(
            "file with mknod", .mknod("f", S_IFREG, mode: 0o640), .stat("f", [.kind, .mode, .size]),
            .readFile("f")),
        Case("directory with mknod", .mknod("d", S_IFDIR)),
        Case("parent's times move by a file", .watch(".", do: .create("f"))),
        Case("parent's times move by a directory", .watch(".", do: .mkdir("d"))),
        Case("parent's times move by a symlink", .watch(".", do: .symlink("a", "l"))),
        Case("parent's times move by a fifo", .watch(".", do: .mknod("p", S_IFIFO))),
        Case(
            "parent's times stay where the name is there", .create("f"),
            .watch(".", do: .create("f", "again"))),
        Case("parent's times stay where it is refused", .mkdir("d"), .watch(".", do: .mkdir("d"))),
        Case("truncating by create moves the file's times", .create("f"), .watch("f", do: .create("f"))),
        Case(
            "deep directories", .mkdir("a"), .mkdir("a/b"), .mkdir("a/b/c"), .create("a/b/c/f", "deep"),
            .readFile("a/b/../b/c/./f"), .list("a/b")),
        Case(
            "a name freed is a name new", .create("f", "old"), .unlink("f"), .mkdir("f"),
            .stat("f", [.kind, .links]),
            .rmdir("f"), .symlink("x", "f"), .stat("f", [.kind, .size]), .unlink("f"), .create("f"),
            .stat("f", [.kind, .size])),
        Case(
            "in a directory removed", .mkdir("d"), .open("d", [.directory], as: "d"), .fchdir("d"),
            .rmdir("../d"), .create("f"), .mkdir("e"), .symlink("a", "l"), .mknod("p", S_IFIFO), .list("."),
            .workingDirectory()),
    ])

/// Modes of what is made, under each umask.
let umaskCases = Case.group(
    "umask",
    Case.each([0o000, 0o002, 0o022, 0o027, 0o077, 0o111, 0o777]) { (mask: mode_t) in
        Case(
            "\(Answer.mode(mask))",
            .umask(mask), .create("f", mode: 0o666), .mode("f"), .create("x", mode: 0o777), .mode("x"),
            .mkdir("d", mode: 0o777), .mode("d"), .mknod("p", S_IFIFO, mode: 0o666), .mode("p"),
            .symlink("f", "l"), .mode("l"), .mknod("r", S_IFREG, mode: 0o666), .mode("r"))
    } + [
        Case("does not touch chmod", .umask(0o077), .create("f"), .chmod("f", 0o666), .mode("f")),
        Case(
            "suid and sgid asked for", .umask(0), .create("f", mode: 0o6755), .mode("f"),
            .mkdir("d", mode: 0o7777), .mode("d"), .mknod("r", S_IFREG, mode: 0o6755), .mode("r")),
        Case(
            "sticky asked for", .umask(0), .create("f", mode: 0o1644), .mode("f"), .mkdir("d", mode: 0o1777),
            .mode("d")),
        Case("socket", .umask(0o022), .bind("s", as: "s"), .stat("s", [.kind, .mode])),
    ])
