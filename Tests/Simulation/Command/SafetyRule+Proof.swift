internal import CloudSync
internal import SyncLog

/// How it is shown that a rule is needed.
enum Proof {
    /// By a history of this shape, first that of this number. Where another rule stands behind this one, that
    /// is taken away as well, and it alone is not missed there.
    case history(Shape, hint: UInt64, behind: SafetyRule? = nil)
    /// By a test, where no history of whole devices can show it.
    case test(String, why: String)
}

extension SafetyRule {
    var proof: Proof {
        switch self {
        case .deleteNamesContents: .history(.files, hint: 1)
        case .deleteNamesVersions: .history(.unseen, hint: 2)
        case .deleteNamesPlace: .history(.twins, hint: 7)
        case .directoryDeleteNeedsEmpty: .history(.directories, hint: 22)
        case .onlyWholeSetsAreNamed: .history(.unseen, hint: 156)
        case .equalContentsJoin: .history(.files, hint: 79)
        case .batchesKeepTheirOwn: .history(.merged, hint: 28)
        case .resolveNamesContents: .history(.choices, hint: 4)
        case .mergeIsFinal: .history(.twins, hint: 7)
        case .mergeChangesPlace: .history(.twins, hint: 7)
        case .revivalClashes: .history(.directories, hint: 107)
        case .nothingLivesBelowWithdrawn: .history(.flags, hint: 6)
        // The test after the revival sees the circle too, of directories that were revived for nothing.
        case .cyclesCountLastParents: .history(.nests, hint: 6, behind: .cyclesAreTestedAgain)
        case .cyclesAreTestedAgain: .history(.pairs, hint: 2)
        case .editOfUnknownMakesItem: .history(.halfYear, hint: 77)
        case .tombstonesWaitForChildren: .history(.halfYear, hint: 92)
        // A batch goes to the next slot only after the one before was seen to be taken, or below the floor:
        // no two slots that anybody believes can hold it while slots are doubted.
        case .lateTwinsAreDropped: .test("ReplayModelTests", why: "covered by slotsAreDoubted")
        case .slotsAreDoubted: .history(.months, hint: 1)
        case .batchHashTellsOwn: .history(.copies, hint: 26)
        case .clonesReplaceRevisions: .history(.copiedEdits, hint: 162)
        case .flagsAreReadAgain: .history(.uploads, hint: 13)
        case .deletesNameWhatWasShown: .history(.sights, hint: 119)
        case .pathDecidesFirst: .history(.saves, hint: 1)
        case .renamesAreFollowed: .history(.renames, hint: 1)
        case .movedFilesKeepVersions: .history(.swaps, hint: 255)
        case .inodeNeedsBirth: .history(.numbers, hint: 1)
        case .syncedMovesAfterBytes: .history(.crashes, hint: 15)
        case .datalessNeverUploads: .history(.dataless, hint: 1)
        case .massDeletesAsk: .history(.vanishing, hint: 3)
        case .intentionsAreJournaled: .history(.crashes, hint: 25)
        case .namesAreDurable: .history(.powerCuts, hint: 34)
        case .readsAreDurable: .history(.unsynced, hint: 12)
        case .displacedFilesAreCompared: .history(.handles, hint: 1)
        case .displacedStaysLinked: .history(.handles, hint: 1)
        case .leasesAreProbes: .history(.handles, hint: 10)
        case .staleLogsAreRemoved: .history(.databases, hint: 1)
        case .mergedFilesAreToldAgain: .history(.merged, hint: 1)
        case .flagsCoverDisplaced: .history(.links, hint: 2046)
        case .movesWaitForFlags: .history(.flaggedMoves, hint: 14)
        // Below a flag it is found, and withdrawn: nothing is lost that a ledger could miss.
        case .directoriesReceiveTheirOwn:
            .test("DirectoryIdentityTests", why: "it leaves the cloud with another directory")
        case .parkedComesBack: .history(.circles, hint: 6)
        case .whatLiesBelowIsToldFirst: .history(.restores, hint: 2)
        case .presenceIsChecked: .history(.orphans, hint: 1)
        case .oldReferencesAreLookedAt: .history(.collections, hint: 4)
        case .checksExpire: .history(.orphans, hint: 2)
        case .collectionIsBounded: .history(.collections, hint: 1)
        case .replacedLocatorsStay: .history(.collections, hint: 18)
        case .referencesCountFromReading: .history(.endedHistories, hint: 12)
        case .timeIsRationed: .history(.clocks, hint: 20)
        case .filesAreDatedByLog: .history(.clocks, hint: 25)
        case .agesNeedOneClock: .history(.clocks, hint: 25)
        case .takingBackIsTold: .history(.takenBack, hint: 8)
        case .copiesShareNoUploads: .history(.takenBack, hint: 1)
        }
    }
}
