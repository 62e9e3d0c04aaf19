/** What files are that are given for a model and are none, by their first bytes. */
const KINDS: ReadonlyArray<{ readonly begins: RegExp; readonly message: string }> = [
  {
    begins: /^version https:/,
    message: 'is a pointer of Git LFS, no model; fetch the file itself (`git lfs pull`)',
  },
  {
    begins: /^\s*<(!doctype|html|\?xml)/i,
    message: 'is a page of a web server, no model: its download failed; fetch it again',
  },
  {
    begins: /^[\s\S]{8}\{"/,
    message:
      'is a safetensors file; convert the model to GGUF (convert_hf_to_gguf.py of llama.cpp), or fetch its GGUF file',
  },
  {
    begins: /^(tjgg|fmgg|lmgg)/,
    message: 'is of the formats before GGUF, which llama.cpp reads no more; fetch a GGUF file of the model',
  },
  {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such files begin with these bytes.
    begins: /^(PK\x03\x04|\x80\x02)/,
    message: 'is an archive (ZIP or a PyTorch checkpoint); unpack it, or fetch a GGUF file of the model',
  },
  {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: such files begin with these bytes.
    begins: /^(\x1f\x8b|\x28\xb5\x2f\xfd|BZh|\xfd7zXZ|7z\xbc\xaf)/,
    message: 'is packed (gzip, zstd, bzip2, xz or 7z); unpack it first',
  },
];

/** The bytes that `otherFile` looks at. */
export const FIRST_BYTES = 24;

/** Why a file that does not begin with "GGUF" is no model, and what to do. */
export function otherFile(first: Buffer): string {
  const text = first.toString('latin1');
  const shown = JSON.stringify(text.slice(0, 4));
  const known = KINDS.find(({ begins }) => begins.test(text))?.message;
  return known ?? `is no GGUF file (its first bytes are ${shown}, expected "GGUF")`;
}
