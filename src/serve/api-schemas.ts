import { MAX_OPTIONS } from '../datasets/options/row-options.js';

/*
 * JSON Schemas of what is asked and answered: requests are checked by them, and the OpenAPI document is made of them.
 */

const logits = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: MAX_OPTIONS } as const;

const question = {
  type: 'object',
  description:
    'A question with the fields that the artefact names, such as `question` and `options`; or `logits`, one number for ' +
    'each option (logits or log-probabilities), in place of them. The answer has the id in the field that the artefact ' +
    'names for it, or else the one in `id`.',
  properties: { id: { type: ['string', 'number'] }, logits },
  additionalProperties: true,
} as const;

export const scoreRequest = {
  type: 'object',
  description: 'One question, or `questions`: several that are answered together, in their order.',
  properties: {
    artefact: { type: 'string', maxLength: 500, description: 'target/dataset; needed where several are served.' },
    questions: { type: 'array', items: question, minItems: 1 },
    ...question.properties,
  },
  additionalProperties: true,
} as const;

const answer = {
  type: 'object',
  description:
    '`status` is `abstain` where the confidence is below the threshold of the service: somebody else should answer; ' +
    '`failed` with a `reason` for a question of several that has no answer.',
  properties: {
    id: { type: 'string' },
    status: { type: 'string', enum: ['ok', 'abstain', 'failed'] },
    reason: { type: 'string' },
    prediction: { type: 'integer', description: 'Counted from 0; no temperature changes it.' },
    predictionLabel: { type: ['string', 'null'] },
    predictionText: { type: ['string', 'null'] },
    confidence: { type: 'number', description: 'Calibrated: of answers with 0.7, 7 in 10 should be right.' },
    rawConfidence: { type: 'number' },
    probabilities: { type: 'array', items: { type: 'number' } },
    otherModel: { type: 'boolean' },
    artefact: { type: 'string' },
  },
  additionalProperties: true,
} as const;

export const scoreResponse = {
  ...answer,
  properties: { ...answer.properties, answers: { type: 'array', items: answer } },
} as const;

export const completionRequest = {
  type: 'object',
  description: 'As for the server behind, which gets it without `supportcal` and with log-probabilities asked for.',
  properties: {
    stream: { type: 'boolean' },
    supportcal: {
      type: 'object',
      properties: {
        artefact: { type: 'string', maxLength: 500 },
        options: {
          anyOf: [
            { type: 'integer', minimum: 2, maximum: MAX_OPTIONS },
            {
              type: 'array',
              items: { type: 'string', minLength: 1, maxLength: 100 },
              minItems: 2,
              maxItems: MAX_OPTIONS,
            },
          ],
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: true,
} as const;

export const completionResponse = {
  type: 'object',
  description:
    'The reply of the server behind. Each choice has `supportcal`: `status` `ok` with `prediction`, `confidence`, ' +
    '`probabilities` by label and `optionMass`; or `unknown` with a `reason` and the `missing` options.',
  additionalProperties: true,
} as const;

export const fault = {
  type: 'object',
  properties: {
    error: { type: 'object', properties: { type: { type: 'string' }, message: { type: 'string' } } },
  },
} as const;
