import Identity
import Testing

@testable import Wire

/// Signatures that others made: the examples of the standards, and tokens of Python's cryptography where they have
/// none.
@Suite struct SignatureVectorTests {
    private static let rsaKey = """
        {"kty":"RSA","n":"qqPFvNhq6j2T68zTkc3WU61zvY9Q0QBk6ipMvBcl4Hev-_M4aZDdxFBglTIRiOTjn97NPaeBtmxEO2PCtL\
        Fz2Jyqw8P7zTFtoIBlIOClq8CDRGfLmnIVqFblICJmKskmz0JwbFlYVYWa9rJGeOiIC67mgZije2MPG3sTUZoYoI0oXCdt-_hB8-\
        N4lALLq1CN-qyZB2CdvY8rfEzvlDt4Efpqqsqr6cywyNdqRkxLVBUAk1ekqM6bqctRJMtDcnG2MpLTv5-HF9TPwPZE8D_wonkYLX\
        3k4MRv3XV9bCc3IIJsIMcURlyTEKla_qkOxW4H05vCJxx04pJhTNWu_ElmXw","e":"AQAB"}
        """
    private static let p384Key = """
        {"kty":"EC","crv":"P-384","x":"v25B9UCa29lqcSuhxhO4nR91itNEDWIWocNcFAqW_slZAaGzKHBAEuVpWpyLt_uX","y"\
        :"UFwhgqgAwu7uUFvHCKgOCBO8xl4V_diWerW9ChNKd1g0qtmrZowX2gWYZwtoXjC7"}
        """

    struct Vector: Sendable, CustomTestStringConvertible {
        let source: String
        let algorithm: String
        let key: String
        let token: String
        var testDescription: String { "\(source): \(algorithm)" }
    }

    static let vectors = [
        Vector(
            source: "RFC 7520 section 4.2", algorithm: "PS384",
            key: """
                {"kty":"RSA","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VE\
                iZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-\
                OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_vniUFAKwuCLqKn\
                S2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB"}
                """,
            token: """
                eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3VzIGJ\
                1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24\
                ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4.cu2\
                2eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo\
                6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyPEgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTr\
                xUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa64QQSUmFAAjVKPbByi7xho0uTO\
                cbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw
                """),
        Vector(
            source: "RFC 7520 section 4.3", algorithm: "ES512",
            key: """
                {"kty":"EC","crv":"P-521","x":"AHKZLLOsCOzz5cY97ewNUajB957y-C-U88c3v13nmGZx6sYl_oJXu9A5RkTKqjqvjyekW\
                F-7ytDyRXYgCF5cj0Kt","y":"AdymlHvOiLxXkEhayXQnNCvDX4h9htZaCJN34kfmC6pV5OhQHiraVySsUdaQkAgDPrwQrJmbnX\
                9cwlGfP-HqHZR1"}
                """,
            token: """
                eyJhbGciOiJFUzUxMiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3VzIGJ\
                1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24\
                ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4.AE_\
                R_YZCChjn4791jSQCrdPZCNYqHXCTZH0-JZGYNlaAjP2kqaluUIIUnC9qvbu9Plon7KRTzoNEuT4Va2cmL1eJAQy3mtPBu_u_sDD\
                yYjnAMDxXPn7XrT0lw-kvAD890jl8e2puQens_IEKBpHABlsbEPX6sFY8OcGDqoRuBomu9xQ2
                """),
        Vector(
            source: "RFC 8037 appendix A.4", algorithm: "EdDSA",
            key: """
                {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}
                """,
            token: """
                eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6\
                dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
                """),
        Vector(
            source: "cryptography", algorithm: "RS384",
            key: rsaKey,
            token: """
                eyJhbGciOiJSUzM4NCJ9.eyJpc3MiOiJqb2UifQ.CC4C57t9PPrT-KTMrbuufLSsCAAWra7bNlAEu-djr_V09pE57yJmeo-MHzak\
                9lVeUwpHZmT9mHUQPVvA_5vlZT2SWqGmx0UWxh9-5TQpsL8Xh-cjoT3zwYIu8MvNSDpd9VuPXO1fJINDLOOrThe9AWSwgVg7vQM0\
                e_r4bwkOkFQhzdn-umGf17sV_juXYCHPqI6uRLjzufgICaXWjXi1TCz8yynih92CPgV-JhjvvvmIy73BLfjc3iyu15hZWjn7eBpX\
                NCPu8XfZMgTne6qXadxyfCyXAjQ71-sSHVDUV0E26gcQ3VPWtktiHtkPQxqSmoUxt-v-UTwm1ScPFBc90A
                """),
        Vector(
            source: "cryptography", algorithm: "RS512",
            key: rsaKey,
            token: """
                eyJhbGciOiJSUzUxMiJ9.eyJpc3MiOiJqb2UifQ.W0Mi0AU6Jpg8BV1lVsIYnR7w93M0SOxwGdAnLga54SjtLTHDtbaJxsiivADO\
                z5poQTNPYevv1ssmioOAt8iYNmBMoRSMBtrkxUI62fH83twt_VGbrVYeKSwieti7j-DU0IRObssUGmxSQHeq7WwkqZ8soRKmD9Fe\
                399jU4zseaOgp5z7NnLDby1wFSAynowP061dgJml1Ka_EzQZa6UYZrt6ijG1kaGgNiHt6PtT9KgdCSWez9gIC0yFiA3k8Bacqvvq\
                KWau9wtcpkYw7tAGD6LqEEjHg95IuM7Wwwd0z2-djW0zytWMqJM9dbg4bnSo4dmW1byt0DxxperZcqcs_w
                """),
        Vector(
            source: "cryptography", algorithm: "PS256",
            key: rsaKey,
            token: """
                eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UifQ.g0nYUk-xmJJjOHZLXQD5MtslrO1IB-zWEF7QeQXYB748l5PV4agMGHuLbxnV\
                Ft3MDLjFx3xCsq6i_JPdwwinm9eJBaWrPX1pzqJj4MdXf_Ukf0_-9erCpiRT99700WaAdC8gWDtFossQwcr3dsT0JIMGob4f1d2R\
                o95e9A5zr64_cHnWlJ3t5pOdPKtk4WbI1F2D8m6KL5EpukoW57O8fTlSKJ54mw_dVmxPpBI-WO3fIX2DRmoQ6D7uZ8hlYJmrNPOg\
                oQC_rS8ldOFNAQI-2HeWUaOI-ARCNofCjOczOKDIwLgnd30tFWLs706sr0qCuEM3ZhM4Yy8lZDHaN3hhuQ
                """),
        Vector(
            source: "cryptography", algorithm: "PS512",
            key: rsaKey,
            token: """
                eyJhbGciOiJQUzUxMiJ9.eyJpc3MiOiJqb2UifQ.RPvskW-sL6CoswAsVqBtdcxRfl0eP7bgYpKkixN1PrXNEiB5eLik2QG9ZhXB\
                JLIOnos1BI2VUt7hlSyrk-G5b6gjSuYHVfALwyPrUiBcqe0Vf99nXY_o28JUUw21Sn7GcoYOFEhwShwjPqBDhDiFgNI49xqacXCj\
                JBuZzkXHONfSMKDUYvPRtP6FWkNk4wmargR4J22wSZs8vD4C3FzCKqPpJfnz4ugcF29blTEVBXcxFp_nVGiN0jlD4Dvjgl-NddAB\
                9nzBsV8dLckdFHNdkckBs6buPmk0BRIUECw-Nwc2yIaVXP2d7SOMaz2mPkEA47b70_7Fmh4fS_uuqVQYQA
                """),
        Vector(
            source: "cryptography", algorithm: "ES384",
            key: p384Key,
            token: """
                eyJhbGciOiJFUzM4NCJ9.eyJpc3MiOiJqb2UifQ.Fzt_UR-G2eoQpVw7rzxaGlMJb7luzqKWrbxPTExyv-Baqy59VFr4HaT-M4Bz\
                tjuxcPk32dNl55tVdTpDyeY8857hmoRiZGYTDMjeQO69fzZuj-woqIET7KTDqzf3caIx
                """),
    ]

