import type { ArrowColumn, ArrowColumns } from '../../arrow/arrow-column.js';
import type { ModelRow } from '../../contract/scored-row.js';
import { takeItems, takeNumbers } from './take-columns.js';

/**
 * What models wrote, column by column; row n is row n of the table. A failed row has the text null and -1 everywhere.
 */
export interface ReplyColumns {
  readonly texts: ReadonlyArray<string | null>;
  /** The verdict of `parseReply`; null in a failed row. */
  readonly verdicts: ReadonlyArray<string | null>;
  /** 0-based option; -1: none. */
  readonly answers: Int32Array;
  /** In [0, 100]; NaN: none. */
  readonly confidences: Float64Array;
  readonly seeds: Int32Array;
  readonly replyTokens: Int32Array;
  /** `ReplyRow.allowedMass`; NaN where it is unknown. Entries of before it was kept lack the column. */
  readonly allowedMasses: Float64Array;
}

/** The columns of rows among which there are replies; null where there are none. */
export function replyColumns(rows: readonly ModelRow[]): ReplyColumns | null {
  if (!rows.some((row) => row.status === 'replied')) return null;
  const replies = rows.map((row) => (row.status === 'replied' ? row : null));
  return {
    texts: replies.map((row) => (row === null ? null : Buffer.from(row.text, 'utf8').toString('utf8'))),
    verdicts: replies.map((row) => row?.parsed?.verdict ?? null),
    answers: Int32Array.from(replies, (row) => row?.parsed?.answer ?? -1),
    confidences: Float64Array.from(replies, (row) => row?.parsed?.confidence ?? Number.NaN),
    seeds: Int32Array.from(replies, (row) => row?.seed ?? -1),
    replyTokens: Int32Array.from(replies, (row) => row?.replyTokens ?? -1),
    allowedMasses: Float64Array.from(replies, (row) => row?.allowedMass ?? Number.NaN),
  };
}

/** Tables one after the other; one without replies (all its rows failed) has none in its rows. */
export function joinReplies(
  tables: ReadonlyArray<{ readonly ids: readonly string[]; readonly replies?: ReplyColumns }>,
): { replies?: ReplyColumns } {
  if (tables.every(({ replies }) => replies === undefined)) return {};
  const parts = tables.map(({ ids, replies }) => replies ?? noReplies(ids.length));
  const decimals = (field: 'confidences' | 'allowedMasses') =>
    Float64Array.from(parts.flatMap((part) => Array.from(part[field])));
  const numbers = <F extends 'answers' | 'seeds' | 'replyTokens'>(field: F) =>
    Int32Array.from(parts.flatMap((part) => Array.from(part[field])));
  return {
    replies: {
      texts: parts.flatMap(({ texts }) => texts),
      verdicts: parts.flatMap(({ verdicts }) => verdicts),
      answers: numbers('answers'),
      confidences: decimals('confidences'),
      allowedMasses: decimals('allowedMasses'),
      seeds: numbers('seeds'),
      replyTokens: numbers('replyTokens'),
    },
  };
}

function noReplies(count: number): ReplyColumns {
  const none = new Int32Array(count).fill(-1);
  const nulls = Array.from({ length: count }, () => null);
  const unknown = new Float64Array(count).fill(Number.NaN);
  const numbers = { answers: none, seeds: none, replyTokens: none, confidences: unknown, allowedMasses: unknown };
  return { texts: nulls, verdicts: nulls, ...numbers };
}

export function takeReplies(replies: ReplyColumns, indexes: Int32Array): ReplyColumns {
  return {
    texts: takeItems(replies.texts, indexes),
    verdicts: takeItems(replies.verdicts, indexes),
    answers: takeNumbers(replies.answers, indexes),
    confidences: takeNumbers(replies.confidences, indexes),
    seeds: takeNumbers(replies.seeds, indexes),
    replyTokens: takeNumbers(replies.replyTokens, indexes),
    allowedMasses: takeNumbers(replies.allowedMasses, indexes),
  };
}

export function replyArrowColumns(replies: ReplyColumns): Record<string, ArrowColumn> {
  const { confidences, allowedMasses } = replies;
  return {
    reply: { type: 'utf8', values: replies.texts },
    verdict: { type: 'utf8', values: replies.verdicts },
    answer: { type: 'int32', values: replies.answers },
    confidence: decimalColumn(confidences),
    seed: { type: 'int32', values: replies.seeds },
    replyTokens: { type: 'int32', values: replies.replyTokens },
    // A file of free text is what it was before there was this column.
    ...(!allowedMasses.every(Number.isNaN) && { allowedMass: decimalColumn(allowedMasses) }),
  };
}

function decimalColumn(values: Float64Array): ArrowColumn {
  return {
    type: 'float64',
    values: values.map((value) => (Number.isNaN(value) ? 0 : value)),
    nulls: Uint8Array.from(values, (value) => (Number.isNaN(value) ? 1 : 0)),
  };
}

function decimalsOf({ values, nulls }: Extract<ArrowColumn, { type: 'float64' }>): Float64Array {
  return values.map((value, n) => (nulls?.[n] === 1 ? Number.NaN : value));
}

export const REPLY_COLUMNS: ReadonlySet<string> = new Set(
  'reply verdict answer confidence seed replyTokens allowedMass'.split(' '),
);

/** null where the file has no replies. Throws with a plain reason when one of their columns is missing. */
export function repliesOf(columns: ArrowColumns): ReplyColumns | null {
  const { reply, verdict, answer, confidence, seed, replyTokens, allowedMass } = columns;
  if (reply === undefined) return null;
  if (reply.type !== 'utf8' || verdict?.type !== 'utf8') throw new Error('its texts of replies are not as expected');
  if (answer?.type !== 'int32' || seed?.type !== 'int32' || replyTokens?.type !== 'int32')
    throw new Error('its answer, seed or replyTokens is missing');
  if (confidence?.type !== 'float64') throw new Error('its confidence is missing');
  if (allowedMass !== undefined && allowedMass.type !== 'float64')
    throw new Error('its allowedMass is not as expected');
  const unknown = () => new Float64Array(reply.values.length).fill(Number.NaN);
  return {
    texts: reply.values,
    verdicts: verdict.values,
    answers: answer.values,
    confidences: decimalsOf(confidence),
    seeds: seed.values,
    replyTokens: replyTokens.values,
    allowedMasses: allowedMass === undefined ? unknown() : decimalsOf(allowedMass),
  };
}

export function sameReplies(a: ReplyColumns | undefined, b: ReplyColumns | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const fields = ['texts', 'verdicts', 'answers', 'confidences', 'seeds', 'replyTokens', 'allowedMasses'] as const;
  return fields.every((field) => {
    const [left, right]: [ArrayLike<unknown>, ArrayLike<unknown>] = [a[field], b[field]];
    return left.length === right.length && Array.from(left).every((value, n) => Object.is(value, right[n]));
  });
}
