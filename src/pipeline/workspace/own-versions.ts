import type { Device } from '../../contract/device.js';
import { kernelsOf } from '../../library/chosen-build.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../library/native-versions.js';
import { PROTOCOL, type Versions } from '../../queue/wire/versions.js';
import { toolVersion } from './tool-version.js';

/** What this installation is on a device, for whoever shares work with it. */
export function ownVersions(device: Device): Versions {
  const kernels = kernelsOf(device);
  return {
    tool: toolVersion(),
    llamaCpp: kernels === null ? llamaCppRelease() : `${llamaCppRelease()} built with ${kernels}`,
    nodeLlamaCpp: nodeLlamaCppVersion(),
    protocol: PROTOCOL,
  };
}
