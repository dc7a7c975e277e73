internal import CLinux
internal import Posix
public import SystemPackage

/// What a home's programs may not do while the last room on the disk is kept for what makes room.
extension HomeTree {
    /// - Throws: ENOSPC while nothing may get more room.
    public func refuseGrowth() throws(Errno) {
        if let reserve, !reserve.admitsGrowth() { throw .noSpace }
    }

    /// The same for `count` bytes that are to be written, at the file's end where `offset` is nil.
    ///
    /// Bytes that lie in the middle of a file without holes have their room: a database goes on. Where a file
    /// system writes them elsewhere all the same, it takes some for a moment.
    public func refuseGrowth(of handle: FileHandle, writing count: Int, at offset: Int64?) throws(Errno) {
        guard let reserve, !reserve.admitsGrowth() else { return }
        guard let offset, let status = try? stat(of: handle.descriptor),
            offset <= Int64(status.st_size) - Int64(count), status.st_blocks >= (status.st_size + 511) / 512
        else { throw .noSpace }
    }
}
