import { manifest } from '../config/index.js';

/** What the service calls itself towards other servers: `<service>/<version>`. */
export function userAgent(): string {
  const { name, version } = manifest();
  return `${name}/${version}`;
}
