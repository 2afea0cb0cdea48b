import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Get, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { PatchForm } from '../../../../git/index.js';
import { forbidden, recordNotFound } from '../../../../platform/errors/index.js';
import { clientAddress, holdSlot, PathIds } from '../../../../platform/http/index.js';
import { AccessRecheck } from '../../../../platform/limits/index.js';
import { DownloadSlots, Requires } from '../../../authorization/index.js';
import { isEnabled, IssuableKinds } from '../../../issuables/index.js';
import { VersionsService } from '../../../merge-requests/index.js';
import { DiffsService } from '../../../repository/index.js';
import type { Account } from '../../../authorization/index.js';
import type { User } from '../../../users/index.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { PageReaders } from '../../sign-in/page-readers.js';
import { PageAccess, required } from '../parts/page-access.js';

const FORMS: Readonly<Record<string, PatchForm>> = { diff: 'diff', patch: 'mails' };

/**
 * Commits and merge requests as texts, for browsers and for clients with a private token
 * (docs/reference/conventions.md#addresses).
 */
@PageController('-/patches/:namespace/:project')
@PathIds({ iid: 'no route' })
export class PatchesController {
  constructor(
    private readonly access: PageAccess,
    private readonly readers: PageReaders,
    private readonly slots: DownloadSlots,
    private readonly diffs: DiffsService,
    private readonly kinds: IssuableKinds,
    private readonly versions: VersionsService,
  ) {}

  @Get('commit/:sha/:form')
  @Requires('page:open')
  async commit(
    @Viewer() viewer: User | null,
    @Param('sha') sha: string,
    @Param('form') form: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const find = (caller: Account | null) => this.access.toProject(request, caller, 'code:read');
    const { project } = await this.findAndHold(request, response, viewer, find);
    const text = await this.diffs.openPatchOfCommit(project, sha, formOf(form));
    await sendText(response, text);
  }

  @Get('merge_requests/:iid/:form')
  @Requires('page:open')
  async mergeRequest(
    @Viewer() viewer: User | null,
    @Param('iid') iid: number,
    @Param('form') form: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { project, version } = await this.findAndHold(
      request,
      response,
      viewer,
      async (caller) => {
        const access = await this.access.toProject(request, caller, 'merge-request:read');
        if (!isEnabled(access.project, 'MergeRequest')) throw forbidden();
        const projectId = access.project.id;
        const { id } = await this.kinds.findByNumber('MergeRequest', { projectId, iid });
        const newest = await this.versions.readNewest(access, required(caller), id);
        if (newest === null) throw recordNotFound('merge-request-version');
        return { project: access.project, version: newest };
      },
    );
    await sendText(response, await this.versions.openPatch(project, version, formOf(form)));
  }

  /**
   * Takes a slot for what the caller may read, which is found again after a wait. The guard of downloads does not know the
   * session of the browser, and would give slots to those who may not read.
   */
  private async findAndHold<T>(
    request: Request,
    response: Response,
    viewer: User | null,
    find: (caller: Account | null) => Promise<T>,
  ): Promise<T> {
    const caller = await this.access.callerOf(request, viewer);
    const found = await find(caller);
    const access = new AccessRecheck(async () => {
      const reader = await this.readers.identify(request, response);
      return find(await this.access.callerOf(request, reader.viewer));
    });
    const slotCaller = { address: clientAddress(request), userId: caller?.id };
    await holdSlot(this.slots, slotCaller, response, access);
    return found;
  }
}

function formOf(suffix: string): PatchForm {
  const form = FORMS[suffix];
  if (form === undefined) throw recordNotFound('merge-request-version');
  return form;
}

/** Sends a text that comes from a project: no browser may take it for anything else. */
async function sendText(response: Response, text: Readable): Promise<void> {
  response.set({
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'private, no-store',
    Vary: 'Cookie, Authorization, Private-Token',
  });
  await pipeline(text, response);
}
