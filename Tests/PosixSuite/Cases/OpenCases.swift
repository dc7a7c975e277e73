/// open(2): which flags on which kind of name.
let openCases = Case.group(
    "open",
    Case.each(openTargets) { target in
        Case(
            "\(target) in every way",
            .create("file", "abc"), .mkdir("directory"), .symlink("file", "link"),
            .symlink("gone", "dangling"),
            .symlink("directory", "link to directory"), .symlink("loop", "loop"),
            .tryOpen(target, .read), .tryOpen(target, .write), .tryOpen(target, .both),
            .tryOpen(target, [.read, .directory]), .tryOpen(target, [.read, .noFollow]),
            .tryOpen(target, [.create, .write]), .tryOpen(target, [.create, .write, .exclusive]),
            .tryOpen(target, [.write, .truncate]), .tryOpen(target, [.path]),
            .tryOpen(target, [.path, .noFollow]), .tryOpen(target, [.read, .directory, .create]), .list("."))
    } + [
        Case(
            "create counts the mode without the umask", .tryOpen("f", [.create, .write], mode: 0o666),
            .mode("f")),
        Case(
            "create read-only file for writing", .open("f", [.create, .both], mode: 0o444, as: "a"),
            .write("a", "hello"), .pread("a", 5, at: 0), .mode("f")),
        Case(
            "without following, of a file that is open", .open("f", [.create, .both], as: "a"),
            .write("a", "text"), .open("f", [.both, .noFollow], as: "b"), .pread("b", 4, at: 0),
            .fchmod("b", 0o600), .tryOpen("f", [.write, .noFollow, .truncate]), .size("f")),
        Case("truncate on open", .create("f", "hello"), .tryOpen("f", [.write, .truncate]), .size("f")),
        Case(
            "truncate on read-only open", .create("f", "hello"), .tryOpen("f", [.read, .truncate]), .size("f")
        ),
        Case(
            "exclusive leaves the file alone", .create("f", "hello"),
            .tryOpen("f", [.create, .exclusive, .write, .truncate]), .readFile("f")),
        Case("read a write-only descriptor", .open("f", [.create, .write], as: "a"), .read("a", 1)),
        Case("write a read-only descriptor", .create("f"), .open("f", .read, as: "a"), .write("a", "x")),
        Case("read a directory", .mkdir("d"), .open("d", .read, as: "a"), .read("a", 10)),
        Case(
            "read a path descriptor", .create("f", "hello"), .open("f", .path, as: "a"), .read("a", 5),
            .fstat("a", [.kind, .size]), .fchmod("a", 0o600), .ftruncate("a", 0)),
        Case(
            "below a file", .create("f"), .tryOpen("f/x", .read), .tryOpen("f/", .read),
            .tryOpen("f/.", .read)),
        Case("below nothing", .tryOpen("gone/x", [.create, .write]), .tryOpen("gone/", [.create, .write])),
        Case("create with a slash at the end", .tryOpen("new/", [.create, .write]), .list(".")),
        Case("empty path", .tryOpen("", .read), .tryOpen("", [.create, .write])),
        Case(
            "two descriptors see one file", .open("f", [.create, .both], as: "a"), .open("f", .both, as: "b"),
            .write("a", "hello"), .read("b", 10), .pwrite("b", "J", at: 0), .pread("a", 5, at: 0)),
        Case(
            "a copied descriptor shares its position", .create("f", "abcdef"), .open("f", .read, as: "a"),
            .duplicate("a", as: "b"), .read("a", 2), .read("b", 2), .seek("b", 0), .read("a", 3)),
        Case(
            "status flags", .open("f", [.create, .write, .append], as: "a"), .statusFlags("a"),
            .open("f", [.both, .nonblock], as: "b"), .statusFlags("b")),
        Case(
            "append set later", .create("f", "abc"), .open("f", .write, as: "a"), .setAppend("a"),
            .write("a", "def"), .readFile("f")),
        Case(
            "with sync flags", .open("f", [.create, .both, .sync], as: "a"), .write("a", "sync"),
            .open("f", [.both, .dataSync], as: "b"), .pwrite("b", "data", at: 4), .readFile("f")),
        Case(
            "without access time, as the owner", .create("f", "abc"), .tryOpen("f", [.read, .noAccessTime])),
        Case("temporary file", .mkdir("d"), .tryOpen("d", [.temporary, .both]), .list("d")),
        Case(
            "temporary file given a name", .open(".", [.temporary, .both], as: "a"), .write("a", "abc"),
            .linkDescriptor("a", "named"), .list(".")),
        Case("temporary file read-only", .tryOpen(".", [.temporary, .read])),
        Case(
            "create through a link to nothing", .symlink("made", "l"), .tryOpen("l", [.create, .write]),
            .list(".")),
        Case(
            "exclusive on a link to nothing", .symlink("made", "l"),
            .tryOpen("l", [.create, .exclusive, .write]), .list(".")),
        Case("closed twice", .open("f", [.create, .write], as: "a"), .close("a"), .close("a")),
    ])

private let openTargets = [
    "file", "directory", "link", "dangling", "link to directory", "loop", "new", "directory/",
]
