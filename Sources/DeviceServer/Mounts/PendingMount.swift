internal import Device
internal import FuseKit
internal import SandboxRules
internal import Wire

/// A mount that a client has announced and not handed over yet.
struct PendingMount {
    let id: Int
    let arguments: MountArguments
    let app: AppReference
    let subject: MountSubject
    /// Whether the kernel is to check mode bits.
    let kernelChecksAccess: Bool
    /// Where the client is to mount.
    let place: MountPlace
}

/// What a mount shows.
enum MountSubject {
    case app(InstalledApp)
    case group(GroupContainer)
    case store(any FileSystem)
    /// What the device has of many apps.
    case device(any DeviceLayout)

    /// The one container that is shown; nil where it is a store, or many.
    var tree: TreeSubject? {
        switch self {
        case .app(let app): .app(app)
        case .group(let group): .group(group)
        case .store, .device: nil
        }
    }

    var group: String? { if case .group(let group) = self { group.group.value } else { nil } }
}
