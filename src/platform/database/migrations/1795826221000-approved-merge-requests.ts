import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The users who have approved a merge request, and whether it waits for them alone. A trigger ends approvals, so that they do
 * not outlive their commits whatever version of the service records a push (docs/decisions/0076-approvals.md).
 */
export class ApprovedMergeRequests1795826221000 implements MigrationInterface {
  readonly name = 'ApprovedMergeRequests1795826221000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE merge_requests
        ADD approved_by_ids int[] NOT NULL DEFAULT '{}',
        ADD merges_without_build boolean NOT NULL DEFAULT false;
      CREATE FUNCTION reset_approvals() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF (SELECT reset_approvals_on_push FROM projects WHERE id = NEW.project_id) THEN
          NEW.approved_by_ids := '{}';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER reset_approvals BEFORE UPDATE ON merge_requests
        FOR EACH ROW WHEN (NEW.approved_by_ids <> '{}'
                           AND (NEW.head_sha IS DISTINCT FROM OLD.head_sha
                                OR NEW.target_branch <> OLD.target_branch))
        EXECUTE FUNCTION reset_approvals()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER reset_approvals ON merge_requests;
      DROP FUNCTION reset_approvals();
      ALTER TABLE merge_requests DROP approved_by_ids, DROP merges_without_build`);
  }
}
