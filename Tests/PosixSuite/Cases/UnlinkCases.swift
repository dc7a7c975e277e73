internal import Glibc

/// Removing names.
let unlinkCases = Case.group(
    "unlink",
    [
        Case(
            "of every kind", .create("f"), .mkdir("d"), .symlink("f", "l"), .mknod("p", S_IFIFO),
            .bind("s", as: "s"),
            .unlink("f"), .unlink("d"), .unlink("l"), .unlink("p"), .unlink("s"), .list(".")),
        Case("of nothing", .unlink("gone"), .unlink("gone/f"), .unlink("")),
        Case("with a slash at the end", .create("f"), .mkdir("d"), .unlink("f/"), .unlink("d/")),
        Case("the dots", .unlink("."), .unlink("..")),
        Case("below a file", .create("f"), .unlink("f/x")),
        Case("twice", .create("f"), .unlink("f"), .unlink("f")),
        Case("moves the directory's times", .mkdir("d"), .create("d/f"), .watch("d", do: .unlink("d/f"))),
        Case("that is refused moves nothing", .mkdir("d"), .mkdir("d/e"), .watch("d", do: .unlink("d/e"))),
        Case("of a read-only file", .create("f", mode: 0o444), .unlink("f")),
        Case(
            "in a directory that cannot be written", .mkdir("d"), .create("d/f"), .chmod("d", 0o555),
            .unlink("d/f"), .create("d/g"), .list("d")),
    ])

/// rmdir(2).
let rmdirCases = Case.group(
    "rmdir",
    [
        Case(
            "of every kind", .create("f"), .mkdir("d"), .symlink("d", "l"), .mknod("p", S_IFIFO), .rmdir("f"),
            .rmdir("l"), .rmdir("p"), .rmdir("d"), .list(".")),
        Case("of a full one", .mkdir("d"), .create("d/f"), .rmdir("d"), .unlink("d/f"), .rmdir("d")),
        Case("of one with a directory", .mkdir("d"), .mkdir("d/e"), .rmdir("d")),
        Case("of one with a dangling link", .mkdir("d"), .symlink("gone", "d/l"), .rmdir("d")),
        Case("of nothing", .rmdir("gone"), .rmdir("gone/d"), .rmdir("")),
        Case("the dots", .mkdir("d"), .mkdir("d/e"), .rmdir("d/."), .rmdir("d/e/.."), .rmdir(".")),
        Case("with a slash at the end", .mkdir("d"), .rmdir("d/"), .list(".")),
        Case("moves the parent's times and links", .mkdir("d"), .watch(".", do: .rmdir("d")), .links(".")),
        Case(
            "of the working directory", .mkdir("d"), .chdir("d"), .rmdir("../d"),
            .stat(".", [.kind, .links]),
            .list("."), .create("f"), .workingDirectory(), .chdir("..")),
        Case(
            "of an open directory", .mkdir("d"), .open("d", .directory, as: "d"), .rmdir("d"),
            .fstat("d", [.kind, .links]), .rawEntries("d", bufferBytes: 4096)),
        Case(
            "of a listed directory", .mkdir("d"), .create("d/f"), .openListing("d", as: "d"), .unlink("d/f"),
            .rmdir("d"), .countEntries("d")),
        Case(
            "then the name again", .mkdir("d"), .create("d/old"), .unlink("d/old"), .rmdir("d"), .mkdir("d"),
            .list("d"), .links("d")),
    ])

/// Files that are open and have no name.
let openUnlinkedCases = Case.group(
    "open-unlinked",
    [
        Case(
            "reads and writes", .open("f", [.create, .both], as: "a"), .write("a", "hello"), .unlink("f"),
            .pread("a", 5, at: 0), .pwrite("a", "J", at: 0), .pread("a", 5, at: 0),
            .fstat("a", [.links, .size])),
        Case(
            "grows and shrinks", .open("f", [.create, .both], as: "a"), .unlink("f"), .ftruncate("a", 1000),
            .fstat("a", .size), .allocate("a", at: 0, 8192), .fstat("a", .size), .ftruncate("a", 3),
            .pread("a", 10, at: 0)),
        Case(
            "changes its mode and owner", .open("f", [.create, .both], as: "a"), .unlink("f"),
            .fchmod("a", 0o600),
            .fchown("a", -1, -1), .fstat("a", [.mode, .links])),
        Case(
            "sets its times", .open("f", [.create, .both], as: "a"), .unlink("f"),
            .setDescriptorTimes("a", access: .at(5), modification: .at(6))),
        Case(
            "has attributes", .open("f", [.create, .both], as: "a"),
            .setDescriptorAttribute("a", "user.a", "1"),
            .unlink("f"), .descriptorAttribute("a", "user.a"), .setDescriptorAttribute("a", "user.b", "2"),
            .descriptorAttribute("a", "user.b"), .removeDescriptorAttribute("a", "user.a")),
        Case(
            "syncs", .open("f", [.create, .both], as: "a"), .write("a", "x"), .unlink("f"), .sync("a"),
            .syncData("a")),
        Case(
            "locks", .open("f", [.create, .both], as: "a"), .unlink("f"), .lock("a", .write),
            .flock("a", .write)),
        Case(
            "beside a new file of its name", .open("f", [.create, .both], as: "a"), .write("a", "old"),
            .unlink("f"), .create("f", "new"), .pread("a", 3, at: 0), .readFile("f"), .isOpen("a", "f")),
        Case(
            "is mapped", .open("f", [.create, .both], as: "a"), .fill("a", "m", 4096), .unlink("f"),
            .map("a", as: "m", 4096), .close("a"), .poke("m", "xyz"), .peek("m", 5), .syncMap("m")),
        Case(
            "its second name lives", .create("f", "x"), .link("f", "g"), .open("f", .both, as: "a"),
            .unlink("f"),
            .fstat("a", .links), .write("a", "new"), .readFile("g")),
        Case(
            "renamed over", .create("f", "old"), .open("f", .both, as: "a"), .create("g", "new"),
            .rename("g", "f"),
            .pwrite("a", "O", at: 0), .pread("a", 3, at: 0), .readFile("f"), .fstat("a", .links)),
        Case(
            "seen by two descriptors", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .unlink("f"), .write("a", "abc"), .read("b", 3), .close("a"), .pread("b", 3, at: 0)),
        Case(
            "copied from", .open("f", [.create, .both], as: "a"), .write("a", "abc"), .unlink("f"),
            .open("g", [.create, .both], as: "b"), .copyRange("a", at: 0, to: "b", at: 0, 3), .readFile("g")),
        Case(
            "is not listed", .open("f", [.create, .both], as: "a"), .unlink("f"), .list("."), .rmdir("."),
            .mkdir("d"), .open("d/f", [.create, .both], as: "b"), .unlink("d/f"), .rmdir("d")),
    ])
