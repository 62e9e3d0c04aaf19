import { expect, test } from 'vitest';
import { SupportCalError } from '../../src/errors/supportcal-error.js';
import { renderReport } from '../../src/report/render-report.js';
import { parseDiagnostics, parseResults, stringifyResults } from '../../src/results/parse-results.js';
import type { ReportInput } from '../../src/results/report-input.js';
import type { Results } from '../../src/results/results-schema.js';
import { exampleDiagnostics, exampleResults } from '../report/example-results.js';

const small = { datasets: ['d'], targets: ['t-chat'], seeds: [1, 2] };

function withoutFinite(): Results {
  return exampleResults(small, (run) => {
    if (run.method === 'daca') {
      return { ...run, temperature: null, temperatureKind: 'infinite', temperatureReason: 'margin is not positive' };
    }
    if (run.method !== 'full-kl' || run.seed !== 1) return run;
    return { ...run, temperature: null, temperatureKind: 'none', temperatureReason: 'no agreement', ece: null };
  });
}

function faultsOf(action: () => unknown): SupportCalError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(SupportCalError);
    return error as SupportCalError;
  }
  throw new Error('expected an error');
}

test('infinite and missing temperatures survive the round trip and give the same report', () => {
  const results = withoutFinite();
  const diagnostics = exampleDiagnostics(small);
  const again = parseResults(stringifyResults(results), 'results.json');
  const diagnosticsAgain = parseDiagnostics(stringifyResults(diagnostics), 'diagnostics.json');
  expect(again).toEqual(results);
  const report = (from: Pick<ReportInput, 'results' | 'diagnostics'>) =>
    renderReport({ ...from, examples: null, answers: null, manifest: null });
  expect(report({ results: again, diagnostics: diagnosticsAgain })).toEqual(report({ results, diagnostics }));
});

test('all faulty fields are reported together, by path and file', () => {
  const results = JSON.parse(stringifyResults(exampleResults(small))) as { runs: Record<string, unknown>[] };
  results.runs[0]!.ece = 'high';
  delete results.runs[3]!.target;
  const error = faultsOf(() => parseResults(JSON.stringify(results), 'out/results.json'));
  expect(error.code).toBe('bad-input');
  expect(error.faults.map((fault) => [fault.file, fault.field])).toEqual([
    ['out/results.json', 'runs.0.ece'],
    ['out/results.json', 'runs.3.target'],
  ]);
  expect(error.faults[0]!.message).toContain('expected number');
});

test('a temperature that contradicts its kind is a fault', () => {
  const results = exampleResults(small);
  results.runs[0]!.temperatureKind = 'infinite';
  results.runs[1]!.temperature = null;
  const error = faultsOf(() => parseResults(JSON.stringify(results), 'results.json'));
  expect(error.faults.map((fault) => fault.field)).toEqual(['runs.0.temperature', 'runs.1.temperature']);
});

test('a file that is no JSON, cut off or of another version is refused by name', () => {
  const text = stringifyResults(exampleResults(small));
  for (const broken of ['', 'NaN', text.slice(0, -40), 'null', '[]']) {
    expect(faultsOf(() => parseResults(broken, 'r.json')).file).toBe('r.json');
  }
  const error = faultsOf(() => parseResults(text.replace('"schemaVersion": 1', '"schemaVersion": 2'), 'r.json'));
  expect(error.faults).toHaveLength(1);
  expect(error.message).toContain('expected 1, found 2');
});

test('a number that JSON cannot hold is refused at writing', () => {
  const results = exampleResults(small);
  results.runs[2]!.ece = Number.NaN;
  const error = faultsOf(() => stringifyResults(results));
  expect([error.code, error.field]).toEqual(['internal', 'runs.2.ece']);
  const diagnostics = exampleDiagnostics(small);
  diagnostics.models[0]!.medianOptionMass = Number.POSITIVE_INFINITY;
  expect(faultsOf(() => stringifyResults(diagnostics)).field).toBe('models.0.medianOptionMass');
});

test('numbers of a file from elsewhere that no run writes are refused, each by field and value', () => {
  const fieldsAndValues = (alter: (results: Results) => void) => {
    const results = structuredClone(exampleResults(small));
    alter(results);
    const error = faultsOf(() => parseResults(JSON.stringify(results), 'r.json'));
    expect(error.code).toBe('bad-input');
    return error.faults.map(({ field, message }) => `${field}: ${/found (\S+)$/.exec(message)?.[1]}`);
  };
  const found = fieldsAndValues(({ runs: [run], summary: [cell], macro: [mean] }) => {
    Object.assign(run!, { calibrationCount: 1e15, combinationSize: -1, accuracy: 58, auroc: -1e9, coverage: 1e99 });
    Object.assign(cell!, { eceMeanPp: 5e-324, eceSePp: -0.5, seeds: 1e13, calibratedPValue: 50 });
    Object.assign(mean!, { eceMeanPp: 4000, targets: -3 });
  });
  expect(found.sort()).toEqual([
    'macro.0.eceMeanPp: 4000',
    'macro.0.targets: -3',
    'runs.0.accuracy: 58',
    'runs.0.auroc: -1000000000',
    'runs.0.calibrationCount: 1000000000000000',
    'runs.0.combinationSize: -1',
    'runs.0.coverage: 1e+99',
    'summary.0.calibratedPValue: 50',
    'summary.0.eceMeanPp: 5e-324',
    'summary.0.eceSePp: -0.5',
    'summary.0.seeds: 10000000000000',
  ]);
  expect(fieldsAndValues(({ runs: [run] }) => Object.assign(run!, { nll: 1e308 }))).toEqual(['runs.0.nll: 1e+308']);
  const [temperature] = faultsOf(() =>
    parseResults(JSON.stringify(exampleResults(small, (run) => ({ ...run, temperature: 5e-324 }))), 'r.json'),
  ).faults;
  expect(temperature).toMatchObject({ field: 'runs.0.temperature', message: expect.stringMatching(/found 5e-324$/) });
});

test('numbers at the edge of what an honest run writes are taken', () => {
  const results = exampleResults(small, (run) => ({
    ...run,
    // A sure and right model: its squares vanish, its loss too; the sum of shares is off by its rounding.
    brier: 5e-324,
    nll: 1e-300,
    accuracy: 1.0000000000000002,
    debiasedEce: -0.03,
    excessAurc: -1e-17,
    temperature: 1e-90,
    calibrationCount: 3_000_000,
    combinationSize: 60,
    fitResidual: 0,
  }));
  expect(parseResults(stringifyResults(results), 'r.json')).toEqual(results);
});

test('a diagnostics file with bins or counts that no run writes is refused by field and value', () => {
  const diagnostics = exampleDiagnostics(small);
  diagnostics.reliability[0]!.bins[0]!.count = -1;
  diagnostics.reliability[0]!.bins[1]!.upper = 1e15;
  const { faults } = faultsOf(() => parseDiagnostics(JSON.stringify(diagnostics), 'd.json'));
  expect(faults.map(({ field }) => field)).toEqual(['reliability.0.bins.0.count', 'reliability.0.bins.1.upper']);
  expect(faults[0]!.message).toMatch(/found -1$/);
});
