// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// Tests are not optimised where what they test is: that would take longer than the rest of the build.
let unoptimised: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
let tests = strict + unoptimised

let package = Package(
    name: "AppHome",
    products: [
        .executable(name: "apphome", targets: ["apphome"]),
        .executable(name: "apphome-bench", targets: ["apphome-bench"]),
    ],
    dependencies: [
        // Errno and descriptors, typed: the currency of every layer above the system calls.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // The command line: parsing, help, shell completions.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // The device's catalogue: SQLite with WAL, transactions, migrations.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // SHA-256 of every file of a bundle (its seal), of chunks, of names too long for a disk, and the store's
        // request signatures; the ciphers, key wraps and password derivations of backups.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The cloud store over HTTP: connections kept and shared, timeouts, proxies, TLS. The one file that
        // uses it needs products of swift-nio and swift-nio-ssl, on which it is built: a custom CA file is
        // theirs, and so are the errors that tell a request that never went out.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // As above.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        // As above.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.34.0"),
        // A heap, for the order in which changes are told.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The daemon's log.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // System calls that need _GNU_SOURCE, and Linux's constants.
        .target(name: "CLinux"),
        // libfuse3's low-level API (Debian: libfuse3-dev).
        .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        // liburing (Debian: liburing-dev), which carries FUSE's requests where the kernel offers that.
        .target(name: "CRing", linkerSettings: [.linkedLibrary("uring")]),
        // libarchive, which unpacks .ipa files and writes tar archives (Debian: libarchive-dev).
        .systemLibrary(name: "CArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .target(
            name: "Posix",
            dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict),
        .target(
            name: "FuseKit",
            dependencies: [
                "CFuse", "CRing", "CLinux", "Posix",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "SandboxRules", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(name: "PropertyLists", dependencies: ["SandboxRules", "Posix"], swiftSettings: strict),
        .target(
            name: "HomeTree",
            dependencies: [
                "SandboxRules", "Posix", "CLinux", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // What the daemon does with whole files of a home, through the tree's public door.
        .target(
            name: "HomeFiles",
            dependencies: [
                "HomeTree", "SandboxRules", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "SandboxFS",
            dependencies: [
                "FuseKit", "HomeFiles", "HomeTree", "SandboxRules", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "Device",
            dependencies: [
                "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux", "CArchive",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // SQLite itself (Debian: libsqlite3-dev), for databases that GRDB cannot open: of apps, which lie behind
        // locks of their mount, and in folders that only a descriptor leads to.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(
            name: "Databases",
            dependencies: [
                "CSQLite", "Posix", "CLinux", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // The helper processes by themselves, for tests; the product's are `apphome`.
        .executableTarget(
            name: "database-helper", dependencies: ["Databases", "Doctor"], path: "Tests/DatabaseHelper",
            swiftSettings: strict),
        .testTarget(
            name: "DatabasesTests",
            dependencies: [
                "Databases", "database-helper", "TestKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // What a store and what is kept in it have in common: the store's time, hashes.
        .target(
            name: "StoreBasics", dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .target(
            name: "CloudStore",
            dependencies: [
                "StoreBasics", "Posix", "CLinux",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // What devices say to each other, and the tree that follows from it: pure, without a store or a disk.
        .target(name: "SyncLog", dependencies: ["StoreBasics", "Posix"], swiftSettings: strict),
        // What an account keeps in its store, and what of it goes: chunks, snapshots, backups.
        .target(
            name: "SyncContent",
            dependencies: ["SyncLog", "CloudStore", "StoreBasics", "SandboxRules", "Posix"],
            swiftSettings: strict),
        .target(
            name: "CloudSync",
            dependencies: [
                "SyncContent", "SyncLog", "CloudStore", "StoreBasics", "Databases", "HomeTree",
                "SandboxRules", "Posix", "CLinux",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .target(
            name: "Backup",
            dependencies: [
                "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux", "CArchive",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // A backup as a file system.
        .target(
            name: "BackupFS",
            dependencies: [
                "Backup", "Databases", "FuseKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // What changed in an app's home between two moments.
        .target(
            name: "HomeSnapshots",
            dependencies: [
                "Backup", "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HomeSnapshotsTests",
            dependencies: ["HomeSnapshots", "Backup", "Databases", "Posix", "CLinux", "TestKit"],
            swiftSettings: tests),
        .testTarget(
            name: "BackupFSTests", dependencies: ["BackupFS", "Backup", "FuseKit", "Posix", "TestKit"],
            swiftSettings: tests),
        // Backups from the shell: for measurements, for a kill at any step, for fuzzing.
        .executableTarget(
            name: "backup-tool", dependencies: ["Backup", "SandboxRules", "Posix"], path: "Tests/BackupTool",
            swiftSettings: strict),
        .testTarget(
            name: "BackupTests",
            dependencies: [
                "Backup", "backup-tool", "TestKit", "PropertyLists", "SandboxRules", "Posix", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // What of an app breaks on a device: it looks through a mounted home as any program does, and never
        // talks to a daemon.
        .target(
            name: "Doctor",
            dependencies: [
                "Databases", "PropertyLists", "SandboxRules", "Posix", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DoctorTests",
            dependencies: [
                "Doctor", "database-helper", "TestKit", "HomeTree", "PropertyLists", "SandboxRules", "Posix",
                "CLinux", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // What commands and daemon say to each other. Apart from both, so that a command is built without
        // what the daemon is made of, and so that neither can say what the other does not know.
        .target(
            name: "Wire",
            dependencies: [
                "PropertyLists", "SandboxRules", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // The daemon: the only place where the parts meet. One public function, which two commands call.
        .target(
            name: "DeviceServer",
            dependencies: [
                "Wire", "CloudSync", "SyncContent", "SyncLog", "StoreBasics", "CloudStore", "Databases",
                "HomeSnapshots", "Backup", "SandboxFS", "FuseKit", "HomeFiles", "HomeTree", "Device",
                "PropertyLists",
                "SandboxRules", "Posix", "CLinux",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict),
        // The commands. Of the rooms below the daemon they use what they do with the person's own rights:
        // mounting, reading backups, the URL and keys of a store; and they are the databases' helper process.
        .executableTarget(
            name: "apphome",
            dependencies: [
                "DeviceServer", "Wire", "CloudStore", "Databases", "BackupFS", "HomeSnapshots", "Backup",
                "Doctor", "FuseKit",
                "PropertyLists", "SandboxRules", "Posix", "CLinux",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            // What --json prints: a file for people's tools, in the program for who has nothing else.
            resources: [.embedInCode("Schema/output.schema.json")],
            swiftSettings: strict,
            // The build id tells one build's daemon from another's (see BuildIdentity).
            linkerSettings: [.unsafeFlags(["-Xlinker", "--build-id=sha1"])]),
        .executableTarget(
            name: "apphome-bench",
            dependencies: [
                "Wire", "FuseKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Results.md"],
            swiftSettings: strict),
        .testTarget(
            name: "apphomeTests",
            dependencies: [
                "apphome", "Wire", "sync-storm", "TestKit", "SyncLog", "SyncContent", "CloudSync", "FuseKit",
                "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "WireTests",
            dependencies: [
                "Wire", "TestKit", "PropertyLists", "Posix",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            // What daemon and client say to each other, byte for byte: read by its path.
            exclude: ["GoldenFrames"],
            swiftSettings: tests),
        .testTarget(
            name: "DeviceServerTests",
            dependencies: [
                "DeviceServer", "Device", "Wire", "CloudSync", "SyncContent", "SyncLog", "StoreBasics",
                "CloudStore", "SandboxFS", "SandboxRules", "TestKit", "FuseKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // A program made with Foundation, which runs as an app: whole in itself, for the sandbox shows no
        // toolchain that lies in somebody's home. Nothing depends on it: its linker flags would come along.
        .executableTarget(
            name: "foundation-guide", path: "Tests/Runtimes",
            exclude: [
                "Guide.cs", "Guide.cs.table", "Guide.m", "Guide.m.table", "Guide.swift.table", "guide.js",
                "guide.js.table", "guide.py", "guide.py.table", "Pains.cs", "Pains.m", "pains.js",
            ],
            swiftSettings: strict + [.unsafeFlags(["-static-stdlib"])],
            linkerSettings: [.unsafeFlags(["-static-stdlib", "-use-ld=lld", "-Xlinker", "--no-warnings"])]),
        .testTarget(
            name: "SandboxRulesTests", dependencies: ["SandboxRules"], swiftSettings: tests),
        .testTarget(
            name: "PropertyListsTests", dependencies: ["PropertyLists"], swiftSettings: tests),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "apphome-bench", "FuseKit", .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // The house rules; it reads the repository's files and imports none of its modules.
        .testTarget(name: "TidyTests", swiftSettings: tests),
        .testTarget(
            name: "DeviceTests",
            dependencies: [
                "Device", "Wire", "PropertyLists", "SandboxRules", "Posix", "CLinux", "CArchive",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "CloudStoreTests",
            dependencies: [
                "CloudStore", "StoreBasics", "TestKit", "Posix", "CLinux",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        .testTarget(
            name: "CloudSyncTests",
            dependencies: [
                "CloudSync", "SyncContent", "SyncLog", "StoreBasics", "CloudStore", "Databases",
                "database-helper", "TestKit", "FuseKit", "HomeFiles",
                "HomeTree", "SandboxFS", "SandboxRules", "Posix", "CLinux", "SyncChecks",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
        // What holds for a log and the tree that follows from it, whoever made them.
        .target(
            name: "SyncChecks", dependencies: ["SyncLog"], path: "Tests/SyncChecks", swiftSettings: strict),
        // The whole of sync in one thread: devices, a faulty store, crashes; seeded, replayable.
        .executableTarget(
            name: "simulate",
            dependencies: [
                "CloudSync", "SyncContent", "SyncLog", "StoreBasics", "CloudStore", "SyncChecks",
                "SandboxRules", "Posix",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Simulation",
            swiftSettings: strict),
        // Devices as processes that write at once on a real store, with faults and kills: for tests, and by
        // hand.
        .executableTarget(
            name: "sync-storm",
            dependencies: [
                "apphome", "TestKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/Storm",
            swiftSettings: tests),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "simulate", "CloudSync", "SyncContent", "SyncLog", "StoreBasics", "CloudStore", "Posix",
            ],
            swiftSettings: tests),
        // Fixtures that tests share: folders, real mounts, programs.
        .target(
            name: "TestKit",
            dependencies: [
                "CloudStore", "StoreBasics", "SandboxFS", "FuseKit", "HomeTree", "SandboxRules", "Posix",
                "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/TestKit"),
        .testTarget(
            name: "FuseKitTests",
            dependencies: [
                "TestKit", "FuseKit", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "HomeTreeTests",
            dependencies: [
                "TestKit", "HomeFiles", "HomeTree", "SandboxRules", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: unoptimised),
        .testTarget(
            name: "SandboxFSTests",
            dependencies: [
                "TestKit", "SandboxFS", "HomeFiles", "HomeTree", "SandboxRules", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: unoptimised),
        // System calls that only the POSIX suite makes.
        .target(name: "CSuite", path: "Tests/CSuite"),
        // POSIX cases as data, run on a mount and on a plain directory as control.
        .executableTarget(
            name: "posix-suite",
            dependencies: [
                "CSuite", "Posix", "CLinux", .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "Tests/PosixSuite",
            swiftSettings: tests),
        .testTarget(
            name: "PosixSuiteTests",
            dependencies: [
                "posix-suite", "TestKit", "FuseKit", "SandboxRules", "CSuite", "Posix", "CLinux",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: tests),
    ],
    swiftLanguageModes: [.v6]
)
