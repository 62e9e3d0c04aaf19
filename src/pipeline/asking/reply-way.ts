import type { ScoreTable } from '../../cache/table/score-table.js';
import type { SampledReplies } from '../../calibration/answers/aggregate-replies.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import { type ReplySettings, renderElicitation } from '../../datasets/prompts/render-elicitation.js';
import { HELD_REPLY_RULES, parseReply, REPLY_RULES } from '../../datasets/replies/parse-reply.js';
import { REQUEST_TOKENS } from './estimated-work.js';
import { methodsNeeding } from './methods-needing.js';
import { replySection } from './reply-section.js';
import { exampleOfRow, joinById, renderForTargets } from './target-requests.js';
import type { ExpectedReplies, FinishRows, RenderInput, WayOfAsking } from './way-of-asking.js';

type Settings = SuitePlan['elicitation'];

/** How the replies of one way are drawn. */
interface ReplyWay {
  readonly name: string;
  /** What the answer methods get them as. */
  readonly input: 'elicited' | 'elicitedSamples';
  readonly sampling: (settings: Settings) => Pick<ReplySettings, 'samples' | 'temperature' | 'seed'>;
}

/** A JSON reply that is held to the grammar: 9 to 14 tokens in the vocabularies of Llama 3, Qwen 2 and Llama 2. */
const JSON_REPLY_TOKENS = 13;

/** A way of asking in which the model writes its answer and its confidence. */
export function replyWay({ name, input, sampling }: ReplyWay): WayOfAsking {
  const replies = (settings: Settings): ExpectedReplies => {
    const { maxTokens, structured } = settings;
    const tokens = structured === 'grammar' ? Math.min(JSON_REPLY_TOKENS, maxTokens) : maxTokens;
    const { samples, temperature } = sampling(settings);
    return { samples, tokens, temperature };
  };
  return {
    name,
    asks: 'targets',
    methodsNeeding: (methods) => methodsNeeding(name, methods),
    render: (given) => render(given, sampling(given.suite.elicitation)),
    // Replies are kept as they were read, so the rules that they were read by count.
    scoringMode: (_scoring, prompts) => {
      const held = prompts.every(({ reply }) => reply !== undefined && reply.form !== null);
      // Which number draws which token changed with the order that they are drawn in.
      const drawn = prompts.some(({ reply }) => reply?.form === null && reply.temperature > 0);
      return `${name} rules ${held ? HELD_REPLY_RULES : REPLY_RULES}${drawn ? ', drawn unsorted' : ''}`;
    },
    importable: false,
    missingBesideImport: 'its scores were imported, so it cannot be asked for replies',
    facts: {},
    finishRows: replyReader,
    replies,
    estimate: ({ rows, promptTokens, longest }, settings) => {
      const { samples, tokens } = replies(settings);
      return {
        evaluatedTokens: rows * (promptTokens + REQUEST_TOKENS),
        generatedTokens: rows * samples * tokens,
        longest: longest + REQUEST_TOKENS + tokens,
        rows: rows * samples,
        replies: rows * samples,
      };
    },
    answers: {
      label: name,
      noun: 'replies',
      join: joinById,
      inputs: ({ table }, rows) => ({ [input]: samplesOf(exampleOfRow(rows), table) }),
    },
    section: replySection,
  };
}

function render(input: RenderInput, sampling: ReturnType<ReplyWay['sampling']>) {
  const { dataset, spec, suite } = input;
  const { maxTokens, structured, prompt = null } = suite.elicitation;
  return renderForTargets(input, (target, variant) => {
    const instruction = target.elicitationPrompt ?? spec.yaml.elicitation?.prompt ?? prompt;
    const settings = { instruction, maxTokens, structured, ...sampling };
    return renderElicitation({ dataset, spec, variant, frame: target.prompt }, settings);
  });
}

/** Reads every reply by the labels and options of its own example. */
function replyReader(prompts: readonly ExamplePrompt[]): FinishRows {
  const promptOf = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  const read = (row: ModelRow): ModelRow => {
    if (row.status !== 'replied') return row;
    const { continuations: labels = [], reply } = promptOf.get(row.id) ?? {};
    return { ...row, parsed: parseReply(row.text, { labels, options: reply?.options ?? [] }, row.ended) };
  };
  return async (rows) => rows.map(read);
}

/** Rows are named `<example>#<sample>`; a sample that failed has no answer. */
function samplesOf(ids: readonly string[], table: ScoreTable): SampledReplies {
  const rows = new Map<string, number[]>();
  for (const [row, id] of table.ids.entries()) {
    const example = id.slice(0, id.lastIndexOf('#'));
    rows.set(example, [...(rows.get(example) ?? []), row]);
  }
  const ofExample = ids.map((id) => rows.get(id) ?? []);
  return {
    answers: ofExample.map((each) => Int32Array.from(each, (row) => table.replies?.answers[row] ?? -1)),
    confidences: ofExample.map((each) =>
      Float64Array.from(each, (row) => (table.replies?.confidences[row] ?? 0) / 100),
    ),
  };
}
