/// What a person or an app does at one moment; how exactly follows from the action's own random number, so
/// that a history still means something when parts of it are dropped.
enum UserVerb: Int, CaseIterable {
    case create, editInPlace, saveAtomically, writeInTwoHalves, holdOpen, writeMapped
    case delete, deleteTree, rename, renameOver, exchange, makeDirectory, removeDirectory, moveDirectory
    case hardLink, symlink, sameContent, createLarge
    case flag, unflag, writeThenFlag, moveOut, moveIn, renameOutOfCloud
    case reuseNumber, changeMode, changeExtended, fsync
    // Only in shapes that ask for them.
    case createCommon, editCommon, saveWithBackup, writeManyThenFlag, writeDatabase
    case makeNest, makePair, turnOver, saveAndRename

    /// How often, against the others.
    var weight: Int {
        switch self {
        case .create, .editInPlace, .saveAtomically: 14
        case .delete, .rename: 8
        case .renameOver, .moveDirectory, .makeDirectory, .writeInTwoHalves, .holdOpen, .reuseNumber: 5
        case .deleteTree, .exchange, .removeDirectory, .hardLink, .sameContent, .writeMapped: 3
        case .flag, .unflag, .writeThenFlag, .moveOut, .moveIn, .renameOutOfCloud: 3
        case .symlink, .changeMode, .changeExtended, .fsync: 2
        case .createLarge: 1
        case .createCommon, .editCommon, .saveWithBackup, .writeManyThenFlag, .writeDatabase: 0
        case .makeNest, .makePair, .turnOver, .saveAndRename: 0
        }
    }

    static let common = allCases.filter { $0.weight > 0 }

    static let weighted: [UserVerb] = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}
