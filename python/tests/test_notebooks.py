"""Every cell of every notebook runs."""

import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.name)
def test_the_cells_run_in_order(file, capsys):
    names: dict[str, object] = {}
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), file.name, "exec"), names)
    assert "ECE" in capsys.readouterr().out
