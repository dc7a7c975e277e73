internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Looks through an app: its home, the containers of its groups, its bundle, and what it says of itself.
public final class Examination {
    /// What is looked at. The descriptors are the caller's.
    public struct Places {
        let home: Int32
        let bundle: Int32?
        /// By their names.
        let groups: [(name: String, directory: Int32)]

        public init(home: Int32, bundle: Int32?, groups: [(name: String, directory: Int32)]) {
            self.home = home
            self.bundle = bundle
            self.groups = groups
        }
    }

    public struct Options: Sendable {
        public static let defaultLargeBytes: UInt64 = 2_000_000

        public var largeBytes: UInt64
        /// Whether contents that are in the cloud alone are fetched.
        public var downloads = false
        /// What the databases of all apps that are looked at with these options may take together.
        public let databaseTime = DatabaseTime()

        public init(largeBytes: UInt64 = Self.defaultLargeBytes, downloads: Bool = false) {
            self.largeBytes = largeBytes
            self.downloads = downloads
        }
    }

    public private(set) var found = FindingList()
    /// Regular files that were met.
    public private(set) var files = 0
    /// Bytes of contents that were read.
    public var bytes: UInt64 { paths.bytes }

    private let app: ExaminedApp
    private let options: Options
    private let items: [any ItemCheck]
    private let contents: [any FileCheck]
    private let paths: ContainerPathCheck
    private let apps: [any AppCheck] = [SealCheck(), SharingKeysCheck(), UbiquityCheck(), KeyValuesCheck()]
    private let places: Places

    public init(
        of app: ExaminedApp, in places: Places, _ options: Options = Options(),
        databases: any DatabaseExaminer
    ) {
        self.app = app
        self.options = options
        self.places = places
        let exposure = ExposureCheck(app.sharing)
        let bundle = BundleIndex(of: places.bundle ?? -1, name: app.bundleName)
        paths = ContainerPathCheck(app.containers, databases)
        items = [exposure, HomeDotFileCheck(), BackslashCheck()]
        contents = [
            paths, exposure, BackupSizeCheck(bundle, largeBytes: options.largeBytes), PurgeableCheck(),
            PreferencesCheck(),
        ]
    }

    public func run() {
        for check in apps { check.look(at: app, &found) }
        HomeWalk(visitor: self, hiddenAtTop: [app.bundleName]).run(in: places.home, .home)
        for (name, directory) in places.groups {
            HomeWalk(visitor: self, prefix: name).run(in: directory, .group)
        }
        for check in contents { check.finish(&found) }
    }
}

extension Examination: HomeVisitor {
    func meet(names: DirectoryNames, in path: String) throws(Errno) {
        try NameClashCheck().look(at: names, in: path, &found)
    }

    func meet(_ item: WalkedItem) {
        if item.stamp.isRegular { files += 1 }
        for check in items { check.look(at: item, &found) }
    }

    func meet(link item: WalkedItem, target: [UInt8]) { paths.look(atLink: item, target: target, &found) }

    func wants(_ item: WalkedItem) -> Bool {
        guard !options.downloads, app.syncs, item.area.isDocuments, CloudState.isDataless(item) else {
            return true
        }
        found.add(.dataless, item.path, "\(byteText(item.stamp.sizeBytes)) that are not on this device")
        return false
    }

    func meet(_ file: WalkedFile) {
        for check in contents { check.look(at: file, &found) }
    }

    func leaveOut(_ path: String, _ reason: String) { found.add(.unexamined, path, reason) }
}
