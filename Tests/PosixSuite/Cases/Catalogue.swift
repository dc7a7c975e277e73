/// Every case.
enum Catalogue {
    static let all: [Case] =
        openCases + createCases + umaskCases + linkCases + symlinkCases + renameCases + renameFlagCases
        + unlinkCases + rmdirCases + openUnlinkedCases + readdirCases + directoryCases
        + timesCases + setTimesCases + accessTimeCases + modeCases + accessCases + ownerCases + stickyCases
        + setgidDirectoryCases + strippingCases
}
