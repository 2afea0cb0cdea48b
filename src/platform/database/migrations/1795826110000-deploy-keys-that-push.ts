import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deploy keys push to projects where an account has let them, in its name. */
export class DeployKeysThatPush1795826110000 implements MigrationInterface {
  readonly name = 'DeployKeysThatPush1795826110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deploy_keys_projects ADD pusher_id int');
    await runner.query(
      `ALTER TABLE deploy_keys_projects ADD CONSTRAINT deploy_keys_projects_pusher_fkey
         FOREIGN KEY (pusher_id) REFERENCES users (id) ON DELETE SET NULL`,
    );
    await runner.query(
      `CREATE INDEX deploy_keys_projects_pusher_idx ON deploy_keys_projects (pusher_id)
        WHERE pusher_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE deploy_keys_projects DROP pusher_id');
  }
}
