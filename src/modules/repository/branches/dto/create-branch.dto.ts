import { StringParam } from '../../../../platform/http/index.js';

/** `POST /projects/:id/repository/branches`. */
export class CreateBranchDto {
  @StringParam({ stringOnly: true, required: true })
  branch_name!: string;

  @StringParam({
    stringOnly: true,
    required: true,
    description: 'Where it begins: a branch, a tag or a hash.',
  })
  ref!: string;
}
