/** That a project was forked from another one (open points 4.2). */
export class ForkRelationView {
  id!: number;
  forked_to_project_id!: number;
  forked_from_project_id!: number;
  created_at!: Date;
  updated_at!: Date;
}
