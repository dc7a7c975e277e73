internal import CLinux
internal import Device
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage

/// A layout of the device's own containers, which change with its catalogue.
protocol DeviceLayout: CompositeLayout {
    var views: Views { get }

    /// Whether the app's documents are in the view, which keeps them in step with the cloud then.
    func showsDocuments(of app: InstalledApp) -> Bool
}

extension DeviceLayout {
    var revision: UInt64 { views.device.revision }

    /// Where no home's mount says otherwise.
    var names: NamePolicy { get throws(Errno) { NamePolicy(name: try settings.names.rawValue) } }

    /// Whether Apple's attributes are listed with the prefix `user.`.
    var listsPrefixed: Bool { get throws(Errno) { try settings.attributeList == .user } }

    private var settings: DeviceSettings {
        get throws(Errno) { do { return try views.device.settings() } catch { throw .ioError } }
    }

    /// - Throws: EIO where the catalogue cannot be read.
    var apps: [InstalledApp] {
        get throws(Errno) { do { return try views.device.apps() } catch { throw .ioError } }
    }

    /// Of the file system that the device lies on.
    func statistics() throws(Errno) -> statvfs {
        var statistics = statvfs()
        _ = try valueOrErrno(lx_fstatvfs(views.device.directory, &statistics))
        return statistics
    }
}
