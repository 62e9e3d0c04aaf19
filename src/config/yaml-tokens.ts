import { type CST, Lexer, Parser } from 'yaml';

/** Open collections at one place, several to a level: far above the levels allowed, far below a full stack. */
const MAX_OPEN = 400;

/**
 * The tokens of a YAML text, or the offset at which too many collections are open. Nodes are composed from tokens by
 * functions that call themselves for every level, so that a file of 10,000 brackets would overflow the stack.
 */
export function yamlTokens(
  text: string,
  onNewLine: (offset: number) => void,
): { readonly tokens: CST.Token[]; readonly deepAt: number | null } {
  const parser = new Parser(onNewLine);
  const tokens: CST.Token[] = [];
  onNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_OPEN) return { tokens, deepAt: parser.offset };
  }
  tokens.push(...parser.end());
  return { tokens, deepAt: null };
}
