/// Where a view beside the home differs besides: the Files app's, and the device's tree.
extension Exception {
    static let ofGuests = [guestLocks, guestMaps]

    static func show(_ name: String, _ plain: String, mount: String) -> (String, [Pair]) {
        (name, [Pair(plain, mount: mount)])
    }
}
