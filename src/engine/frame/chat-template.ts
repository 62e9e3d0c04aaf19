import { Environment, Interpreter, Template } from '@huggingface/jinja';
import { SupportCalError } from '../../errors/supportcal-error.js';

/** The text around the user's question in a rendered chat template. */
export interface RenderedTemplate {
  readonly before: string;
  readonly after: string;
  /** The template removes white space around the question. */
  readonly trims: boolean;
}

const SENTINEL = 'QXSUPPORTCALQUESTIONXQ';
/** Templates that print a date get this one: today's would change the logits from day to day. */
const FIXED_DATE = '26 Jul 2024';

/**
 * Renders one user turn and the header of the reply, in the non-thinking form where the template has one. The question
 * is rendered as a sentinel and cut out again, so that its text is never read as template or control token. Fails with
 * `model-load` when the template raises, drops or repeats the question, or opens a thought all the same that the text
 * at the start of the reply does not close.
 */
export function renderTemplate(
  template: string,
  bosText: string,
  eosText: string,
  assistantPrefix = '',
): RenderedTemplate {
  const rendered = render(template, SENTINEL, bosText, eosText);
  const pieces = rendered.split(SENTINEL);
  if (pieces.length !== 2) {
    throw refusal(`writes the question ${pieces.length - 1} times; expected once`);
  }
  const [before, after] = pieces as [string, string];
  const reply = after + assistantPrefix;
  if (reply.lastIndexOf('<think>') > reply.lastIndexOf('</think>')) {
    throw refusal(
      'opens a thought (<think>) although enable_thinking is false; the next token would not be an answer. ' +
        'Write `assistantPrefix: "</think>\\n\\n"` to close it',
    );
  }
  const trims = !render(template, ` ${SENTINEL} `, bosText, eosText).includes(` ${SENTINEL} `);
  return { before, after, trims };
}

function render(template: string, content: string, bosText: string, eosText: string): string {
  try {
    // Not Template.render: its built-in strftime_now is today's.
    const environment = new Environment();
    const values = {
      ...GLOBALS,
      messages: [{ role: 'user', content }],
      add_generation_prompt: true,
      enable_thinking: false,
      thinking: false,
      bos_token: bosText,
      eos_token: eosText,
    };
    for (const [name, value] of Object.entries(values)) environment.set(name, value);
    return String(new Interpreter(environment).run(new Template(template).parsed).value);
  } catch (error) {
    throw refusal(`fails on a single user turn: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

const GLOBALS = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  strftime_now: () => FIXED_DATE,
  raise_exception: (message: string) => {
    throw new Error(message);
  },
  range: (start: number, stop?: number, step = 1) => {
    const [from, to] = stop === undefined ? [0, start] : [start, stop];
    return Array.from({ length: Math.max(0, Math.ceil((to - from) / step)) }, (_, n) => from + n * step);
  },
};

function refusal(what: string, cause?: unknown): SupportCalError {
  return new SupportCalError(
    'model-load',
    `the chat template of the file ${what}. Otherwise use \`prompt: raw\` for this model, or a file with another ` +
      'template',
    { cause },
  );
}
