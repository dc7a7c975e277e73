internal import Glibc

/// The right to search directories whose names somebody knows already.
let searchCases = Case.group(
    "search",
    Case.each([0o000, 0o200, 0o400, 0o600]) { (mode: mode_t) in
        Case(
            "taken by \(Answer.mode(mode)) where names are known", .mkdir("d"), .create("d/f", "x"),
            .mkdir("d/e"), .create("d/e/g"), .symlink("f", "d/l"), .link("d/f", "h"), .link("h", "d/i"),
            .stat("d/f", .kind), .stat("d/i", .kind), .stat("d/e/g", .kind), .readlink("d/l"), .list("d"),
            .chmod("d", mode),
            .stat("d/f", .kind), .stat("d/i", .kind), .stat("d/e/g", .kind), .readlink("d/l"),
            .readFile("d/f"), .access("d/f", F_OK), .chmod("d/f", 0o600), .unlink("d/f"), .create("d/n"),
            .mkdir("d/m"), .rename("d/f", "f"), .rename("h", "d/j"), .link("h", "d/k"), .rmdir("d/e"),
            .list("d"), .chdir("d"), .chdir("d/e"), .attribute("d/f", "user.a"), .touch("d/f"),
            .chmod("d", 0o755), .stat("d/f", .kind), .list("d"), .list("d/e"))
    }
        + Case.each([0o100, 0o300, 0o500]) { (mode: mode_t) in
            Case(
                "kept by \(Answer.mode(mode))", .mkdir("d"), .create("d/f", "x"), .mkdir("d/e"), .list("d"),
                .chmod("d", mode), .stat("d/f", .kind), .readFile("d/f"), .create("d/n"), .unlink("d/f"),
                .rename("d/e", "d/g"), .list("d"), .openListing("d", as: "d"), .chdir("d"), .list("."),
                .chdir(".."), .chmod("d", 0o755), .list("d"))
        } + [
            Case(
                "taken from an ancestor", .mkdir("d"), .mkdir("d/e"), .mkdir("d/e/f"),
                .create("d/e/f/g", "x"),
                .readFile("d/e/f/g"), .chmod("d", 0), .readFile("d/e/f/g"), .stat("d/e/f", .kind),
                .create("d/e/f/h"), .chmod("d", 0o755), .readFile("d/e/f/g")),
            Case(
                "taken with the working directory below", .mkdir("d"), .mkdir("d/e"), .create("d/f"),
                .mkdir("d/e/g"), .create("d/e/g/h", "x"), .open("d", [.path, .directory], as: "d"),
                .chdir("d/e"), .stat("g/h", .kind), .chmod("..", 0o600), .readFile("g/h"), .create("i"),
                .list("."), .stat("../f", .kind), .chmod("../../d", 0o755), .list(".")),
            Case(
                "taken from the working directory", .mkdir("d"), .create("d/f", "x"), .chdir("d"),
                .readFile("f"), .chmod(".", 0o600), .readFile("f"), .create("g"), .access("f", F_OK),
                .chmod(".", 0o755), .readFile("f")),
            Case(
                "taken while files below are open", .mkdir("d"), .open("d/f", [.create, .both], as: "f"),
                .write("f", "text"), .chmod("d", 0), .fstat("f", [.kind, .size]), .pread("f", 4, at: 0),
                .pwrite("f", "more", at: 4), .ftruncate("f", 6), .fchmod("f", 0o600),
                .fstat("f", [.mode, .size]), .setDescriptorAttribute("f", "user.a", "1"),
                .descriptorAttribute("f", "user.a"), .sync("f"), .close("f"), .chmod("d", 0o755),
                .readFile("d/f")),
            Case(
                "taken by descriptor", .mkdir("d"), .create("d/f"), .stat("d/f", .kind),
                .open("d", .directory, as: "d"), .fchmod("d", 0o600), .stat("d/f", .kind), .list("d"),
                .fchmod("d", 0o700), .stat("d/f", .kind)),
            Case(
                "taken and given again at once", .mkdir("d"), .create("d/f"), .stat("d/f", .kind),
                .chmod("d", 0), .chmod("d", 0o700), .stat("d/f", .kind), .chmod("d", 0), .stat("d/f", .kind),
                .chmod("d", 0o700), .stat("d/f", .kind)),
            Case(
                "of a directory renamed since", .mkdir("d"), .create("d/f"), .stat("d/f", .kind),
                .rename("d", "e"), .chmod("e", 0), .stat("e/f", .kind), .chmod("e", 0o700),
                .stat("e/f", .kind)),
            Case(
                "of what was renamed into it", .mkdir("d"), .create("f"), .stat("f", .kind),
                .rename("f", "d/g"), .stat("d/g", .kind), .chmod("d", 0o600), .stat("d/g", .kind),
                .chmod("d", 0o700)),
        ])

/// What an owner's own modes keep him from.
let ownModeCases = Case.group(
    "own mode",
    [
        Case(
            "of a program without x", .copyProgram("/bin/true", to: "p", mode: 0o644), .execute("./p"),
            .access("p", X_OK), .chmod("p", 0o611), .execute("./p"), .access("p", X_OK), .chmod("p", 0o755),
            .execute("./p")),
        Case(
            "of a program for others", .copyProgram("/bin/true", to: "p", mode: 0o655), .execute("./p")),
        Case("of a program to run alone", .copyProgram("/bin/true", to: "p", mode: 0o111), .execute("./p")),
        Case(
            "of a fifo", .mknod("p", S_IFIFO), .chmod("p", 0), .tryOpen("p", [.read, .nonblock]),
            .chmod("p", 0o200), .tryOpen("p", [.read, .nonblock]), .tryOpen("p", [.both, .nonblock])),
        Case("of a socket", .bind("s", as: "s"), .chmod("s", 0o400), .connect("s", as: "c")),
        Case(
            "to truncate", .create("f", "text"), .chmod("f", 0o400), .truncate("f", 1),
            .tryOpen("f", [.read, .truncate]), .tryOpen("f", [.write, .truncate]), .size("f")),
        Case(
            "to set times", .create("f"), .chmod("f", 0), .touch("f"),
            .setTimes("f", access: .at(1), modification: .at(2)), .times("f")),
        Case(
            "of attributes", .create("f"), .setAttribute("f", "user.a", "1"), .chmod("f", 0o200),
            .attribute("f", "user.a"), .attributes("f"), .chmod("f", 0o400), .attribute("f", "user.a"),
            .setAttribute("f", "user.a", "2"), .removeAttribute("f", "user.a")),
        Case(
            "to link", .create("f"), .chmod("f", 0), .link("f", "g"), .links("f")),
        Case(
            "of a directory to change", .mkdir("d"), .create("d/f"), .chmod("d", 0o500), .create("d/g"),
            .mkdir("d/e"), .mknod("d/p", S_IFIFO), .symlink("x", "d/l"), .unlink("d/f"),
            .rename("d/f", "d/g"),
            .rename("d/f", "f"), .link("d/f", "d/h"), .access("d", W_OK), .list("d"), .chmod("d", 0o700)),
        Case(
            "of a file made without rights", .open("f", [.create, .both], mode: 0, as: "f"), .write("f", "x"),
            .pread("f", 1, at: 0), .tryOpen("f", .read), .tryOpen("f", [.create, .write]), .mode("f")),
    ])
