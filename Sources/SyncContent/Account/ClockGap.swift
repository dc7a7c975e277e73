package import StoreBasics

/// A folder's clock that is so far from the time of the account's logs that nobody can say which is right.
package struct ClockGap: Equatable, Sendable {
    /// How far the clock is ahead; negative: behind.
    package var seconds: Int64

    /// - Parameters:
    ///   - date: by the folder's clock.
    ///   - limit: what a commit of this device could say; what rested a while catches up with that.
    ///   - newest: what the logs say.
    /// - Returns: nil where they are within `graceSeconds`.
    package init?(_ date: StoreTime, limit: StoreTime, newest: StoreTime, _ graceSeconds: Int64) {
        if date.seconds - limit.seconds > graceSeconds {
            seconds = date.seconds - newest.seconds
        } else if newest.seconds - date.seconds > graceSeconds {
            seconds = date.seconds - newest.seconds
        } else {
            return nil
        }
    }

    /// As far as what lies in the store tells.
    init?(_ date: StoreTime, newest: StoreTime, _ graceSeconds: Int64) {
        self.init(date, limit: newest, newest: newest, graceSeconds)
    }
}

extension ClockGap: CustomStringConvertible {
    /// What it is and what to do, in one line.
    package var description: String {
        let days = abs(seconds) / AccountRetention.daySeconds
        guard seconds > 0 else {
            return "the folder's clock is \(days) days behind the account's logs; set this machine's clock"
                + " if it is wrong. Nothing old leaves the store meanwhile"
        }
        return "the folder's clock is \(days) days ahead of the account's logs; set this machine's clock"
            + " if it is wrong; if it is right they catch up by themselves."
            + " Nothing old leaves the store meanwhile"
    }
}
