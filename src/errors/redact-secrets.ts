/**
 * A hub token of full length (34 characters after its sign), wherever it comes from. A name such as hf_llama3 is none.
 */
const HUB_TOKEN = /\bhf_[A-Za-z0-9]{34}\b/g;
/** `https://user:password@host` and `?token=...`: names of the query fields that open doors. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi;
const QUERY_SECRET = /([?&](?:[\w.-]*(?:token|key|secret|signature|password|credential)[\w.-]*|sig|auth)=)[^&\s"'#]+/gi;
/** Variables of the environment whose value nobody should read. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i;
/** A shorter value would black out ordinary words. */
const SHORTEST_SECRET = 8;

/** Secrets that this process has read, from its environment or a file. */
const known = new Set<string>();

/** From now on no message shows these values. Those too short to be a secret are left out. */
export function knowSecrets(values: readonly string[]): void {
  for (const value of values) if (value.length >= SHORTEST_SECRET) known.add(value);
}

/**
 * A message without what opens doors: hub tokens, user names and tokens inside addresses, the secrets that are known,
 * and the given values. It is for sentences of ours before they are encoded; ids, titles and paths are names that
 * something else must find again, and a document that is encoded already would break.
 */
export function redactSecrets(text: string, values: readonly string[] = []): string {
  let clean = text;
  for (const value of [...known, ...values].sort((a, b) => b.length - a.length)) {
    for (const form of formsOf(value)) clean = clean.replaceAll(form, '***');
  }
  return clean.replace(HUB_TOKEN, 'hf_***').replace(USER_INFO, '$1***@').replace(QUERY_SECRET, '$1***');
}

/** A secret as it is, and as an address writes it. Half a character has no such form. */
function formsOf(secret: string): readonly string[] {
  return /\p{Cs}/u.test(secret) ? [secret] : [secret, encodeURIComponent(secret)];
}

/** The secret values in an environment, longest first. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env)
    .flatMap(([name, value]) => (value !== undefined && isSecret(name, value) ? [value] : []))
    .sort((a, b) => b.length - a.length);
}

/** The environment without its secrets: for child processes that need none. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isSecret(name, value ?? '')));
}

function isSecret(name: string, value: string): boolean {
  return value.length >= SHORTEST_SECRET && SECRET_NAME.test(name);
}
