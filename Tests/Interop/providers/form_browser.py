"""A browser without a window: opens an address, signs in on the forms it meets, presses the button that says yes, and
follows until nothing is left.

usage: form_browser.py SETTINGS ADDRESS — SETTINGS is JSON: user, password, ca, and optionally leave_out (scopes
whose boxes stay empty) and code."""

import json
import re
import sys
from urllib.parse import urljoin

import requests
from bs4 import BeautifulSoup

YES = re.compile(
    r"allow|accept|approve|authori[sz]e|confirm|continue|grant|yes|submit|log ?out|sign ?out|log ?in|sign ?in", re.I
)
NO = re.compile(r"deny|cancel|reject|decline|\bno\b", re.I)


def fields_of(form, wish):
    fields, code = [], wish.get("code")
    for box in form.find_all(["input", "select"]):
        name, kind = box.get("name"), (box.get("type") or "text").lower()
        if not name or kind in ("submit", "button", "image", "reset"):
            continue
        value = box.get("value", "")
        if kind == "checkbox":
            if box.get("value", "on") not in wish.get("leave_out", []):
                fields.append((name, box.get("value", "on")))
            continue
        if kind == "password":
            value = wish["password"]
        elif name in ("login", "username", "email", "user"):
            value = wish["user"]
        elif name in ("code", "user_code") and kind != "hidden":
            value = code or value
        fields.append((name, value))
    return fields


def next_form(page):
    """The form that goes on: posted, or asking for something."""
    for form in page.find_all("form"):
        buttons = [
            b
            for b in form.find_all(["button", "input"])
            if (b.get("type") or "submit") == "submit" and (b.name == "button" or b.get("type"))
        ]
        for button in buttons:
            label = " ".join(filter(None, [button.get("name"), button.get("value"), button.get_text(" ", strip=True)]))
            if YES.search(label) and not NO.search(label):
                return form, button
    return None, None


def walk(address, wish):
    session = requests.Session()
    session.verify, session.trust_env = wish["ca"], False
    reply = session.get(address, timeout=20)
    for _ in range(10):
        page = BeautifulSoup(reply.text, "html.parser")
        form, button = next_form(page)
        if form is None:
            break
        fields = fields_of(form, wish)
        if button.get("name"):
            fields.append((button["name"], button.get("value", "")))
        target = urljoin(reply.url, form.get("action") or reply.url)
        origin = "/".join(reply.url.split("/")[:3])
        if (form.get("method") or "get").lower() == "post":
            later = session.post(target, data=fields, headers={"Referer": reply.url, "Origin": origin}, timeout=20)
        else:
            later = session.get(target, params=fields, timeout=20)
        if (later.url, later.text) == (reply.url, reply.text):
            break
        reply = later
    return reply


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        reply = walk(sys.argv[2], json.load(file))
    print(
        reply.status_code,
        reply.url.split("?")[0],
        re.sub(r"\s+", " ", BeautifulSoup(reply.text, "html.parser").get_text(" "))[:200],
    )
