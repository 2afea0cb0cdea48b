/** A merge that no branch has. */
export class V4MergeRefView {
  commit_id!: string;
}
