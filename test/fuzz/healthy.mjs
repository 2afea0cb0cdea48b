// What an ordinary user does: it works before conversations and after them.
import { until } from '../crash/processes.mjs';
import { ask } from '../hostile/http-client.mjs';
import { commit } from '../hostile/git-client.mjs';
import { overSsh, Receiver } from './players.mjs';

const DELIVERY_MS = 20_000;

export class HealthyUser {
  #pushes = 0;

  constructor(world, sshPort, privateKey) {
    Object.assign(this, { world, sshPort, privateKey });
  }

  async open() {
    this.project = await this.world.project();
    this.receiver = await new Receiver().open(this.world, this.project);
    return this;
  }

  close() {
    this.receiver.close();
  }

  /** @returns what does not work, in words */
  async findProblems() {
    const problems = [];
    for (const name of ['request', 'push', 'clone', 'clone over SSH', 'delivery']) {
      const problem = await this.#steps[name]().catch((error) => error.message);
      if (problem) problems.push(`a healthy ${name} fails: ${problem}`);
    }
    return problems;
  }

  #steps = {
    request: async () => {
      const { token } = this.world.mallory;
      const { status } = await ask(this.world.url, { path: '/api/v3/user', token });
      return status === 200 ? undefined : status;
    },
    push: async () => {
      this.#pushes += 1;
      const files = { [`file-${this.#pushes}.txt`]: 'A file\n' };
      const message = `Add file ${this.#pushes}`;
      const from = this.#pushes === 1 ? undefined : 'refs/heads/master^0';
      await this.project.git.import(commit({ message, files, from }));
      await this.world.pushQuietly(this.project);
    },
    clone: async () => {
      await this.project.git.must(['ls-remote', `${this.world.url}${this.project.path}`]);
      const clone = `${this.project.git.folder}-clone-${this.#pushes}`;
      await this.project.git.must(['clone', '-q', `${this.world.url}${this.project.path}`, clone]);
    },
    'clone over SSH': async () => {
      const head = (await this.project.git.must(['rev-parse', 'master'])).trim();
      const { received, wrong } = await overSsh(this, {
        command: `git-upload-pack '${this.project.path.slice(1)}'`,
        pieces: [Buffer.from(`0032want ${head}\n00000009done\n`)],
        ...{ ending: 'half', isWhole: true },
      });
      return wrong ?? (received.includes('PACK') ? undefined : 'no pack comes');
    },
    delivery: async () => {
      const before = this.receiver.deliveries;
      await this.world.issue(this.project);
      const isDelivered = await until(() => this.receiver.deliveries > before, DELIVERY_MS);
      return isDelivered ? undefined : 'nothing is delivered';
    },
  };
}
