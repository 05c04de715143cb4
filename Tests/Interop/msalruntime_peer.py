"""MSAL's run-time for native programs, as MSAL for Python drives it: each line of standard input is a step, each line
of standard output what came of it. Loading it starts the broker, and fails if that takes too long; then it says
"here"."""

import json
import sys

import pymsalruntime


def wait(start, is_interactive=False):
    """Runs what takes a callback to its end."""
    data = pymsalruntime.CallbackData(is_interactive=True) if is_interactive else pymsalruntime.CallbackData()
    start(lambda result, data=data: data.complete(result))
    data.signal.wait()
    return data.result


def told(result):
    error = result.get_error()
    account = result.get_account()
    if error is not None:
        return {"status": str(error.get_status()), "context": error.get_context(), "code": error.get_error_code()}
    return {
        "token": result.get_access_token(),
        "account": account.get_account_id() if account else None,
        "expires": result.get_access_token_expiry_time(),
        "idToken": result.get_raw_id_token(),
    }


def parameters(step):
    made = pymsalruntime.MSALRuntimeAuthParameters(step["client"], step["authority"])
    made.set_requested_scopes(step.get("scopes", ["User.Read"]))
    made.set_redirect_uri("https://login.microsoftonline.com/common/oauth2/nativeclient")
    if step.get("claims"):
        made.set_decoded_claims(step["claims"])
    if step.get("renew"):
        made.set_access_token_to_renew(step["renew"])
    return made


def run(step):
    what, number = step["step"], step.get("correlation", "11111111-2222-4333-8444-555555555555")
    if what == "discover":
        found = wait(lambda callback: pymsalruntime.discover_accounts(step["client"], number, callback))
        return {"accounts": [account.get_account_id() for account in found.get_accounts()]}
    if what == "signin":
        return told(wait(lambda callback: pymsalruntime.signin_silently(parameters(step), number, callback)))
    if what == "interactive":
        window = pymsalruntime.get_console_window() or pymsalruntime.get_desktop_window()
        begin = lambda *last: pymsalruntime.signin_interactively(  # noqa: E731
            window, parameters(step), number, step.get("hint", ""), *last
        )
        return told(wait(begin, is_interactive=True))
    account = wait(lambda callback: pymsalruntime.read_account_by_id(step["account"], number, callback)).get_account()
    if account is None:
        return {"missing": step["account"]}
    return told(
        wait(lambda callback: pymsalruntime.acquire_token_silently(parameters(step), number, account, callback))
    )


print("here", flush=True)
for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
