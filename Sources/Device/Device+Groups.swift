internal import Foundation
internal import SandboxRules
internal import SystemPackage

extension Device {
    /// Every group of the device's apps, by name.
    public func groupContainers() throws(DeviceError) -> [GroupContainer] {
        try performing("list the groups") { try catalogue.groupContainers() }
    }

    /// The groups of the app and their containers, in the order of its entitlements.
    public func groupContainers(of app: InstalledApp) throws(DeviceError) -> [GroupContainer] {
        let all = try groupContainers()
        return app.groups.compactMap { group in all.first { $0.group == group } }
    }

    /// The container of a group of the app.
    ///
    /// - Throws: `badValue`, in a device's words ("null") with the reason, where the app's entitlements do
    ///   not name the group.
    public func groupContainer(
        named name: String, of app: InstalledApp
    ) throws(DeviceError) -> GroupContainer {
        if let group = app.groups.first(where: { $0.value == name }),
            let container = try groupContainers().first(where: { $0.group == group })
        {
            return container
        }
        let source = app.entitlementsSource
        let origin = source == .none ? "it has none" : "from: \(source.rawValue)"
        throw DeviceError(
            .badValue,
            "null: com.apple.security.application-groups in the entitlements of \(app.name) (\(origin)) "
                + "does not name \(name.prefix(200)); install it again with --entitlements FILE that does")
    }

    /// Removes the containers of groups that the catalogue has no more. May be repeated.
    func removeGroupContainers(_ containers: [UUID]) throws(Errno) {
        for container in containers {
            try removeContainer(container, at: Layout.groupContainer(container))
        }
    }
}
