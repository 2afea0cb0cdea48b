import type { Request } from 'express';
import { ClientDisconnectedError } from '../../errors/index.js';

/** Returns a signal that is aborted when the response is over, with `ClientDisconnectedError` as its reason. */
export function disconnection({ res: response }: Request): AbortSignal {
  if (response?.closed === true) return AbortSignal.abort(new ClientDisconnectedError());
  const gone = new AbortController();
  response?.once('close', () => gone.abort(new ClientDisconnectedError()));
  return gone.signal;
}
