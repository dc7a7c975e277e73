public import Posix
internal import SandboxRules
internal import SystemPackage

extension Device {
    /// Opens the folder where the daemon remembers findings. All in it may be thrown away.
    /// - Parameter makes: whether it is made where it is missing.
    /// - Returns: nil where it is missing.
    public func findingsFolder(makes: Bool) throws(DeviceError) -> SharedDescriptor? {
        try performing("open the folder of findings") {
            if makes { return SharedDescriptor(try FileTree.ensureDirectory(folder.raw, Layout.findings)) }
            do {
                return SharedDescriptor(try FileTree.openDirectory(folder.raw, Layout.findings))
            } catch Errno.noSuchFileOrDirectory {
                return nil
            }
        }
    }

    /// The identifiers of all apps and groups that the device has.
    public func identifiers() throws(DeviceError) -> Set<String> {
        Set(try apps().map(\.bundleID.value) + groupContainers().map(\.group.value))
    }
}
