"""The documentation as a static site, as .packaging/site builds it."""

import json
import shutil
import subprocess
import sys

import pytest
from site_script import MODULES, TOP, load

# One worker, so that the site is built once.
pytestmark = [
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(not shutil.which("docc"), reason="there is no docc here"),
]


def build(top, *words):
    return subprocess.run(
        [top / ".packaging/site", "--modules", MODULES, *words], capture_output=True, text=True, timeout=1800
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    told = build(TOP, "--base-path", "/foyer", folder)
    assert told.returncode == 0, told.stdout + told.stderr
    return folder


@pytest.fixture
def script():
    return load()


@pytest.fixture
def copy(tmp_path):
    """The catalogues and the script in another folder, for a test that changes them."""
    top = tmp_path / "copy"
    for catalogue in TOP.glob("Sources/*/*.docc"):
        shutil.copytree(catalogue, top / catalogue.relative_to(TOP))
    (top / ".packaging").mkdir()
    shutil.copy(TOP / ".packaging/site", top / ".packaging/site")
    return top


def page(site, path):
    return json.loads((site / "data" / f"{path}.json").read_text())


def test_every_module_article_and_tutorial_has_a_page(site):
    expected = {"documentation"}
    for catalogue in TOP.glob("Sources/*/*.docc"):
        module = catalogue.stem.lower()
        expected |= {f"documentation/{module}"}
        expected |= {
            f"documentation/{module}/{each.stem.lower()}"
            for each in catalogue.glob("*.md")
            if each.stem != catalogue.stem
        }
    assert len(expected) > 25
    for path in expected:
        assert page(site, path)["metadata"]["title"], path
        assert (site / path / "index.html").is_file(), path


def test_a_page_of_one_module_leads_to_the_symbols_of_another(site):
    landing = page(site, "documentation/silentfirst")
    links = {reference["url"] for reference in landing["references"].values() if "url" in reference}
    assert {"/documentation/identity/failure", "/documentation/silentfirst/publicclientapplication"} <= links
    assert (site / "data/documentation/explain/identity/failure/explanations.json").is_file()


def test_a_site_for_a_folder_of_its_host_names_that_folder(site):
    assert 'baseUrl = "/foyer/"' in (site / "documentation/foyer/index.html").read_text()


def test_a_link_to_a_symbol_that_is_not_there_is_an_error(copy):
    article = copy / "Sources/Identity/Identity.docc/Identity.md"
    article.write_text(article.read_text().replace("- ``Authority``", "- ``Autority``"))
    told = build(copy, copy / "site")
    assert told.returncode != 0 and "'Autority' doesn't exist" in told.stderr
    assert not (copy / "site").exists()


def test_a_page_that_is_gone_is_found_by_what_links_to_it(site, script, tmp_path):
    assert not list(script.dangling(site))
    broken = tmp_path / "broken"
    shutil.copytree(site, broken)
    (broken / "data/documentation/foyer/stores.json").unlink()
    assert ("documentation/foyer", "/documentation/foyer/stores") in [
        (str(name), target) for name, target in script.dangling(broken)
    ]


def test_a_type_that_is_under_no_topic_is_an_error(copy, script, monkeypatch):
    article = copy / "Sources/Explain/Explain.docc/Explain.md"
    article.write_text(article.read_text().replace("- ``ServerCodeMeaning``\n", ""))
    monkeypatch.setattr(script, "TOP", copy)
    monkeypatch.setattr(script, "MODULES", {"Identity": [], "Explain": ["Identity"]})
    monkeypatch.setattr(sys, "argv", ["site", "--modules", str(MODULES), str(copy / "site")])
    with pytest.raises(SystemExit, match=r"^Explain\.md: ServerCodeMeaning is under no topic$"):
        script.main()


def test_a_folder_with_something_else_in_it_is_not_replaced(tmp_path):
    (tmp_path / "letter").write_text("dear")
    told = build(TOP, tmp_path)
    assert told.returncode == 1 and "name another folder" in told.stderr
    assert (tmp_path / "letter").read_text() == "dear"
