/// A moment by the store's clock, in whole seconds since 1970, as HTTP's dates have them.
public struct StoreTime: Hashable, Comparable, Sendable {
    public let seconds: Int64

    public init(seconds: Int64) {
        self.seconds = seconds
    }

    public static func < (left: StoreTime, right: StoreTime) -> Bool { left.seconds < right.seconds }
    /// Seconds from `earlier` to this moment; negative where it lies before.
    public func seconds(since earlier: StoreTime) -> Int64 { seconds - earlier.seconds }
    public func adding(seconds: Int64) -> StoreTime { StoreTime(seconds: self.seconds + seconds) }
}
