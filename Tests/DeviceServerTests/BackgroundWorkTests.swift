import Posix
import Testing

@testable import DeviceServer

@Suite struct BackgroundWorkTests {
    private struct Unwanted: Error {}

    @Test func workThatNobodyWantsAnyMoreIsGivenUpAtOnce() throws {
        let isGivenUp = Gate(false)
        let work = BackgroundWork {
            // As a store that says nothing.
            do { try await Task.sleep(for: .seconds(600)) } catch {
                isGivenUp.update { $0 = true }
                throw error
            }
        }
        #expect(throws: Unwanted.self) { try work.result { throw Unwanted() } }
        #expect(isGivenUp.wait(timeoutSeconds: 60) { $0 ? true : nil } == true)
    }

    @Test func workThatIsWantedIsWaitedFor() throws {
        let asked = Gate(0)
        let work = BackgroundWork {
            while asked.update({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
            return "done"
        }
        #expect(try work.result { asked.update { $0 += 1 } } == "done")
    }
}
