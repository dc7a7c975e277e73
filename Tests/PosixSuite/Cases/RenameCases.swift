internal import Glibc

/// rename(2): what onto what.
let renameCases = Case.group(
    "rename",
    Case.each(renameKinds) { from in
        Case(
            "\(from.name) onto everything",
            steps: [from.make("a"), .rename("a", "new"), .list(".")]
                + renameKinds.flatMap { to -> [Step] in
                    let target = "t-" + to.name
                    return [
                        from.make("b"), to.make(target), .rename("b", target), .stat(target, .kind),
                        .unlink("b"),
                    ]
                })
    } + [
        Case(
            "keeps the inode", .create("f", "x"), .open("f", .read, as: "a"), .rename("f", "g"),
            .isOpen("a", "g"),
            .read("a", 1), .tryOpen("f", .read)),
        Case("of nothing", .rename("gone", "g"), .create("g"), .rename("gone", "g"), .list(".")),
        Case("to itself", .create("f", "x"), .watch("f", ".", do: .rename("f", "f")), .readFile("f")),
        Case(
            "moves both directories", .mkdir("a"), .mkdir("b"), .create("a/f"),
            .watch(
                "a", "b", ".",
                do:
                    .rename("a/f", "b/f"))),
        Case(
            "moves ctime of the file", .create("f"), .watchRenamed("f", to: "g", do: .rename("f", "g")),
            .mkdir("d"),
            .watchRenamed("d", to: "e", do: .rename("d", "e")), .mkdir("p"),
            .watchRenamed("e", to: "p/e", do: .rename("e", "p/e"))),
        Case(
            "a directory to another parent moves the links", .mkdir("a"), .mkdir("b"), .mkdir("a/d"),
            .links("a"),
            .links("b"), .rename("a/d", "b/d"), .links("a"), .links("b"), .list("b/d/..")),
        Case(
            "onto an empty directory drops a link", .mkdir("d"), .mkdir("e"), .links("."), .rename("d", "e"),
            .links("."), .list(".")),
        Case(
            "onto a full directory", .mkdir("d"), .mkdir("e"), .create("e/f"), .rename("d", "e"), .list("e")),
        Case(
            "a directory into itself", .mkdir("d"), .rename("d", "d/e"), .rename("d", "d/."), .mkdir("d/e"),
            .rename("d", "d/e/f")),
        Case("onto its own parent", .mkdir("d"), .mkdir("d/e"), .rename("d/e", "d"), .rename("d/e", ".")),
        Case(
            "the dots", .mkdir("d"), .rename("d/.", "e"), .rename(".", "e"), .rename("..", "e"),
            .rename("d", ".")),
        Case(
            "with a slash at the end", .create("f"), .mkdir("d"), .rename("f/", "g"), .rename("f", "g/"),
            .rename("d/", "e/"), .list(".")),
        Case("below a file", .create("f"), .create("g"), .rename("f", "g/x"), .rename("g/x", "f")),
        Case(
            "over an open file keeps its bytes", .create("old", "old"), .create("new", "new"),
            .open("old", .read, as: "a"), .rename("new", "old"), .read("a", 3), .fstat("a", .links),
            .readFile("old")),
        Case(
            "over one of two names", .create("f"), .create("g"), .link("g", "h"), .rename("f", "g"),
            .links("h"),
            .list(".")),
        Case(
            "over moves ctime of what stays", .create("f"), .create("g"), .link("g", "h"),
            .watch(
                "h",
                do:
                    .rename("f", "g"))),
        Case(
            "a symlink itself", .create("f"), .symlink("f", "l"), .rename("l", "m"), .readlink("m"),
            .stat("m", .kind)),
        Case(
            "onto a symlink replaces it", .create("f", "f"), .create("t", "t"), .symlink("t", "l"),
            .rename("f", "l"), .stat("l", .kind), .readFile("t")),
        Case(
            "of the working directory", .mkdir("d"), .chdir("d"), .rename("../d", "../e"), .create("f"),
            .list("../e"), .workingDirectory()),
        Case(
            "a tree keeps what is below", .mkdir("a"), .mkdir("a/b"), .create("a/b/f", "x"),
            .open("a/b/f", .read, as: "f"), .rename("a", "z"), .readFile("z/b/f"), .isOpen("f", "z/b/f"),
            .tryOpen("a/b/f", .read)),
        Case(
            "back and forth", .create("f", "x"), .rename("f", "g"), .rename("g", "f"), .rename("f", "g"),
            .rename("g", "f"), .list("."), .readFile("f")),
        Case(
            "a directory that cannot be written, to the same parent", .mkdir("d", mode: 0o555),
            .rename("d", "e"),
            .list(".")),
        Case(
            "a directory that cannot be written, to another parent", .mkdir("d", mode: 0o555), .mkdir("p"),
            .rename("d", "p/d"), .list("p")),
        Case(
            "out of a directory that cannot be written", .mkdir("d"), .create("d/f"), .chmod("d", 0o555),
            .rename("d/f", "f"), .list(".")),
        Case(
            "a safe save", .create("doc", "old"), .setAttribute("doc", "user.a", "1"), .create("tmp", "new"),
            .open("tmp", .write, as: "t"), .sync("t"), .rename("tmp", "doc"), .readFile("doc"),
            .attributes("doc"), .links("doc"), .list(".")),
        Case(
            "case of a letter", .create("Readme", "x"), .rename("Readme", "README"), .list("."),
            .tryOpen("Readme", .read)),
        Case(
            "two files of different case", .create("a", "1"), .create("A", "2"), .list("."), .readFile("a"),
            .rename("a", "A"), .list("."), .readFile("A")),
    ])

