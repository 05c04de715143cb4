"""What somebody reads on a screen before and after something happens is what happens."""

import base64
import json

from harness import Store


def encoded(members):
    return base64.urlsafe_b64encode(json.dumps(members).encode()).decode().rstrip("=")


def test_nothing_chosen_starts_nothing_and_what_was_searched_for_is_what_is_asked_for(person, pane):
    screen = pane(person, 120, 40).foyer("demo", shows="Accounts 11", prefix="TERM=xterm-256color")
    screen.type("/try-out").keys("Enter").type("s").wait("Consent of", "m: show")
    screen.type("a").wait("Consent of", gone=["Open  ", "authority"])
    screen.type("m").type("/").type("Group.ReadW").wait("Group.ReadWrite.All")
    screen.keys("Enter").type(" ").wait("[✔]")
    chosen = next(line for line in screen.lines if "[✔]" in line)
    assert "Group.ReadWrite.All" in chosen, screen.text
    # It is read back, and nothing is asked before that was answered.
    screen.type("a").wait("Review the request", "Group.ReadWrite.All", "ada@contoso.example", gone=["Open"])


def test_an_unsigned_token_that_expired_is_told_before_its_claims(people, pane):
    screen = pane(people, 100, 30).foyer()
    token = f"{encoded({'alg': 'none', 'typ': 'JWT'})}.{encoded({'sub': 'somebody', 'exp': 1700000000})}."
    screen.type("p").wait("paste a token")
    screen.type(token).answer("Enter", "Claims", "somebody")
    lines = screen.lines
    verdict = next(index for index, line in enumerate(lines) if "unsigned" in line and "expired" in line)
    assert verdict < next(index for index, line in enumerate(lines) if "Claims" in line), screen.text


def test_a_refresh_that_was_rejected_is_told_in_the_list(people, pane, sandbox):
    Store(people.store).age()
    screen = pane(people, 100, 30).foyer()
    screen.wait("renews on use")
    said = {"error": "invalid_grant", "codes": [50173], "description": "Password changed."}
    sandbox.fault("error", endpoint="token:refresh_token", **said)
    screen.keys("Enter").wait("AADSTS50173")
    screen.keys("Escape").wait("rejected", gone=["AADSTS50173"])


def test_an_address_to_open_is_whole_however_long(people, pane, sandbox):
    address = "https://login.example/device?" + "".join(f"part{number}=0123456789&" for number in range(50))
    sandbox.fault("override", endpoint="devicecode", fields={"verification_uri": address})
    screen = pane(people, 200, 60).foyer()
    screen.type("a").wait("authority")
    screen.keys("Enter").wait("waiting for you")
    # A QR code stands at the right.
    assert address in "".join(line.strip().split("   ")[0] for line in screen.lines), screen.text


def test_a_wrong_paste_ends_no_sign_in(people, pane, sandbox):
    screen = pane(people, 100, 30).foyer()
    screen.type("a").wait("authority")
    screen.type("\t\t\x1b[C").wait("← browser →")
    screen.keys("Enter").wait("Sign in as")
    screen.type("p").wait("paste:")
    screen.type("https://localhost/nothing?of=it").keys("Enter")
    screen.wait("Sign in as", "paste:", gone=["What was tried"])
    # A right one is still taken, and so is giving up.
    screen.keys("Escape").wait("Sign in as", gone=["paste:"])


def test_the_token_is_shown_whichever_view_was_open(people, pane):
    screen = pane(people, 100, 30).foyer()
    screen.type("i").wait("Claims")
    screen.keys("Tab").wait("Times")
    screen.type("R").wait("shown for", "eyJ")


def test_space_marks_and_goes_on_to_the_next(people, pane):
    screen = pane(people, 80, 24).foyer()
    screen.keys("Home", "Space").wait("1 marked of 3")
    screen.keys("Space").wait("2 marked of 3")


def test_the_way_back_is_told_on_the_smallest_screen(people, pane):
    screen = pane(people, 40, 10).foyer(shows="foyer")
    for key in "is,!":
        screen.type(key).wait("Esc")
        assert "Esc" in screen.lines[-1], screen.text
        screen.keys("Escape").wait("quit", gone=["Esc "])
