internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// Root's commands that need none of root's rights.
extension DeviceLocation {
    /// Makes this process the user whose device it is, for good, where root works on another user's device:
    /// what lies there, and who answers there, then leads none of root's rights astray.
    ///
    /// To be called before anything of the device is opened, while this process has one thread.
    /// - Returns: the place, as that user's; itself where root's own device is meant, or none is there yet.
    func asOwner() throws -> DeviceLocation {
        guard Process.effectiveUserID == 0, let owner = try folderOwner, owner.uid != 0 else { return self }
        return try becoming(owner)
    }

    /// As `asOwner`, where it is known whose device it is.
    func becoming(_ owner: Owner) throws -> DeviceLocation {
        try Self.become(owner, of: "device \(path)")
        return try DeviceLocation(path)
    }

    /// Makes this process another user for good; for root.
    /// - Parameter thing: what is that user's, for the error.
    static func become(_ owner: Owner, of thing: String) throws {
        do {
            try UserRights(of: owner).becomeProcess()
        } catch {
            throw CommandFailure("cannot become user \(owner.uid), whose \(thing) is: \(error)")
        }
        // What led to root's own things.
        for name in ["XDG_DATA_HOME", "HOME"] { unsetenv(name) }
        if let user = Process.user(owner.uid) { setenv("HOME", user.home, 1) }
    }

    /// - Returns: nil where there is no folder.
    var folderOwner: Owner? {
        get throws {
            do {
                return try DeviceFolder.owner(of: try openFolder(makes: false))
            } catch Errno.noSuchFileOrDirectory {
                return nil
            } catch let errno as Errno {
                throw CommandFailure("cannot use the device \(path): \(errno)")
            }
        }
    }
}

extension UserRights {
    /// Of the user whom an item belongs to.
    init(of owner: Owner) {
        let owner = DeviceFolder.owner(owner.uid, ofItemInGroup: owner.gid)
        self.init(userID: owner.uid, groupID: owner.gid)
    }
}
