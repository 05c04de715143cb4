import Identity
import Testing

@Suite struct ShellWordTests {
    @Test(
        arguments: [
            ("ada@contoso.example", "ada@contoso.example"), ("/home/ada/.local/share/foyer/token_cache.json", nil),
            ("file:/a-b_c", nil),
            ("", "''"), ("a b", "'a b'"), ("$(rm -rf ~)", "'$(rm -rf ~)'"), ("`x`", "'`x`'"), ("a;b", "'a;b'"),
            ("a'b", "'a'\\''b'"),
            ("a\\b", "'a\\b'"), ("a\"b", "'a\"b'"), ("~ada", "'~ada'"), ("a=b", "'a=b'"), ("é", "'é'"),
            ("a\nb", "'a\nb'"), ("!!", "'!!'"),
        ] as [(String, String?)])
    func `A text is one word of a POSIX shell, whatever is in it`(text: String, word: String?) {
        #expect(text.shellWord == word ?? text)
    }
}
