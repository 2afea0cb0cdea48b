import { Controller, Get, Post, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { PackServiceName } from '../../../git/index.js';
import { basePathOf, Config } from '../../../platform/config/index.js';
import { ApiExcludeController, clientAddress } from '../../../platform/http/index.js';
import { AccessRecheck, type SlotCaller } from '../../../platform/limits/index.js';
import { Requires } from '../../authorization/index.js';
import { TransportSlots } from '../transport-slots.js';
import { GitHttpFilter, missing } from './git-http.filter.js';
import type { RepositoryPath } from '../repository-access.js';
import { type GitAccess, GitHttpService } from './git-http.service.js';
import { awaitBody, bodyOf } from './request-body.js';

/** Clones, fetches and pushes over HTTP, outside the API's prefix (docs/reference/git.md#http). */
@Controller()
@ApiExcludeController()
@UseFilters(GitHttpFilter)
export class GitHttpController {
  constructor(
    private readonly git: GitHttpService,
    private readonly slots: TransportSlots,
    private readonly config: Config,
  ) {}

  @Get(':namespace/:project.git/info/refs')
  @Requires('git:connect')
  async advertise(
    @Req() request: Request,
    @Res() response: Response,
    @Query('service') asked: unknown,
  ): Promise<void> {
    const service = serviceOf(asked);
    const output = outputOf(request, response);
    const access = await this.authorize(request, service, output.signal);
    if (service === 'git-upload-pack') {
      this.slots.assertFetchesAreServed(slotCaller(request, access));
    }
    await this.git.assertReadable(access);
    begin(response, `application/x-${service}-advertisement`);
    await this.git.advertise(access, service, output);
    response.end();
  }

  @Get(':namespace/:project/info/refs')
  @Requires('git:connect')
  redirect(@Req() request: Request, @Res() response: Response): void {
    const [path = '', query] = request.originalUrl.split('?', 2);
    const plain = path.replace(/\/info\/refs$/, '.git/info/refs');
    // Browsers take a backslash for a slash, and two slashes for the beginning of a host.
    const target = plain.replaceAll('\\', '%5C').replace(/^\/{2,}/, '/');
    const address = basePathOf(this.config.http.externalUrl) + target;
    response.redirect(301, query === undefined ? address : `${address}?${query}`);
  }

  @Post(':namespace/:project.git/git-upload-pack')
  @Requires('git:connect')
  async fetch(@Req() request: Request, @Res() response: Response): Promise<void> {
    const output = outputOf(request, response);
    const access = await this.authorize(request, 'git-upload-pack', output.signal);
    const recheck = new AccessRecheck(() =>
      this.git.confirm(access, pathOf(request), 'git-upload-pack'),
    );
    const input = await awaitBody(bodyOf(request), true);
    const caller = slotCaller(request, access);
    await this.slots.holdForFetch(caller, output.signal, recheck, async (slot) => {
      await slot.take();
      await this.git.assertReadable(access);
      beginResult(request, response, 'application/x-git-upload-pack-result');
      await this.git.fetch(access, { ...output, input, slot });
    });
    response.end();
  }

  @Post(':namespace/:project.git/git-receive-pack')
  @Requires('git:connect')
  async push(@Req() request: Request, @Res() response: Response): Promise<void> {
    const output = outputOf(request, response);
    const access = await this.authorize(request, 'git-receive-pack', output.signal);
    const input = await awaitBody(bodyOf(request), false);
    await this.slots.hold(slotCaller(request, access), output.signal, async () => {
      await this.git.assertReadable(access);
      beginResult(request, response, 'application/x-git-receive-pack-result');
      await this.git.push(access, { ...output, input });
    });
    response.end();
  }

  private async authorize(
    request: Request,
    service: PackServiceName,
    disconnected: AbortSignal,
  ): Promise<GitAccess> {
    const path = pathOf(request);
    const { authorization } = request.headers;
    const client = { address: clientAddress(request), authorization, gone: disconnected };
    const found = await this.git.authorize(client, path, service);
    const needsNoWait =
      service === 'git-upload-pack' || found.access.project.repositoryState === 'ready';
    if (needsNoWait) return found;
    await this.git.whenReady(found, disconnected);
    // After a long wait, the path may name another project.
    return this.git.authorize(client, path, service);
  }
}

function pathOf({ params }: Request): RepositoryPath {
  return { namespace: String(params['namespace']), project: String(params['project']) };
}

function slotCaller(request: Request, { user }: GitAccess): SlotCaller {
  return { address: clientAddress(request), userId: user?.id };
}

function serviceOf(asked: unknown): PackServiceName {
  // A request without a service uses the dumb protocol, which is not supported.
  if (asked !== 'git-upload-pack' && asked !== 'git-receive-pack') throw missing();
  return asked;
}

function begin(response: Response, contentType: string): void {
  response.status(200).set({
    'Content-Type': contentType,
    'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  });
}

/**
 * Sends the headers as soon as the body has come: a git client whose connection breaks before them sends its request again.
 * Not earlier, since nginx sends no more of a body once the response has begun.
 */
function beginResult(request: Request, response: Response, contentType: string): void {
  begin(response, contentType);
  const sendHeaders = (): void => {
    if (!response.headersSent) response.flushHeaders();
  };
  if (request.complete) sendHeaders();
  else request.once('end', sendHeaders);
}

function outputOf(request: Request, response: Response) {
  const disconnected = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return {
    output: response,
    signal: disconnected.signal,
    stateless: true,
    protocol: request.get('git-protocol'),
  };
}
