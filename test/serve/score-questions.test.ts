import { expect, it } from 'vitest';
import { scoreQuestions } from '../../src/serve/score-questions.js';
import { exampleArtefact } from '../pipeline/artefact/example-artefact.js';
import { serviceOf } from './service-of.js';

it('gives answers that need no model the id by which the model would answer', async () => {
  const { limits } = serviceOf().parts.settings;
  const withId = (id?: string | string[]) => ({
    name: 'chat/quiz',
    artefact: {
      ...exampleArtefact(),
      asking: {
        dataset: { fields: { ...(id && { id }), options: 'options' } },
        cells: {},
        frame: null,
        optionTokens: null,
      },
    },
    answerer: null,
  });
  const long = { options: Array(300).fill('x') };
  const ids = async (
    field: string | string[] | undefined,
    ...questions: Parameters<typeof scoreQuestions>[1][number][]
  ) => (await scoreQuestions(withId(field), questions, limits)).map(({ row }) => row.id);
  const logits = [1, 0, 0];
  expect(
    await ids('nr', { nr: 'a', id: 'x', logits }, { id: 'x', logits }, { id: '', logits }, { nr: 7, ...long }),
  ).toEqual(['a', 'x', '3', '7']);
  expect(await ids(['a', 'b'], { a: 1, b: 2, logits }, { a: 1, logits })).toEqual(['1/2', '2']);
  expect(await ids(undefined, { id: 9, logits }, long)).toEqual(['9', '2']);
});
