internal import Glibc
internal import SystemPackage

/// TCP on this machine, in a few calls.
enum LocalSocket {
    /// - Returns: a listening socket and its port.
    static func listen() throws(Errno) -> (socket: Int32, port: UInt16) {
        let socket = open()
        var address = address(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size) == 0 && getsockname(socket, pointer, &size) == 0
            }
        }
        guard isBound, Glibc.listen(socket, 512) == 0 else { throw Errno(rawValue: errno) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    static func connect(to port: UInt16) -> Int32? {
        let socket = open()
        var address = address(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                Glibc.connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return socket }
        close(socket)
        return nil
    }

    /// Appends what comes next.
    /// - Returns: false at the end.
    static func receive(from socket: Int32, into bytes: inout [UInt8]) -> Bool {
        let part = [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
            count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
        }
        bytes += part
        return !part.isEmpty
    }

    static func send(_ bytes: [UInt8], to socket: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    private static func open() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }
}
