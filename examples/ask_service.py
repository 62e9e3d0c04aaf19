"""Questions to `supportcal serve`: python ask_service.py http://127.0.0.1:8421 [ARTEFACT] [TOKEN]"""

import json
import sys
from urllib.request import Request, urlopen

address, artefact, token = (sys.argv[1:] + [None, None])[:3]
questions = [
    {"id": "bees", "question": "What do bees make?", "options": ["honey", "silk", "milk"]},
    {"id": "scores", "logits": [1.5, 0.25, -2]},
]
body = {"questions": questions, **({"artefact": artefact} if artefact else {})}
headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
with urlopen(Request(f"{address}/v1/score", json.dumps(body).encode(), headers)) as response:
    for answer in json.load(response)["answers"]:
        if answer["status"] == "failed":
            print(f"{answer['id']}: {answer['reason']}")
        else:
            print(f"{answer['id']}: {answer['predictionLabel']}, confidence {answer['confidence']:.2f}")
