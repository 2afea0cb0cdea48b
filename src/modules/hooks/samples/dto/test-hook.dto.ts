import { EnumParam } from '../../../../platform/http/index.js';
import { SAMPLE_KINDS, type SampleKind } from '../sample-payloads.js';

/** `POST /projects/:id/hooks/:hook_id/test` */
export class TestHookDto {
  @EnumParam(SAMPLE_KINDS, {
    default: 'push',
    description: 'What is told: the newest of its kind in the project, as if it had just happened.',
  })
  event?: SampleKind;
}
