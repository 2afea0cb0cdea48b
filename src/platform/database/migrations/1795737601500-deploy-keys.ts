import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deploy keys: keys of no account, and the projects that they give access to. */
export class DeployKeys1795737601500 implements MigrationInterface {
  readonly name = 'DeployKeys1795737601500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(LINKS);
    await runner.query(LIST);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ssh_keys_deploy_idx');
    await runner.query('DROP TABLE deploy_keys_projects');
    // Without the table no call could remove them, and their fingerprints would stay taken.
    await runner.query('DELETE FROM ssh_keys WHERE user_id IS NULL');
  }
}

const LINKS = `
  CREATE TABLE deploy_keys_projects (
    project_id integer NOT NULL
      CONSTRAINT deploy_keys_projects_project_fkey REFERENCES projects ON DELETE CASCADE,
    deploy_key_id integer NOT NULL
      CONSTRAINT deploy_keys_projects_key_fkey REFERENCES ssh_keys ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT deploy_keys_projects_pkey PRIMARY KEY (project_id, deploy_key_id)
  );
  CREATE INDEX deploy_keys_projects_key_idx ON deploy_keys_projects (deploy_key_id)`;

// The list of all deploy keys, which are few among the keys of accounts.
const LIST = 'CREATE INDEX ssh_keys_deploy_idx ON ssh_keys (id) WHERE user_id IS NULL';
