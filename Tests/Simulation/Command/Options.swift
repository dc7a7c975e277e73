internal import CloudSync
internal import SyncLog

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: simulate HISTORY…                   replay histories, SEED or SHAPE/SEED, line by line
               simulate --count N [--from SEED]    run N histories; without --from they are fresh ones
               simulate --mutants [--within N]     take each rule away and see the loss within N histories
        options: --remove RULE   without this safety rule (may be repeated)
                 --shrink        make a failing history small before it is printed
                 --endings       end a device at each write of a replayed history, one after the other
                 --quiet         only the result of each history
                 --jobs N        processes at a time (default 2)
                 --shape NAME    with --count, histories of this kind; `all`: of each kind so many
                 --tiny          with --count, writers with bounds so small that each history meets them; it
                                 has to meet all there is, and one is replayed as tiny/SEED
                 --rules         name the safety rules
        """

    var histories: [Plan] = []
    /// Nil: of the general kind.
    var shapes: [Shape]?
    var count: Int?
    var from: UInt64?
    var removed: Set<SafetyRule> = []
    var shrinks = false
    var endings = false
    var isTiny = false
    var isQuiet = false
    var mutants = false
    var within = 300
    var jobs = 2
    var lists = false
    /// Of a worker: which part of the work is its.
    var part: Int?

    enum Wrong: Error {
        case argument(String)
    }

    init(_ arguments: [String]) throws(Wrong) {
        var left = arguments[...]
        func number(_ word: String) throws(Wrong) -> UInt64 {
            guard let text = left.popFirst(), let number = UInt64(text) else { throw .argument(word) }
            return number
        }
        while let word = left.popFirst() {
            switch word {
            case "--count": count = Int(try number(word))
            case "--from": from = try number(word)
            case "--within": within = Int(try number(word))
            case "--jobs": jobs = max(1, Int(try number(word)))
            case "--part": part = Int(try number(word))
            case "--remove":
                guard let rule = left.popFirst().flatMap(SafetyRule.init) else { throw .argument(word) }
                removed.insert(rule)
            case "--shrink": shrinks = true
            case "--endings": endings = true
            case "--shape":
                guard let name = left.popFirst() else { throw .argument(word) }
                let named = Shape.all.filter { name == "all" || name == $0.name }
                if named.isEmpty { throw .argument(name) }
                shapes = named
            case "--tiny": isTiny = true
            case "--quiet": isQuiet = true
            case "--mutants": mutants = true
            case "--rules": lists = true
            default:
                guard let plan = Plan(named: word) else { throw .argument(word) }
                histories.append(plan)
            }
        }
        guard !histories.isEmpty || count != nil || mutants || lists else { throw .argument("") }
    }

    /// For a worker.
    var shapeArguments: [String] {
        guard let shapes, let first = shapes.first else { return [] }
        return ["--shape", shapes.count == 1 ? first.name : "all"]
    }
}
