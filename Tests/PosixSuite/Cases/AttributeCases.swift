internal import CLinux
internal import CSuite
internal import Glibc

/// Extended attributes.
let attributeCases = Case.group(
    "xattr",
    [
        Case(
            "set, read, listed, removed", .create("f"), .setAttribute("f", "user.a", "1"),
            .attribute("f", "user.a"),
            .attributes("f"), .removeAttribute("f", "user.a"), .attribute("f", "user.a"), .attributes("f")),
        Case(
            "of a directory", .mkdir("d"), .setAttribute("d", "user.a", "1"), .attribute("d", "user.a"),
            .attributes("d")),
        Case(
            "several", .create("f"), .setAttribute("f", "user.b", "2"), .setAttribute("f", "user.a", "1"),
            .setAttribute("f", "user.c", "3"), .attributes("f"), .removeAttribute("f", "user.b"),
            .attributes("f"),
            .attribute("f", "user.c")),
        Case(
            "changed", .create("f"), .setAttribute("f", "user.a", "short"),
            .setAttribute("f", "user.a", "a longer value"), .attribute("f", "user.a"),
            .setAttribute("f", "user.a", ""),
            .attribute("f", "user.a")),
        Case(
            "empty value", .create("f"), .setAttribute("f", "user.a", ""), .attribute("f", "user.a"),
            .attributeSize("f", "user.a"), .attributes("f")),
        Case(
            "only to be made", .create("f"), .setAttribute("f", "user.a", "1", flags: Int32(XATTR_CREATE)),
            .setAttribute("f", "user.a", "2", flags: Int32(XATTR_CREATE)), .attribute("f", "user.a")),
        Case(
            "only to be replaced", .create("f"),
            .setAttribute("f", "user.a", "1", flags: Int32(XATTR_REPLACE)), .setAttribute("f", "user.a", "2"),
            .setAttribute("f", "user.a", "3", flags: Int32(XATTR_REPLACE)), .attribute("f", "user.a")),
        Case(
            "with both flags, and with others", .create("f"), .setAttribute("f", "user.a", "1", flags: 3),
            .setAttribute("f", "user.a", "1", flags: 8)),
        Case(
            "sizes asked", .create("f"), .setAttribute("f", "user.a", "12345"), .attributeSize("f", "user.a"),
            .attributesSize("f"), .attributeSize("f", "user.none")),
        Case(
            "buffer too small", .create("f"), .setAttribute("f", "user.a", "12345"),
            .attribute("f", "user.a", bufferBytes: 4), .attribute("f", "user.a", bufferBytes: 5),
            .attributes("f", bufferBytes: 3)),
        Case(
            "names of unknown kinds", .create("f"), .setAttribute("f", "none", "1"),
            .setAttribute("f", "no.such", "1"),
            .attribute("f", "no.such"), .removeAttribute("f", "no.such"), .setAttribute("f", "user.", "1"),
            .setAttribute("f", "", "1"), .setAttribute("f", "User.a", "1")),
        Case(
            "name of 255 bytes", .create("f"),
            .setAttribute("f", "user." + String(repeating: "n", count: 250), "1"),
            .attributesSize("f")),
        Case(
            "name of 256 bytes", .create("f"),
            .setAttribute("f", "user." + String(repeating: "n", count: 251), "1"),
            .attribute("f", "user." + String(repeating: "n", count: 251)), .attributes("f")),
        Case(
            "value of 3000 bytes", .create("f"), .setLongAttribute("f", "user.a", 3000),
            .attribute("f", "user.a")),
        Case("value of 64 KiB", .create("f"), .setLongAttribute("f", "user.a", 65536), .attributes("f")),
        Case("value over 64 KiB", .create("f"), .setLongAttribute("f", "user.a", 65537), .attributes("f")),
        Case(
            "of nothing", .setAttribute("gone", "user.a", "1"), .attribute("gone", "user.a"),
            .attributes("gone"),
            .removeAttribute("gone", "user.a")),
        Case(
            "through a symlink", .create("f"), .symlink("f", "l"), .setAttribute("l", "user.a", "1"),
            .attribute("f", "user.a"), .linkAttribute("l", "user.a"), .attributes("l")),
        Case(
            "of a symlink", .symlink("gone", "l"), .setLinkAttribute("l", "user.a", "1"),
            .setLinkAttribute("l", "trusted.a", "1"), .linkAttribute("l", "trusted.a")),
        Case(
            "of a fifo and a socket", .mknod("p", S_IFIFO), .bind("s", as: "s"),
            .setAttribute("p", "user.a", "1"),
            .setAttribute("s", "user.a", "1"), .attribute("p", "user.a")),
        Case(
            "by descriptor", .open("f", [.create, .read], as: "a"),
            .setDescriptorAttribute("a", "user.a", "1"),
            .descriptorAttribute("a", "user.a"), .attribute("f", "user.a"),
            .removeDescriptorAttribute("a", "user.a"),
            .removeDescriptorAttribute("a", "user.a")),
        Case(
            "by path descriptor", .create("f"), .open("f", .path, as: "a"),
            .setDescriptorAttribute("a", "user.a", "1"), .descriptorAttribute("a", "user.a")),
        Case(
            "of a read-only file", .create("f", mode: 0o444), .setAttribute("f", "user.a", "1"),
            .attributes("f")),
        Case(
            "trusted", .create("f"), .setAttribute("f", "trusted.a", "1"), .attribute("f", "trusted.a"),
            .attributes("f"), .removeAttribute("f", "trusted.a")),
        Case(
            "security", .create("f"), .setAttribute("f", "security.a", "1"), .attribute("f", "security.a"),
            .attributes("f")),
        Case(
            "capability", .create("f"), .setCapability("f"), .attributeSize("f", "security.capability"),
            .attributes("f"), .removeAttribute("f", "security.capability"), .attributes("f")),
        Case("bad capability", .create("f"), .setAttribute("f", "security.capability", "x")),
        Case(
            "system ones that are none", .create("f"), .setAttribute("f", "system.a", "1"),
            .attribute("f", "system.a")),
        Case(
            "move with rename and link", .create("f"), .setAttribute("f", "user.a", "1"), .rename("f", "g"),
            .attribute("g", "user.a"), .link("g", "h"), .attribute("h", "user.a"), .unlink("g"),
            .attribute("h", "user.a")),
        Case(
            "lost by renaming over", .create("f"), .setAttribute("f", "user.a", "1"), .create("g"),
            .rename("g", "f"),
            .attributes("f")),
        Case(
            "stay over truncate, write and chmod", .create("f"), .setAttribute("f", "user.a", "1"),
            .create("f", "new"), .truncate("f", 0), .chmod("f", 0o600), .attribute("f", "user.a")),
        Case(
            "not passed on to what is made within", .mkdir("d"), .setAttribute("d", "user.a", "1"),
            .create("d/f"),
            .mkdir("d/e"), .attributes("d/f"), .attributes("d/e")),
        Case(
            "fifty of them",
            steps: [.create("f")]
                + (0..<50).map { .setAttribute("f", "user.a\($0)", "\($0)") }
                + [.attributesSize("f"), .attribute("f", "user.a49"), .attribute("f", "user.a0")]),
        Case(
            "names in other cases and scripts", .create("f"), .setAttribute("f", "user.A", "1"),
            .setAttribute("f", "user.a", "2"), .setAttribute("f", "user.ä日本", "3"), .attributes("f"),
            .attribute("f", "user.ä日本")),
        Case(
            "sticky directory's are its owner's", .makeOpenDirectory("d", mode: 0o1777),
            .asUser(
                1000,
                .setAttribute("d", "user.a", "1"), .attributes("d")), .setAttribute("d", "user.a", "1")),
    ])

/// Access control lists.
let accessListCases = Case.group(
    "acl",
    [
        Case("set on a file", .create("f"), .setAccessList("f"), .attributes("f"), .mode("f")),
        Case(
            "default set on a directory", .mkdir("d"), .setAccessList("d", "system.posix_acl_default"),
            .attributes("d"), .create("d/f"), .attributes("d/f")),
        Case("none there", .create("f"), .attribute("f", "system.posix_acl_access")),
        Case("removed where none is", .create("f"), .removeAttribute("f", "system.posix_acl_access")),
    ])
