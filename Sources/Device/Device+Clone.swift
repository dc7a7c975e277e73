internal import CLinux
internal import Foundation
internal import GRDB
internal import Posix
internal import SandboxRules

extension Device {
    /// Makes a copy of another device a device of its own: with another identifier, without what that one's
    /// sync remembers (it would speak in the other's name), and signed out.
    static func settleClone(in directory: Int32, _ catalogue: Catalogue) throws {
        guard try ItemStamp.ifPresent(directory, DeviceMark.clone) != nil else { return }
        try catalogue.becomeOther()
        try TreeRemoval.remove(directory, Layout.cloud)
        try TreeRemoval.remove(directory, DeviceMark.clone)
        try valueOrErrno(lx_fsync(directory, 0))
    }
}

extension Catalogue {
    /// Gives the device another identifier, and signs it out.
    fileprivate func becomeOther() throws {
        try write { database in
            try database.execute(sql: "UPDATE device SET id = ?", arguments: [UUID().uuidString])
        }
        try setCloudAccount(.none)
    }
}
