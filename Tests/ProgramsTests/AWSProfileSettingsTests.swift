import Testing

@testable import Programs

@Suite struct AWSProfileSettingsTests {
    private static let configuration = """
        # a comment
        [default]
        region = eu-north-1
        role_arn = arn:aws:iam::9:role/x
        [profile "prod"]
        role_arn = arn:aws:iam::9:role/production
        source_profile = base
        Region = eu-west-3
          role_arn = arn:aws:iam::9:role/indented
        credential_process = /bin/other
        sso_session = s
        login_session = l
        aws_access_key_id = AKIAOTHER
        some_new_setting = other
        s3 =
          addressing_style = path
        services = local
        [services local]
        s3 =
          endpoint_url = http://127.0.0.1:9000
        [services other]
        sts =
          endpoint_url = http://127.0.0.1:9001
        """

    @Test func `Of the profile only what chooses no identity is taken over`() {
        let settings = AWSProfileSettings(of: "prod", configuration: Self.configuration, credentials: "")
        #expect(
            settings.file([("role_arn", "R")]) == """
                [default]
                role_arn = R
                Region = eu-west-3
                s3 =
                  addressing_style = path
                services = local
                [services local]
                s3 =
                  endpoint_url = http://127.0.0.1:9000

                """)
    }

    @Test(
        arguments: [
            ("default", "", "eu-north-1"),
            ("prod", "[prod]\nregion = us-east-1\naws_secret_access_key = s\n", "us-east-1"),
            ("prod", "[default]\nregion = us-east-1\n", "eu-west-3"), ("none", "", nil), ("local", "", nil),
            ("base\n[default", "", nil),
        ] as [(String, String, String?)])
    func `The region is that of the profile that the shell would use`(
        profile: String, credentials: String, region: String?
    ) {
        let settings = AWSProfileSettings(of: profile, configuration: Self.configuration, credentials: credentials)
        #expect(settings.value("region") == region)
        #expect(!settings.file([]).contains("secret"))
    }
}
