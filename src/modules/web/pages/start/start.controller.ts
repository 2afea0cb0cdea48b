import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { programVersion } from '../../../../platform/config/index.js';
import { Requires } from '../../../access/index.js';
import { ProjectListsRepository, ProjectPresenter } from '../../../projects/index.js';
import type { User } from '../../../users/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController, Viewer } from '../../sign-in/page.guard.js';
import { startPage } from './start-page.js';

/** Of the reader's own. */
const NEWEST = { page: 1, per_page: 20 };

/** The page at `/`. */
@PageController('-/pages')
export class StartController {
  constructor(
    private readonly projects: ProjectListsRepository,
    private readonly presenter: ProjectPresenter,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  async show(@Viewer() viewer: User | null, @Res() response: Response): Promise<void> {
    if (viewer === null) {
      this.pages.send(response, startPage(null));
      return;
    }
    const { items, hasNext } = await this.projects.listOfMember(
      viewer,
      { archived: false },
      NEWEST,
    );
    const projects = items.map((project) => this.presenter.present(project));
    // `GET /version` needs a credential, too.
    this.pages.send(
      response,
      startPage({ version: programVersion(), projects, hasMore: hasNext }),
    );
  }
}
