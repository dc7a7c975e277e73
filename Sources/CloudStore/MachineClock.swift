internal import CLinux
public import StoreBasics

extension StoreTime {
    /// The time by this machine's clock, which a person may have set wrong.
    public static var machine: StoreTime { StoreTime(seconds: lx_realtime_nanoseconds() / 1_000_000_000) }
}
