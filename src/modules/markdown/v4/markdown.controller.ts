import { Body, Post } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, BooleanParam, StringParam, TakesBody } from '../../../platform/http/index.js';
import { type SlotCaller, TEXT_BODY } from '../../../platform/limits/index.js';
import { Caller, Client, Requires } from '../../authorization/index.js';
import { User } from '../../users/index.js';
import { MarkdownService } from '../markdown.service.js';
import { V4MarkdownView } from './markdown.view.js';

/** As long as a description may be. */
const LONGEST_TEXT = 1024 * 1024;

/** `POST /markdown`. */
export class V4RenderMarkdownDto {
  @StringParam({ required: true, maxLength: LONGEST_TEXT, description: 'The text in Markdown.' })
  text!: string;

  @BooleanParam({
    description: 'Whether references, emoji and task lists are shown as such.',
    default: false,
  })
  gfm: boolean = false;

  @StringParam({
    blank: 'absent',
    description: 'ID or full path of the project that the text is read in.',
  })
  project?: string;
}

@V4Controller('markdown', 'Markdown')
export class V4MarkdownController {
  constructor(private readonly markdown: MarkdownService) {}

  /** Renders a text as HTML. */
  @Post()
  @Requires('markdown:render')
  @TakesBody(TEXT_BODY)
  @Answers(V4MarkdownView)
  async render(
    @Caller() caller: User,
    @Client() client: SlotCaller,
    @Body() { text, gfm, project }: V4RenderMarkdownDto,
  ): Promise<V4MarkdownView> {
    return { html: await this.markdown.render(caller, client, { text, isFlavored: gfm, project }) };
  }
}
