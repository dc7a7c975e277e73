/// The rules of sync that were bought with a counter-example, each with a switch. The product never takes one
/// away; the simulation does, one at a time, and has to see the loss.
package struct SafetyRules: Sendable {
    /// What has been taken away.
    package var removed: Set<SafetyRule>

    package init(removed: Set<SafetyRule> = []) {
        self.removed = removed
    }

    package static let all = SafetyRules()
    package func hold(_ rule: SafetyRule) -> Bool { !removed.contains(rule) }
}

/// Named by what holds while it stands; the part of sync beside it.
package enum SafetyRule: String, CaseIterable, Sendable {
    // Replay
    case deleteNamesContents
    case deleteNamesVersions
    case deleteNamesPlace
    case directoryDeleteNeedsEmpty
    case onlyWholeSetsAreNamed
    case equalContentsJoin
    /// Off: an edit replaces what another operation of its batch brought into the set of its base.
    case batchesKeepTheirOwn
    case resolveNamesContents
    case mergeIsFinal
    case mergeChangesPlace
    case revivalClashes
    case nothingLivesBelowWithdrawn
    case cyclesCountLastParents
    case cyclesAreTestedAgain
    case editOfUnknownMakesItem
    case tombstonesWaitForChildren
    // Commit protocol
    case lateTwinsAreDropped
    case slotsAreDoubted
    case batchHashTellsOwn
    case clonesReplaceRevisions
    case flagsAreReadAgain
    // The local side
    /// Off: a delete names all versions that the tree lists when it is told.
    case deletesNameWhatWasShown
    case pathDecidesFirst
    /// Off: what was saved and then renamed is another item.
    case renamesAreFollowed
    case inodeNeedsBirth
    /// Off: who is told as deleted though the file lies elsewhere goes with its conflict versions.
    case movedFilesKeepVersions
    case syncedMovesAfterBytes
    case datalessNeverUploads
    case massDeletesAsk
    case intentionsAreJournaled
    /// Off: a change of names is noted as made before it is durable.
    case namesAreDurable
    /// Off: what an app did not fsync is sent before it is durable here.
    case readsAreDurable
    case displacedFilesAreCompared
    /// Off: what is replaced or removed goes at once, whoever has it open.
    case displacedStaysLinked
    /// Off: a lease is held for as long as a file is read.
    case leasesAreProbes
    /// Off: what SQLite keeps beside a database stays when another one takes its place.
    case staleLogsAreRemoved
    /// Off: an edit of one of two files that became one item lets go of what is only in the other.
    case mergedFilesAreToldAgain
    /// Off: what was displaced is sent though each name that its inode still has is flagged.
    case flagsCoverDisplaced
    /// Off: what others moved goes out of a directory that was flagged here, before anybody was told.
    case movesWaitForFlags
    /// Off: what comes goes into whatever directory lies where its own one was.
    case directoriesReceiveTheirOwn
    /// Off: what waits in staging for a name lies there until sync goes on, and no app sees it.
    case parkedComesBack
    /// Off: what a backup was put over is told together with that, as if both were edits of what was before.
    case whatLiesBelowIsToldFirst
    // Collection
    case presenceIsChecked
    /// (a): also what was referenced for long is looked at with a HEAD.
    case oldReferencesAreLookedAt
    /// (b): a check counts for `graceSeconds`/4.
    case checksExpire
    /// Off: a check of what the tree refers to counts from its HEAD on, whatever was said since the log was
    /// read.
    case referencesCountFromReading
    /// (c): nothing is deleted later than `graceSeconds`/4 after the collector's LIST.
    case collectionIsBounded
    /// (d): a replaced locator stays live for `graceSeconds`, and while the new one is not found.
    case replacedLocatorsStay
    // Clocks of folder stores
    /// Off: a commit says the date that the folder's clock says.
    case timeIsRationed
    /// Off: what a device writes is dated by its clock, however far that is behind the log.
    case filesAreDatedByLog
    /// Off: the collector counts ages from the date that its folder's clock says.
    case agesNeedOneClock
    // Taking back at once what was sent for nothing
    /// Off: what is taken back is not told first, so a copy of this device refers to it afterwards.
    case takingBackIsTold
    /// Off: who finds that it is a copy goes on to rely on what was sent before.
    case copiesShareNoUploads
}
