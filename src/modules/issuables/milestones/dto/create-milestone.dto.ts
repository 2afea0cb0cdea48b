import { DateParam, StringParam } from '../../../../platform/http/index.js';

/** `POST /projects/:id/milestones`. */
export class CreateMilestoneDto {
  @StringParam({ required: true, description: 'Up to 255 characters, unlike any other here.' })
  title!: string;

  @StringParam({ nullable: true })
  description?: string | null;

  @DateParam()
  due_date?: string | null;

  @DateParam({ description: 'Before `due_date`.' })
  start_date?: string | null;
}
