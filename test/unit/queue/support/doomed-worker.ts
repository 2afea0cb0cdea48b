import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from './database.js';
import { Behaviour } from './jobs.js';
import { workerModule, type WorkerSettings } from './worker-module.js';

/** Takes a job, says so in the database, and never ends it. Its settings come as one argument. */
export async function main(): Promise<void> {
  const settings = JSON.parse(process.argv[2] ?? '') as WorkerSettings;
  const dataSource = await new DataSource(dataSourceOptions(settings.databaseUrl)).initialize();
  const app = await NestFactory.createApplicationContext(workerModule(settings, dataSource), {
    logger: false,
  });
  app.get(Behaviour, { strict: false }).on('plain', async (key) => {
    await dataSource.query('INSERT INTO effects (key, note) VALUES ($1, $2)', [key, 'begun']);
    await new Promise(() => undefined);
  });
}
