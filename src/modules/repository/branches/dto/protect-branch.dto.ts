import { BooleanParam } from '../../../../platform/http/index.js';

/** `PUT /projects/:id/repository/branches/:branch/protect`. */
export class ProtectBranchDto {
  @BooleanParam({ description: 'Whether developers may push to it; unchanged when absent.' })
  developers_can_push?: boolean;

  @BooleanParam({ description: 'Whether developers may merge into it; unchanged when absent.' })
  developers_can_merge?: boolean;
}
