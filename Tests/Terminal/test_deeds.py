"""Deeds at random, by commands, by keys and by the library, at three issuers that share client IDs, subjects and names:
what one owner does leaves the entries of all others as they are."""

import json
import os
import random
import subprocess
from collections import Counter

import pytest
from harness import BINARIES, CURL, HEDY, LAB
from waiting import PATIENCE

EMMY = "emmy@lab.example"
# The short form, and its full length.
NUMBER = 200 if os.environ.get("FOYER_LONG") else 60
SEED = int(os.environ.get("FOYER_SEED", "20261127"))


class World:
    """Two names of one client at each issuer; the same two people are known to all of them."""

    def __init__(self, person, places):
        self.person, self.places = person, places
        # Who is signed in: issuer by name, and username.
        self.here = set()
        person.settings(
            "\n".join(
                f'[clients.{name}{more}]\nclient_id = "{LAB}"\nauthority = "{issuer}"\nkind = "oidc"\n'
                'scopes = ["openid", "profile", "offline_access"]\n'
                for name, (issuer, _) in places.items()
                for more in ("", "-too")
            )
        )

    def entries(self):
        """All entries of the store by their owner: issuer and account."""
        found = {}
        if not self.person.store.exists():
            return found
        for section, entries in json.loads(self.person.store.read_text()).items():
            for key, entry in entries.items():
                if isinstance(entry, dict) and "home_account_id" in entry:
                    owner = (entry["issuer"], entry["home_account_id"])
                    found.setdefault(owner, {})[section, key] = entry
        return found

    def asked(self):
        return {name: provider.state()["requests"] for name, (_, provider) in self.places.items()}

    # The deeds. Each returns whether the owner's entries may change.

    def sign_in(self, name, who, chance):
        self.person.sign_in(who, "--client", name + chance.choice(["", "-too"]))
        self.here.add((name, who))

    def sign_in_by_library(self, name, who, chance):
        """A program of others signs in with its own device code, or is served from the store."""
        issuer, provider = self.places[name]
        others = [user for place, user in self.here if place == name]
        words = [BINARIES / "silent-first-example", issuer, LAB, self.person.store, "openid"]
        program = subprocess.Popen(
            words, env=self.person.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        told = ""
        for line in program.stderr:
            told += line
            if "and type" in line:
                assert not others, told
                provider.approve(line.rsplit(" ", 1)[1].strip(), who)
        if len(others) > 1:
            assert program.wait(PATIENCE) == 1 and "choose one of them" in told, told
            return None
        assert program.wait(PATIENCE) == 0, told
        # Where one alone is signed in, the library serves that one.
        self.here.add((name, others[0] if others else who))
        return others[0] if others else None

    def token(self, name, who, chance):
        options = chance.choice([[], ["--force-refresh"]])
        named = ("--account", who, "--client", name + chance.choice(["", "-too"]))
        result = self.person.foyer("token", "--silent", "--json", *named, *options)
        if (name, who) in self.here:
            assert result.status == 0 and result.json["authority"] == self.places[name][0], result
            assert result.json["account"]["username"] == who
        else:
            assert result.status in (3, 8) and result.stdout == "", result

    def end(self, verb, name, who, client, chance):
        options = ["--browser", CURL] if verb == "sign-out" else []
        return self.person.foyer(verb, who, "--json", "--client", client + chance.choice(["", "-too"]), *options)

    def sign_out(self, name, who, chance):
        self.ended("sign-out", name, who, chance)

    def remove(self, name, who, chance):
        self.ended("remove", name, who, chance)

    def ended(self, verb, name, who, chance):
        result = self.end(verb, name, who, name, chance)
        assert result.status == (0 if (name, who) in self.here else 8), result
        self.here.discard((name, who))

    def end_elsewhere(self, name, who, chance):
        """By the client of another issuer, which knows nobody of the name or has one of its own."""
        other = chance.choice([each for each in self.places if each != name])
        if (other, who) in self.here:
            # By the name and no client: one of several.
            result = self.person.foyer("sign-out", who, "--json", "--browser", CURL, env={"FOYER_CLIENT": ""})
            if sum(each[1] == who for each in self.here) > 1:
                assert result.status == 8, result
                return
            assert result.status == 0, result
            self.here.discard((other, who))
            return who, other
        result = self.end(chance.choice(["sign-out", "remove"]), name, who, other, chance)
        assert result.status == 8 and result.stdout == "", result

    def by_keys(self, name, who, chance):
        """In the interface: a token, a removal that is taken back, or a sign-out of the row."""
        if (name, who) not in self.here:
            return
        screen = self.screen
        row = f"{who} client:{name}"
        screen.type(f"/{row}").wait(f"client:{name}")
        screen.keys("Enter").wait("add", who)
        # The names of a client are rows of their own; any of them is the sign-in's.
        deed = chance.choice(["token", "undo", "sign out"])
        if deed == "token":
            screen.keys("Enter").wait("token ready", who)
        elif deed == "undo":
            screen.type("x").wait("Remove the account?", who)
            screen.answer("y", "removed here")
            screen.keys("Escape").wait("undo remove")
            screen.type("u").wait("restored")
        else:
            screen.type("o").wait("Sign out", who)
            screen.answer("y", "removed", gone=["Sign out?"])
            self.here.discard((name, who))
        screen.keys("Escape").wait("foyer")


@pytest.fixture
def world(person, own_sandbox, pane):
    one, two = own_sandbox(), own_sandbox()
    places = {
        "one": (f"{one.base}/realms/first", one),
        "two": (f"{one.base}/realms/other", one),
        "three": (f"{two.base}/realms/first", two),
    }
    return World(person, places)


def test_no_deed_touches_the_entries_of_another_owner(world, pane):
    chance, done = random.Random(SEED), Counter()
    deeds = {
        world.sign_in: 6,
        world.sign_in_by_library: 2,
        world.token: 5,
        world.sign_out: 2,
        world.remove: 2,
        world.end_elsewhere: 3,
        world.by_keys: 3,
    }
    for number in range(NUMBER):
        [deed] = chance.choices(list(deeds), deeds.values())
        name, who = chance.choice(list(world.places)), chance.choice([HEDY, EMMY])
        what = f"{number} of seed {SEED}: {deed.__name__} of {who} at {name}"
        before, asked = world.entries(), world.asked()
        if deed == world.by_keys and (name, who) in world.here:
            world.screen = pane(world.person, 140, 40).foyer()
        other = deed(name, who, chance)
        if deed == world.by_keys and hasattr(world, "screen"):
            world.screen.type("q").back(0)
            world.screen.close()
            del world.screen
        if isinstance(other, tuple):
            who, name = other
        elif other:
            who = other
        issuer, _ = world.places[name]
        after = world.entries()
        for owner in set(before) | set(after):
            if owner != (issuer, who):
                assert after.get(owner) == before.get(owner), (what, owner)
        signed_in = {owner for owner, entries in after.items() if any(part == "RefreshToken" for part, _ in entries)}
        assert signed_in == {(world.places[place][0], user) for place, user in world.here}, what
        for place, (_, provider) in world.places.items():
            assert provider.state()["misplacedTokens"] == [], (what, place)
            if provider is not world.places[name][1]:
                assert provider.state()["requests"] == asked[place], (what, place)
        done[deed.__name__] += 1
    assert set(done) == {deed.__name__ for deed in deeds}, done
