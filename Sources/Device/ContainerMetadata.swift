internal import Foundation
internal import Posix
internal import PropertyLists

/// The property list that iOS keeps in every container, so that a container names its app.
///
/// Keys and values as a device's container manager writes them (metadata version 6, schema 1).
enum ContainerMetadata {
    static let fileName = ".com.apple.mobile_container_manager.metadata.plist"

    enum ContentClass: Int {
        case bundle = 1
        case data = 2
        case group = 7
    }

    /// - Parameter identifier: the app's, or for a group container the group's.
    static func propertyList(
        _ contentClass: ContentClass, identifier: String, container: UUID, owner: Owner
    ) throws -> [UInt8] {
        var values: [String: Any] = [
            "MCMMetadataIdentifier": identifier,
            "MCMMetadataContentClass": contentClass.rawValue,
            "MCMMetadataUUID": container.uuidString,
            "MCMMetadataVersion": 6,
            "MCMMetadataSchemaVersion": 1,
            "MCMMetadataActiveDPClass": 0,
            "MCMMetadataInfo": ["com.apple.MobileInstallation.ContentProtectionClass": 0],
        ]
        if contentClass != .bundle {
            values["MCMMetadataUserIdentity"] = [
                "personaUniqueString": "", "posixUID": Int(owner.uid), "posixGID": Int(owner.gid), "type": 0,
                "version": 2,
            ]
        }
        return try PropertyList.binary(values)
    }
}
