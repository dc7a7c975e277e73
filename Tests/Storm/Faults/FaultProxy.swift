internal import Foundation
internal import Glibc
internal import Posix
internal import TestKit

/// A way to an S3 server on which requests and answers get lost, come late, or come twice.
///
/// Each request has a connection of its own to the server, which ends with the answer.
final class FaultProxy: Sendable {
    /// In thousandths of all requests.
    struct Faults {
        var lostRequest = 40
        var lostReply = 40
        var delay = 60
        var duplicate = 30
        /// Arrives again, after its sender has its answer.
        var lateTwin = 20
        var unavailable = 30

        static let none = Faults(
            lostRequest: 0, lostReply: 0, delay: 0, duplicate: 0, lateTwin: 0, unavailable: 0)
    }

    enum Fate: CaseIterable {
        case answered, lostRequest, lostReply, delayed, duplicated, lateTwin, unavailable
    }

    private struct State {
        var faults: Faults
        var random: SeededRandom
        var sockets: Set<Int32> = []
        var counts: [Fate: Int] = [:]
        var isEnded = false
    }

    let port: UInt16
    private let server: UInt16
    private let listener: Int32
    private let state: Lock<State>

    /// - Parameter server: the port of the server, on this machine.
    init(to server: UInt16, faults: Faults, seed: UInt64) throws {
        self.server = server
        (listener, port) = try LocalSocket.listen()
        state = Lock(State(faults: faults, random: SeededRandom(seed: seed)))
        try NativeThread(name: "fault proxy") { [weak self, listener] in
            while true {
                let socket = accept(listener, nil, nil)
                guard socket >= 0, let self, self.begin(socket) else { return }
            }
        }.detach()
    }

    deinit { end() }

    /// From now on.
    func set(_ faults: Faults) { state.withLock { $0.faults = faults } }

    /// How many requests met which fate.
    var counts: [Fate: Int] { state.withLock { $0.counts } }

    func end() {
        let sockets = state.withLock { state -> Set<Int32>? in
            defer { state.isEnded = true }
            return state.isEnded ? nil : state.sockets
        }
        guard let sockets else { return }
        for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func begin(_ socket: Int32) -> Bool {
        let isOpen = state.withLock { state in
            if !state.isEnded { state.sockets.insert(socket) }
            return !state.isEnded
        }
        guard isOpen else { return false }
        do {
            try NativeThread(name: "fault proxy") { [self] in
                serve(socket)
                state.withLock { _ = $0.sockets.remove(socket) }
                close(socket)
            }.detach()
        } catch {
            close(socket)
        }
        return true
    }

    private func serve(_ socket: Int32) {
        guard let request = HTTPRequestBytes(from: socket) else { return }
        let fate = state.withLock { state in
            let fate = state.faults.fate(&state.random)
            state.counts[fate, default: 0] += 1
            return fate
        }
        switch fate {
        case .lostRequest: return
        case .lostReply: _ = forward(request)
        case .unavailable:
            LocalSocket.send(
                Array(
                    "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8),
                to: socket)
        case .delayed:
            usleep(UInt32(100_000 + state.withLock { $0.random.below(1_500_000) }))
            LocalSocket.send(forward(request), to: socket)
        case .duplicated:
            _ = forward(request)
            LocalSocket.send(forward(request), to: socket)
        case .lateTwin:
            LocalSocket.send(forward(request), to: socket)
            shutdown(socket, Int32(SHUT_RDWR))
            usleep(UInt32(500_000 + state.withLock { $0.random.below(3_000_000) }))
            _ = forward(request)
        case .answered: LocalSocket.send(forward(request), to: socket)
        }
    }

    /// The server's whole answer; nothing where it is not there.
    private func forward(_ request: HTTPRequestBytes) -> [UInt8] {
        guard let upstream = LocalSocket.connect(to: server) else { return [] }
        defer { close(upstream) }
        LocalSocket.send(request.bytes, to: upstream)
        var answer: [UInt8] = []
        while LocalSocket.receive(from: upstream, into: &answer) {}
        return answer
    }
}

extension FaultProxy.Faults {
    func fate(_ random: inout SeededRandom) -> FaultProxy.Fate {
        var roll = random.below(1000)
        let chances: [(Int, FaultProxy.Fate)] = [
            (lostRequest, .lostRequest), (lostReply, .lostReply), (delay, .delayed),
            (duplicate, .duplicated), (lateTwin, .lateTwin), (unavailable, .unavailable),
        ]
        for (chance, fate) in chances {
            roll -= chance
            if roll < 0 { return fate }
        }
        return .answered
    }
}
