internal import CLinux
internal import Posix
internal import SystemPackage

/// Room that a store keeps for the records without which nothing can be removed from it.
///
/// All devices share the file: whoever brings contents first sees to it that it is whole, so that no device
/// takes what another one has lent to a record of its own.
extension StoreFolder {
    static let reserveName = "reserve"

    private func reserve(in aside: borrowing Descriptor) -> ReserveFile {
        ReserveFile(name: Self.reserveName, for: aside.raw)
    }

    /// - Throws: `.full` where the disk has no more room than what is kept.
    func refuseBesideReserve(in aside: borrowing Descriptor) throws(StoreError) {
        let reserve = reserve(in: aside)
        if reserve.isWhole(in: aside.raw) { return }
        do throws(Errno) { try reserve.fill(in: aside.raw) } catch .noSpace, .diskQuotaExceeded {
            throw StoreError(.noSpace, path)
        } catch {
            // Nothing can be kept: what the write itself says counts.
        }
    }

    func lendReserve(in aside: borrowing Descriptor) throws(StoreError) {
        do throws(Errno) { try reserve(in: aside).giveBack(in: aside.raw) } catch {
            throw StoreError(error, "\(path)/\(Self.aside)")
        }
    }

    /// As much of it as there is; who brings contents asks for the rest.
    func fillReserve(in aside: borrowing Descriptor) {
        let reserve = reserve(in: aside)
        if !reserve.isWhole(in: aside.raw) { try? reserve.fill(in: aside.raw) }
    }

    /// How many bytes of contents find room, without what is kept.
    func freeBytes() throws(StoreError) -> UInt64 {
        let top = try open()
        guard let aside = try openDirectory(Self.aside, in: top) else { return 0 }
        let free: Int64
        do throws(Errno) { free = try Posix.freeBytes(on: aside.raw) } catch {
            throw StoreError(error, path)
        }
        let reserve = reserve(in: aside)
        let kept = reserve.isWhole(in: aside.raw) ? 0 : reserve.sizeBytes
        return UInt64(clamping: free - min(free, kept))
    }
}
