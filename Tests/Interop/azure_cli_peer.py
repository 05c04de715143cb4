"""The sign-in code of Azure CLI, called as its commands call it; its store is below AZURE_CONFIG_DIR.

login AUTHORITY TENANT SCOPE            az login --use-device-code: the code is told on standard error, then who it is
token AUTHORITY TENANT USERNAME SCOPE   az account get-access-token
logout AUTHORITY TENANT USERNAME        az logout
users AUTHORITY TENANT                  whom it knows, one a line
renew AUTHORITY TENANT USERNAME SCOPE SECONDS MOST
                                        asks past the cache again and again, as after a claims challenge, and prints
                                        how often it was given a token; goes on until it was once, but no longer
                                        than MOST seconds
"""

import sys
import time

from azure.cli.core.auth.identity import Identity

CHALLENGE = '{"access_token":{"nbf":{"essential":true,"value":"1"}}}'


def main(verb, authority, tenant, *rest):
    identity = Identity(authority, tenant_id=tenant, encrypt=False, use_msal_http_cache=False, instance_discovery=False)
    if verb == "login":
        print(identity.login_with_device_code([rest[0]])["username"])
    elif verb == "token":
        print(identity.get_user_credential(rest[0]).acquire_token([rest[1]])["access_token"])
    elif verb == "logout":
        identity.logout_user(rest[0])
    elif verb == "users":
        print("\n".join(account["username"] for account in identity.get_user()))
    elif verb == "renew":
        count, begin = 0, time.monotonic()
        while time.monotonic() < begin + float(rest[3 if not count else 2]):
            try:
                credential = identity.get_user_credential(rest[0])
                assert "access_token" in credential.acquire_token([rest[1]], claims_challenge=CHALLENGE)
            except Exception as error:
                # It reads without the lock what others truncate before they write, and waits for the lock for five
                # seconds.
                said = f"{type(error).__name__.lower()} {error}"
                if not any(word in said for word in ("does not exist", "lock", "Can't find token")):
                    raise
                continue
            count += 1
        print(count)


main(*sys.argv[1:])
