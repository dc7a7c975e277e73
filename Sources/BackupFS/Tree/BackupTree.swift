internal import Backup
internal import Posix

/// The items of a backup as directories show them. Compact: half a million of them are a few dozen megabytes.
struct BackupTree {
    /// The number of an item, from 0 (the root) on; it never changes, and is never another's.
    typealias Number = UInt32

    /// 64 bytes: a directory, which has no size, has its place in `directories` there.
    private struct Item {
        private var stored: ItemFacts
        let parent: Number
        var name: NameStore.Place

        init(_ facts: ItemFacts, parent: Number, name: NameStore.Place, directory: Int) {
            stored = facts
            (self.parent, self.name) = (parent, name)
            if facts.isDirectory { stored.sizeBytes = Int64(directory) }
        }

        var facts: ItemFacts {
            get {
                var facts = stored
                if facts.isDirectory { facts.sizeBytes = 0 }
                return facts
            }
            // What is a directory stays one.
            set {
                let place = stored.sizeBytes
                stored = newValue
                if stored.isDirectory { stored.sizeBytes = place }
            }
        }

        /// Its place in `directories`.
        var directory: Int? { stored.isDirectory ? Int(stored.sizeBytes) : nil }
    }

    private struct Directory {
        /// Sorted by name as far as `sortedCount`; behind that, names of one batch in their order.
        var children: [Number] = []
        var sortedCount = 0
    }

    private var items = ChunkedList<Item>()
    private var directories = ChunkedList<Directory>()
    private var names = NameStore()
    private var missingCount = 0
    static let root: Number = 0

    /// - Parameter facts: of the root.
    init(root facts: ItemFacts) {
        items.append(Item(facts, parent: Self.root, name: NameStore.Place(), directory: 0))
        directories.append(Directory())
    }

    var count: Int { items.count }

    /// What stat(2) says of an item.
    subscript(_ number: Number) -> ItemFacts {
        get { items[Int(number)].facts }
        set { items[Int(number)].facts = newValue }
    }

    func parent(of number: Number) -> Number { items[Int(number)].parent }

    private func directory(_ number: Number) -> Int? { items[Int(number)].directory }

    func isKnown(_ number: Number) -> Bool { Int(number) < items.count }

    /// In the order of their names.
    func children(of number: Number) -> [Number] {
        directory(number).map { directories[$0].children } ?? []
    }

    func withName<R>(of number: Number, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        names.withBytes(items[Int(number)].name, body)
    }

    func name(of number: Number) -> String { withName(of: number) { String(decoding: $0, as: UTF8.self) } }

    func isDirectory(_ number: Number) -> Bool { directory(number) != nil }

    /// - Returns: nil where nothing has that name, or `parent` is no directory.
    func child(_ name: UnsafeRawBufferPointer, of parent: Number) -> Number? {
        guard let directory = directory(parent) else { return nil }
        let index = place(of: name, in: directory)
        let found = directories[directory]
        if index < found.sortedCount, isNamed(found.children[index], name) { return found.children[index] }
        // Of a batch only the last one can have the next one's name.
        guard found.sortedCount < found.children.count, let last = found.children.last, isNamed(last, name)
        else { return nil }
        return last
    }

    private func isNamed(_ number: Number, _ name: UnsafeRawBufferPointer) -> Bool {
        withName(of: number) { $0.compare(name) == 0 }
    }

    /// The first of the sorted children that is not before `name`.
    private func place(of name: UnsafeRawBufferPointer, in directory: Int) -> Int {
        let children = directories[directory].children
        var (low, high) = (0, directories[directory].sortedCount)
        while low < high {
            let middle = (low + high) / 2
            if withName(of: children[middle], { $0.compare(name) < 0 }) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    // MARK: Growing

    /// - Returns: nil where there is no room for it.
    private mutating func make(
        _ name: UnsafeRawBufferPointer, in parent: Number, _ facts: ItemFacts
    ) -> Number? {
        guard items.count < 1 << 30, let place = names.add(name) else { return nil }
        items.append(Item(facts, parent: parent, name: place, directory: directories.count))
        if facts.isDirectory { directories.append(Directory()) }
        return Number(items.count - 1)
    }

    /// Makes an item at its place in the order of names; its name must be free.
    mutating func insert(_ name: UnsafeRawBufferPointer, in parent: Number, _ facts: ItemFacts) -> Number? {
        make(name, in: parent, facts).map {
            insert($0)
            return $0
        }
    }

    private mutating func insert(_ number: Number) {
        guard let directory = directory(parent(of: number)) else { return }
        let index = withName(of: number) { place(of: $0, in: directory) }
        directories[directory].children.insert(number, at: index)
        directories[directory].sortedCount += 1
    }

    /// Makes an item that no listing has.
    mutating func makeUnlisted(
        _ name: UnsafeRawBufferPointer, in parent: Number, _ facts: ItemFacts
    ) -> Number? { make(name, in: parent, facts) }

    /// Makes an item that comes after all others of this batch in its directory; its name must be free.
    mutating func append(_ name: UnsafeRawBufferPointer, in parent: Number, _ facts: ItemFacts) -> Number? {
        guard let directory = directory(parent), let number = make(name, in: parent, facts) else {
            return nil
        }
        directories[directory].children.append(number)
        return number
    }

    /// Makes a directory that no row is of, as `append` does. Only so many: paths of a thousand parts could
    /// otherwise make a small backup a large tree.
    mutating func appendMissing(
        _ name: UnsafeRawBufferPointer, in parent: Number, _ facts: ItemFacts
    ) -> Number? {
        guard missingCount < Self.missingLimit else { return nil }
        missingCount += 1
        return append(name, in: parent, facts)
    }

    /// A device's backup has rows of all its directories.
    private static let missingLimit = 100_000

    /// Takes an item's name away, so that another has it; `putBack` gives it one again.
    mutating func takeOut(_ number: Number) {
        guard let directory = directory(parent(of: number)) else { return }
        let children = directories[directory].children
        guard let index = children.firstIndex(of: number) else { return }
        directories[directory].children.remove(at: index)
        if index < directories[directory].sortedCount { directories[directory].sortedCount -= 1 }
    }

    /// Gives an item that was taken out a name that is free in its directory.
    mutating func putBack(_ number: Number, as name: UnsafeRawBufferPointer) {
        guard let place = names.add(name) else { return }
        items[Int(number)].name = place
        insert(number)
    }

    /// Ends a batch in these directories.
    mutating func sort(_ parents: Set<Number>) {
        for parent in parents {
            guard let directory = directory(parent) else { continue }
            var children = directories[directory].children
            guard directories[directory].sortedCount < children.count else { continue }
            // Two runs that are sorted each.
            directories[directory].children = []
            children.sort { left, right in
                withName(of: left) { left in withName(of: right) { left.compare($0) < 0 } }
            }
            directories[directory].sortedCount = children.count
            // Without the room that growing left: few grow again.
            directories[directory].children = children.map(\.self)
        }
    }
}
