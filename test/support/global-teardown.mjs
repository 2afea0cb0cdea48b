import { rm } from 'node:fs/promises';

export default async function tearDown() {
  const { server, folder } = globalThis.trellisTestServer;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
