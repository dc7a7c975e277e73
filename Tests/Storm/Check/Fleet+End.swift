internal import Foundation

/// Whether, at the end, all devices show the same and every write is accounted for.
extension Fleet {
    func report(_ ledger: Ledger, convergenceSeconds: Double) throws -> Storm.Report {
        var report = Storm.Report(acknowledged: ledger.acknowledgedCount)
        report.findings = try converge(seconds: convergenceSeconds)
        // The others show the same, versions by their ids.
        let current = try current(on: devices[0])
        let versions = try versions(of: devices[0])
        (report.documents, report.versions) = (current.count, versions.count)
        report.findings += ledger.findings(current + versions)
        let check = try devices[0].run("cloud", "check")
        if check.status != 0 { report.findings.append("cloud check: exit \(check.status): \(check.text)") }
        return report
    }

    private func current(on device: FleetDevice) throws -> [(place: String, bytes: [UInt8])] {
        try TreeListing(below: device.documents).items.compactMap { path, item in
            item.bytes.map { (place: path, bytes: Array($0)) }
        }
    }

    private func versions(of device: FleetDevice) throws -> [(place: String, bytes: [UInt8])] {
        try device.conflicts().flatMap { conflict in
            try conflict.versions.filter { !$0.isCurrent }.map { version in
                let bytes = try device.contents(of: conflict.path, version: version.id)
                return (place: "\(conflict.path) \(version.id)", bytes: bytes)
            }
        }
    }
}
