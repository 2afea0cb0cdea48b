import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { Request } from 'express';
import { FACES } from '../../../src/faces/index.js';
import { CallerGuard, contextOf, Requires } from '../../../src/modules/authorization/index.js';
import { findFace } from '../../../src/platform/http/face/request-face.js';
import { Trellis } from '../../support/trellis.js';

/** A controller whose routes strangers may call. */
class OpenController {
  @Requires('project:search')
  search(): void {
    return undefined;
  }

  @Requires('project:read')
  read(): void {
    return undefined;
  }
}

describe('a route that is open to strangers', () => {
  let trellis: Trellis;

  beforeAll(async () => {
    trellis = await Trellis.shared();
  });

  /** Lets the guard of the running service find the caller of a request. */
  async function callerOf(
    path: string,
    route: keyof OpenController,
    token?: string,
  ): Promise<unknown> {
    const request = {
      ...{ url: path, method: 'GET', params: { id: '1' } },
      headers: token === undefined ? {} : { 'private-token': token },
    } as unknown as Request;
    void findFace(FACES)(request, {} as never, () => undefined);
    const handler = OpenController.prototype[route];
    const execution = new ExecutionContextHost([request, {}], OpenController, handler);
    await trellis.app.get(CallerGuard).canActivate(execution);
    return contextOf(request).caller;
  }

  it.each(['search', 'read'] as const)(
    'counts an unknown token as none in version 3, and refuses it in version 4 (%s)',
    async (route) => {
      expect(await callerOf('/api/v3/x', route, 'unknown')).toBeNull();
      await expect(callerOf('/api/v4/x', route, 'unknown')).rejects.toMatchObject({
        detail: { code: 'unauthenticated' },
      });
    },
  );

  it.each(['search', 'read'] as const)(
    'takes requests without a token and with a known one in both versions (%s)',
    async (route) => {
      const { user, token } = await trellis.factories.user();
      for (const version of ['v3', 'v4']) {
        expect(await callerOf(`/api/${version}/x`, route)).toBeNull();
        expect(await callerOf(`/api/${version}/x`, route, token)).toMatchObject({ id: user.id });
      }
    },
  );
});
