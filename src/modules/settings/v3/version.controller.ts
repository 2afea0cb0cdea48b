import { Get } from '@nestjs/common';
import { V3Controller } from '../../../faces/index.js';
import { Config, programVersion } from '../../../platform/config/index.js';
import { Answers } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { ServiceVersionView } from './version.view.js';

@V3Controller('version', 'Version')
export class VersionController {
  constructor(private readonly config: Config) {}

  /** The version of the interface that the service is compatible with, and its own. */
  @Get()
  @Requires('version:read')
  @Answers(ServiceVersionView)
  read(): ServiceVersionView {
    return { version: this.config.http.compatibilityVersion, revision: programVersion() };
  }
}
