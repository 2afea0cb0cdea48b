import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiExcludeController } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { STYLESHEET, STYLESHEET_VERSION } from './stylesheet.js';

@Controller('-/assets')
@ApiExcludeController()
export class AssetsController {
  @Get(':version/pages.css')
  @Requires('page:open')
  stylesheet(@Param('version') version: string, @Res() response: Response): void {
    // During an upgrade, pages of another version ask for theirs: what they get is not to be kept.
    const isKept = version === STYLESHEET_VERSION;
    response.set('Cache-Control', isKept ? 'public, max-age=31536000, immutable' : 'no-store');
    response.type('css').send(STYLESHEET);
  }
}
