/// Every case.
enum Catalogue {
    static let all: [Case] = openCases
}
