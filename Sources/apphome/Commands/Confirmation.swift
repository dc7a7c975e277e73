internal import Glibc
internal import Wire

/// What a command asks before it takes something away that does not come back.
struct Confirmation {
    /// The command's name, as its user typed it.
    let command: String
    /// What `--yes` would do, for who cannot be asked.
    let consequence: String
    /// Lines before the question.
    var details: [String] = []
    let question: String
    /// What is told where the answer is no.
    let refusal: String

    /// - Throws: where nobody can be asked, and where the answer is not yes.
    func ask() throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw CommandFailure(
                "\(command) asks first, and standard input is no terminal: give --yes to \(consequence)")
        }
        for line in details { printError(printable(line)) }
        printError(printable("\(question) [y/N] "), terminator: "")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure(refusal)
        }
    }
}
