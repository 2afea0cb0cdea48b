import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Service } from '../service.mjs';
import { seedGrowth, seedReader } from './seed.mjs';

const PASSWORD = 'reader-of-lists';

/** A service on a database of its own with an invented stock. */
export class Instance {
  /** @private */
  constructor(service, readerToken) {
    this.service = service;
    this.tokens = { admin: service.headers['PRIVATE-TOKEN'], reader: readerToken };
  }

  /**
   * @param {{ folder: string, database: import('../database.mjs').Database, name: string,
   *   stock: import('./seed.mjs').Stock }} options
   */
  static async start({ folder, database, name, stock }) {
    const own = await database.another(name);
    const place = path.join(folder, name);
    await mkdir(place);
    const service = await Service.start({ folder: place, databaseUrl: own.url, withWorker: false });
    const { id } = await service.call('POST', '/users', {
      username: 'reader',
      name: 'Reader',
      email: 'reader@example.com',
      password: PASSWORD,
    });
    const session = await service.call('POST', '/session', { login: 'reader', password: PASSWORD });
    await seedGrowth(own, stock);
    await seedReader(own, stock, id);
    return new Instance(service, session.private_token);
  }

  stop() {
    return this.service.stop();
  }
}
