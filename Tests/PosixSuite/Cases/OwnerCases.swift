internal import Glibc

/// chown(2), by root, by owners, by others; who may do what to whose file.
let ownerCases = Case.group(
    "owner",
    [
        Case(
            "changed", .create("f"), .chown("f", 1000, 1001), .owner("f"), .chown("f", -1, 5), .owner("f"),
            .chown("f", 7, -1), .owner("f"), .chown("f", -1, -1), .owner("f")),
        Case(
            "changed, of every kind", .mkdir("d"), .mknod("p", S_IFIFO), .symlink("f", "l"),
            .chown("d", 1000, 1001),
            .chown("p", 1000, 1001), .lchown("l", 1000, 1001), .owner("d"), .owner("p"), .owner("l")),
        Case(
            "changed through a symlink", .create("f"), .symlink("f", "l"), .chown("l", 1000, 1000),
            .owner("f"),
            .owner("l")),
        Case(
            "changed by descriptor", .open("f", [.create, .read], as: "a"), .fchown("a", 1000, 1000),
            .owner("f")),
        Case("of nothing", .chown("gone", 0, 0), .lchown("", 0, 0)),
        Case("large ids", .create("f"), .chown("f", 4_000_000_000, 4_000_000_001), .owner("f")),
        Case("moves ctime", .create("f"), .watch("f", do: .chown("f", 1000, 1000))),
        Case(
            "to one's own group", .create("f"), .watch("f", do: .chown("f", -1, Int(getgid()))), .owner("f")),
        Case(
            "of what a user makes", .makeOpenDirectory("d", mode: 0o777),
            .asUser(
                1000, gid: 1001, .create("d/f"),
                .mkdir("d/e"), .symlink("x", "d/l"), .mknod("d/p", S_IFIFO), .bind("d/s", as: "s")),
            .owner("d/f"),
            .owner("d/e"), .owner("d/l"), .owner("d/p"), .owner("d/s"), .mode("d/f"), .mode("d/e")),
        Case(
            "a user gives a file away", .create("f"), .chown("f", 1000, 1000),
            .asUser(1000, .chown("f", 1001, -1), .chown("f", 0, 0), .chown("f", 1000, -1)), .owner("f")),
        Case(
            "a user gives a file to a group", .create("f"), .chown("f", 1000, 1000),
            .asUser(
                1000, groups: [50, 60], .chown("f", -1, 50), .chown("f", -1, 70), .chown("f", 1000, 60),
                .chown("f", -1, 0)), .owner("f")),
        Case(
            "a user takes another's file", .create("f"),
            .asUser(
                1000, .chown("f", 1000, -1), .chown("f", -1, 1000),
                .chown("f", -1, -1)), .owner("f")),
        Case(
            "another's file", .create("f", "abc"),
            .asUser(
                1000, .chmod("f", 0o666), .truncate("f", 0),
                .setTimes("f", access: .at(1), modification: .at(2)), .touch("f"),
                .setAttribute("f", "user.a", "1"),
                .removeAttribute("f", "user.a"), .unlink("f"), .rename("f", "g"), .link("f", "g"),
                .readFile("f"))),
        Case(
            "another's file that all may write", .create("f", "abc"), .chmod("f", 0o666),
            .asUser(
                1000,
                .chmod("f", 0o600), .truncate("f", 2), .setTimes("f", access: .at(1), modification: .at(2)),
                .setTimes("f", access: .now, modification: .at(2)),
                .setTimes("f", access: .omit, modification: .now),
                .setTimes("f", access: .now, modification: .now), .touch("f"),
                .setAttribute("f", "user.a", "1"),
                .attribute("f", "user.a"), .open("f", .write, as: "a"), .fchmod("a", 0o600),
                .fchown("a", 1000, -1))),
        Case(
            "another's directory", .mkdir("d"), .create("d/f"), .mkdir("d/e"),
            .asUser(
                1000, .create("d/g"),
                .mkdir("d/h"), .symlink("x", "d/l"), .mknod("d/p", S_IFIFO), .unlink("d/f"), .rmdir("d/e"),
                .rename("d/f", "d/g"), .link("d/f", "d/g"), .create("d/f"), .chmod("d", 0o777), .rmdir("d"))),
        Case(
            "another's directory that all may write", .makeOpenDirectory("d", mode: 0o777),
            .create("d/f", "x"),
            .mkdir("d/e"), .asUser(1000, .create("d/g"), .unlink("d/f"), .rmdir("d/e"), .list("d"))),
        Case(
            "a private directory", .mkdir("d", mode: 0o700), .create("d/f", "x"),
            .asUser(
                1000, .list("d"),
                .stat("d", .kind), .stat("d/f", .kind), .readFile("d/f"), .create("d/g"), .rename("d", "e"),
                .chdir("d"))),
        Case(
            "one's own read-only file", .makeOpenDirectory("d", mode: 0o777),
            .asUser(
                1000,
                .create("d/f", mode: 0o444, "x"), .tryOpen("d/f", .write), .truncate("d/f", 0),
                .chmod("d/f", 0o644),
                .tryOpen("d/f", .write), .unlink("d/f"))),
        Case(
            "one's own file without rights", .makeOpenDirectory("d", mode: 0o777),
            .asUser(
                1000,
                .create("d/f", mode: 0, "x"), .stat("d/f", [.mode, .size]), .tryOpen("d/f", .read),
                .access("d/f", R_OK),
                .chmod("d/f", 0o400), .readFile("d/f"))),
        Case(
            "create for writing without the right to write again", .makeOpenDirectory("d", mode: 0o777),
            .asUser(
                1000, .open("d/f", [.create, .both], mode: 0, as: "a"), .write("a", "abc"),
                .pread("a", 3, at: 0),
                .tryOpen("d/f", .both))),
        Case(
            "an open descriptor outlives its right", .create("f", "abc"), .chmod("f", 0o666),
            .asUser(1000, .open("f", .both, as: "a"), .write("a", "x")), .chmod("f", 0o600),
            .asUser(1000, .pread("a", 3, at: 0), .pwrite("a", "y", at: 1), .tryOpen("f", .read)),
            .readFile("f")),
        Case(
            "group rights in another group", .create("f", "x"), .chown("f", 0, 50), .chmod("f", 0o640),
            .asUser(1000, .readFile("f")), .asUser(1000, groups: [50], .readFile("f"), .tryOpen("f", .write)),
            .asUser(1000, gid: 50, .readFile("f"))),
        Case(
            "the owner's bits come first", .create("f", "x"), .chown("f", 1000, 1000), .chmod("f", 0o077),
            .asUser(1000, .tryOpen("f", .read), .tryOpen("f", .write))),
        Case(
            "the group's bits come before the others'", .create("f", "x"), .chown("f", 0, 1000),
            .chmod("f", 0o707),
            .asUser(1000, .tryOpen("f", .read), .tryOpen("f", .write))),
        Case(
            "root passes by the mode", .create("f", "x"), .chown("f", 1000, 1000), .chmod("f", 0),
            .readFile("f"),
            .tryOpen("f", .write), .mkdir("d"), .chown("d", 1000, 1000), .chmod("d", 0), .create("d/f"),
            .list("d")),
        Case(
            "renaming another's directory to another parent", .makeOpenDirectory("a", mode: 0o777),
            .makeOpenDirectory("b", mode: 0o777), .mkdir("a/d"),
            .asUser(
                1000, .rename("a/d", "a/e"),
                .rename("a/e", "b/e"), .rename("a/d", "b/d"))),
        Case(
            "noatime on another's file", .create("f", "x"),
            .asUser(1000, .tryOpen("f", [.read, .noAccessTime]))),
        Case(
            "linking another's file", .makeOpenDirectory("d", mode: 0o777), .create("d/f"), .create("d/g"),
            .chmod("d/g", 0o666), .asUser(1000, .link("d/f", "d/1"), .link("d/g", "d/2"))),
        Case(
            "a user may not make devices", .makeOpenDirectory("d", mode: 0o777),
            .asUser(1000, .mknod("d/n", S_IFCHR, device: 0x103), .mknod("d/b", S_IFBLK, device: 0x100)),
            .list("d")),
        Case(
            "trusted attributes are root's", .create("f"), .chmod("f", 0o666),
            .asUser(
                1000,
                .setAttribute("f", "trusted.a", "1"), .attribute("f", "trusted.a"))),
        Case(
            "attributes want the right to write", .create("f"), .setAttribute("f", "user.a", "1"),
            .asUser(
                1000,
                .attribute("f", "user.a"), .setAttribute("f", "user.a", "2"), .attributes("f")),
            .chmod("f", 0o600),
            .asUser(1000, .attribute("f", "user.a"), .attributes("f"))),
    ])

