import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SSH keys are found by their SHA-256 fingerprint, too. */
export class SshKeyDigests1795826000000 implements MigrationInterface {
  readonly name = 'SshKeyDigests1795826000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(String.raw`
      CREATE INDEX ssh_keys_digest_idx ON ssh_keys ((
        CASE WHEN substring(key FROM '^\S+\s+(\S+)') ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
             THEN sha256(decode(substring(key FROM '^\S+\s+(\S+)'), 'base64')) END))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ssh_keys_digest_idx');
  }
}