    /// What is signed, and the signature. The payloads of the standards' examples are no JSON.
    private static func parts(_ token: String) throws -> (input: String, signature: [UInt8]) {
        let end = try #require(token.lastIndex(of: "."))
        return (String(token[..<end]), try #require(Base64URL.decode(token[end...].dropFirst())))
    }

    private static func verifies(_ token: String, _ algorithm: String, _ key: String) throws -> Bool {
        let (input, signature) = try parts(token)
        let key = try #require(SigningKey(try Samples.object(key)))
        return key.verifies(signature, of: input, algorithm: algorithm)
    }

    @Test(arguments: vectors) func `A signature that others made verifies under its own algorithm and no other`(
        vector: Vector
    ) throws {
        // RFC 9864: one algorithm under two names.
        let same = ["EdDSA", "Ed25519"]
        for algorithm in SignatureAlgorithm.allCases.map(\.rawValue) + ["none", "HS256", "HS384", "HS512", "ES256K"] {
            let isOwn = algorithm == vector.algorithm || same.contains(algorithm) && same.contains(vector.algorithm)
            #expect(try Self.verifies(vector.token, algorithm, vector.key) == isOwn, "as \(algorithm)")
        }
    }

    @Test(arguments: vectors) func `A signature with one changed bit, a shorter one, and none verify nothing`(
        vector: Vector
    ) throws {
        let (input, right) = try Self.parts(vector.token)
        let key = try #require(SigningKey(try Samples.object(vector.key)))
        var changed = right
        changed[changed.count / 2] ^= 1
        for signature in [changed, Array(right.dropLast()), right + [0], []] {
            #expect(!key.verifies(signature, of: input, algorithm: vector.algorithm))
        }
        #expect(!key.verifies(right, of: input + "x", algorithm: vector.algorithm))
    }

    @Test func `RFC 7518 section 3.5: a PSS signature whose salt is not as long as its hash is refused`() throws {
        let token = """
            eyJhbGciOiJQUzI1NiJ9.eyJpc3MiOiJqb2UifQ.D8WHlPpQuYs75TUKfbSzF4KIJ08qO1Iz54csjDSiJP0D3LtSHEM5aUYSSrp2\
            2UXrv2TFcX3Y1Xx9C52odbbdqGEXVV8QPRI2jw0N0ABYBeQvzr_2FvYKd5vl-pnltg0nD6JNb6-6TwV3pGXjGE5ovA8SyOSZlZUV\
            FxN1Eb8Ud97qAYA9H01xiEmPP6nK19tTw5jPhrECt5Y4ykakXZBguUYOyU8HRjXEPHlXUfCyZZt1ZokKMOjnRYRH3Ona7SclqXi4\
            jSq99bNH37TEp0iNio0GzjHaUAmsSMymTHez2O8wuR3QSbLqSN0f76pFPW1HZvY7I0Tsu5j5EeFLAovAWA
            """
        #expect(try !Self.verifies(token, "PS256", Self.rsaKey))
    }
}
