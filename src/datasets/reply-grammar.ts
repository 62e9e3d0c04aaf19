/**
 * The GBNF grammar of one reply: `{"answer": "B", "confidence": 85}` with one of the labels and a whole number from 0 to
 * 100. One space or line break may stand before it, one space after every colon and comma.
 */
export function replyGrammar(labels: readonly string[]): string {
  const names = labels.map((label) => literal(JSON.stringify(label))).join(' | ');
  return [
    `root ::= [ \\n]? "{" " "? ${literal('"answer"')} ":" " "? answer "," " "? ${literal('"confidence"')} ":" " "? confidence " "? "}"`,
    `answer ::= ${names}`,
    'confidence ::= "100" | [1-9] [0-9]? | "0"',
  ].join('\n');
}

/** A GBNF text in quotes; everything but letters and digits of ASCII is written as its code. */
function literal(text: string): string {
  const escaped = Array.from(text, (character) => {
    if (/^[A-Za-z0-9_ {}:,.-]$/.test(character)) return character;
    return `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`;
  });
  return `"${escaped.join('')}"`;
}
