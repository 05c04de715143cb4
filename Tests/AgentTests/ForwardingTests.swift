import CommandSupport
import Glibc
import Identity
import Testing

@testable import Agent

@Suite struct ForwardingTests {
    @Test(
        arguments: [
            (["ssh", "build"], "build"), (["ssh", "-p", "22", "ada@build", "ls", "-l"], "ada@build"),
            (["ssh", "-R/a:/b", "-o", "SendEnv=X", "build"], "build"), (["ssh", "-NTf", "build"], "build"),
            (["ssh", "-vvNL", "1:a:2", "build"], "build"), (["ssh", "--", "build"], "build"),
            (["ssh: /run/cm-build [mux]"], "/run/cm-build [mux]"), (["ssh"], nil), (["ssh", "-p"], nil), ([], nil),
            (["ssh", "a\u{1B}[31mb\nc"], "a‹U+001B›[31mb‹U+000A›c"),
        ] as [([String], String?)])
    func `The host is found among the arguments of ssh, and cleaned`(arguments: [String], host: String?) {
        #expect(SSHCommandLine.host(arguments) == host)
    }

    private func asker(_ program: String) -> Peer {
        Peer(pid: getpid(), uid: geteuid(), program: program, startTime: 1)
    }

    @Test func `What an ssh passes on is forwarded at every socket`() {
        for program in ["/usr/bin/ssh", "ssh", "/usr/sbin/sshd", "/usr/lib/openssh/sshd-session", "/opt/ssh (deleted)"]
        {
            #expect(Forwarding(asker(program), isForwardSocket: false) != nil, "\(program)")
        }
        for program in ["/usr/bin/git", "/usr/bin/ssh-add", "foyer"] {
            #expect(Forwarding(asker(program), isForwardSocket: false) == nil, "\(program)")
            #expect(Forwarding(asker(program), isForwardSocket: true) != nil, "\(program)")
        }
        #expect(Forwarding(asker(""), isForwardSocket: false) != nil, "nothing is known of it")
    }

    @Test func `The age of a forwarding is that of its process`() throws {
        let start = try #require(ProcessEntry(getpid()).stat?.start)
        let asker = Peer(pid: getpid(), uid: geteuid(), program: "/usr/bin/ssh", startTime: start)
        let age = try #require(Forwarding(asker, isForwardSocket: true)?.age)
        #expect(age > .zero && age < .seconds(3600))
        let unknown = Peer(pid: getpid(), uid: geteuid(), program: "/usr/bin/ssh")
        #expect(try #require(Forwarding(unknown, isForwardSocket: true)).age == nil)
    }

    @Test(arguments: [
        #"{"op":"status"}"#, #"{"op":"stop"}"#, #"{"op":"lock"}"#, #"{"op":"unlock","passphrase":"x"}"#,
        #"{"op":"requests"}"#, #"{"op":"answer","id":"1","answer":"once"}"#, #"{"op":"token","verbose":true}"#,
        #"{"op":"token","forceRefresh":true}"#, #"{"op":"token","scopes":"a"}"#, "{}", "[]", "",
    ])
    func `A forwarded connection may ask for a token and for nothing else`(text: String) {
        #expect { try AgentProtocol.forwardedRequest(Array(text.utf8)) } throws: { ($0 as? Failure)?.code == .usage }
    }

    @Test func `What is of the other machine means nothing here`() throws {
        let text = """
            {"op":"token","client":"work","account":"ada","scopes":["a"],"store":"file:/etc/x","config":"/etc/y",\
            "folder":"/","storeFolder":"1:2","environment":{"FOYER_STORE":"file:/etc/x"},"forceRefresh":false}
            """
        let request = try AgentProtocol.forwardedRequest(Array(text.utf8))
        let options = request.options
        #expect(options.store == nil && options.config == nil && options.scopes == ["a"])
        #expect(options.isSilent && !options.forceRefresh && options.neverAsks)
        #expect(try AgentProtocol.forwardedRequest(AgentProtocol.line(request.json)) == request)
    }
}
