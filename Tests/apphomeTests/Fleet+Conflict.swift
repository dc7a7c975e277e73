import TestKit

@testable import sync_storm

extension Fleet {
    /// Lets all devices, which are mounted without sync, write to these documents while none knows of the
    /// others, and meet in any order.
    borrowing func conflict(in names: [String]) throws {
        for name in names { try write("base", to: devices[0].documents + "/" + name) }
        try sync(devices)
        for device in devices {
            for name in names { try write("device \(device.index)", to: device.documents + "/" + name) }
        }
        let order = devices.shuffled()
        try sync(order)
        // What the last one sent, the first ones have not seen.
        try sync(order)
    }

    private borrowing func sync(_ devices: [FleetDevice]) throws {
        for device in devices { try device.tell("cloud", "sync", Self.app, "--wait") }
    }
}
