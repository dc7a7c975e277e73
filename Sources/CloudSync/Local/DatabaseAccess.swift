package import Databases

/// SQLite's part in syncing databases, which runs in another process (`Databases`).
package protocol DatabaseAccess: Sendable {
    /// Copies a database, in use or not, to the start of an open file.
    func copy(_ path: LocalPath, to target: Int32) -> DatabaseOutcome
    /// Has its log checkpointed, and a journal rolled back.
    func checkpoint(_ path: LocalPath) -> DatabaseOutcome
}

/// The product's: a helper process, at the place where the home is seen now.
package struct HelperDatabases: DatabaseAccess {
    private let helper: DatabaseHelper
    private let documents: @Sendable () -> String?

    /// - Parameter documents: the path of Documents in the home's mount while there is one, else of its
    ///   backing directory: only through the mount the helper meets the app's locks. Nil: out of reach just
    ///   now.
    package init(helper: DatabaseHelper, documents: @escaping @Sendable () -> String?) {
        self.helper = helper
        self.documents = documents
    }

    package func copy(_ path: LocalPath, to target: Int32) -> DatabaseOutcome {
        absolute(path).map { helper.copy($0, to: target) } ?? .busy
    }

    package func checkpoint(_ path: LocalPath) -> DatabaseOutcome {
        absolute(path).map { helper.checkpoint($0) } ?? .busy
    }

    private func absolute(_ path: LocalPath) -> String? {
        documents().map { ([$0] + path.names).joined(separator: "/") }
    }
}
