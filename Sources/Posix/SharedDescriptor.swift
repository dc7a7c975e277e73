/// A descriptor that several owners hold, or that lies in a collection: closed with the last of them.
public final class SharedDescriptor: Sendable {
    public let descriptor: Descriptor

    public init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    public var raw: Int32 { descriptor.raw }
}
