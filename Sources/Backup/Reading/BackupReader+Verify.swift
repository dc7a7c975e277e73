/// What a look at everything found.
public struct BackupCheck: Sendable, Equatable {
    public internal(set) var files = 0
    public internal(set) var bytes: Int64 = 0
    /// One line for each of the first thousand files that are not whole.
    public internal(set) var damage: [String] = []
    public internal(set) var damageCount = 0
}

extension BackupReader {
    private static let damageLimit = 1000

    /// Reads every file and compares it with its record.
    ///
    /// - Parameter progress: told after each file; what it throws ends this.
    /// - Throws: where the list itself cannot be read to its end.
    public func verify(progress: (BackupCheck) throws -> Void = { _ in }) throws(BackupError) -> BackupCheck {
        var check = BackupCheck()
        try forEachItem { item in
            guard item.kind == .file else { return }
            do {
                let content = try self.content(of: item)
                while let piece = try content.next() { check.bytes += Int64(piece.count) }
            } catch let error as BackupError {
                guard error.kind == .damaged else { throw error }
                check.damageCount += 1
                if check.damage.count < Self.damageLimit { check.damage.append(error.message) }
            }
            check.files += 1
            try progress(check)
        }
        return check
    }
}
