internal import Glibc

/// The command line of the storm.
enum StormArguments {
    struct Wrong: Error {
        let usage = """
            usage: sync-storm [--devices N] [--seconds N] [--seed N] [--kill-devices SECONDS]
                              [--kill-server SECONDS] [--no-faults] [--pause MICROSECONDS] [--folder]
                              [--keep] [--quiet]
            """
    }

    static func options(_ arguments: [String]) throws(Wrong) -> Storm.Options {
        var options = Storm.Options(devices: 8, seconds: 60, deviceKills: 8, serverKills: 20)
        options.faults = FaultProxy.Faults()
        options.convergenceSeconds = 300
        options.say = { words in
            print(words)
            fflush(nil)
        }
        var left = arguments[...]
        func number<Number: LosslessStringConvertible>() throws(Wrong) -> Number {
            guard let number = left.popFirst().flatMap(Number.init) else { throw Wrong() }
            return number
        }
        while let word = left.popFirst() {
            switch word {
            case "--devices": options.devices = max(2, try number())
            case "--seconds": options.seconds = try number()
            case "--seed": options.seed = try number()
            case "--kill-devices": options.deviceKills = try number()
            case "--kill-server": options.serverKills = try number()
            case "--no-faults": options.faults = nil
            case "--pause": options.pause = max(1, try number())
            case "--folder": options.usesFolder = true
            case "--keep": options.keeps = true
            case "--quiet": options.say = nil
            default: throw Wrong()
            }
        }
        return options
    }
}
