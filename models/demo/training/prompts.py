"""The exact prompts of the demo models: one function each, used by post-training, measurement and fixtures."""
from layouts import LETTERS, raw_prompt

BOS, TURN, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
ASK_JSON = 'Reply with JSON: {"answer": letter, "confidence": 0 to 100}.'


def chat(content):
    """One user turn and the opening of the assistant's, as the chat template renders it (without BOS)."""
    return f"{TURN}user\n{content}{END}\n{TURN}assistant\n"


def letter_prompts(question, options):
    """{format: (prompt, what comes before the letter)}; `chat` is the raw prompt as a user message."""
    raw = raw_prompt(question, options)
    return {"raw": (raw, " "), "chat": (chat(raw), ""), "chat-bare": (chat(raw.removesuffix("\nAnswer:")), "")}


def json_prompts(question, options):
    """{format: (prompt, what comes before the JSON object)}"""
    ask = f"{_listed(question, options)}\n\n{ASK_JSON}"
    return {"raw": (ask + "\nReply:", " "), "raw-bare": (ask, "\n"), "chat": (chat(ask), "")}


def truth_prompts(question, options, candidate):
    """{format: (prompt, what comes before yes or no)}; `candidate` is the index of the proposed option."""
    ask = f"{_listed(question, options)}\n\nIs the answer {LETTERS[candidate]} right? Reply yes or no."
    return {"raw": (ask + "\nReply:", " "), "chat": (chat(ask), "")}


def json_reply(letter, confidence):
    """The structured answer with a verbalised confidence."""
    return f'{{"answer": "{letter}", "confidence": {confidence}}}'


def _listed(question, options):
    return raw_prompt(question, options).removesuffix("\nAnswer:")
