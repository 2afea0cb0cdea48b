import { Get } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Config, programVersion } from '../../../platform/config/index.js';
import { Answers } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { MetadataView } from './metadata.view.js';

@V4Controller('', 'Metadata')
export class MetadataController {
  constructor(private readonly config: Config) {}

  /** The version of GitLab whose interface the service has, and its own. */
  @Get('metadata')
  @Requires('version:read')
  @Answers(MetadataView)
  read(): MetadataView {
    return {
      version: this.config.http.v4CompatibilityVersion,
      revision: programVersion(),
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: false,
    };
  }

  /** The same as `GET /metadata`. */
  @Get('version')
  @Requires('version:read')
  @Answers(MetadataView)
  readVersion(): MetadataView {
    return this.read();
  }
}
