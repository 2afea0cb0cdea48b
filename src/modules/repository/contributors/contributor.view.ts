/** Somebody who wrote commits (docs/reference/commits.md#get-projectsidrepositorycontributors). */
export class ContributorView {
  /** As the newest of the commits tells it. */
  name!: string;
  email!: string;
  commits!: number;
  /** Not counted: always 0. */
  additions!: number;
  /** Not counted: always 0. */
  deletions!: number;
}
