import { Get, Param, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { V4Controller } from '../../../faces/index.js';
import {
  AnswersFile,
  endIfKnown,
  MayAnswer,
  sendDownload,
  validatorOf,
} from '../../../platform/http/index.js';
import {
  Access,
  DownloadGuard,
  MaybeCaller,
  type ProjectAccess,
  Requires,
} from '../../authorization/index.js';
import { IssuableKinds, RequiresEnabled } from '../../issuables/index.js';
import { User } from '../../users/index.js';
import { VersionsService } from '../versions/versions.service.js';

/** The changes of a merge request as a text. */
@V4Controller('projects/:id/merge_requests/:merge_request_iid', 'RawDiffs')
@RequiresEnabled('MergeRequest')
@UseGuards(DownloadGuard)
export class V4RawDiffsController {
  constructor(
    private readonly kinds: IssuableKinds,
    private readonly versions: VersionsService,
  ) {}

  /** The changes of the newest version, as `git diff` prints them. */
  @Get('raw_diffs')
  @Requires('merge-request:browse')
  @AnswersFile('text/plain')
  @MayAnswer(413)
  async read(
    @MaybeCaller() caller: User | null,
    @Access() access: ProjectAccess,
    @Param('merge_request_iid') iid: number,
    @Res() response: Response,
  ): Promise<void> {
    const { project } = access;
    const { id } = await this.kinds.findByNumber('MergeRequest', { projectId: project.id, iid });
    const version = await this.versions.readNewest(access, caller, id);
    const ends = version && [version.baseCommitSha, version.headCommitSha];
    if (endIfKnown(response, validatorOf(`raw diffs ${JSON.stringify(ends)}`))) return;
    const content =
      version === null ? Buffer.alloc(0) : await this.versions.openPatch(project, version, 'diff');
    await sendDownload(response, { content, mediaType: 'text/plain; charset=utf-8' });
  }
}
