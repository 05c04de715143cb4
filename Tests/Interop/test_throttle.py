"""A provider that asks to wait is asked once, however many processes ask it to be asked."""

import pytest
from harness import ADA, Store


@pytest.fixture
def ada(ada):
    Store(ada.store).age()
    return ada


def test_ten_processes_in_a_row_make_one_request_and_the_file_that_remembers_has_nothing_of_a_token(ada, sandbox):
    secrets = Store(ada.store).secrets()
    sandbox.fault("status", status=429, retry_after=3600, endpoint="token")
    before = sandbox.requests("token:refresh_token")
    for _number in range(10):
        result = ada.foyer("token", "--silent", "--json")
        assert result.status == 6 and result.error["code"] == "unavailable", result
    assert sandbox.requests("token:refresh_token") == before + 1
    notes = [path for path in ada.store.parent.iterdir() if "throttle" in path.name and path.is_file()]
    assert notes and all(path.stat().st_mode & 0o777 == 0o600 for path in notes if path.stat().st_size)
    text = "".join(path.read_text() for path in notes)
    assert not any(secret in text for secret in secrets) and ADA not in text


def test_ten_processes_at_once_make_one_request_also_when_a_new_token_is_forced(ada, sandbox):
    sandbox.fault("status", status=429, retry_after=3600, endpoint="token")
    before = sandbox.requests("token:refresh_token")
    results = [each.end() for each in [ada.start("token", "--silent", "--json", "--force-refresh") for _ in range(10)]]
    assert {result.status for result in results} == {6}, results
    assert sandbox.requests("token:refresh_token") == before + 1


def test_what_a_person_was_needed_for_is_not_asked_again_until_one_came(ada, sandbox):
    sandbox.fault("error", error="invalid_grant", codes=[50076], endpoint="token:refresh_token")
    before = sandbox.requests("token:refresh_token")
    for _number in range(3):
        result = ada.foyer("token", "--silent", "--json")
        assert result.status == 3 and result.error["serverCodes"] == [50076], result
    assert sandbox.requests("token:refresh_token") == before + 1
    sandbox.control("faults", method="DELETE")
    ada.sign_in(ADA)
    Store(ada.store).age()
    assert ada.foyer("token", "--silent").status == 0
