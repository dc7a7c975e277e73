public import Posix

extension Call where Reply == [AppSummary] {
    public static var sharingApps: Call {
        Call(.sharingApps, deadlineSeconds: quickSeconds) {
            if case .apps(let apps) = $0 { apps } else { nil }
        }
    }
}

extension Call where Reply == [SharedItem] {
    /// - Parameter store: straight from it; nil: this device.
    public static func sharedItems(of app: String, from store: CloudAccountArguments?) -> Call {
        Call(.shareList(app: app, from: store)) { answer in
            guard case .items(var items) = answer else { return nil }
            // The log has no time of a directory.
            for index in items.indices where store != nil && items[index].kind == "directory" {
                items[index].modified = nil
            }
            return items
        }
    }
}

extension Call where Reply == Void {
    /// - Parameters:
    ///   - directory: to copy into.
    ///   - replaces: whether the copy takes the place of what has its name.
    ///   - store: straight from it; nil: this device.
    public static func shareGet(
        _ name: String, of app: String, to directory: SharedDescriptor, as newName: String,
        replaces: Bool, from store: CloudAccountArguments?
    ) -> Call {
        doing(
            .shareGet(app: app, name: name, newName: newName, replaces: replaces, from: store), [directory],
            stream: .progress)
    }

    /// Writes a file's bytes to a pipe.
    /// - Parameter store: straight from it; nil: this device.
    public static func shareRead(
        _ name: String, of app: String, to pipe: SharedDescriptor, from store: CloudAccountArguments?
    ) -> Call {
        doing(.shareRead(app: app, name: name, from: store), [pipe])
    }

    /// Copies into an app's home; the item is a file, or a directory that is copied whole.
    public static func copyIn(_ item: SharedDescriptor, _ arguments: CopyInArguments) -> Call {
        doing(.copyIn(arguments), [item], stream: .progress)
    }

    /// Copies an item of an app's home into a directory.
    public static func copyOut(
        _ path: String, of app: String, to directory: SharedDescriptor, as newName: String,
        takesFolders: Bool, replacesFolders: Bool
    ) -> Call {
        doing(
            .copyOut(
                app: app, path: path, newName: newName, takesFolders: takesFolders,
                replacesFolders: replacesFolders), [directory], stream: .progress)
    }

    public static func shareRemove(_ name: String, of app: String) -> Call {
        doing(.shareRemove(app: app, name: name))
    }
}

extension Call where Reply == [String] {
    /// - Parameters:
    ///   - item: a file, or a directory that is copied whole.
    ///   - replaces: whether it takes the place of what has its name.
    /// - Returns: where it lies now, from the home, and what a person should know of the copy.
    public static func sharePut(
        _ item: SharedDescriptor, as name: String, of app: String, toInbox: Bool, replaces: Bool
    ) -> Call {
        telling(
            .sharePut(app: app, name: name, toInbox: toInbox, replaces: replaces), [item],
            stream: .progress)
    }
}
