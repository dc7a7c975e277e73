import Backup

/// Feeds the readers with sound inputs that were damaged at random: what runs with every test. The fuzzer
/// that follows the code's branches is `mount-scripts/fuzz-backup`.
enum Mutations {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 2, let count = Int(arguments[0]), let seed = UInt64(arguments[1]) else {
            throw BackupError(.refused, "usage: backup-tool fuzz COUNT SEED")
        }
        let samples = try HostileInput.allCases.map { ($0, try $0.sample()) }
        var random = SplitMix(state: seed)
        for _ in 0..<count {
            let (reader, sound) = samples[Int(random.next() % UInt64(samples.count))]
            var input = sound
            for _ in 0...random.next() % 8 { mutate(&input, &random) }
            reader.read(input)
        }
        print("\(count) inputs")
    }

    private static func mutate(_ input: inout [UInt8], _ random: inout SplitMix) {
        guard !input.isEmpty else { return }
        let place = Int(random.next() % UInt64(input.count))
        switch random.next() % 6 {
        case 0: input[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: input[place] ^= 1 << UInt8(random.next() % 8)
        case 2: input[place] = random.next() % 2 == 0 ? 0xFF : 0
        case 3: input.removeSubrange(place..<min(input.count, place + Int(random.next() % 8)))
        case 4: input.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
        // The trailer of a property list, where its sizes stand.
        default:
            input[max(0, input.count - 1 - Int(random.next() % 32))] = UInt8(
                truncatingIfNeeded: random.next())
        }
    }
}

/// Random numbers that come again with their seed (Steele, Lea and Flood).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
