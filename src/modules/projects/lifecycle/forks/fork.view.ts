/**
 * The relation of a fork to its source
 * (docs/reference/projects.md#post-projectsidforkforked_from_id).
 */
export class ForkRelationView {
  id!: number;
  forked_to_project_id!: number;
  forked_from_project_id!: number;
  created_at!: Date;
  updated_at!: Date;
}
