#!/usr/bin/env python3
"""Writes the legacy caches of the tests beside itself: what ADAL for .NET and for Objective-C left on disks, and
broken forms of it.

The archives are written with the standard library's plistlib, object by object as NSKeyedArchiver lays them out.
`accessTokens.json` is written by ADAL for Python itself, if the package is there (`pip install adal`); otherwise it
is left as it is. All tokens are made up.

    python3 make_legacy.py
"""

import base64
import datetime
import json
import pathlib
import plistlib
import struct

HERE = pathlib.Path(__file__).parent
HOME = "c0c0c0c0-0000-4000-8000-000000000001"
GUEST = "fabfabfa-0000-4000-8000-000000000002"
ALICE = "00000001-1111-4222-8333-000000000001"
BOB = "00000002-1111-4222-8333-000000000002"
CLIENT = "11111111-aaaa-4bbb-8ccc-000000000001"
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
GRAPH = "https://graph.windows.net"
MANAGEMENT = "https://management.core.windows.net/"
END = 1_893_459_599  # seconds since 1970
TO_2001 = 978_307_200


def b64url(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else data.encode()).decode().rstrip("=")


def id_token(upn, oid, tenant, parts=3, **more):
    """As ADAL got it from the v1 endpoint: without a signature, and in some versions kept as its claims alone."""
    claims = b64url(json.dumps({"aud": CLIENT, "tid": tenant, "oid": oid, "upn": upn, "name": "Alice É", **more}))
    return claims if parts == 1 else b64url('{"typ":"JWT","alg":"none"}') + "." + claims + "."


# --- NSKeyedArchiver --------------------------------------------------------------------------------------------------
# -----------------------


class Archive:
    """Lays objects out as NSKeyedArchiver does: all in one list, the first being its null, each named by its place."""

    def __init__(self):
        self.objects = ["$null"]
        self.classes = {}

    def put(self, value):
        self.objects.append(value)
        return plistlib.UID(len(self.objects) - 1)

    def of_class(self, *names):
        if names not in self.classes:
            self.classes[names] = self.put({"$classname": names[0], "$classes": list(names)})
        return self.classes[names]

    def text(self, value):
        return plistlib.UID(0) if value is None else self.put(value)

    def mutable_text(self, value):
        return self.put({"NS.string": value, "$class": self.of_class("NSMutableString", "NSString", "NSObject")})

    def date(self, seconds):
        return self.put({"NS.time": float(seconds - TO_2001), "$class": self.of_class("NSDate", "NSObject")})

    def dictionary(self, pairs, mutable=True):
        names = ("NSMutableDictionary", "NSDictionary", "NSObject") if mutable else ("NSDictionary", "NSObject")
        return self.put(
            {"NS.keys": [k for k, _ in pairs], "NS.objects": [v for _, v in pairs], "$class": self.of_class(*names)}
        )

    def item(
        self,
        *,
        authority,
        client=CLIENT,
        resource=None,
        access=None,
        refresh=None,
        id_token=None,
        family=None,
        home=None,
        further=None,
        name="ADTokenCacheStoreItem",
    ):
        fields = {
            "resource": self.text(resource),
            "authority": self.text(authority),
            "clientId": self.text(client),
            "familyId": self.text(family),
            "accessToken": self.text(access),
            "accessTokenType": self.text("Bearer"),
            "refreshToken": self.text(refresh),
            "sessionKey": plistlib.UID(0),
            "expiresOn": self.date(END) if access else plistlib.UID(0),
            "userInformation": plistlib.UID(0),
            "additionalServer": further or plistlib.UID(0),
        }
        if id_token:
            fields["userInformation"] = self.put(
                {
                    "rawIdToken": self.text(id_token),
                    "$class": self.of_class("ADUserInformation", "ADALUserInformation", "NSObject"),
                }
            )
        if home:
            fields["homeAccountId"] = self.text(home)
        fields["$class"] = self.of_class(name, "ADALTokenCacheItem", "NSObject")
        return self.put(fields)

    def key(self, authority, client=CLIENT, resource=None, name="ADTokenCacheKey"):
        return self.put(
            {
                "authority": self.text(authority),
                "clientId": self.text(client),
                "resource": self.text(resource),
                "$class": self.of_class(name, "ADALTokenCacheKey", "NSObject"),
            }
        )

    def bytes(self, root, form=plistlib.FMT_BINARY):
        top = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root}, "$objects": self.objects}
        return plistlib.dumps(named(top) if form == plistlib.FMT_XML else top, fmt=form, sort_keys=False)


