import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Files and tests that are listed. */
const COUNT = 10;
/** A run of a few quick files says nothing about them. */
const LEAST_SECONDS = 5;

interface Timed {
  readonly name: string;
  readonly milliseconds: number;
}

/** Says at the end of a run which files and which tests took longest, by the clock. */
export class SlowestReporter implements Reporter {
  constructor(private readonly write: (text: string) => void = (text) => void process.stdout.write(text)) {}

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const tests = [...module.children.allTests()].map((test) => ({
        name: `${fileOf(module)}: ${test.fullName}`,
        milliseconds: test.diagnostic()?.duration ?? 0,
      }));
      // Includes what hooks take before and between the tests.
      return { name: fileOf(module), milliseconds: module.diagnostic().duration, tests };
    });
    if (files.reduce((sum, { milliseconds }) => sum + milliseconds, 0) < 1000 * LEAST_SECONDS) return;
    this.write(
      `\n${table('Slowest files', files)}\n${table(
        'Slowest tests',
        files.flatMap(({ tests }) => tests),
      )}\n`,
    );
  }
}

const fileOf = ({ moduleId }: TestModule): string => path.relative(path.resolve(import.meta.dirname, '..'), moduleId);

function table(title: string, all: readonly Timed[]): string {
  const slowest = [...all].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, COUNT);
  const lines = slowest.map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}`);
  return `${title}\n${lines.join('\n')}\n`;
}
