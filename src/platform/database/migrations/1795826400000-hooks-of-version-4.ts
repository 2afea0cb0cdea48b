import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of a hook's maker, and what version 4 adds to hooks and their events. */
export class HooksOfVersion41795826400000 implements MigrationInterface {
  readonly name = 'HooksOfVersion41795826400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE hooks
        ADD COLUMN api_version smallint NOT NULL DEFAULT 3,
        ADD COLUMN uuid uuid,
        ADD COLUMN name varchar(255),
        ADD COLUMN description varchar(2048),
        ADD COLUMN confidential_issues_events boolean,
        ADD COLUMN confidential_note_events boolean,
        ADD COLUMN emoji_events boolean NOT NULL DEFAULT false,
        ADD COLUMN repository_update_events boolean NOT NULL DEFAULT false,
        ADD COLUMN push_events_branch_filter varchar(5000),
        ADD COLUMN branch_filter_strategy varchar(16) NOT NULL DEFAULT 'wildcard',
        ADD COLUMN custom_headers_sealed text,
        ADD COLUMN custom_header_names text[] NOT NULL DEFAULT '{}',
        ADD COLUMN url_variables_sealed text,
        ADD COLUMN url_variable_names text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`
      ALTER TABLE hook_events
        ADD COLUMN api_version smallint NOT NULL DEFAULT 3,
        ADD COLUMN uuid uuid`);
    // Version 4 alone could set it, so that these hooks have receivers of version 4.
    await runner.query(`
      UPDATE hooks SET api_version = 4, uuid = gen_random_uuid() WHERE releases_events`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE hook_events DROP COLUMN api_version, DROP COLUMN uuid');
    await runner.query(`
      ALTER TABLE hooks
        DROP COLUMN api_version, DROP COLUMN uuid, DROP COLUMN name, DROP COLUMN description,
        DROP COLUMN confidential_issues_events, DROP COLUMN confidential_note_events,
        DROP COLUMN emoji_events, DROP COLUMN repository_update_events,
        DROP COLUMN push_events_branch_filter, DROP COLUMN branch_filter_strategy,
        DROP COLUMN custom_headers_sealed, DROP COLUMN custom_header_names,
        DROP COLUMN url_variables_sealed, DROP COLUMN url_variable_names`);
  }
}
