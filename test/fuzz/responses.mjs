// What the bytes of a server show of its answers.

const RESPONSE = /HTTP\/1\.1 (\d{3}) [A-Z][^\r\n]*\r\n([^]*?)\r\n\r\n/g;
const EMPTY = /^content-length: 0$/im;
const SIZED = /^(?:content-length|transfer-encoding):/im;

/** @returns which of the answers is a fault of the service or says nothing, in words */
export function wrongIn(received) {
  for (const [head, code, headers] of received.matchAll(RESPONSE)) {
    const status = Number(code);
    if (status < 400) continue;
    const isUnavailable = status === 503 && /^retry-after: /im.test(headers);
    if (status >= 500 && !isUnavailable) return `answered ${head.split('\r\n', 1)[0]}`;
    if (EMPTY.test(headers) || !SIZED.test(headers)) return `${status} without a text`;
  }
  return undefined;
}
