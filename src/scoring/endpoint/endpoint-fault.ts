import { redactSecrets } from '../../errors/redact-secrets.js';

/**
 * Why a server did not answer as asked. `row`: this prompt alone cannot be answered; `model`: none can. Trouble that
 * passes has been waited for before.
 */
export class EndpointFault extends Error {
  override readonly name = 'EndpointFault';

  constructor(
    readonly concerns: 'row' | 'model',
    message: string,
  ) {
    super(redactSecrets(message));
  }
}
