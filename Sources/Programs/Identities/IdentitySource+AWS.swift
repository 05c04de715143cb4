extension IdentitySource.Reference {
    fileprivate static let botocore = Self(
        "botocore 1.44.8", "https://pypi.org/project/botocore/1.44.8/", read: "2026-11-28")
    fileprivate static let go = Self(
        "AWS SDK for Go", "https://github.com/aws/aws-sdk-go-v2/blob/main/config/resolve_credentials.go",
        read: "2026-11-28")
    fileprivate static let java = Self(
        "AWS SDK for Java",
        "https://github.com/aws/aws-sdk-java-v2/tree/master/core/auth/src/main/java/software/amazon/awssdk/auth/credentials",
        read: "2026-11-28")
    fileprivate static let beanstalk = Self(
        "EB CLI", "https://github.com/aws/aws-elastic-beanstalk-cli", read: "2026-11-28")
    fileprivate static let ruby = Self(
        "AWS SDK for Ruby",
        "https://github.com/aws/aws-sdk-ruby/blob/version-3/gems/aws-sdk-core/lib/aws-sdk-core/credential_provider_chain.rb",
        read: "2026-11-28")
    fileprivate static let settings = Self(
        "AWS settings", "https://docs.aws.amazon.com/sdkref/latest/guide/settings-reference.html")
    fileprivate static let older = Self(
        "AWS SDK for Java 1",
        "https://docs.aws.amazon.com/sdk-for-java/latest/developer-guide/migration-client-credentials.html",
        read: "2026-11-28")
    fileprivate static let awsCLI = Self(
        "AWS CLI", "https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-role.html")
}

extension IdentitySource {
    static let aws: [IdentitySource] = [
        IdentitySource(
            .aws, ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"], .set, with: .webIdentity,
            "the account's ID token, and the role", .botocore),
        IdentitySource(
            .aws, ["AWS_ROLE_SESSION_NAME"], .setIfUnset, with: .webIdentity,
            "the username, for AWS's logs; it chooses no identity", .botocore),
        IdentitySource(
            .aws, ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"], .removed, with: .webIdentity,
            "a profile's role or keys precede a web identity", .go),
        IdentitySource(
            .aws, ["AWS_EB_PROFILE"], .removed, with: .webIdentity, "the profile of Elastic Beanstalk's CLI", .beanstalk
        ),
        IdentitySource(
            .aws,
            [
                "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN",
                "AWS_CREDENTIAL_EXPIRATION",
            ], .removed, with: .webIdentity, "keys precede a web identity", .botocore),
        IdentitySource(
            .aws,
            [
                "AWS_ACCESS_KEY", "AWS_SECRET_KEY", "AMAZON_ACCESS_KEY_ID", "AMAZON_SECRET_ACCESS_KEY",
                "AMAZON_SESSION_TOKEN",
            ], .removed, with: .webIdentity, "other names of the keys", .ruby),
        IdentitySource(
            .aws, ["AWS_BEARER_TOKEN_*"], .removed, with: .webIdentity,
            "a service's bearer token precedes the role, as at Bedrock", .botocore),
        IdentitySource(
            .aws,
            [
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
            ], .removed, with: .webIdentity, "if the role is refused, the SDK for Java uses the container's", .java),
        IdentitySource(
            .aws, ["AWS_EC2_METADATA_DISABLED"], .set, with: .webIdentity,
            "`true`: if the role is refused, the SDK for Java would use the machine's", .java),
        IdentitySource(
            .aws, ["AWS_EC2_METADATA_SERVICE_ENDPOINT", "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE"], .removed,
            with: .webIdentity, "the address of a machine's role", .botocore),
        IdentitySource(
            .aws,
            [
                "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL*", "AWS_CA_BUNDLE", "AWS_STS_REGIONAL_ENDPOINTS",
                "AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT",
            ], .kept, "the servers of a call, not its identity", .settings),
        IdentitySource(
            .aws, ["AWS_ACCOUNT_ID"], .kept, "an account's number, which counts only with keys", .botocore),
        IdentitySource(
            .aws, ["AWS_SDK_LOAD_CONFIG", "AWS_LOGIN_CACHE_DIRECTORY"], .kept,
            "they concern profiles, and foyer's file has only the role's", .settings),
        IdentitySource(
            .aws, ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"], .kept,
            "options of the command; `aws.accessKeyId` in them precedes the role", .java),
    ]

    static let awsFiles: [IdentitySource] = [
        IdentitySource(
            .aws, ["AWS_CONFIG_FILE"], .set, with: .webIdentity,
            "a file with the role and the region of your profile, and its other settings without an identity",
            .botocore),
        IdentitySource(
            .aws, ["~/.aws/config"], .replaced(by: "AWS_CONFIG_FILE"), with: .webIdentity,
            "the role of the default profile precedes a web identity", .botocore),
        IdentitySource(
            .aws, ["AWS_SHARED_CREDENTIALS_FILE"], .set, with: .webIdentity, "an empty file", .botocore),
        IdentitySource(
            .aws, ["~/.aws/credentials"], .replaced(by: "AWS_SHARED_CREDENTIALS_FILE"), with: .webIdentity,
            "the keys of the default profile can precede a web identity", .botocore),
        IdentitySource(
            .aws, ["AWS_CREDENTIAL_FILE", "AWS_CREDENTIAL_PROFILES_FILE"], .removed, with: .webIdentity,
            "other names of a file with keys", .older),
        IdentitySource(.aws, ["BOTO_CONFIG"], .set, with: .webIdentity, "an empty file", .botocore),
        IdentitySource(
            .aws, ["~/.boto", "/etc/boto.cfg"], .replaced(by: "BOTO_CONFIG"), with: .webIdentity,
            "boto 2 has no web identities and uses the keys in them", .botocore),
        IdentitySource(
            .aws, ["~/.aws/cli/cache"], .kept,
            "the AWS CLI's credentials, for a role and a session name: the user's, unless you set another", .awsCLI),
    ]
}
