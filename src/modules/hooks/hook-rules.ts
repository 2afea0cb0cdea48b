const SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:']);
const MAX_URL_LENGTH = 2_048;

/** Whether deliveries can be addressed to it; where it leads is looked at on every delivery. */
export function isHookUrl(url: string): boolean {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return SCHEMES.has(protocol) && hostname !== '';
}
