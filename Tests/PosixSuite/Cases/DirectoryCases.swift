internal import Glibc

/// Listings, also while the directory changes.
let readdirCases = Case.group(
    "readdir",
    [
        Case(
            "kinds", .create("f"), .mkdir("d"), .symlink("f", "l"), .mknod("p", S_IFIFO), .bind("s", as: "s"),
            .list(".")),
        Case("the dots", .mkdir("d"), .dots("d"), .dots(".")),
        Case("of an empty one", .mkdir("d"), .list("d")),
        Case("of no directory", .create("f"), .list("f"), .list("gone")),
        Case("of 10", .createMany("f", 10), .list(".")),
        Case(
            "of 1000", .createMany("f", 1000), .openListing(".", as: "d"), .countEntries("d"),
            .countEntries("d")),
        Case(
            "rewound sees what is new", .createMany("f", 3), .openListing(".", as: "d"), .countEntries("d"),
            .create("new"), .rewind("d"), .entries("d")),
        Case(
            "rewound does not see what is gone", .createMany("f", 3), .openListing(".", as: "d"),
            .countEntries("d"), .unlink("f1"), .rewind("d"), .entries("d")),
        Case(
            "opened twice", .createMany("f", 5), .openListing(".", as: "a"), .openListing(".", as: "b"),
            .countEntries("a", most: 3), .countEntries("b"), .countEntries("a")),
        Case(
            "told and sought", .createMany("f", 300), .openListing(".", as: "d"),
            .countEntries("d", most: 100),
            .mark("d", as: "place"), .countEntries("d"), .goTo("place", in: "d"), .countEntries("d")),
        Case(
            "sought to the start", .createMany("f", 20), .openListing(".", as: "d"), .mark("d", as: "start"),
            .countEntries("d"), .goTo("start", in: "d"), .countEntries("d")),
        Case(
            "sought to each of three places", .createMany("f", 100), .openListing(".", as: "d"),
            .countEntries("d", most: 10), .mark("d", as: "10"), .countEntries("d", most: 40),
            .mark("d", as: "50"),
            .goTo("10", in: "d"), .countEntries("d", most: 5), .goTo("50", in: "d"), .countEntries("d")),
        Case(
            "all removed while listed, then listed again", .createMany("f", 500), .openListing(".", as: "d"),
            .countEntries("d", most: 2), .unlinkMany("f", 500), .rewind("d"), .entries("d")),
        Case(
            "half removed before, then listed on", .createMany("f", 500), .unlinkMany("f", 500, every: 2),
            .openListing(".", as: "d"), .countEntries("d")),
        Case(
            "what stays is listed once while others go", .createMany("keep", 600), .createMany("go", 1400),
            .listAround(".", countOf: "keep", do: .unlinkMany("go", 1400))),
        Case(
            "what stays is listed once while others come", .createMany("keep", 600),
            .listAround(".", countOf: "keep", do: .createMany("come", 1400))),
        Case(
            "what stays is listed once while others are renamed", .createMany("keep", 1500), .create("f"),
            .listAround(".", countOf: "keep", do: .rename("f", "g"), .rename("g", "a"), .rename("a", "zz"))),
        Case("after a rename within", .createMany("f", 5), .rename("f0", "z"), .list(".")),
        Case(
            "with long names", .create(String(repeating: "a", count: 200)),
            .create(String(repeating: "b", count: 255)),
            .list(".")),
        Case(
            "getdents with a buffer too small", .createMany("f", 3), .open(".", .directory, as: "d"),
            .rawEntries("d", bufferBytes: 1), .rawEntries("d", bufferBytes: 4096),
            .rawEntries("d", bufferBytes: 4096)),
        Case(
            "getdents of a file", .create("f"), .open("f", .read, as: "f"),
            .rawEntries("f", bufferBytes: 4096)),
        Case(
            "seek of a directory to the start", .createMany("f", 3), .open(".", .directory, as: "d"),
            .rawEntries("d", bufferBytes: 32768), .rawEntries("d", bufferBytes: 32768), .seek("d", 0),
            .rawEntries("d", bufferBytes: 32768)),
        Case(
            "of one without search", .mkdir("d"), .create("d/f"), .chmod("d", 0o444),
            .openListing("d", as: "d"),
            .stat("d/f", .kind)),
        Case(
            "of one without read", .mkdir("d"), .create("d/f"), .chmod("d", 0o311), .list("d"),
            .stat("d/f", .kind)),
        Case("moves neither mtime nor ctime", .mkdir("d"), .create("d/f"), .watch("d", do: .list("d"))),
        Case(
            "with names of every byte that is printable", .create(" "), .create("!\"#$&'()*+,-"),
            .create("~"),
            .create("\\"), .create("a\nb"), .create("-rf"), .list(".")),
    ])

/// chdir(2), fchdir(2), and directories' own status.
let directoryCases = Case.group(
    "directory",
    [
        Case("chdir and back", .mkdir("d"), .chdir("d"), .create("f"), .chdir(".."), .list("d")),
        Case(
            "chdir to others", .create("f"), .symlink("gone", "l"), .chdir("f"), .chdir("l"), .chdir("gone"),
            .chdir("")),
        Case("chdir through a symlink", .mkdir("d"), .symlink("d", "l"), .chdir("l"), .workingDirectory()),
        Case("chdir without search", .mkdir("d", mode: 0o600), .chdir("d")),
        Case(
            "fchdir", .mkdir("d"), .open("d", .directory, as: "d"), .fchdir("d"), .workingDirectory(),
            .create("f"),
            .list(".")),
        Case(
            "fchdir by a path descriptor", .mkdir("d"), .open("d", [.path, .directory], as: "d"),
            .fchdir("d"),
            .workingDirectory()),
        Case("fchdir to a file", .create("f"), .open("f", .read, as: "f"), .fchdir("f")),
        Case("parent of a child is itself", .mkdir("d"), .same(".", "d/.."), .same("d", "d/.")),
        Case(
            "links of nested ones", .mkdir("a"), .mkdir("a/b"), .mkdir("a/c"), .mkdir("a/b/d"), .links("a"),
            .links("a/b"), .links("a/c"), .create("a/f"), .links("a")),
        Case("size and blocks", .mkdir("d"), .stat("d", [.size, .blocks])),
        Case("truncate", .mkdir("d"), .truncate("d", 0)),
        Case(
            "write", .mkdir("d"), .open("d", .read, as: "d"), .write("d", "x"), .ftruncate("d", 0),
            .allocate("d", at: 0, 4096)),
        Case(
            "fsync", .mkdir("d"), .create("d/f"), .open("d", .directory, as: "d"), .sync("d"),
            .syncData("d")),
        Case("fchmod", .mkdir("d"), .open("d", .directory, as: "d"), .fchmod("d", 0o700), .mode("d")),
        Case("map", .mkdir("d"), .open("d", .directory, as: "d"), .map("d", as: "m", 4096, writable: false)),
        Case(
            "flock", .mkdir("d"), .open("d", .directory, as: "a"), .open("d", .directory, as: "b"),
            .flock("a", .write), .flock("b", .write), .flock("a", .none), .flock("b", .write)),
        Case(
            "record lock", .mkdir("d"), .open("d", .directory, as: "a"), .lock("a", .read), .lock("a", .write)
        ),
        Case(
            "renamed while open", .mkdir("d"), .open("d", .directory, as: "d"), .rename("d", "e"),
            .fchdir("d"), .create("f"), .list("../e")),
        Case(
            "moved below another while working in it", .mkdir("d"), .mkdir("p"), .chdir("d"),
            .rename("../d", "../p/d"), .list(".."), .list("../..")),
    ])