/// The sticky bit on directories.
let stickyCases = Case.group(
    "sticky",
    [
        Case(
            "another's file", .makeOpenDirectory("d", mode: 0o1777), .create("d/f"), .mkdir("d/e"),
            .asUser(1000, .unlink("d/f"), .rename("d/f", "d/g"), .rmdir("d/e"), .rename("d/e", "d/h"))),
        Case(
            "one's own file", .makeOpenDirectory("d", mode: 0o1777),
            .asUser(
                1000, .create("d/f"),
                .rename("d/f", "d/g"), .unlink("d/g"), .mkdir("d/e"), .rmdir("d/e"))),
        Case(
            "between two users", .makeOpenDirectory("d", mode: 0o1777), .asUser(1000, .create("d/f")),
            .asUser(
                1001, .unlink("d/f"), .rename("d/f", "d/g"), .create("d/h"), .rename("d/h", "d/f"),
                .exchange("d/h", "d/f")), .list("d")),
        Case(
            "the directory's owner may", .makeOpenDirectory("d", mode: 0o1777), .chown("d", 1000, 1000),
            .create("d/f"), .create("d/g"), .asUser(1000, .unlink("d/f"), .rename("d/g", "d/h"))),
        Case(
            "root may", .makeOpenDirectory("d", mode: 0o1777), .asUser(1000, .create("d/f")), .unlink("d/f")),
        Case(
            "onto another's file", .makeOpenDirectory("d", mode: 0o1777), .create("d/f"),
            .asUser(
                1000,
                .create("d/g"), .rename("d/g", "d/f"), .renameNoReplace("d/g", "d/f"))),
        Case(
            "out of it to an open directory", .makeOpenDirectory("d", mode: 0o1777),
            .makeOpenDirectory("o", mode: 0o777), .create("d/f"),
            .asUser(
                1000, .rename("d/f", "o/f"), .create("d/g"),
                .rename("d/g", "o/g")), .list("o")),
        Case(
            "linking another's file into it", .makeOpenDirectory("d", mode: 0o1777), .create("f"),
            .chmod("f", 0o666),
            .asUser(1000, .link("f", "d/f"))),
        Case(
            "writing another's file", .makeOpenDirectory("d", mode: 0o1777), .create("d/f", "x"),
            .chmod("d/f", 0o666),
            .asUser(1000, .open("d/f", .write, as: "a"), .write("a", "y"))),
        Case(
            "set by its owner", .mkdir("d"), .chown("d", 1000, 1000), .asUser(1000, .chmod("d", 0o1777)),
            .mode("d")),
        Case(
            "on a file set by its owner", .create("f"), .chown("f", 1000, 1000),
            .asUser(1000, .chmod("f", 0o1644)), .mode("f")),
        Case("not passed on", .makeOpenDirectory("d", mode: 0o1777), .mkdir("d/e"), .mode("d/e")),
    ])

