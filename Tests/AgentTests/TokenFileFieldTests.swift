import CommandSupport
import Testing

@testable import Agent

@Suite struct TokenFileFieldTests {
    @Test func `A token file keeps each field that another process gets`() throws {
        for field in RequestField.all where field.reach >= .process && field.option != "account" {
            let options = TokenOptions { options in
                switch field.member {
                case .text(let path): options[path] = "x"
                case .texts(let path): options[path] = ["x"]
                case .flag(let path): options[path] = true
                case .seconds(let path): options[path] = 33
                case .number, .method, .prompt, .responseMode: Issue.record("\(field.help) needs a form in files")
                }
            }
            let file = TokenFile(path: "/run/x", kind: .accessToken, options, account: "a")
            let read = try #require(TokenFile(file.json))
            #expect(field.isSet(in: read.options) && read.options == file.options, "\(field.help)")
        }
    }
}
