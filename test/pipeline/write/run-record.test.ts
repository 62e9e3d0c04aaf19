import { expect, test } from 'vitest';
import { recordRun } from '../../../src/pipeline/write/run-record.js';

const facts = {} as never;

test('a stage lasts until the next one begins, the last one until it is asked for', () => {
  let clock = 0;
  const { events, record } = recordRun({}, () => clock);
  events.onStage?.('load');
  clock = 1500;
  events.onStage?.('calibrate');
  clock = 1750;
  expect(record().stages).toEqual([
    { stage: 'load', seconds: 1.5 },
    { stage: 'calibrate', seconds: 0.25 },
  ]);
});

test('rows, tokens and seconds of loaded models are kept, and every event is handed on', () => {
  const heard: string[] = [];
  const { events, record } = recordRun({
    onStage: () => heard.push('stage'),
    onScoringPlan: () => heard.push('plan'),
    onRows: () => heard.push('rows'),
    onModelEnd: () => heard.push('end'),
    onLog: () => heard.push('log'),
  });
  events.onStage?.('score');
  events.onScoringPlan?.({ toScore: 30, cached: 10, costs: new Map() });
  events.onRows?.('m', 'd', 12, 600);
  events.onRows?.('m', 'e', 18, 900);
  events.onModelEnd?.({ kind: 'done', model: 'm', facts, seconds: 3, tokens: 1500 });
  events.onModelEnd?.({ kind: 'failed', model: 'n', reason: 'gone' });
  events.onLog?.('warn', 'x');
  expect(heard).toEqual(['stage', 'plan', 'rows', 'rows', 'end', 'end', 'log']);
  expect(record().rows).toEqual({ toScore: 30, cached: 10 });
  expect(record().models).toEqual([{ model: 'm', rows: 30, tokens: 1500, seconds: 3 }]);
});

test('a calibration alone has asked no model', () => {
  const { events, record } = recordRun({});
  events.onStage?.('load');
  expect(record()).toMatchObject({ rows: null, models: [] });
});
