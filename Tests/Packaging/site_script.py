"""The functions of .packaging/site, which has no name that Python could import."""

import os
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("FOYER_BIN") or TOP / ".build/debug") / "Modules"


def load():
    loader = SourceFileLoader("site_script_of_packaging", str(TOP / ".packaging/site"))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
