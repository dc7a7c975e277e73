internal import Posix
internal import SystemPackage

/// The system calls that a program in the sandbox is refused, as a classic BPF program for seccomp(2): those
/// that type into a terminal; those of the kernel's keyrings, which know nothing of namespaces; user
/// namespaces of its own, in which it would be root and could mount (its control group, say, and end the
/// person's processes in that); sockets of families beside those of files and the internet, of which some
/// are no part of a network namespace; those that read the kernel's log or measure all that runs, where a
/// system lets everybody; and those that reach into the sandbox's first process, which is the same user's
/// and ends the program with its command. Calls of another architecture, whose numbers differ, end the
/// program.
struct SystemCallFilter {
    /// One instruction, as in `linux/filter.h`.
    private struct Instruction {
        var code: UInt16
        var ifTrue: UInt8 = 0
        var ifFalse: UInt8 = 0
        var operand: UInt32

        static func load(_ offset: UInt32) -> Instruction { Instruction(code: 0x20, operand: offset) }
        static func answer(_ value: UInt32) -> Instruction { Instruction(code: 0x06, operand: value) }

        var bytes: [UInt8] {
            func split(_ value: some FixedWidthInteger) -> [UInt8] {
                withUnsafeBytes(of: value) { Array($0) }
            }
            return split(code) + [ifTrue, ifFalse] + split(operand)
        }
    }

    /// How what was loaded is compared with an operand.
    private enum Comparison: UInt16 {
        case isEqual = 0x15
        case isAtLeast = 0x35
        case hasBits = 0x45
    }

    // Offsets in `struct seccomp_data`; of the first two arguments the low half, which is all that these
    // calls look at.
    private static let number: UInt32 = 0
    private static let architecture: UInt32 = 4
    private static let (first, second): (UInt32, UInt32) = (16, 24)

    private static let allow: UInt32 = 0x7fff_0000
    private static let notPermitted: UInt32 = 0x0005_0000 | 1
    private static let noSuchCall: UInt32 = 0x0005_0000 | 38
    private static let noSuchFamily: UInt32 = 0x0005_0000 | 97
    private static let kill: UInt32 = 0x8000_0000

    /// TIOCSTI, TIOCLINUX; TIOCSETD, which has the kernel load what no program here needs.
    private static let requests: [UInt32] = [0x5412, 0x541c, 0x5423]
    /// CLONE_NEWUSER.
    private static let newUsers: UInt32 = 0x1000_0000
    /// The sandbox's first process, in its own namespace.
    private static let firstProcess: UInt32 = 1
    /// AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK.
    private static let families: [UInt32] = [0, 1, 2, 10, 16]
    /// clone3 and io_uring_setup: what they are asked for lies where no filter can look. Programs do without.
    private static let hidden: [UInt32] = [435, 425]

    #if arch(x86_64)
        private static let native: UInt32 = 0xc000_003e
        private static let (ioctl, clone, unshare): (UInt32, UInt32, UInt32) = (16, 56, 272)
        private static let socket: UInt32 = 41
        /// add_key, request_key, keyctl; syslog, perf_event_open, bpf, userfaultfd; open_by_handle_at, which
        /// finds processes too.
        private static let refused: [UInt32] = [248, 249, 250, 103, 298, 321, 323, 304]
        private static let ptrace: UInt32 = 101
        /// process_vm_readv, process_vm_writev, pidfd_open, prlimit64.
        private static let reaching: [UInt32] = [310, 311, 434, 302]
        /// The numbers of x32 begin here; they come under the same architecture.
        private static let foreign: UInt32? = 0x4000_0000
    #elseif arch(arm64)
        private static let native: UInt32 = 0xc000_00b7
        private static let (ioctl, clone, unshare): (UInt32, UInt32, UInt32) = (29, 220, 97)
        private static let socket: UInt32 = 198
        private static let refused: [UInt32] = [217, 218, 219, 116, 241, 280, 282, 265]
        private static let ptrace: UInt32 = 117
        private static let reaching: [UInt32] = [270, 271, 434, 261]
        private static let foreign: UInt32? = nil
    #endif

    /// `body` is skipped where the comparison does not hold.
    private static func when(
        _ comparison: Comparison, _ operand: UInt32, _ body: [Instruction]
    ) -> [Instruction] {
        let skip = UInt8(truncatingIfNeeded: body.count)
        return [Instruction(code: comparison.rawValue, ifFalse: skip, operand: operand)] + body
    }

    /// Refuses a call where an argument compares with one of `operands`; it is allowed with any other.
    private static func call(
        _ call: UInt32, with argument: UInt32, _ comparison: Comparison, _ operands: [UInt32],
        _ refusal: UInt32
    ) -> [Instruction] {
        let refusals = operands.flatMap { when(comparison, $0, [.answer(refusal)]) }
        return when(.isEqual, call, [.load(argument)] + refusals + [.answer(allow)])
    }

    private static var program: [Instruction] {
        var calls: [Instruction] = [.load(number)]
        if let foreign { calls += when(.isAtLeast, foreign, [.answer(notPermitted)]) }
        for call in refused { calls += when(.isEqual, call, [.answer(notPermitted)]) }
        for call in hidden { calls += when(.isEqual, call, [.answer(noSuchCall)]) }
        calls += call(clone, with: first, .hasBits, [newUsers], notPermitted)
        calls += call(unshare, with: first, .hasBits, [newUsers], notPermitted)
        let familiar = families.flatMap { when(.isEqual, $0, [.answer(allow)]) }
        calls += when(.isEqual, socket, [.load(first)] + familiar + [.answer(noSuchFamily)])
        calls += call(ptrace, with: second, .isEqual, [firstProcess], notPermitted)
        for call in reaching {
            calls += Self.call(call, with: first, .isEqual, [firstProcess], notPermitted)
        }
        calls += call(ioctl, with: second, .isEqual, requests, notPermitted)
        return [.load(architecture)] + when(.isEqual, native, calls + [.answer(allow)]) + [.answer(kill)]
    }

    /// The program in a file, to be read by bubblewrap.
    static func file() throws(Errno) -> SharedDescriptor {
        SharedDescriptor(try Descriptor.holding(program.flatMap(\.bytes)))
    }
}
