export interface BasicCredential {
  login: string;
  secret: string;
}

/** The user name and password of an `Authorization` header; null for none and for other schemes. */
export function parseBasic(authorization: string | undefined): BasicCredential | null {
  const encoded = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return null;
  const [login, secret] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return decoded.includes('\0') || login === '' ? null : { login, secret };
}
