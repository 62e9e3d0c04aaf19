import { type CST, Lexer, Parser } from 'yaml';

/** Open collections at one place, several to a level: far above the levels allowed, far below a full stack. */
const MAX_OPEN = 400;
export const MAX_DEPTH = 64;
/**
 * Words and signs, some five to a key with its value: what takes more is no configuration, and takes seconds to
 * compose.
 */
const MAX_LEXEMES = 500_000;

/**
 * The tokens of a YAML text, or where it is refused and why: too many collections are open, or there are too many of
 * all things. Nodes are composed from tokens by functions that call themselves for every level, so that a file of
 * 10,000 brackets would overflow the stack.
 */
export function yamlTokens(
  text: string,
  onNewLine: (offset: number) => void,
): { readonly tokens: CST.Token[]; readonly refused: { readonly offset: number; readonly message: string } | null } {
  const parser = new Parser(onNewLine);
  const tokens: CST.Token[] = [];
  onNewLine(0);
  const refuse = (message: string) => ({ tokens, refused: { offset: parser.offset, message } });
  let lexemes = 0;
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_OPEN) return refuse(`nested deeper than ${MAX_DEPTH} levels`);
    if (++lexemes > MAX_LEXEMES)
      return refuse(`more than ${MAX_LEXEMES} words and signs stand before this; expected a configuration file`);
  }
  tokens.push(...parser.end());
  return { tokens, refused: null };
}
