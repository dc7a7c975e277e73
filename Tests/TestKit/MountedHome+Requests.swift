import Glibc

extension MountedHome {
    /// Waits until no request comes any more: RELEASE is sent after close(2) has returned.
    public func waitForLastRequest() {
        var last = requests
        for _ in 0..<100 {
            usleep(20_000)
            let next = requests
            if next == last { return }
            last = next
        }
    }
}
