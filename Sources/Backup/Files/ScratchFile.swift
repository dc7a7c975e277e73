internal import CLinux
internal import Foundation
internal import Posix
internal import SystemPackage

/// A file for a moment: without a name once this value ends, and gone with the last descriptor.
final class ScratchFile {
    let name = ".backup-\(UUID().uuidString)"
    private let directory: Int32
    private let file: Descriptor

    init(in directory: Int32) throws(Errno) {
        self.directory = directory
        file = try FileTree.createFile(directory, name)
    }

    deinit { _ = lx_unlinkat(directory, name, 0) }

    var raw: Int32 { file.raw }

    func writeAll(_ bytes: [UInt8]) throws(Errno) { try file.writeAll(bytes) }

    func readPiece(_ count: Int) throws(Errno) -> [UInt8] { try file.readPiece(count) }
}

extension Descriptor {
    /// Up to `count` bytes from where the file stands; fewer only at its end.
    borrowing func readPiece(_ count: Int) throws(Errno) -> [UInt8] {
        let raw = self.raw
        var piece = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = try retrying {
                piece.withUnsafeMutableBytes {
                    lx_read(raw, $0.baseAddress?.advanced(by: filled), UInt64(count - filled))
                }
            }
            if got == 0 { break }
            filled += Int(got)
        }
        piece.removeLast(count - filled)
        return piece
    }
}
