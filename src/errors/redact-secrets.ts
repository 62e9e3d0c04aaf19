/** Hub tokens look alike wherever they come from. */
const HUB_TOKEN = /\bhf_[A-Za-z0-9]{6,}/g;
/** `https://user:password@host` and `?token=...`: names of the query fields that open doors. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"']+@/gi;
const QUERY_SECRET = /([?&](?:[\w.-]*(?:token|key|secret|signature|password|credential)[\w.-]*|sig|auth)=)[^&\s"'#]+/gi;
/** Variables of the environment whose value nobody should read. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_?KEY|CREDENTIAL/i;
/** A shorter value would black out ordinary words. */
const SHORTEST_SECRET = 8;

/**
 * Text for people without what opens doors: hub tokens, user names and tokens inside addresses, and the given values.
 * It is for messages, not for ids or paths that something else must find again.
 */
export function redactSecrets(text: string, values: readonly string[] = []): string {
  let clean = text;
  for (const value of values) clean = clean.replaceAll(value, '***');
  return clean.replace(HUB_TOKEN, 'hf_***').replace(USER_INFO, '$1***@').replace(QUERY_SECRET, '$1***');
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
