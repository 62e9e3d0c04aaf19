/** Texts between which a model thinks before it answers. */
export interface ThoughtMark {
  readonly open: string;
  readonly close: string;
}

/** What marks a thought in templates that do not write a tag with one of the words below. */
const MARKS: ReadonlyArray<{ readonly open: string; readonly closes: readonly [string, ...string[]] }> = [
  // gpt-oss; the answer stands in the channel `final`.
  { open: '<|channel|>analysis', closes: ['<|end|>', '<|channel|>final'] },
  // Gemma 4 and 3n.
  { open: '<|channel>thought', closes: ['<channel|>'] },
  { open: '<unused94>', closes: ['<unused95>'] },
  // Granite 3.2 and 3.3, which head the two parts of a reply in words.
  { open: 'Here is my thought process:', closes: ['Here is my response:'] },
];

/**
 * Tags around a thought: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `<seed:think>`, `<longcat_think>`,
 * `<reasoning_content>`, `<|thinking|>`, `<|reasoning_start|>`, `<|START_THINKING|>`,
 * `<|begin_of_thought|>`, `[THINK]`, `◁think▷`; `<no_think>` is none.
 */
const TAG =
  /(<\|?|\[|◁|｜)(?!no)((?:(?!end[_-])\w+[:_-])?(?:think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad|monologue|cot)(?:[_-](?:content|process|start|begin))?)(\|?>|\]|▷|｜)/giu;

/** The thought that a text opens and does not close, or null. */
export function openThought(text: string): ThoughtMark | null {
  const found = [...MARKS, ...tagsIn(text)].flatMap(({ open, closes }) => {
    const at = text.lastIndexOf(open);
    const closed = closes.some((close) => text.lastIndexOf(close) > at);
    return at < 0 || closed ? [] : [{ at, mark: { open, close: closes[0] } }];
  });
  return found.sort((a, b) => b.at - a.at)[0]?.mark ?? null;
}

function tagsIn(text: string): { open: string; closes: [string] }[] {
  return [...text.matchAll(TAG)].map(([open, left = '', name = '', right = '']) => ({
    open,
    closes: [left + closing(name) + right],
  }));
}

/** `<|reasoning_start|>` is closed by `<|reasoning_end|>`, `<think>` by `</think>`. */
function closing(name: string): string {
  const end = name.replace(/^(start|begin)(?=[_-])|(?<=[_-])(start|begin)$/i, (word) =>
    word === word.toUpperCase() ? 'END' : 'end',
  );
  return end === name ? `/${name}` : end;
}