/// renameat2(2)'s flags.
let renameFlagCases = Case.group(
    "rename2",
    [
        Case(
            "noreplace onto nothing", .create("f", "x"), .renameNoReplace("f", "g"), .list("."),
            .readFile("g")),
        Case(
            "noreplace onto a file", .create("f", "f"), .create("g", "g"), .renameNoReplace("f", "g"),
            .readFile("g"), .list(".")),
        Case("noreplace onto a directory", .mkdir("d"), .mkdir("e"), .renameNoReplace("d", "e"), .list(".")),
        Case("noreplace onto itself", .create("f"), .renameNoReplace("f", "f")),
        Case(
            "noreplace onto another link", .create("f"), .link("f", "g"), .renameNoReplace("f", "g"),
            .list(".")),
        Case("noreplace of nothing", .create("g"), .renameNoReplace("f", "g")),
        Case(
            "exchange files", .create("f", "f"), .create("g", "g"), .exchange("f", "g"), .readFile("f"),
            .readFile("g")),
        Case(
            "exchange a file and a directory", .create("f", "f"), .mkdir("d"), .create("d/x"),
            .exchange("f", "d"),
            .list("."), .list("f"), .readFile("d")),
        Case(
            "exchange in two directories", .mkdir("a"), .mkdir("b"), .mkdir("a/d"), .create("b/f"),
            .exchange("a/d", "b/f"), .links("a"), .links("b"), .list("a"), .list("b")),
        Case(
            "exchange directories of two parents", .mkdir("a"), .mkdir("b"), .mkdir("a/d"), .mkdir("b/e"),
            .create("a/d/1"), .exchange("a/d", "b/e"), .list("a/d"), .list("b/e"), .links("a")),
        Case("exchange with nothing", .create("f"), .exchange("f", "g"), .exchange("g", "f"), .list(".")),
        Case("exchange with itself", .create("f", "x"), .exchange("f", "f"), .readFile("f")),
        Case(
            "exchange with its own child", .mkdir("d"), .mkdir("d/e"), .exchange("d", "d/e"),
            .exchange("d/e", "d")),
        Case(
            "exchange symlinks", .symlink("1", "l"), .symlink("2", "m"), .exchange("l", "m"), .readlink("l")),
        Case(
            "exchange moves both ctimes", .create("f"), .create("g"),
            .setTimes("f", access: .at(1), modification: .at(1)),
            .setTimes("g", access: .at(1), modification: .at(1)),
            .watch(
                "f", "g", ".",
                do:
                    .exchange("f", "g"))),
        Case(
            "exchange of open files", .create("f", "f"), .create("g", "g"), .open("f", .read, as: "f"),
            .exchange("f", "g"), .isOpen("f", "g"), .read("f", 1)),
        Case("exchange and noreplace", .create("f"), .create("g"), .renameWith("both", 3, "f", "g")),
        Case("unknown flag", .create("f"), .renameWith("unknown", 1 << 20, "f", "g"), .list(".")),
        Case("whiteout", .create("f", "x"), .renameWhiteout("f", "g"), .list(".")),
    ])

private struct RenameKind: Sendable {
    let name: String
    let make: @Sendable (String) -> Step
}

private let renameKinds = [
    RenameKind(name: "file") { .create($0) },
    RenameKind(name: "directory") { .mkdir($0) },
    RenameKind(name: "symlink") { .symlink("anywhere", $0) },
    RenameKind(name: "fifo") { .mknod($0, S_IFIFO) },
]
