/** A branch that was deleted (docs/reference/branches.md#delete-projectsidrepositorybranchesbranch). */
export class DeletedBranchView {
  branch_name!: string;
}
