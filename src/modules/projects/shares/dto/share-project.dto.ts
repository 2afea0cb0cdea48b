import { DateParam, EnumParam, IdParam } from '../../../../platform/http/index.js';

/** `POST /projects/:id/share` (specification 4.4, open points 3.13). */
export class ShareProjectDto {
  @IdParam({ required: true })
  group_id!: number;

  @EnumParam([10, 20, 30, 40], { required: true, description: 'The highest level it gives.' })
  group_access!: number;

  @DateParam({ description: 'From 00:00 UTC of this day on the share gives nothing.' })
  expires_at?: string | null;
}
