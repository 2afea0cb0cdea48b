import type { RequestHandler } from 'express';
import { Deferred } from '../../async/index.js';
import type { Replicas } from '../../database/index.js';
import { faceOf } from '../face/request-face.js';

/** Has requests of the API that only read be answered from standbys. */
export function replicaReads(replicas: Replicas): RequestHandler {
  return (request, response, next) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || faceOf(request) === undefined) {
      next();
      return;
    }
    const closed = new Deferred<void>();
    if (response.closed) closed.resolve();
    else response.once('close', closed.resolve);
    const handle = async (): Promise<void> => {
      next();
      await closed.promise;
    };
    replicas.run(handle).catch(next);
  };
}
