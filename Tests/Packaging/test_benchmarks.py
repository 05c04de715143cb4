"""Tests/benchmarks: its options and report, and one quick run."""

import json
import os
import subprocess
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PROGRAMS = os.environ.get("FOYER_BIN") or str(TOP / ".build/debug")


@pytest.fixture
def script():
    loader = SourceFileLoader("benchmarks_script", str(TOP / "Tests/benchmarks"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def run(*words):
    environment = os.environ | {"FOYER_BIN": PROGRAMS}
    return subprocess.run([TOP / "Tests/benchmarks", *words], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("words", [["--fast"], ["--only"], ["--only", "hit,none"], ["hit"], ["--json", "--readme"]])
def test_an_unknown_word_is_refused(words):
    told = run(*words)
    assert told.returncode == 2 and "usage: " in told.stderr and not told.stdout


# As numpy.percentile([10, 20, 30, 40], [50, 25, 75, 0, 100]).
@pytest.mark.parametrize("samples, values", [([40, 10, 30, 20], [25, 17.5, 32.5, 10, 40]), ([7], [7] * 5)])
def test_quartiles_between_two_samples_are_interpolated(script, samples, values):
    script.add("id", "name", samples, "MB")
    told = dict(zip(["median", "lowerQuartile", "upperQuartile", "least", "most"], values))
    assert script.FIGURES["id"] == {"id": "id", "name": "name", "unit": "MB", "runs": len(samples), **told}


def test_a_row_of_the_readme_has_medians_and_a_dash_for_what_was_not_measured(script):
    script.add("hit.true", "/bin/true", [1, 2, 0.5])
    script.add("hit.foyer", "foyer token", [4, 3, 5])
    lines = script.readme({"cores": 2, "processor": "Some CPU"}).splitlines()
    assert lines[2] == "| `foyer token`, cached | 4.00 ms | `/bin/true` 1.00 ms |"
    assert lines[4] == "| git credential, cached | – |  |"  # noqa: RUF001
    table = (TOP / "README.md").read_text().partition("| Medians on ")[2].partition("\n\n")[0].splitlines()
    assert [row.split(" | ")[0] for row in table[2:]] == [line.split(" | ")[0] for line in lines[2:]]


def test_a_quick_run_reports_figures_and_what_is_missing():
    report = json.loads(run("--quick", "--json", "--only", "hit").stdout)
    assert list(report) == ["machine", "versions", "quick", "figures", "notMeasured"]
    assert list(report["machine"]) == ["processor", "cores", "memoryGB", "kernel", "load"]
    figures = {figure["id"]: figure for figure in report["figures"]}
    assert {"hit.true", "hit.foyer", "hit.foyer/true", "hit.memory"} <= figures.keys() and report["versions"]["foyer"]
    assert figures["hit.true"]["runs"] == 20 and figures["hit.true"]["unit"] == "ms"
    assert ("hit.oidc-token" in figures) != ("oidc-token, hot agent" in report["notMeasured"])
