internal import CloudStore
internal import CloudSync
internal import Posix
internal import SyncContent

/// Whether the store answers at all, asked beside the engine: that one may be waiting for an answer itself,
/// for as long as its requests may take, or for a disk.
final class StoreContact: Sendable {
    private struct State {
        var isAsking = false
        /// Counts answers.
        var answers = 0
        /// What the last one was.
        var trouble: SyncTrouble?
    }

    private let store: any ObjectStore
    private let state = Gate(State())

    init(_ store: any ObjectStore) { self.store = store }

    /// Asks for something small. One question is under way at a time: who comes meanwhile waits for its
    /// answer.
    /// - Returns: what the store is found to be in trouble with, `storeSlow` where it does not say anything
    ///   in that time; nil where it answers.
    func trouble(seconds: Double) -> SyncTrouble? {
        let (isFirst, before) = state.update { state in
            defer { state.isAsking = true }
            return (!state.isAsking, state.answers)
        }
        if isFirst { ask() }
        let answer = state.wait(timeoutSeconds: seconds) { state -> SyncTrouble?? in
            state.answers > before ? .some(state.trouble) : nil
        }
        return answer ?? .storeSlow
    }

    private func ask() {
        let (store, state) = (store, state)
        Task {
            var trouble: SyncTrouble?
            do { _ = try await store.head(StoreLayout.format) } catch { trouble = SyncTrouble(error) }
            state.update { state in
                state.isAsking = false
                state.answers += 1
                state.trouble = trouble
            }
        }
    }
}
