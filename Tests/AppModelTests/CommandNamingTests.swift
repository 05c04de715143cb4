import Identity
import Keys
import Testing

@testable import AppModel

/// What texts call commands.
@Suite struct CommandNamingTests {
    @Test func `A text names the key that the command has, also where a person has changed it`() throws {
        let change = KeyChanges.Change(context: .acquisition, command: .back, keys: [.function(9)], line: 1)
        for (changes, key) in [
            (KeyChanges.none, "Esc"), (try KeyChanges([change], of: Registry.keyTables), "F9"),
        ] {
            var context = Sample.context
            context.keyChanges = changes
            var state = AppState(context: context, now: Sample.now)
            state.send(.loaded(Sample.list()), .command(.open))
            #expect(state.words.contains("working; \(key) cancels"))
        }
    }

    @Test func `Where names are typed a text names the command, with a colon where text is typed, too`() {
        var context = Sample.context
        context.naming = .names
        context = AppState(context: context, now: Sample.now).context
        #expect(context.name(of: .back, at: .acquisition) == "\"back\"")
        #expect(context.name(of: .openBrowser, at: .question) == "\":open-browser\"")
    }

    @Test func `A command without a key is named by its name`() {
        #expect(Sample.state().context.name(of: .verify, at: .picker) == "\"verify\"")
    }

    /// A text that names a command of a place where it is not offered would send a person astray.
    @Test(arguments: [
        (Command.open, KeyContext.picker), (.signIn, .picker), (.reload, .picker), (.remove, .picker),
        (.stores, .picker), (.clearFilter, .picker), (.clearFilter, .filter), (.verify, .inspector),
        (.verify, .tokenDetails), (.reveal, .inspector), (.reveal, .tokenDetails), (.choose, .inspector),
        (.choose, .tokenDetails), (.difference, .inspector), (.difference, .tokenDetails), (.open, .settings),
        (.back, .palette), (.back, .acquisition), (.open, .acquisition), (.open, .progress), (.back, .progress),
        (.switchMethod, .progress), (.askConsent, .progress), (.paste, .progress), (.doctor, .progress),
        (.openBrowser, .question), (.back, .question), (.choose, .scopes), (.typeScope, .scopes), (.compare, .scopes),
        (.back, .departure), (.openBrowser, .departure), (.toggleWipe, .dialog), (.toggleAccessTokens, .dialog),
        (.toggleLeaked, .dialog), (.toggleSession, .dialog), (.cycleClient, .dialog), (.showInPicker, .stores),
        (.showInPicker, .storeDetails), (.allowWriting, .stores), (.allowWriting, .storeDetails),
    ])
    func `What texts name has a key where it is named`(_ command: Command, _ place: KeyContext) {
        #expect(!Sample.state().context.name(of: command, at: place).hasPrefix("\""))
    }
}
