"""Questions and models unlike those of a fit, for bench/drift/run.sh: make_shifts.py MODEL.gguf DATASET.yaml OUT

Needs the Python packages gguf and numpy. Writes noise.jsonl (keyboard noise with the fields of the demo data sets), the
model with its matrices in Q8_0 and Q4_0, and the YAML of the data set with other label words.
"""
import json
import random
import string
import sys
from pathlib import Path

import gguf
import numpy as np


def noise(generator, length):
    return "".join(generator.choice(string.ascii_lowercase + "    ;,") for _ in range(length))


def write_noise(path, count=400):
    generator = random.Random(1)
    with open(path, "w") as file:
        for n in range(count):
            row = {"id": f"n{n}", "question": noise(generator, 40), "options": [noise(generator, 8) for _ in range(4)]}
            file.write(json.dumps(row) + "\n")


def value_of(field):
    kind = field.types[0]
    if kind == gguf.GGUFValueType.ARRAY:
        if field.types[1] == gguf.GGUFValueType.STRING:
            return [bytes(field.parts[i]).decode("utf8") for i in field.data]
        return [field.parts[i].tolist()[0] for i in field.data]
    if kind == gguf.GGUFValueType.STRING:
        return bytes(field.parts[-1]).decode("utf8")
    return field.parts[-1].tolist()[0]


def requantise(source, path, kind):
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(path, value_of(reader.fields["general.architecture"]))
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name in ("general.architecture", "general.file_type"):
            continue
        sub = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(name, value_of(field), field.types[0], sub)
    for tensor in reader.tensors:
        data = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        if data.ndim == 2 and data.shape[-1] % 32 == 0:
            writer.add_tensor(tensor.name, gguf.quants.quantize(data, kind), raw_dtype=kind)
        else:
            writer.add_tensor(tensor.name, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    model, dataset, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    write_noise(out / "noise.jsonl")
    for kind in (gguf.GGMLQuantizationType.Q8_0, gguf.GGMLQuantizationType.Q4_0):
        requantise(model, out / f"{kind.name}.gguf", kind)
    (out / "words").mkdir(exist_ok=True)
    text = dataset.read_text().replace("prompt:\n", "prompt:\n  optionLabels: digits\n", 1)
    (out / "words" / dataset.name).write_text(text)
