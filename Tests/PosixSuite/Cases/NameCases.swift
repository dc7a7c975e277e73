internal import Glibc

/// Names: lengths, bytes, spellings.
let nameCases = Case.group(
    "name",
    [
        Case(
            "of 255 bytes", .create(String(repeating: "a", count: 255), "x"),
            .readFile(String(repeating: "a", count: 255)), .list(".")),
        Case(
            "of 256 bytes", .create(String(repeating: "a", count: 256)),
            .mkdir(String(repeating: "a", count: 256)),
            .stat(String(repeating: "a", count: 256), .kind),
            .symlink("x", String(repeating: "a", count: 256)),
            .unlink(String(repeating: "a", count: 256)), .create("f"),
            .rename("f", String(repeating: "a", count: 256)),
            .link("f", String(repeating: "a", count: 256)),
            .tryOpen(String(repeating: "a", count: 256), .read)),
        Case("of 256 bytes below nothing", .create("gone/" + String(repeating: "a", count: 256))),
        Case(
            "renamed to 255 bytes", .create("f", "x"), .rename("f", String(repeating: "b", count: 255)),
            .list("."),
            .mkdir(String(repeating: "c", count: 255)),
            .link(String(repeating: "b", count: 255), String(repeating: "c", count: 255) + "/l")),
        Case(
            "path of 4095 bytes", .mkdir("d"), .create("d/f", "x"),
            .readFile(String(repeating: "d/../", count: 818) + "d/./f"),
            .readFile("." + String(repeating: "/", count: 4090) + "d/f")),
        Case(
            "path of 4096 bytes", .create("f"), .stat(String(repeating: "/", count: 4096), .kind),
            .create(String(repeating: "./", count: 2048) + "f")),
        Case(
            "deep, step by step",
            steps: (0..<30).flatMap { _ -> [Step] in
                [.mkdir(String(repeating: "n", count: 200)), .chdir(String(repeating: "n", count: 200))]
            } + [.create("f", "x"), .readFile("f"), .list(".")]),
        Case(
            "dots", .create("..."), .create(".hidden"), .create("..a"), .create("a."), .create("a.."),
            .list(".")),
        Case(
            "blanks", .create(" "), .create(" a"), .create("a "), .create("\t"), .create("a\nb"), .list(".")),
        Case(
            "control characters", .create("a%01b"), .create("%7F"), .create("%1B[31m"), .list("."),
            .stat("%7F", .kind)),
        Case(
            "of other systems", .create("a:b"), .create("a\\b"), .create("CON"), .create("a*?<>|b"),
            .create("\"q\""),
            .list(".")),
        Case(
            "of other scripts", .create("ß", "sz"), .create("日本語", "ja"), .create("Ω", "omega"),
            .create("🙂", "smile"),
            .list("."), .readFile("日本語"), .readFile("🙂")),
        Case(
            "of letters that are like others", .create("I"), .create("i"), .create("ı"), .create("ſ"),
            .create("s"),
            .list(".")),
        Case(
            "of 85 characters of three bytes", .create(String(repeating: "日", count: 85), "x"),
            .readFile(String(repeating: "日", count: 85))),
        Case("of 86 characters of three bytes", .create(String(repeating: "日", count: 86))),
        Case(
            "case makes two", .create("README.txt", "1"), .create("readme.txt", "2"), .list("."),
            .readFile("README.txt"), .mkdir("D"), .mkdir("d"), .list(".")),
        Case("that is no UTF-8", .create("a%FF%FE", "x"), .stat("a%FF%FE", .kind), .list(".")),
        Case(
            "that is no UTF-8, in every call", .create("f"), .mkdir("%FFd"), .symlink("x", "%FFl"),
            .link("f", "%FFh"), .rename("f", "%FFr"), .mknod("%FFp", S_IFIFO), .tryOpen("%FF", .read),
            .list(".")),
        Case(
            "that is UTF-8 cut short", .create("a%E6%97", "x"), .create("%C0%AF", "x"),
            .create("%ED%A0%80", "x"),
            .list(".")),
        Case(
            "renamed from one spelling to another", .create("caf%C3%A9", "x"),
            .rename("caf%C3%A9", "cafe%CC%81"),
            .list(".")),
        Case(
            "slashes in the middle and end", .mkdir("d"), .create("d//f", "x"), .readFile(".//d///f"),
            .readFile("d/./../d/f"), .stat("d/////", .kind)),
        Case(
            "longest told", .longestName("."), .pathLimit(".", Int32(_PC_NAME_MAX)),
            .pathLimit(".", Int32(_PC_PATH_MAX))),
    ])
