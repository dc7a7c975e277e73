internal import FoundationEssentials

extension Version {
    /// The name of a document that holds this version of another one:
    /// `letter (conflict, 4f2a90c1, 2026-11-28 09-20-19Z).txt`, with the device that made the content and
    /// when it was last changed. It follows from the tree alone, so all devices give it the same one.
    /// - Parameter number: 1, and more where other documents have the names before it.
    package func conflictName(of name: String, _ number: Int = 1) -> String {
        conflictName(of: name, marked: number == 1 ? nil : "\(number)")
    }

    /// - Parameter mark: what tells it from others of the same device and second; nil: nothing has to.
    package func conflictName(of name: String, marked mark: String?) -> String {
        let device = revisions.first.map { $0.device.short } ?? ""
        let more = mark.map { ", " + $0 } ?? ""
        return UsableName.marked(name, " (conflict, \(device), \(changedText)\(more))")
    }

    /// In UTC, to the second; without a dot, which would make an extension of what follows it.
    private var changedText: String {
        let seconds = (Double(attributes.modified) / 1e9).rounded(.down)
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space)
        return style.format(Date(timeIntervalSince1970: seconds)).replacing(":", with: "-")
    }
}

extension DeviceID {
    /// The first letters of its id, for people.
    package var short: String { String(hex.prefix(8)) }
}
