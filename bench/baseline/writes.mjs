/**
 * The tables that plain inserts fill: columns and indexes of the service's, without foreign keys, so that
 * the lists of the service stay as they are.
 */
export const WRITE_TABLES = `
  CREATE SEQUENCE bench.iids;
  CREATE TABLE bench.issues (LIKE public.issues INCLUDING ALL);
  CREATE TABLE bench.label_links (LIKE public.label_links INCLUDING ALL);
  CREATE TABLE bench.notes (LIKE public.notes INCLUDING ALL);
  CREATE TABLE bench.events (LIKE public.events INCLUDING ALL);
  CREATE TABLE bench.commit_statuses (LIKE public.commit_statuses INCLUDING ALL)`;

const STATEMENTS = {
  issue: `INSERT INTO bench.issues (iid, project_id, author_id, title, description)
    VALUES (nextval('bench.iids'), $1, $2, $3, $4) RETURNING *`,
  label: `INSERT INTO bench.label_links (target_type, target_id, label_id, created_at, state,
      confidential, author_id) VALUES ('Issue', $1, $2, $3, 'opened', false, $4)`,
  note: `INSERT INTO bench.notes (project_id, noteable_type, noteable_id, author_id, body)
    VALUES ($1, 'Issue', $2, $3, $4) RETURNING *`,
  event: `INSERT INTO bench.events (project_id, author_id, action, target_type, target_id)
    VALUES ($1, $2, $3, $4, $5)`,
  status: `INSERT INTO bench.commit_statuses (project_id, sha, ref, name, status, description,
      author_id, finished_at) VALUES ($1, $2, $3, $4, $5, $6, $7, now()) RETURNING *`,
};

/**
 * The transactions, by the resource that they create. `insert` runs a statement and resolves with its row.
 * @type {Record<string, (insert: (name: string, ...values: unknown[]) => Promise<any>,
 *   parameters: string[], body: any) => Promise<any>>}
 */
const TRANSACTIONS = {
  issue: async (insert, [project, author, ...labels], { title, description }) => {
    const issue = await insert('issue', project, author, title, description);
    for (const label of labels) await insert('label', issue.id, label, issue.created_at, author);
    await insert('event', project, author, 'opened', 'Issue', issue.id);
    return issue;
  },
  note: async (insert, [project, author, issue], { body }) => {
    const note = await insert('note', project, issue, author, body);
    await insert('event', project, author, 'commented on', 'Note', note.id);
    return note;
  },
  status: (insert, [project, author, sha], { ref, name, state, description }) =>
    insert('status', project, sha, ref, name, state, description, author),
};

/** What it costs to insert the same rows without a framework: `/writes/<resource>/<parameters>`. */
export class Writes {
  #pool;

  /** @param {import('pg').Pool} pool */
  constructor(pool) {
    this.#pool = pool;
  }

  async answer([resource, ...parameters], body) {
    const client = await this.#pool.connect();
    const insert = async (name, ...values) => {
      const { rows } = await client.query({
        name: `insert ${name}`,
        text: STATEMENTS[name],
        values,
      });
      return rows[0];
    };
    try {
      await client.query('BEGIN');
      const row = await TRANSACTIONS[resource](insert, parameters, body);
      await client.query('COMMIT');
      client.release();
      return row;
    } catch (error) {
      // Closes the connection, which is in a failed transaction.
      client.release(error);
      throw error;
    }
  }
}
