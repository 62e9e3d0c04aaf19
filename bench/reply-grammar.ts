/** The replies of `structured: grammar` about options A to D, for node-llama-cpp's own sampling. */
export const REPLY_GRAMMAR = [
  'root ::= [ \\n]? "{\\"answer\\": \\"" [A-D] "\\", \\"confidence\\": " confidence "}"',
  'confidence ::= "100" | [1-9] [0-9]? | "0"',
].join('\n');
