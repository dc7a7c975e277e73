internal import CLinux
internal import Glibc

/// Listings.
extension Step {
    /// All names but the dots, sorted, each with a sign of its kind.
    static func list(_ path: String) -> Step {
        Step("list") { _ in
            guard let listing = Name.with(path, { Glibc.opendir($0) }) else { return Answer.name(errno) }
            defer { Glibc.closedir(listing) }
            return text(listing)
        }
    }

    private static func text(_ listing: OpaquePointer) -> String {
        var names: [String] = []
        while let entry = Tree.next(listing) {
            if !entry.isDots { names.append(Name.text(entry.name) + sign(entry.kind)) }
        }
        if errno != 0 { return Answer.name(errno) }
        return names.isEmpty ? "nothing" : names.sorted().joined(separator: " ")
    }

    private static func sign(_ kind: UInt8) -> String {
        switch Int(kind) {
        case Int(DT_REG): ""
        case Int(DT_DIR): "/"
        case Int(DT_LNK): "@"
        case Int(DT_FIFO): "|"
        case Int(DT_SOCK): "="
        case Int(DT_CHR): "%"
        case Int(DT_BLK): "#"
        default: "?"
        }
    }

    static func openListing(_ path: String, as key: String) -> Step {
        Step("opendir") { world in
            guard let listing = Name.with(path, { Glibc.opendir($0) }) else { return Answer.name(errno) }
            world.listings[key] = listing
            return "ok"
        }
    }

    /// How many entries a listing gives from where it stands; with `most`, at most so many.
    static func countEntries(_ key: String, most: Int = .max) -> Step {
        Step("entries") { world in
            guard let listing = world.listings[key] else { return "no listing" }
            var count = 0
            while count < most, Tree.next(listing) != nil { count += 1 }
            return errno == 0 ? "\(count)" : Answer.name(errno)
        }
    }

    /// Reads one entry, runs `steps`, reads the rest: how many names with `prefix` come, and how often.
    static func listAround(_ path: String, countOf prefix: String, do steps: Step...) -> Step {
        Step("list around", around: steps) { world in
            guard let listing = Name.with(path, { Glibc.opendir($0) }) else { return Answer.name(errno) }
            defer { Glibc.closedir(listing) }
            var times: [[UInt8]: Int] = [:]
            func count(_ entry: Tree.Entry) {
                if entry.name.starts(with: prefix.utf8) { times[entry.name, default: 0] += 1 }
            }
            Tree.next(listing).map(count)
            let text = steps.run(in: world)
            while let entry = Tree.next(listing) { count(entry) }
            let end = errno == 0 ? "" : " then " + Answer.name(errno)
            let once = times.values.count { $0 == 1 }
            return "[\(text)] \(once) once, \(times.count - once) more often\(end)"
        }
    }

    /// The names that a listing gives from where it stands, sorted.
    static func entries(_ key: String) -> Step {
        Step("entries") { world in world.listings[key].map(text) ?? "no listing" }
    }

    static func rewind(_ key: String) -> Step {
        Step("rewinddir") { world in
            world.listings[key].map { rewinddir($0) }
            return "ok"
        }
    }

    /// Remembers where a listing stands.
    static func mark(_ key: String, as position: String) -> Step {
        Step("telldir") { world in
            world.positions[position] = world.listings[key].map { telldir($0) }
            return "ok"
        }
    }

    static func goTo(_ position: String, in key: String) -> Step {
        Step("seekdir") { world in
            guard let listing = world.listings[key], let place = world.positions[position] else {
                return "no"
            }
            seekdir(listing, place)
            return "ok"
        }
    }

    /// Whether the dots are listed once each, as directories.
    static func dots(_ path: String) -> Step {
        Step("dots") { _ in
            guard let listing = Name.with(path, { Glibc.opendir($0) }) else { return Answer.name(errno) }
            defer { Glibc.closedir(listing) }
            var found: [String] = []
            while let entry = Tree.next(listing) {
                if entry.isDots { found.append(Name.text(entry.name) + sign(entry.kind)) }
            }
            return found.sorted().joined(separator: " ")
        }
    }

    /// getdents64(2) on a descriptor with a buffer of `size` bytes.
    static func rawEntries(_ key: String, bufferBytes: Int) -> Step {
        Step("getdents") { world in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferBytes, alignment: 8)
            defer { buffer.deallocate() }
            let count = lx_getdents64(world.descriptor(key), buffer.baseAddress, UInt64(bufferBytes))
            return count < 0 ? Answer.name(Int32(-count)) : (count == 0 ? "end" : "some")
        }
    }

    /// Makes `count` files named with `prefix` and a number.
    static func createMany(_ prefix: String, _ count: Int) -> Step {
        Step("create \(count)") { _ in
            for index in 0..<count {
                let file = Glibc.open("\(prefix)\(index)", O_WRONLY | O_CREAT | lx_o_cloexec, 0o644)
                if file < 0 { return Answer.name(errno) }
                Glibc.close(file)
            }
            return "ok"
        }
    }

    /// Removes every `step`th of them, from the first.
    static func unlinkMany(_ prefix: String, _ count: Int, every step: Int = 1) -> Step {
        Step("unlink every \(step)") { _ in
            for index in stride(from: 0, to: count, by: step) where Glibc.unlink("\(prefix)\(index)") < 0 {
                return Answer.name(errno)
            }
            return "ok"
        }
    }
}
