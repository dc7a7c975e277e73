internal import CLinux
internal import Posix

/// Whether this machine's kernel offers FUSE through io_uring(7).
public enum RingSupport: Sendable {
    case offered, switchedOff, unknown

    /// What the fuse module's parameter says.
    public static var current: RingSupport {
        guard let text = systemText("/sys/module/fuse/parameters/enable_uring") else { return .unknown }
        return text.utf8.first == UInt8(ascii: "Y") ? .offered : .switchedOff
    }

    /// Why there is no ring, and what helps; nil where it is offered.
    public var explanation: String? {
        switch self {
        case .offered: nil
        case .switchedOff:
            "the kernel's ring is switched off: \(HelpingScript.enableRing.path) switches it on"
        case .unknown: "this kernel has no ring for FUSE: Linux 6.14 and later have one"
        }
    }

    /// One queue for each CPU that the machine may ever have, as the kernel counts them.
    static var queueCount: Int {
        guard let text = systemText("/sys/devices/system/cpu/possible") else { return 1 }
        // Such as "0-3" or "0,2-5": the last number is the highest.
        let digits = text.split { !$0.isNumber }
        return (digits.last.flatMap { Int($0) } ?? 0) + 1
    }
}
