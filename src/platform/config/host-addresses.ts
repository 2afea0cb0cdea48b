/** Scheme, credentials, hosts, and the rest of an address. What comes before the last `@` of its authority are credentials. */
const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?)([^/?#@]*)((?:[/?#][^]*)?)$/i;

/**
 * Takes an address with several hosts, `postgres://u:p@one:5432,two/db`, apart into an address for each.
 * @returns the address itself if it has one host, or none of this form
 */
export function hostAddresses(text: string): string[] {
  const [, begin = '', hosts = '', rest = ''] = ADDRESS.exec(text) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${begin}${host}${rest}`) : [text];
}
