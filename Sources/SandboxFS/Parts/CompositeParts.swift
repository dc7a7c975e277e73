internal import Posix
internal import SystemPackage

/// The parts of a composite view that the kernel knows anything of: each is open once.
final class CompositeParts: Sendable {
    private struct Opened {
        weak var part: CompositePart?
    }

    private let opened = Lock<[String: Opened]>([:], rank: .leaf)

    /// The part of that name, opened by `open` where it is not yet.
    func part(_ name: String, _ open: () throws(Errno) -> CompositePart) throws(Errno) -> CompositePart {
        if let known = opened.withLock({ $0[name]?.part }) { return known }
        // Two may open it at once; the first stays, and the other ends after the lock.
        let new = try open()
        return opened.withLock { opened in
            if let known = opened[name]?.part { return known }
            opened = opened.filter { $0.value.part != nil }
            opened[name] = Opened(part: new)
            return new
        }
    }
}
