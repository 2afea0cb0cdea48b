import { StringParam } from '../../../platform/http/index.js';

/** `GET /projects/:id/repository/compare`. */
export class CompareDto {
  @StringParam({ required: true, description: 'Branch, tag or hash to start from.' })
  from!: string;

  @StringParam({ required: true, description: 'Branch, tag or hash to arrive at.' })
  to!: string;
}
