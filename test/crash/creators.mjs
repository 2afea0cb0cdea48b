import { TOKEN } from './service.mjs';

const HEADERS = { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' };

/** A client that creates projects, and deletes some of them, until it is left unanswered. */
export class Creator {
  #names = 0;
  /** Own projects that nobody has asked to delete. */
  #projects = [];

  constructor({ name, ledger, random }) {
    Object.assign(this, { name, ledger, random });
  }

  async work(context) {
    while (!context.stopped()) {
      const deletes = this.#projects.length > 1 && this.random.chance(0.3);
      const answered = deletes ? await this.#delete(context) : await this.#create(context);
      if (!answered) return;
      await context.pause(this.random.integer(0, 60));
    }
  }

  async #create({ base, announce }) {
    this.#names += 1;
    const name = `${this.name}-${this.#names}`;
    this.ledger.creations.set(name, { state: 'unknown' });
    const answer = await call('POST', `${base}/api/v3/projects`, { name });
    if (answer === null || answer.status >= 500) {
      return answer === null ? false : this.#unexpected(`creating ${name}`, answer);
    }
    if (answer.status !== 200) return this.#unexpected(`creating ${name}`, answer);
    const { id, path } = answer.body;
    this.ledger.creations.set(name, { state: 'there', id });
    this.#projects.push({ id, path });
    announce({ id, path });
    return true;
  }

  async #delete({ base, withdraw }) {
    const [project] = this.#projects.splice(this.random.integer(0, this.#projects.length - 1), 1);
    this.ledger.deletions.set(project.id, 'unknown');
    withdraw(project);
    const answer = await call('DELETE', `${base}/api/v3/projects/${project.id}`);
    if (answer === null) return false;
    if (answer.status !== 200) return this.#unexpected(`deleting ${project.id}`, answer);
    this.ledger.deletions.set(project.id, 'gone');
    return true;
  }

  /** While the database is away an honest "not now" is fine; then nothing is known. */
  #unexpected(what, { status, body }) {
    if (![500, 502, 503].includes(status)) {
      this.ledger.problems.push(`${what} answers ${status} ${JSON.stringify(body)}`);
    }
    return false;
  }
}

/** Null when there was no whole answer. */
export async function call(method, url, body) {
  try {
    const response = await fetch(url, {
      method,
      headers: HEADERS,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return null;
  }
}
