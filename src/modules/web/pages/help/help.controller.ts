import path from 'node:path';
import { Get, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { routeNotFound } from '../../../../platform/errors/index.js';
import { HELP_PREFIX, StringParam } from '../../../../platform/http/index.js';
import { Requires } from '../../../authorization/index.js';
import { PageSender } from '../../html/page-sender.js';
import { PageController } from '../../sign-in/page.guard.js';
import { Documents } from './documents.js';
import { documentPage, searchPage } from './help-page.js';

const IMAGES = new Set(['.png', '.svg']);

/** Drawings may have styles of their own. */
const FILE_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

class SearchDto {
  @StringParam({ blank: 'absent', maxLength: 200 })
  q?: string;
}

/** `/help`: the documents of this version, for all readers. */
@PageController('help')
export class HelpController {
  constructor(
    private readonly documents: Documents,
    private readonly pages: PageSender,
  ) {}

  @Get()
  @Requires('page:open')
  showFirst(@Res() response: Response): Promise<void> {
    return this.send(HELP_PREFIX, response);
  }

  @Get('search')
  @Requires('page:open')
  async search(@Query() query: SearchDto, @Res() response: Response): Promise<void> {
    const words = query.q ?? '';
    this.pages.send(response, searchPage(words, await this.documents.search(words)));
  }

  @Get('*page')
  @Requires('page:open')
  show(@Param('page') page: string | string[], @Res() response: Response): Promise<void> {
    return this.send([HELP_PREFIX, page].flat().join('/'), response);
  }

  /** @throws DomainError when nothing is read at the address */
  private async send(address: string, response: Response): Promise<void> {
    const name = this.documents.find(address);
    if (name === undefined) throw routeNotFound();
    if (name.endsWith('.md')) {
      const document = await this.documents.render(name, this.pages.base);
      this.pages.send(response, documentPage(address, document));
    } else {
      this.sendFile(name, response);
    }
  }

  private sendFile(name: string, response: Response): void {
    const extension = path.extname(name);
    response.set({
      'Content-Security-Policy': FILE_SECURITY_POLICY,
      'Cache-Control': 'no-cache',
    });
    response.type(IMAGES.has(extension) ? extension : 'text');
    response.sendFile(this.documents.fileOf(name), { cacheControl: false, dotfiles: 'allow' });
  }
}