def named(value):
    """In XML a reference is a dictionary of one number."""
    if isinstance(value, plistlib.UID):
        return {"CF$UID": value.data}
    if isinstance(value, dict):
        return {key: named(member) for key, member in value.items()}
    return [named(member) for member in value] if isinstance(value, list) else value


AT_HOME = f"https://login.windows.net/{HOME}"
AT_GUEST = f"https://login.windows.net/{GUEST}"
COMMON = "https://login.windows.net/common"


def one_item(form=plistlib.FMT_BINARY, **fields):
    archive = Archive()
    return archive.bytes(archive.item(**fields), form)


def old_item(form=plistlib.FMT_BINARY):
    """Before 2.7: no home account identifier."""
    return one_item(
        form,
        authority=COMMON,
        refresh="FAKE-ADAL-OBJC-RT-old",
        id_token=id_token(" Alice@Contoso.com ", ALICE, HOME, parts=1),
    )


def new_item():
    """Since 2.7, with what the server said of an extended end."""
    archive = Archive()
    further = archive.dictionary(
        [(archive.text("extended_expires_on"), archive.date(END + 3600)), (archive.text("spe_info"), archive.text("I"))]
    )
    item = archive.item(
        authority=AT_HOME,
        resource=GRAPH,
        access="FAKE-ADAL-OBJC-AT",
        refresh="FAKE-ADAL-OBJC-RT-new",
        id_token=id_token("alice@contoso.com", ALICE, HOME),
        home=f"{ALICE}.{HOME}",
        further=further,
    )
    return archive.bytes(item)


def mac(
    version=1.0,
    tokens=None,
    mutable=True,
    user=None,
    key="ADTokenCacheKey",
    item="ADTokenCacheStoreItem",
    form=plistlib.FMT_BINARY,
):
    """A Mac's cache: everything in one archive."""
    archive = Archive()
    alice = id_token("alice@contoso.com", ALICE, HOME)
    home = f"{ALICE}.{HOME}"
    alices = archive.dictionary(
        [
            (
                archive.key(AT_HOME),
                archive.item(authority=AT_HOME, refresh="FAKE-MAC-RT-1", id_token=alice, home=home, family="1"),
            ),
            (
                archive.key(AT_HOME, resource=MANAGEMENT, name=key),
                archive.item(
                    authority=AT_HOME, resource=MANAGEMENT, access="FAKE-MAC-AT-1", id_token=alice, home=home, name=item
                ),
            ),
            (
                archive.key(AT_HOME, client="foci-1"),
                archive.item(
                    authority=AT_HOME, client="foci-1", refresh="FAKE-MAC-FRT", id_token=alice, home=home, family="1"
                ),
            ),
            (
                archive.key(AT_GUEST),
                archive.item(
                    authority=AT_GUEST,
                    refresh="FAKE-MAC-RT-guest",
                    home=home,
                    id_token=id_token(
                        "alice@contoso.com",
                        "00000009-1111-4222-8333-000000000009",
                        GUEST,
                        idp=f"https://sts.windows.net/{HOME}/",
                    ),
                ),
            ),
            (
                archive.key(AT_HOME, client="22222222-aaaa-4bbb-8ccc-000000000002"),
                archive.item(
                    authority=AT_HOME,
                    client="22222222-aaaa-4bbb-8ccc-000000000002",
                    refresh="<tombstone>",
                    id_token=alice,
                ),
            ),
            (
                archive.key(AT_HOME, client="broker"),
                archive.item(authority=AT_HOME, client="broker", refresh="FAKE-PRT", name="ADBrokerPRTCacheItem"),
            ),
        ],
        mutable,
    )
    farm = "https://fs.contoso.com/adfs"
    nobody = archive.dictionary(
        [
            (
                archive.key(farm, resource="urn:files"),
                archive.item(authority=farm, resource="urn:files", access="FAKE-ADFS-AT", refresh="FAKE-ADFS-RT"),
            )
        ]
    )
    users = archive.dictionary(
        [(user(archive) if user else archive.mutable_text("alice@contoso.com"), alices), (archive.text(""), nobody)]
    )
    cache = archive.dictionary([(archive.text("tokens"), users if tokens is None else tokens(archive))])
    members = [] if version is None else [(archive.text("version"), archive.put(version))]
    return archive.bytes(archive.dictionary(members + [(archive.text("tokenCache"), cache)]), form)


