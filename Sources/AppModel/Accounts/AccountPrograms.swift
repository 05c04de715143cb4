import Identity

/// The accounts whose tokens each program got lately, from the programs' record.
struct AccountPrograms: Equatable, Sendable {
    /// Accounts by home account ID, or by username where the record has no ID.
    struct Accounts: Equatable, Sendable {
        fileprivate var ids: Set<String> = []
        fileprivate var names: Set<String> = []

        var isEmpty: Bool { ids.isEmpty && names.isEmpty }

        func contains(_ account: Account) -> Bool {
            ids.contains(where: account.isIdentified(by:)) || names.contains(where: account.isNamedInFull(by:))
        }
    }

    /// By the program's name in lower case.
    private var byProgram: [String: Accounts] = [:]

    init(_ programs: [ProgramsReport.Program] = []) {
        for program in programs {
            for use in program.uses where use.refusal == nil {
                let path: WritableKeyPath<Accounts, Set<String>> = use.accountID.isEmpty ? \.names : \.ids
                let key = use.accountID.isEmpty ? use.account : use.accountID
                byProgram[program.name.lowercased(), default: Accounts()][keyPath: path].insert(key)
            }
        }
    }

    var names: [String] { Array(byProgram.keys) }

    /// - Parameter part: part of the program's name, in lower case.
    func accounts(of part: String) -> Accounts {
        byProgram.reduce(into: Accounts()) { all, program in
            guard program.key.contains(part) else { return }
            all.ids.formUnion(program.value.ids)
            all.names.formUnion(program.value.names)
        }
    }
}
