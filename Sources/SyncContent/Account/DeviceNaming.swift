package import SyncLog

/// What a device calls itself in its account: as its machine is called, with a number behind where another
/// device has that name.
package struct DeviceNaming {
    /// As the account's log tells them.
    let known: [AccountDevice]

    package init(known: [AccountDevice]) {
        self.known = known
    }

    /// - Parameter wished: the machine's name; a device that has none has none in the account.
    /// - Returns: what `own` has there already, as long as that is made of what it wishes and nobody's before
    ///   it: others know it by that.
    package func name(of own: DeviceID, wished: String) -> String {
        guard !wished.isEmpty else { return wished }
        let others = known.filter { $0.device != own }
        if let name = known.first(where: { $0.device == own })?.name, Self.isMade(name, of: wished) {
            // Two that chose it at once both read that in the log: the one with the greater id gives way.
            guard others.contains(where: { $0.name == name && $0.device < own }) else { return name }
        }
        let taken = Set(others.map(\.name))
        var (name, number) = (wished, 1)
        while taken.contains(name) {
            number += 1
            name = "\(wished)-\(number)"
        }
        return name
    }

    private static func isMade(_ name: String, of wished: String) -> Bool {
        guard name != wished else { return true }
        return name.hasPrefix(wished + "-") && UInt64(name.dropFirst(wished.count + 1)) != nil
    }
}
