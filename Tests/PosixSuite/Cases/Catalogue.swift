/// Every case.
enum Catalogue {
    static let all: [Case] = names + directories + metadata + contents + rest

    private static let names =
        openCases + createCases + umaskCases + linkCases + symlinkCases + renameCases + renameFlagCases
        + unlinkCases + rmdirCases + openUnlinkedCases + nameCases + spellingCases
    private static let directories = readdirCases + directoryCases
    private static let metadata =
        timesCases + setTimesCases + accessTimeCases + modeCases + accessCases + searchCases + ownModeCases
        + ownerCases + stickyCases
        + setgidDirectoryCases + strippingCases + statCases + attributeCases + accessListCases
    private static let contents =
        dataCases + seekCases + appendCases + truncateCases + holeCases + fallocateCases + copyRangeCases
        + directCases + syncCases + mapCases
    private static let rest = lockCases + openFileLockCases + flockCases + specialCases + programCases
}
