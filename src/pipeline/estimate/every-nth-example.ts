/**
 * What belongs to every nth example, in the given order: all replies to its question or none, as in a run, where they
 * share a prompt.
 *
 * @param step 1: everything
 */
export function everyNthExample<T>(all: readonly T[], step: number, exampleOf: (each: T) => string): T[] {
  const numbers = new Map<string, number>();
  return all.filter((each) => {
    const example = exampleOf(each);
    const number = numbers.get(example) ?? numbers.size;
    numbers.set(example, number);
    return number % step === 0;
  });
}