/// The set-group-id bit on directories.
let setgidDirectoryCases = Case.group(
    "setgid-directory",
    [
        Case(
            "passes its group on", .makeOpenDirectory("d", mode: 0o777), .chown("d", -1, 50),
            .chmod("d", 0o2777),
            .create("d/f"), .mkdir("d/e"), .symlink("x", "d/l"), .mknod("d/p", S_IFIFO), .owner("d/f"),
            .stat("d/e", [.mode, .owner]), .owner("d/l"), .owner("d/p"), .mkdir("d/e/g"),
            .stat("d/e/g", [.mode, .owner])),
        Case(
            "passes its group on to a user's files", .makeOpenDirectory("d", mode: 0o777),
            .chown("d", -1, 50),
            .chmod("d", 0o2777), .asUser(1000, .create("d/f"), .mkdir("d/e"), .symlink("x", "d/l")),
            .stat("d/f", [.mode, .owner]), .stat("d/e", [.mode, .owner]), .owner("d/l")),
        Case(
            "does not make files setgid", .makeOpenDirectory("d", mode: 0o2777), .create("d/f", mode: 0o755),
            .mode("d/f")),
        Case(
            "drops setgid asked for by a stranger to the group", .makeOpenDirectory("d", mode: 0o777),
            .chown("d", -1, 50), .chmod("d", 0o2777),
            .asUser(
                1000, .umask(0), .create("d/f", mode: 0o2775), .create("d/g", mode: 0o2765),
                .mknod("d/h", S_IFREG, mode: 0o2775)), .mode("d/f"), .mode("d/g"), .mode("d/h")),
        Case(
            "keeps setgid asked for by a member", .makeOpenDirectory("d", mode: 0o777), .chown("d", -1, 50),
            .chmod("d", 0o2777), .asUser(1000, groups: [50], .umask(0), .create("d/f", mode: 0o2775)),
            .stat("d/f", [.mode, .owner])),
        Case(
            "chmod by a stranger to the group drops it", .create("f"), .chown("f", 1000, 50),
            .asUser(1000, .chmod("f", 0o2755)), .mode("f"), .asUser(1000, groups: [50], .chmod("f", 0o2755)),
            .mode("f")),
        Case(
            "chmod of a directory by a stranger to the group", .mkdir("d"), .chown("d", 1000, 50),
            .asUser(1000, .chmod("d", 0o2755)), .mode("d"), .asUser(1000, groups: [50], .chmod("d", 0o2755)),
            .mode("d")),
        Case(
            "stays on a directory that is chowned", .mkdir("d"), .chmod("d", 0o6755), .chown("d", 1000, 1000),
            .mode("d")),
        Case(
            "renamed into it keeps its group", .makeOpenDirectory("d", mode: 0o777), .chown("d", -1, 50),
            .chmod("d", 0o2777), .create("f"), .rename("f", "d/f"), .owner("d/f")),
        Case(
            "linked into it keeps its group", .makeOpenDirectory("d", mode: 0o777), .chown("d", -1, 50),
            .chmod("d", 0o2777), .create("f"), .link("f", "d/f"), .owner("d/f")),
    ])
