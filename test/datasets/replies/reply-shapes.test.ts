import { describe, expect, it } from 'vitest';
import { parseReply } from '../../../src/datasets/replies/parse-reply.js';

const LABELS = ['A', 'B', 'C', 'D'];
const choices = { labels: LABELS, options: ['Paris', 'Rome', 'Oslo', 'Bonn'] };

type Said =
  | readonly [answer: string, confidence: number]
  | 'ambiguous'
  | 'no-answer'
  | 'no-confidence'
  | 'out-of-range';

/** Shapes of replies that small models write when nothing holds them to a form, and what they say. */
const SHAPES: ReadonlyArray<readonly [reply: string, said: Said]> = [
  // Ranges: the request's own scale, repeated, or a model that does not decide.
  ['{"answer": "A", "confidence": 0.5 to 100}', 'ambiguous'],
  ['{"answer": "A", "confidence": 0-100}', 'ambiguous'],
  ['{"answer": "A", "confidence": 0 to 100}', 'ambiguous'],
  ['{"answer": "A", "confidence": "0-100"}', 'ambiguous'],
  ['{"answer": "A", "confidence": "0 to 100"}', 'ambiguous'],
  ['{"answer": "A", "confidence": <0-100>}', 'ambiguous'],
  ['{"answer": "A", "confidence": "80-90%"}', 'ambiguous'],
  ['Answer: A\nConfidence: 0-100', 'ambiguous'],
  ['Answer: A\nConfidence: 85 or 90', 'ambiguous'],
  ['Answer: A\nConfidence: between 20 and 80', 'ambiguous'],
  ['Answer: A\nConfidence: from 20 to 80', 'ambiguous'],
  ['Answer: A\nConfidence: 70–80%', 'ambiguous'],
  ['Answer: A\nConfidence: 70% - 80%', 'ambiguous'],
  ['Answer: A\nConfidence: 70%-80%', 'ambiguous'],
  ['Answer: A\nConfidence: 70 ~ 80', 'ambiguous'],
  ['Answer: A\nConfidence: 80 ± 5', 'ambiguous'],
  ['Answer: A\nConfidence: 80 and 90', 'ambiguous'],
  ['Answer: A\nConfidence: 80/90', 'ambiguous'],
  ['Answer: A\nConfidence: 0..100', 'ambiguous'],
  ['A. 85-90%', 'ambiguous'],
  ['A, I am 80 to 90 percent confident.', 'ambiguous'],
  // Bounds.
  ['Answer: A\nConfidence: at least 80', 'ambiguous'],
  ['Answer: A\nConfidence: > 80%', 'ambiguous'],
  ['Answer: A\nConfidence: 80+', 'ambiguous'],
  ['Answer: A\nConfidence: less than 50%', 'ambiguous'],
  // A decimal comma, and several numbers.
  ['Answer: A\nConfidence: 0,85', 'ambiguous'],
  ['Answer: A\nConfidence: 80, 90', 'ambiguous'],
  // Several answers.
  ['{"answer": "A|B|C|D", "confidence": 50}', 'no-answer'],
  ['Answer: A/B\nConfidence: 50', 'ambiguous'],
  ['Answer: A, B\nConfidence: 50', 'ambiguous'],
  ['Answer: A-D\nConfidence: 50', 'ambiguous'],
  ['Answer: (A) or (B)\nConfidence: 50', 'ambiguous'],
  ['A & C, 50%', 'no-answer'],
  ['Answer: <letter>\nConfidence: <number>', 'no-answer'],
  // The scale beside the number is not the number.
  ['Answer: A\nConfidence (0-100): 85', ['A', 85]],
  ['Answer: A\nConfidence (0 to 100): 85', ['A', 85]],
  ['Answer: A\nConfidence [0-100%]: 85%', ['A', 85]],
  ['Answer: A\nConfidence 0-100: 85', ['A', 85]],
  ['Answer: A\nConfidence from 0 to 100: 85', ['A', 85]],
  ['Answer: A\nConfidence: 85 on a scale of 0 to 100', ['A', 85]],
  ['Answer: A\nOn a scale from 0 to 100, my confidence is 85.', ['A', 85]],
  ['Answer: A\nConfidence: 0.85 (on a 0-1 scale)', ['A', 85]],
  ['Answer: A\nConfidence: 85 out of 100', ['A', 85]],
  ['Answer: A\nConfidence: 85/100', ['A', 85]],
  // What is no range.
  ['Answer: A\nConfidence: 85\n- 2 reasons follow', ['A', 85]],
  ['Answer: A\nConfidence: 85 - I am sure', ['A', 85]],
  ['Answer: A\nConfidence: 85.', ['A', 85]],
  ['Answer: A\nConfidence: 85, because it is so', ['A', 85]],
  ['Answer: A\nConfidence: about 85%', ['A', 85]],
  ['Answer: A - the first of them\nConfidence: 85', ['A', 85]],
  ['A, with 85% confidence', ['A', 85]],
  ['**Answer**: A\n**Confidence**: 85%', ['A', 85]],
  ['Answer: A\nConfidence: -85', 'out-of-range'],
  ['Answer: A\nConfidence: high', 'no-confidence'],
  ['{"answer": "A", "confidence": [80, 90]}', 'no-confidence'],
];

describe('parseReply, by shapes of small models', () => {
  it.each(SHAPES)('%j', (reply, said) => {
    const { verdict, answer, confidence } = parseReply(reply, choices);
    expect(verdict === 'parsed' ? [LABELS[answer], confidence] : verdict).toEqual(said);
  });
});
