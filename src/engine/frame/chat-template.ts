import { SupportCalError } from '../../errors/supportcal-error.js';
import { runTemplate, TemplateBudgetFault } from './run-template.js';
import { openThought } from './thought-marks.js';

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
 * `model-load` when the template raises, takes more than its budget, drops or repeats the question, or opens a thought
 * all the same that the text at the start of the reply does not close.
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
  const thought = openThought(after + assistantPrefix);
  if (thought !== null) {
    throw refusal(
      `opens a thought (${thought.open}) although enable_thinking is false; the next token would not be an answer. ` +
        `Write \`assistantPrefix: "${thought.close}\\n\\n"\` to close it`,
    );
  }
  const trims = !render(template, ` ${SENTINEL} `, bosText, eosText).includes(` ${SENTINEL} `);
  return { before, after, trims };
}

function render(template: string, content: string, bosText: string, eosText: string): string {
  try {
    return runTemplate(template, {
      ...GLOBALS,
      messages: [{ role: 'user', content }],
      add_generation_prompt: true,
      enable_thinking: false,
      thinking: false,
      bos_token: bosText,
      eos_token: eosText,
    });
  } catch (error) {
    if (error instanceof TemplateBudgetFault) throw refusal(`${error.message} for a single user turn`, error);
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
};

function refusal(what: string, cause?: unknown): SupportCalError {
  return new SupportCalError(
    'model-load',
    `the chat template of the file (tokenizer.chat_template) ${what}. Otherwise use \`prompt: raw\` for this model, or a file with another ` +
      'template',
    { cause },
  );
}
