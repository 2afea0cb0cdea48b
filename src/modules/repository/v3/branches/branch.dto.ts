import { BooleanParam, StringParam } from '../../../../platform/http/index.js';

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

/** `PUT /projects/:id/repository/branches/:branch/protect`. */
export class ProtectBranchDto {
  @BooleanParam({ description: 'Whether developers may push to it; unchanged when absent.' })
  developers_can_push?: boolean;

  @BooleanParam({ description: 'Whether developers may merge into it; unchanged when absent.' })
  developers_can_merge?: boolean;
}
