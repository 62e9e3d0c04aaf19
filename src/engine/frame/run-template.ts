import { Environment, Interpreter, Template } from '@huggingface/jinja';

/** What a template may use up; real ones take some thousand steps and a few milliseconds. */
export interface TemplateBudget {
  /** Statements and expressions that are evaluated. */
  readonly steps: number;
  readonly milliseconds: number;
  /** Characters of all texts that are made on the way. */
  readonly characters: number;
}

const BUDGET: TemplateBudget = { steps: 200_000, milliseconds: 10_000, characters: 50_000_000 };
/** Characters of a template, entries of a list. */
const LONGEST = 1_000_000;

/** The template asks for more than it may have, such as a loop without an end. */
export class TemplateBudgetFault extends Error {}

/**
 * Renders a Jinja template with these variables and no others. A file of models comes from anywhere, so its template
 * may loop: it ends with a fault when it takes more than its budget.
 *
 * @throws TemplateBudgetFault; and whatever the template raises or is wrong in
 */
export function runTemplate(
  template: string,
  variables: Readonly<Record<string, unknown>>,
  budget: TemplateBudget = BUDGET,
): string {
  if (template.length > LONGEST) throw new TemplateBudgetFault(`is ${template.length} characters long`);
  // Not Template.render: its built-in strftime_now is today's.
  const environment = new Environment();
  for (const [name, value] of Object.entries({ ...variables, range })) environment.set(name, value);
  return String(new BoundedInterpreter(environment, budget).run(new Template(template).parsed).value);
}

interface Evaluator {
  /** Every statement and expression goes through it, those inside of others too. */
  evaluate(statement: unknown, environment: unknown): { readonly value?: unknown };
  run(program: unknown): { readonly value?: unknown };
}

// The package's declarations cannot be resolved as modules, so they say nothing of what the class has.
const PlainInterpreter = Interpreter as new (environment: Environment) => Evaluator;

class BoundedInterpreter extends PlainInterpreter {
  #steps = 0;
  #characters = 0;
  readonly #end: number;

  constructor(
    environment: Environment,
    private readonly budget: TemplateBudget,
  ) {
    super(environment);
    this.#end = performance.now() + budget.milliseconds;
  }

  override evaluate(statement: unknown, scope: unknown): { readonly value?: unknown } {
    const { steps, milliseconds, characters } = this.budget;
    this.#steps++;
    if (this.#steps > steps) throw new TemplateBudgetFault(`takes more than ${steps} steps`);
    if (performance.now() > this.#end) throw new TemplateBudgetFault(`takes more than ${milliseconds / 1000} s`);
    const result = super.evaluate(statement, scope);
    const { value } = result;
    if (typeof value === 'string') this.#characters += value.length;
    if (this.#characters > characters)
      throw new TemplateBudgetFault(`makes more than ${characters} characters of text`);
    if (Array.isArray(value)) refuseLong(value.length);
    return result;
  }
}

function refuseLong(entries: number): void {
  if (entries > LONGEST) throw new TemplateBudgetFault(`makes a list of ${entries} entries`);
}

function range(start: number, stop?: number, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, start] : [start, stop];
  const length = Math.max(0, Math.ceil((to - from) / step));
  refuseLong(length);
  return Array.from({ length }, (_, n) => from + n * step);
}
