import { PROTOCOL, type Versions } from '../../queue/wire/versions.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../scoring/device/native-versions.js';
import { toolVersion } from './tool-version.js';

/** What this installation is, for whoever shares work with it. */
export function ownVersions(): Versions {
  return {
    tool: toolVersion(),
    llamaCpp: llamaCppRelease(),
    nodeLlamaCpp: nodeLlamaCppVersion(),
    protocol: PROTOCOL,
  };
}
