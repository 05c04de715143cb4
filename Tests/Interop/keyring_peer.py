"""MSAL for Python with msal-extensions on the session's keyring; a program of its own, as the bus is chosen by the
environment.

ready                          whether the default keyring is there and open
read SIGNAL                    the text that is kept for a signal file
write SIGNAL                   keeps standard input
read-item SCHEMA ATTRIBUTES    the text of an item as another program keeps it, found by what that program looks for
write-item SCHEMA ATTRIBUTES   keeps standard input as such an item
lock                           locks all keyrings
silent                         takes the service's name and answers nobody
sign-in SIGNAL AUTHORITY CA CLIENT SCOPE   by device code: prints the code, then the token
silent-token SIGNAL AUTHORITY CA CLIENT SCOPE
add SIGNAL|FILE PREFIX SECONDS MOST
                               adds accounts one after another, and prints the number of each that is in; goes on
                               until one is in, but no longer than MOST seconds
"""

import json
import sys
import time

# PyGObject comes with the system; what it needs beside it is found last.
sys.path.append("/usr/lib/python3/dist-packages")

import msal
from msal_extensions import FilePersistence, LibsecretPersistence, PersistedTokenCache


def service():
    import gi

    gi.require_version("Secret", "1")
    from gi.repository import Secret

    return Secret, Secret.Service.get_sync(
        Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS, None
    )


def application(signal, authority, ca, client):
    cache = PersistedTokenCache(LibsecretPersistence(signal))
    return msal.PublicClientApplication(
        client, authority=authority, instance_discovery=False, verify=ca, token_cache=cache
    )


def item(name, attributes):
    """The schema and the attributes with which a program asks libsecret for its cache; both from the program's own
    source."""
    secret, attributes = service()[0], json.loads(attributes)
    types = dict.fromkeys(attributes, secret.SchemaAttributeType.STRING)
    return secret, secret.Schema.new(name, secret.SchemaFlags.NONE, types), attributes


def main(verb, *rest):
    if verb == "ready":
        try:
            secret, here = service()
            keyring = secret.Collection.for_alias_sync(here, "default", secret.CollectionFlags.NONE, None)
            print("yes" if keyring and not keyring.get_locked() else "no")
        except Exception as error:
            print("not yet", type(error).__name__)
    elif verb == "read":
        print(LibsecretPersistence(rest[0]).load())
    elif verb == "write":
        LibsecretPersistence(rest[0]).save(sys.stdin.read())
    elif verb == "read-item":
        secret, schema, attributes = item(*rest)
        print(secret.password_lookup_sync(schema, attributes, None))
    elif verb == "write-item":
        secret, schema, attributes = item(*rest)
        secret.password_store_sync(schema, attributes, secret.COLLECTION_DEFAULT, "MSALCache", sys.stdin.read(), None)
    elif verb == "lock":
        _, here = service()
        here.lock_sync(here.get_collections(), None)
    elif verb == "silent":
        from gi.repository import Gio, GLib

        bus, name = Gio.bus_get_sync(Gio.BusType.SESSION, None), "org.freedesktop.DBus"
        asked = GLib.Variant("(su)", ("org.freedesktop.secrets", 0))
        bus.call_sync(name, "/org/freedesktop/DBus", name, "RequestName", asked, None, 0, -1, None)
        print("here", flush=True)
        time.sleep(600)
    elif verb == "sign-in":
        app = application(*rest[:4])
        flow = app.initiate_device_flow(scopes=[rest[4]])
        print(flow["user_code"], flush=True)
        print(app.acquire_token_by_device_flow(flow)["access_token"])
    elif verb == "silent-token":
        app = application(*rest[:4])
        (account,) = app.get_accounts()
        print((app.acquire_token_silent([rest[4]], account) or {}).get("access_token", "none"))
    elif verb == "add":
        from caches import event

        persistence = FilePersistence(rest[0]) if rest[0].endswith(".json") else None
        while persistence is None:
            # It tries an item first that all processes share, and trips over the others.
            try:
                persistence = LibsecretPersistence(rest[0])
            except RuntimeError:
                time.sleep(0.1)
        cache, number, begin = PersistedTokenCache(persistence), 0, time.monotonic()
        while time.monotonic() < begin + float(rest[2] if number else rest[3]):
            # Under a crowd its lock may not be had; what was put in twice is there once.
            try:
                cache.add(event(f"{rest[1]}{number:04}"))
            except Exception as error:
                print("again:", type(error).__name__, error, file=sys.stderr)
                continue
            print(number, flush=True)
            number += 1


main(*sys.argv[1:])
