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
  // Command A, Aya and others of Cohere.
  { open: '<|START_THINKING|>', closes: ['<|END_THINKING|>'] },
  // Sky-T1, OpenThinker, Bespoke.
  { open: '<|begin_of_thought|>', closes: ['<|end_of_thought|>'] },
  { open: '<|begin_of_thinking|>', closes: ['<|end_of_thinking|>'] },
];

/**
 * Tags around a thought: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `<seed:think>`, `<|thinking|>`,
 * `[THINK]`, `◁think▷`.
 */
const TAG =
  /(<\|?|\[|◁|｜)((?:\w+:)?(?:think|thinking|thoughts?|reason|reasoning|reflection|analysis|scratchpad|cot))(\|?>|\]|▷|｜)/giu;

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
    closes: [`${left}/${name}${right}`],
  }));
}
