import autocannon from 'autocannon';

const CONNECTIONS = 10;
const SAMPLE_MS = 50;

/**
 * Asks for one address as fast as answers come, on a few connections.
 * @param {{ url: string, headers?: Record<string, string> }} target
 * @param {number} seconds
 * @returns {Promise<import('./rounds.mjs').Figure>} answers per second
 * @throws Error when an answer is not a success, or none came
 */
export async function requestRate({ url, headers = {} }, seconds) {
  const options = { url, headers, connections: CONNECTIONS, duration: seconds };
  const result = await autocannon({ ...options, sampleInt: SAMPLE_MS });
  const failures = result.non2xx + result.errors;
  if (failures > 0) throw new Error(`${url}: ${failures} requests failed`);
  const times = result['2xx'];
  if (times === 0) throw new Error(`${url}: no answer within ${seconds} s`);
  return { value: times / result.duration, times };
}
