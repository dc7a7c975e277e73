internal import Glibc

/// Hard links.
let linkCases = Case.group(
    "link",
    [
        Case(
            "counts", .create("f", "x"), .links("f"), .link("f", "g"), .links("f"), .links("g"),
            .same("f", "g"),
            .unlink("f"), .links("g"), .readFile("g")),
        Case(
            "of many names", .create("f"), .link("f", "a"), .link("a", "b"), .link("b", "c"), .links("f"),
            .unlink("f"), .unlink("b"), .links("c"), .list(".")),
        Case("moves ctime alone", .create("f"), .watch("f", do: .link("f", "g"))),
        Case(
            "moves the new name's directory", .create("f"), .mkdir("d"),
            .watch("d", ".", do: .link("f", "d/g"))),
        Case(
            "unlinking one moves ctime of the other", .create("f"), .link("f", "g"),
            .watch("g", do: .unlink("f"))),
        Case("to a directory", .mkdir("d"), .link("d", "e")),
        Case("of nothing", .link("gone", "g")),
        Case(
            "over what is there", .create("f", "f"), .create("g", "g"), .link("f", "g"), .readFile("g"),
            .links("f")),
        Case("onto itself", .create("f"), .link("f", "f"), .links("f")),
        Case(
            "of a symlink is the symlink", .create("f"), .symlink("f", "l"), .link("l", "m"),
            .stat("m", [.kind, .links]), .links("f"), .same("l", "m")),
        Case(
            "following a symlink", .create("f"), .symlink("f", "l"), .linkFollowing("l", "m"),
            .stat("m", [.kind, .links]), .same("f", "m")),
        Case("following a symlink to nothing", .symlink("gone", "l"), .linkFollowing("l", "m")),
        Case("of a fifo", .mknod("p", S_IFIFO), .link("p", "q"), .stat("q", [.kind, .links])),
        Case("of a socket", .bind("s", as: "s"), .link("s", "t"), .stat("t", [.kind, .links])),
        Case(
            "into another directory", .create("f", "x"), .mkdir("d"), .link("f", "d/g"), .readFile("d/g"),
            .links("d"), .same("f", "d/g")),
        Case("below a file", .create("f"), .create("g"), .link("f", "g/x")),
        Case("below nothing", .create("f"), .link("f", "gone/x")),
        Case("with a slash at the end", .create("f"), .link("f", "g/"), .link("f/", "g")),
        Case("modes and owners are shared", .create("f"), .link("f", "g"), .chmod("g", 0o600), .mode("f")),
        Case(
            "writing through one is seen in the other", .create("f", "abc"), .link("f", "g"),
            .open("g", .write, as: "g"), .write("g", "xyz12"), .readFile("f"), .size("f")),
        Case(
            "truncating through one is seen in the other", .create("f", "abcdef"), .link("f", "g"),
            .size("g"), .truncate("f", 2), .size("g"), .readFile("g")),
        Case(
            "attributes are shared", .create("f"), .link("f", "g"), .setAttribute("f", "user.a", "1"),
            .attribute("g", "user.a")),
        Case(
            "of an open file that has lost its name", .create("f", "x"), .open("f", .read, as: "a"),
            .unlink("f"),
            .linkDescriptor("a", "g")),
        Case(
            "of an open file with a name", .create("f", "x"), .open("f", .read, as: "a"),
            .linkDescriptor("a", "g"), .links("f"), .same("f", "g")),
        Case(
            "renaming one name onto another of the file", .create("f", "x"), .link("f", "g"),
            .rename("f", "g"),
            .list("."), .links("f")),
    ])

/// Symbolic links.
let symlinkCases = Case.group(
    "symlink",
    [
        Case(
            "its status", .symlink("target", "l"), .stat("l", [.kind, .mode, .links, .size]), .readlink("l")),
        Case("keeps any text", .symlink("/no/such//place/./..", "l"), .readlink("l"), .size("l")),
        Case("keeps bytes that are no UTF-8", .symlink("a%FF%FEb", "l"), .readlink("l"), .size("l")),
        Case(
            "of 59 and 60 bytes", .symlink(String(repeating: "a", count: 59), "l"),
            .symlink(String(repeating: "b", count: 60), "m"), .readlink("l"), .readlink("m"), .size("m")),
        Case("of 1000 bytes", .symlink(String(repeating: "c", count: 1000), "l"), .readlink("l"), .size("l")),
        Case("of 4095 bytes", .symlink(String(repeating: "d", count: 4095), "l"), .readlink("l"), .size("l")),
        Case("of 4096 bytes", .symlink(String(repeating: "e", count: 4096), "l"), .list(".")),
        Case("empty", .symlink("", "l")),
        Case(
            "over what is there", .create("f"), .symlink("a", "f"), .symlink("a", "l"), .symlink("b", "l"),
            .readlink("l")),
        Case("read into a short buffer", .symlink("abcdefgh", "l"), .readlink("l", bufferBytes: 3)),
        Case(
            "readlink of others", .create("f"), .mkdir("d"), .readlink("f"), .readlink("d"), .readlink("gone")
        ),
        Case(
            "relative, in another directory", .mkdir("d"), .create("f", "up"), .symlink("../f", "d/l"),
            .readFile("d/l"), .rename("d/l", "l"), .readFile("l")),
        Case(
            "to a directory", .mkdir("d"), .create("d/f", "x"), .symlink("d", "l"), .readFile("l/f"),
            .list("l"),
            .stat("l/", .kind), .stat("l", .kind), .rmdir("l"), .unlink("l/"), .unlink("l"), .list(".")),
        Case(
            "chain of 40",
            steps: [.create("l0", "end")]
                + (1...40).map { .symlink("l\($0 - 1)", "l\($0)") } + [.readFile("l40")]),
        Case(
            "chain of 41",
            steps: [.create("l0", "end")]
                + (1...41).map { .symlink("l\($0 - 1)", "l\($0)") } + [.readFile("l41")]),
        Case(
            "unlink leaves the target", .create("f", "x"), .symlink("f", "l"), .unlink("l"), .list("."),
            .readFile("f")),
        Case(
            "chmod goes to the target", .create("f"), .symlink("f", "l"), .chmod("l", 0o600), .mode("f"),
            .mode("l")),
        Case("chmod of the link itself", .create("f"), .symlink("f", "l"), .lchmod("l", 0o600), .mode("l")),
        Case(
            "times of the link itself", .create("f"), .symlink("f", "l"),
            .setTimesOfLink("l", access: .at(1000, 5), modification: .at(2000, 7)), .times("l")),
        Case("making one moves no time of the target", .create("f"), .watch("f", do: .symlink("f", "l"))),
        Case(
            "attributes of the link itself", .symlink("f", "l"), .setLinkAttribute("l", "user.a", "1"),
            .linkAttribute("l", "user.a")),
        Case("owner of the link itself", .create("f"), .symlink("f", "l"), .lchown("l", -1, -1), .owner("l")),
        Case("is no directory to mkdir or rmdir", .mkdir("d"), .symlink("d", "l"), .mkdir("l"), .rmdir("l")),
        Case("truncate follows", .create("f", "abc"), .symlink("f", "l"), .truncate("l", 1), .readFile("f")),
        Case(
            "to itself", .symlink("l", "l"), .readFile("l"), .stat("l", .kind), .statFollowing("l", .kind),
            .chdir("l"), .list("l")),
    ])
