extension AccountOperation {
    private enum Kind {
        static let app: UInt64 = 0
        static let device: UInt64 = 1
        static let forget: UInt64 = 2
    }

    private static let nameBytes = 1024
    private static let sharingKeys = 64

    package func encode(to writer: inout CBORWriter) {
        switch self {
        case .app(let app):
            writer.array(4)
            writer.unsigned(Kind.app)
            writer.text(app.identifier)
            writer.text(app.displayName)
            writer.list(app.sharingKeys) { $0.text($1) }
        case .device(let device):
            writer.array(3)
            writer.unsigned(Kind.device)
            writer.identifier(device.device.bits)
            writer.text(device.name)
        case .forget(let device):
            writer.array(2)
            writer.unsigned(Kind.forget)
            writer.identifier(device.bits)
        }
    }

    /// - Returns: nil for a kind of a later version, which is skipped.
    package static func decode(_ reader: inout CBORReader) throws(CodingError) -> AccountOperation? {
        let count = try reader.array()
        guard count > 0 else { throw .unexpected }
        switch (try reader.unsigned(), count) {
        case (Kind.app, 4): return .app(try app(&reader))
        case (Kind.device, 3):
            let device = DeviceID(bits: try reader.identifier())
            return .device(AccountDevice(device: device, name: try reader.text(upTo: nameBytes)))
        case (Kind.forget, 2): return .forget(DeviceID(bits: try reader.identifier()))
        case (Kind.app, _), (Kind.device, _), (Kind.forget, _): throw .unexpected
        default:
            for _ in 1..<count { try reader.skip() }
            return nil
        }
    }

    private static func app(_ reader: inout CBORReader) throws(CodingError) -> SyncedApp {
        let identifier = try reader.text(upTo: nameBytes)
        let name = try reader.text(upTo: nameBytes)
        let keys = try reader.list(upTo: sharingKeys) { reader throws(CodingError) in
            try reader.text(upTo: nameBytes)
        }
        return SyncedApp(identifier: identifier, displayName: name, sharingKeys: keys)
    }
}
