/** A branch that was deleted (open points 3.8). */
export class DeletedBranchView {
  branch_name!: string;
}
