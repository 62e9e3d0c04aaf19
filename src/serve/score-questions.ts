import { applyTemperature } from '../core/apply-temperature.js';
import { givenId } from '../datasets/fields/given-id.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { RowObject } from '../formats/row/source-row.js';
import { answerQuestion } from '../pipeline/predict/answer-question.js';
import type { AnsweredRow } from '../pipeline/predict/artefact-answerer.js';
import type { PredictedRow } from '../pipeline/predict/prediction-line.js';
import { HttpFault } from './http-fault.js';
import type { ServedArtefact } from './served-artefacts.js';
import { MOST_OPTIONS, type ServiceLimits } from './service-settings.js';

/** The body of `POST /v1/score`: one question, or several. A question has `logits`, or fields of the data set. */
export type ScoreRequest = RowObject & {
  readonly artefact?: string;
  readonly questions?: readonly RowObject[];
};

/** The questions of a request, in their order. */
export function questionsOf({ artefact: _, questions, ...single }: ScoreRequest, limits: ServiceLimits): RowObject[] {
  if (questions === undefined) return [single as RowObject];
  if (questions.length <= limits.questions) return [...questions];
  throw new HttpFault(413, 'request', `${questions.length} questions; one request may have ${limits.questions}`);
}

/** Answers the questions of one request; those with logits at once, the others by the model. */
export async function scoreQuestions(
  served: ServedArtefact,
  questions: readonly RowObject[],
  limits: ServiceLimits,
): Promise<AnsweredRow[]> {
  const answered: (AnsweredRow | null)[] = questions.map(
    (question, n) =>
      tooManyOptions(served, question, n) ?? (question.logits === undefined ? null : fromLogits(served, question, n)),
  );
  const asked = questions.flatMap((values, n) => (answered[n] === null ? [{ values, number: n + 1 }] : []));
  const byModel = (asked.length === 0 ? [] : await fromModel(served, asked, limits)).values();
  return answered.map((row) => {
    const found = row ?? byModel.next().value;
    if (found === undefined) throw new SupportCalError('internal', 'a question got no answer');
    return found;
  });
}

async function fromModel(
  { answerer, name }: ServedArtefact,
  questions: ReadonlyArray<{ readonly values: RowObject; readonly number: number }>,
  limits: ServiceLimits,
) {
  if (answerer === null)
    throw new HttpFault(
      409,
      'model',
      `no model is loaded for ${name}: bring \`logits\`, or start with --model FILE.gguf`,
    );
  if (answerer.model.waiting() + questions.length > limits.waiting)
    throw new HttpFault(503, 'busy', `${answerer.model.waiting()} questions wait already; ask again in a moment`);
  return answerer.answer(questions);
}

function fromLogits(served: ServedArtefact, question: RowObject, n: number): AnsweredRow {
  const { artefact, abstainBelow } = served;
  const id = idOf(served, question, n);
  const logits = question.logits as unknown as readonly number[];
  const { optionLabels } = artefact;
  try {
    // Wrong logits are refused here with their place.
    applyTemperature(logits, artefact.inverseTemperature);
  } catch (error) {
    if (error instanceof SupportCalError) return failed(id, error.message);
    throw error;
  }
  const labels = optionLabels !== null && optionLabels.length >= logits.length ? optionLabels : null;
  const row = answerQuestion(
    artefact,
    { id, labels, options: null },
    logits,
    abstainBelow === undefined ? {} : { abstainBelow },
  );
  return { row, logits, optionMass: Number.NaN, promptTokens: 0 };
}

function tooManyOptions(served: ServedArtefact, question: RowObject, n: number): AnsweredRow | null {
  const long = Object.entries(question).find(([, value]) => Array.isArray(value) && value.length > MOST_OPTIONS);
  if (long === undefined) return null;
  const count = (long[1] as readonly unknown[]).length;
  const reason = `${long[0].slice(0, 100)}: ${count} values, more than the ${MOST_OPTIONS} allowed`;
  return failed(idOf(served, question, n), reason);
}

/** What an answer goes by, whether or not the model gives it. */
function idOf({ artefact }: ServedArtefact, values: RowObject, n: number): string {
  const { id = [] } = (artefact.asking?.dataset.fields ?? {}) as { readonly id?: string | readonly string[] };
  return givenId({ values, number: n + 1, line: undefined }, [id].flat()).id;
}

function failed(id: string, reason: string): AnsweredRow {
  return {
    row: { id, status: 'failed', reason } satisfies PredictedRow,
    logits: null,
    optionMass: Number.NaN,
    promptTokens: 0,
  };
}
