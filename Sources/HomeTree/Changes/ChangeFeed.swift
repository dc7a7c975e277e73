internal import Posix

/// Is told when something changes in Documents.
public protocol ChangeListener: AnyObject, Sendable {
    /// Something changed. Called once until the changes are taken, from a thread that serves a request, with
    /// a directory's lock held: must not wait, nor call the tree.
    func changesCame()
}

/// What changed below Documents since it was last taken. Guarded with the tables.
///
/// An inode is noted by a mark of its own and one number in a list, so whoever writes a file a thousand times
/// pays for one. A name that came or went is noted by its bytes.
struct ChangeFeed {
    struct Name {
        /// Holds a reference.
        let parent: InodeNumber
        /// Where its bytes end in `bytes`; they begin where those of the name before end.
        let end: Int
        let role: Role
    }

    enum Role: Equatable {
        case alone
        /// Of anything but a directory, by unlink. With the backing number of what it stood for.
        case removed(UInt64)
        /// The other half is told too: both are to be looked at together.
        case half
        /// As `half`, of what came from outside Documents or by an exchange.
        case arrival
        /// Of a rename within Documents; the new name comes next.
        case oldName
        case newName

        /// It may be told without what was noted with it.
        var isByItself: Bool {
            switch self {
            case .alone, .removed: true
            case .half, .arrival, .oldName, .newName: false
            }
        }
    }

    struct Item {
        let number: InodeNumber
        /// The number may be another inode's by the time that it is asked for.
        let generation: UInt32
    }

    /// What has gathered since it was taken.
    struct Gathered {
        /// Changed inodes. One that ends before it is taken leaves its name behind.
        var items: [Item] = []
        var names: [Name] = []
        var bytes: [UInt8] = []
        /// Backing numbers of changed inodes that have several names, of which the tree knows one.
        var linked: Set<UInt64> = []
        var hasDepartures = false
        /// Directories in which so many names came and went that each is to be compared with all below it.
        /// Each holds a reference.
        var whole: Set<InodeNumber> = []
        /// So many directories, or files of several names, that all of Documents is to be compared.
        var isEverything = false

        mutating func add(
            _ name: some Sequence<UInt8>, in parent: InodeNumber, as role: Role
        ) {
            bytes.append(contentsOf: name)
            names.append(Name(parent: parent, end: bytes.count, role: role))
        }

        /// Whether what comes in this directory needs no name.
        func covers(_ directory: InodeNumber) -> Bool { isEverything || whole.contains(directory) }

        var eachName: some Sequence<(Name, ArraySlice<UInt8>)> {
            names.indices.lazy.map { index in
                (names[index], bytes[(index == 0 ? 0 : names[index - 1].end)..<names[index].end])
            }
        }

        mutating func clearNames() {
            (names, bytes, hasDepartures, whole, isEverything) = ([], [], false, [], false)
        }

        /// Has directories stand for the names, each with one of the references that the names held.
        /// - Returns: the references that are too many.
        mutating func summarise() -> [InodeNumber] {
            let spare = names.map(\.parent).filter { !whole.insert($0).inserted }
            (names, bytes) = ([], [])
            return spare
        }

        /// Names that were taken out, before those that came since.
        mutating func putBack(_ earlier: Gathered) {
            guard !earlier.names.isEmpty else { return }
            var all = Gathered(
                items: items, names: earlier.names, bytes: earlier.bytes, linked: linked,
                hasDepartures: hasDepartures, whole: whole, isEverything: isEverything)
            for (name, bytes) in eachName {
                all.add(bytes, in: name.parent, as: name.role)
            }
            self = all
        }
    }

    let listener: any ChangeListener
    /// Holds a reference.
    let documents: InodeNumber
    /// Of so many names (some 60 bytes each) the directories that hold them stand for them.
    let mostNames: Int
    /// At so many items those of inodes that have ended are dropped.
    var itemsToSweep: Int
    var gathered = Gathered()
    /// Even. An inode whose mark equals it is listed; one above it: not below Documents.
    var mark: UInt32 = 2
    /// The listener is told of the next change.
    var isArmed = true

    /// Makes all marks void: each inode is listed anew at its next change.
    mutating func forgetMarks() {
        mark &+= 2
        // 0 is the mark of an inode that never changed.
        if mark == 0 { mark = 2 }
    }

    /// To be called after something was added: whom to tell.
    mutating func wake() -> (any ChangeListener)? {
        guard isArmed else { return nil }
        isArmed = false
        return listener
    }
}
