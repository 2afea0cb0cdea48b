import { Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config, programVersion } from '../../../../platform/config/index.js';
import { prefersHtml } from '../../../../platform/http/index.js';
import { Requires } from '../../../authorization/index.js';
import { ProjectListsRepository } from '../../../projects/index.js';
import type { User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { startPage } from './start-page.js';
import { startText } from './start-text.js';

/** Of the reader's own. */
const NEWEST = { page: 1, perPage: 20 };

/** The page at `/`. */
@PageController('-/pages')
export class StartController {
  constructor(
    private readonly projects: ProjectListsRepository,
    private readonly pages: PageSender,
    private readonly config: Config,
  ) {}

  @Get()
  @Requires('page:open')
  async show(
    @Viewer() viewer: User | null,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (!prefersHtml(request)) {
      response.set({ 'Cache-Control': 'no-store', Vary: 'Accept' });
      response.type('text').send(startText(this.config.http.externalUrl));
      return;
    }
    if (viewer === null) {
      this.pages.send(response, startPage(null));
      return;
    }
    const { items: projects, hasNext } = await this.projects.listOfMember(
      viewer,
      { archived: false },
      NEWEST,
    );
    // `GET /version` needs a credential, too.
    this.pages.send(response, startPage({ version: programVersion(), projects, hasMore: hasNext }));
  }
}
