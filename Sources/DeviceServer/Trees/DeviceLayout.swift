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
    var names: NamePolicy {
        get throws(Errno) {
            do { return NamePolicy(name: try views.device.settings().names.rawValue) } catch {
                throw .ioError
            }
        }
    }

    /// Of the file system that the device lies on.
    func statistics() throws(Errno) -> statvfs {
        var statistics = statvfs()
        _ = try valueOrErrno(lx_fstatvfs(views.device.directory, &statistics))
        return statistics
    }
}