def circle():
    """Each dictionary is within the next, and the last within the first."""
    archive = Archive()
    root = archive.dictionary([])
    cache = archive.dictionary([(archive.text("tokens"), root)])
    archive.objects[root.data] |= {
        "NS.keys": [archive.text("version"), archive.text("tokenCache"), archive.text("again")],
        "NS.objects": [archive.put(1.0), cache, root],
    }
    return archive.bytes(root)


def keychain(form):
    """Items as exporters of a keychain write them, each with its attributes' raw names."""

    def record(account, authority, resource, client, data):
        place = b64url(resource.lower()) if resource else "CC3513A0-0E69-4B4D-97FC-DFB6C91EE132"
        return {
            "acct": account,
            "gena": b"MSOpenTech.ADAL.1",
            "svce": f"MSOpenTech.ADAL.1|{b64url(authority)}|{place}|{b64url(client)}",
            "agrp": "TEAM.com.microsoft.adalcache",
            "v_Data": data,
        }

    twins = [
        one_item(
            authority=COMMON,
            refresh=f"FAKE-KEYCHAIN-RT-{n}",
            id_token=id_token("twin@contoso.com", oid, HOME),
            home=f"{oid}.{HOME}",
        )
        for n, oid in ((1, ALICE), (2, BOB))
    ]
    nameless = one_item(authority=COMMON, refresh="FAKE-KEYCHAIN-RT-3")
    return plistlib.dumps(
        [
            record(b64url("twin@contoso.com"), COMMON, None, CLIENT, twins[0]),
            record("twin@contoso.com", COMMON, None, CLIENT, twins[1]),
            record(b64url("bob@fabrikam.com"), COMMON, None, CLIENT, nameless),
            record("x", COMMON, None, CLIENT, b"no archive"),
            {"acct": "other", "svce": "something else"},
        ],
        fmt=form,
    )


# --- ADAL.NET ---------------------------------------------------------------------------------------------------------
# -----------------------


def net_text(text):
    data = text.encode()
    length, head = len(data), b""
    while length >= 0x80:
        head += bytes([length & 0x7F | 0x80])
        length >>= 7
    return head + bytes([length]) + data


def net_item(authority, resource, client, user, refresh, subject=0, tenant=HOME, oid=ALICE, info=True, provider=HOME):
    end = {"DateTime": f"/Date({END}000)/", "OffsetMinutes": 0}
    value = {
        "RefreshToken": refresh,
        "ResourceInResponse": resource,
        "UserAssertionHash": None,
        "RawClientInfo": b64url(json.dumps({"uid": oid, "utid": HOME})) if info else None,
        "Result": {
            "AccessTokenType": "Bearer",
            "AccessToken": "FAKE-NET-AT",
            "ExpiresOn": end,
            "ExtendedExpiresOn": end,
            "TenantId": tenant,
            "UserInfo": {
                "DisplayableId": user,
                "UniqueId": oid,
                "GivenName": "Alice",
                "FamilyName": "Exämple",
                "IdentityProvider": f"https://sts.windows.net/{provider}/",
            },
        },
    }
    return net_text(f"{authority}:::{resource}:::{client}:::{subject}") + net_text(
        json.dumps(value, ensure_ascii=False)
    )


def net(items, version=3, count=None):
    return struct.pack("<ii", version, len(items) if count is None else count) + b"".join(items)


