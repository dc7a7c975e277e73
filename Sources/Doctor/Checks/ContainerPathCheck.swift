internal import Databases
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Paths of containers in what files hold, and in what links lead to.
///
/// Every file is read once, as bytes. A property list in which something stands is parsed for its keys; one
/// in XML also for its data, which is written in letters there. A database whose bytes have something like a
/// piece of a UUID is searched by SQL (`databases`), since its bytes alone may be what it has deleted.
final class ContainerPathCheck: FileCheck {
    private let search: ContainerSearch
    private let book: ContainerBook
    private let databases: any DatabaseExaminer
    private let reader = BlockReader()
    /// What was read.
    private(set) var bytes: UInt64 = 0

    init(_ book: ContainerBook, _ databases: any DatabaseExaminer) {
        search = ContainerSearch(known: book.ids)
        self.book = book
        self.databases = databases
    }

    func look(at file: WalkedFile, _ found: inout FindingList) {
        // No update keeps it.
        guard file.item.area != .temporary else { return }
        if file.isDatabase { return look(atDatabase: file, &found) }
        // A database's log and journal hold what it has deleted as well.
        if isCompanion(file.item) { return }
        guard let bytes = read(file, pieces: false, &found) else { return }
        if look(atPropertyList: file, bytes.matches, &found) { return }
        for match in bytes.matches {
            found.add(
                .containerPath, file.item.path,
                "at byte \(match.offset) (\(match.encoding.name)): \(book.text(match.id))")
        }
        nameEncrypted(file, &found)
    }

    func look(atLink item: WalkedItem, target: [UInt8], _ found: inout FindingList) {
        guard item.area != .temporary else { return }
        target.withUnsafeBytes { bytes in
            search.run(over: bytes) { match in
                found.add(.containerPath, item.path, "the link leads to \(book.text(match.id))")
                return false
            }
        }
    }

    private func read(_ file: WalkedFile, pieces: Bool, _ found: inout FindingList) -> FileSearch? {
        var result = FileSearch()
        // What fits its first bytes is all there.
        do throws(Errno) {
            if file.header.count < WalkedFile.headerBytes {
                bytes += UInt64(file.header.count)
                file.header.withUnsafeBytes { add($0, 0, 0, pieces: pieces, to: &result) }
                return result
            }
            try reader.read(file.descriptor.raw, sizeBytes: file.sizeBytes) { block, seen, offset in
                bytes += UInt64(block.count - seen)
                add(block, seen, offset, pieces: pieces, to: &result)
                return pieces ? !result.hasPiece : result.matches.count < FileSearch.mostMatches
            }
            return result
        } catch {
            found.add(.unexamined, file.item.path, "it cannot be read: \(error)")
            return nil
        }
    }

    private func add(
        _ block: UnsafeRawBufferPointer, _ seen: Int, _ offset: Int64, pieces: Bool,
        to result: inout FileSearch
    ) {
        if pieces { return result.addPieces(block) }
        result.add(block, seen: seen, at: offset, search)
    }

    /// - Returns: whether nothing is left to say of the bytes.
    private func look(
        atPropertyList file: WalkedFile, _ matches: [ContainerSearch.Match], _ found: inout FindingList
    ) -> Bool {
        guard file.isPropertyList, !matches.isEmpty || file.isXMLPropertyList,
            let bytes = file.bytes(limit: PropertyListSearch.limitBytes)
        else { return false }
        guard !matches.isEmpty || bytes.withUnsafeBytes({ Self.hasData($0) }) else { return false }
        var values = PropertyListSearch(search)
        guard values.run(over: bytes), !values.matches.isEmpty else { return false }
        for match in values.matches {
            found.add(.containerPath, file.item.path, "key \(match.keys): \(book.text(match.id))")
        }
        return true
    }

    private static func hasData(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let tag = Array("<data".utf8)
        var position = 0
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[open...].starts(with: tag) { return true }
            position = open + 1
        }
        return false
    }

    private func isCompanion(_ item: WalkedItem) -> Bool {
        guard let database = DatabaseCompanion.databaseName(of: item.name),
            let file = try? FileTree.openFile(item.directory, database),
            let header = try? FileTree.read(file.raw, offset: 0, count: DatabaseFile.headerBytes)
        else { return false }
        return DatabaseFile.isDatabase(header: header)
    }
}

extension ContainerPathCheck {
    private func look(atDatabase file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        // The log first: what is taken over into the database meanwhile is met in one of them.
        var hasPiece = false
        if let log = try? FileTree.openFile(item.directory, item.name + "-wal") {
            let size = (try? ItemStamp(of: log))?.sizeBytes ?? 0
            _ = try? reader.read(log.raw, sizeBytes: size) { block, seen, _ in
                bytes += UInt64(block.count - seen)
                hasPiece = hasPiece || ContainerSearch.hasPiece(block)
                return !hasPiece
            }
        }
        if !hasPiece {
            guard let result = read(file, pieces: true, &found) else { return }
            hasPiece = result.hasPiece
        }
        guard hasPiece else { return }
        let report = databases.search(item.path)
        for match in report.matches {
            guard let id = ContainerID(match.container) else { continue }
            let row = match.row.map { ", row \($0)" } ?? ""
            let more = match.count > 1 ? " and \(match.count - 1) more" : ""
            found.add(
                .containerPath, item.path,
                "table \(match.table), column \(match.column)\(row)\(more): \(book.text(id))")
        }
        for reason in report.reasons { found.add(.unexamined, item.path, reason) }
    }

    /// A file that is called a database, and holds nothing that anybody can read.
    private func nameEncrypted(_ file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        guard item.isDatabaseByName, file.header.count == WalkedFile.headerBytes,
            item.stamp.sizeBytes.isMultiple(of: 512),
            Set(file.header).count > Self.varied
        else { return }
        found.add(.unexamined, item.path, "a database by its name, and encrypted by what it holds")
    }

    /// So many different bytes are among 512 that are random; text and tables have fewer.
    private static let varied = 180
}
