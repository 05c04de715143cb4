"""A server's look at the tokens that it is brought, by the sandbox's protected resource."""

import urllib.error
import urllib.request

from waiting import PATIENCE


class TokenCheck:
    def __init__(self, sandbox, users):
        self.sandbox, self.users = sandbox, users
        # Tokens that are refused though the provider says nothing against them.
        self.revoked = set()

    def challenge(self, token):
        """None for a good token, else what is to be done about it."""
        if not token or token in self.revoked:
            return ""
        request = urllib.request.Request(self.sandbox.base + "/resource", headers={"Authorization": "Bearer " + token})
        try:
            with self.sandbox.opener.open(request, timeout=PATIENCE) as reply:
                return None if any(user in reply.read().decode() for user in self.users) else ""
        except urllib.error.HTTPError as error:
            return error.headers["WWW-Authenticate"]