NET = [
    net_item(AT_HOME + "/", MANAGEMENT, CLIENT, "alice@contoso.com", "FAKE-NET-RT-1"),
    net_item(AT_GUEST + "/", GRAPH, CLIENT, "alice@contoso.com", "FAKE-NET-RT-2", tenant=GUEST, info=False),
    net_item(AT_HOME + "/", GRAPH, "66666666-aaaa-4bbb-8ccc-000000000006", "", "", subject=1),
    net_item(AT_HOME + "/", "", CLIENT, "bob@contoso.com", "FAKE-NET-RT-3" + "x" * 20_000, oid=BOB),
]


# --- ADAL for Python --------------------------------------------------------------------------------------------------
# -----------------------


def python_cache():
    """Answers go into ADAL's own cache, which writes them down."""
    from adal import TokenCache

    def answer(user, oid, resource, refresh, tenant=HOME, authority=None, client=AZURE_CLI, shown=True, **more):
        exp = b64url(json.dumps({"aud": resource, "exp": END}))
        return {
            "tokenType": "Bearer",
            "expiresIn": 3599,
            "expiresOn": str(datetime.datetime(2029, 12, 31, 23, 59, 59, 963012)),
            "resource": resource,
            "accessToken": f"{b64url('{}')}.{exp}.RkFLRQ",
            "refreshToken": refresh,
            "oid": oid,
            "tenantId": tenant,
            "givenName": "Alice",
            "familyName": "Example",
            "userId": user,
            "isUserIdDisplayable": shown,
            "isMRRT": True,
            "_clientId": client,
            "_authority": authority or f"https://login.microsoftonline.com/{tenant}",
            **more,
        }

    cache = TokenCache()
    cache.add(
        [
            answer(
                "Alice@contoso.com",
                ALICE,
                MANAGEMENT,
                "FAKE-PY-RT-1",
                authority="https://login.microsoftonline.com/common",
            ),
            answer("Alice@contoso.com", ALICE, GRAPH + "/", "FAKE-PY-RT-1"),
            answer(
                "bob@fabrikam.com",
                BOB,
                MANAGEMENT,
                "FAKE-PY-RT-2",
                identityProvider=f"https://sts.windows.net/{GUEST}/",
            ),
            answer("5b1f3e0a-0000-4000-8000-00000000000a", None, MANAGEMENT, "FAKE-PY-RT-3", shown=False),
        ]
    )
    entries = json.loads(cache.serialize())
    # As the Azure CLI did.
    entries.append(
        {
            "servicePrincipalId": "33333333-aaaa-4bbb-8ccc-000000000003",
            "servicePrincipalTenant": GUEST,
            "accessToken": "FAKE-SECRET",
        }
    )
    return json.dumps(entries).encode()


def main():
    binary, xml = plistlib.FMT_BINARY, plistlib.FMT_XML
    files = {
        "adal_objc_before_2.7.bplist": old_item(),
        "adal_objc_before_2.7.plist": old_item(xml),
        "adal_objc_2.7.bplist": new_item(),
        "adal_objc_mac.bplist": mac(),
        "adal_objc_mac.plist": mac(form=xml),
        "adal_objc_mac_wrong_key.bplist": mac(key="NSString"),
        "adal_objc_mac_wrong_item.bplist": mac(item="NSURL"),
        "adal_objc_mac_wrong_user.bplist": mac(user=lambda archive: archive.put(7)),
        "adal_objc_mac_wrong_tokens.bplist": mac(tokens=lambda archive: archive.text("tokens")),
        "adal_objc_mac_immutable.bplist": mac(mutable=False),
        "adal_objc_mac_no_version.bplist": mac(version=None),
        "adal_objc_mac_future.bplist": mac(version=2.0),
        "adal_objc_circle.bplist": circle(),
        "adal_objc_keychain.bplist": keychain(binary),
        "adal_objc_keychain.plist": keychain(xml),
        "adal_net_v3.dat": net(NET),
        "adal_net_v4.dat": net(NET[:1], version=4),
        "adal_net_v3_count.dat": net(NET[:1], count=2_147_483_647),
    }
    try:
        files["accessTokens.json"] = python_cache()
    except ImportError:
        print("adal is not installed: accessTokens.json is left as it is")
    for name, data in files.items():
        (HERE / name).write_bytes(data)


if __name__ == "__main__":
    main()
