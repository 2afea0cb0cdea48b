import { DateParam, EnumParam, IdParam } from '../../../../platform/http/index.js';

/** `POST /projects/:id/share`. */
export class ShareProjectDto {
  @IdParam({ required: true })
  group_id!: number;

  @EnumParam([10, 20, 30, 40], { required: true, description: 'The highest level it gives.' })
  group_access!: number;

  @DateParam({ description: 'From 00:00 UTC of this date on the share gives no access.' })
  expires_at?: string | null;
}
