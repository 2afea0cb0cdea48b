import { Get } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import { Answers, VersionedAnswer } from '../../../../platform/http/index.js';
import { InProject, type ProjectRef, Requires } from '../../../authorization/index.js';
import { LanguagesService } from '../../files/languages.service.js';
import { AnswerCache } from '../../shared/answer-cache.js';

@V4Controller('projects/:id/languages', 'Languages')
export class V4LanguagesController {
  constructor(
    private readonly languages: LanguagesService,
    private readonly answers: AnswerCache,
  ) {}

  /** The languages of the default branch, with percents of the bytes of its files. */
  @Get()
  @Requires('code:browse')
  @Answers('object')
  async read(@InProject() project: ProjectRef): Promise<VersionedAnswer> {
    const found = await this.languages.find(project);
    return this.answers.versioned(found, (shares) =>
      Object.fromEntries(shares.map(({ name, share }) => [name, share])),
    );
  }
}
