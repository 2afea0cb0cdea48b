import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { manifest } from '../../../platform/config/index.js';
import { Requires } from '../../access/index.js';
import type { User } from '../../users/index.js';
import { PageSender } from '../html/page-sender.js';
import { PageController, Viewer } from '../sign-in/page.guard.js';
import { startPage } from './start-page.js';

/** The page at `/`. */
@PageController('-/pages')
export class StartController {
  constructor(private readonly pages: PageSender) {}

  @Get()
  @Requires('page:open')
  show(@Viewer() viewer: User | null, @Res() response: Response): void {
    // `GET /version` needs a credential, too.
    const version = viewer === null ? undefined : manifest().version;
    this.pages.send(response, startPage({ version, isAnonymous: viewer === null }));
  }
}
