/** Somebody who wrote commits (open points 3.10). */
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
