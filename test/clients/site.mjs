// The service that clients are driven against: as an operator runs it, with the default settings.
import { freePort } from '../../scripts/free-port.mjs';
import { built } from '../crash/own-database.mjs';
import { Service, TOKEN } from '../crash/service.mjs';

export class Site {
  #accounts = 0;

  constructor(service) {
    this.service = service;
  }

  static async open(scratch) {
    const port = await freePort();
    const environment = {
      EXTERNAL_URL: `http://127.0.0.1:${port}`,
      // Hooks of the tests lead to this machine.
      WEBHOOK_ALLOW_LOCAL: 'true',
    };
    const service = new Service({
      main: built('main.js'),
      folder: scratch.folder,
      port,
      environment,
    });
    scratch.defer(() => service.destroy());
    await service.start();
    return new Site(service);
  }

  get url() {
    return this.service.url;
  }

  get adminToken() {
    return TOKEN;
  }

  /** An ordinary user for one client. @returns its name, ID and token */
  async createAccount() {
    this.#accounts += 1;
    const username = `driver-${this.#accounts}`;
    const password = `password of ${username}`;
    const email = `${username}@example.com`;
    const headers = { 'private-token': TOKEN };
    const user = { username, name: username, email, password, skip_confirmation: true };
    const { id } = await this.#post('/api/v4/users', user, headers);
    const session = await this.#post('/api/v3/session', { login: username, password });
    return { id, username, token: session.private_token };
  }

  async #post(route, body, headers = {}) {
    const response = await fetch(this.url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
