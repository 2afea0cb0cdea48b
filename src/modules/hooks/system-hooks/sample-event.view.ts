/** The making of a project, as hooks of the instance are told of it (open points 7.10). */
export class SampleEventView {
  event_name!: string;
  created_at!: string;
  updated_at!: string;
  name!: string;
  path!: string;
  path_with_namespace!: string;
  project_id!: number;
  owner_name!: string;
  owner_email!: string;
  project_visibility!: string;
}
