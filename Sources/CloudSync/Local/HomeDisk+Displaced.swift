internal import HomeTree
internal import Posix
package import SyncContent
package import SyncLog
internal import SystemPackage

/// What sync displaced may still be written by who has it open: it stays linked in staging, is told once
/// nobody can, and goes when its bytes are safe elsewhere.
extension HomeDisk {
    package func takeDisplaced() throws(LocalError) -> [Displaced] {
        try findLeftovers()
        let now = clock.now()
        for name in state.withLock({ $0.displaced.due(at: now) }) {
            let isInUse = try withDisplaced(name) { (found) throws(LocalError) in
                // What is no file cannot be written to; removed, it is told to nobody.
                if !found.status.isRegular { try dropDisplaced(name) { _ in true } }
                return tree.isInUse(found.inode)
            }
            state.withLock { state in
                switch isInUse {
                case true?: state.displaced.waitLonger(name, at: now)
                case false?: state.displaced.noteFree(name)
                case nil: state.displaced.drop(name)
                }
            }
        }
        var displaced: [Displaced] = []
        for name in state.withLock({ $0.displaced.free }) {
            let fingerprint = try look(atDisplaced: name)
            if let fingerprint { displaced.append(Displaced(name: name, fingerprint: fingerprint)) }
        }
        return displaced
    }

    package func look(atDisplaced name: String) throws(LocalError) -> Fingerprint? {
        try withDisplaced(name) { (found) throws(LocalError) in
            try LocalError.from { () throws(Errno) in Fingerprint(try tree.stamp(of: found.inode)) }
        }
    }

    package func readDisplaced(
        _ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) {
        let isRead: Bool? = try withDisplaced(displaced.name) { (found) throws(LocalError) in
            guard found.status.isRegular else { throw .changed }
            try withHandle(found.inode) { (handle) throws(LocalError) in
                try expect(displaced.fingerprint, of: handle)
                try readAll(handle.descriptor, 0..<displaced.fingerprint.sizeBytes, body)
                try expect(displaced.fingerprint, of: handle)
            }
            return true
        }
        if isRead == nil { throw .gone }
    }

    package func keepDisplaced(
        _ staged: any StagedFile, _ attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        guard let staged = staged as? StagedCopy else { throw LocalError(.invalidArgument) }
        try staged.finish(TravellingAttributes(attributes, hasMode: true, hasTime: true))
        let stamp = try LocalError.from { () throws(Errno) in try tree.stamp(of: staged.inode) }
        staged.markPlaced()
        state.withLock { $0.displaced.add(staged.name) }
        return Fingerprint(stamp)
    }

    package func dropDisplaced(_ displaced: Displaced) throws(LocalError) {
        try dropDisplaced(displaced.name) { Fingerprint($0).isSameInode(as: displaced.fingerprint) }
        state.withLock { $0.displaced.drop(displaced.name) }
    }

    private func dropDisplaced(
        _ name: String, if isExpected: (ItemStamp) -> Bool
    ) throws(LocalError) {
        do throws(LocalError) {
            _ = try withName(StagingName.of(name)) { (name) throws(Errno) in
                try tree.remove(name, in: tree.staging, if: isExpected)
            }
        } catch {
            if error != .gone { throw error }
        }
    }

    /// An earlier process may have been killed: all that is kept in staging at the start may be displaced.
    private func findLeftovers() throws(LocalError) {
        if state.withLock(\.displaced.hasLeftovers) { return }
        let names = try LocalError.from { () throws(Errno) in try tree.names(in: tree.staging) }
        state.withLock { state in
            state.displaced.hasLeftovers = true
            for name in names.compactMap({ StagingName.parsed($0) }) { state.displaced.add(name) }
        }
    }

    private func expect(_ fingerprint: Fingerprint, of handle: FileHandle) throws(LocalError) {
        let present = try LocalError.from { () throws(Errno) in Fingerprint(try tree.stamp(of: handle)) }
        if present != fingerprint { throw .changed }
    }

    func withDisplaced<R>(
        _ name: String, _ body: (Found) throws(LocalError) -> R
    ) throws(LocalError) -> R? {
        let found = try withName(StagingName.of(name)) { (name) throws(Errno) in
            try tree.peek(name, in: tree.staging)
        }
        guard let found else { return nil }
        defer { tree.forget(found.inode) }
        return try body(found)
    }
}
