/// What will happen, in order of time; of two at one time the one planned first.
// Unchecked: see WorldExecutor.
final class Timeline: @unchecked Sendable {
    private struct Event {
        let time: UInt64
        let order: UInt64
        /// Whose: a suspended life gets it when it goes on. Nil: the world's.
        let life: Life?
        let run: () -> Void
    }

    /// Nanoseconds since the world began.
    private(set) var now: UInt64 = 0
    private var heap: [Event] = []
    private var planned: UInt64 = 0

    func schedule(at time: UInt64, for life: Life? = nil, _ run: @escaping () -> Void) {
        planned += 1
        heap.append(Event(time: max(time, now), order: planned, life: life, run: run))
        siftUp(heap.count - 1)
    }

    func schedule(in nanoseconds: UInt64, for life: Life? = nil, _ run: @escaping () -> Void) {
        schedule(at: now &+ nanoseconds, for: life, run)
    }

    /// Nothing of what was planned will happen.
    func clear() { heap = [] }

    var nextTime: UInt64? { heap.first?.time }

    /// Goes to the next event and lets it happen.
    /// - Returns: false where there is none.
    func step() -> Bool {
        guard let event = pop() else { return false }
        now = max(now, event.time)
        if let life = event.life { life.receive(event.run) } else { event.run() }
        return true
    }

    /// Time that passes in a call, which nobody waits for.
    func spend(_ nanoseconds: UInt64) { now &+= nanoseconds }

    private func precedes(_ left: Int, _ right: Int) -> Bool {
        (heap[left].time, heap[left].order) < (heap[right].time, heap[right].order)
    }

    private func pop() -> Event? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return first
    }

    private func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard precedes(child, parent) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private func siftDown() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if precedes(child, least) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
