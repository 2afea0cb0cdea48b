// What drivers in JavaScript share: operations, and a look at what they did that does not go through the client.
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export const {
  SERVICE: url,
  ADMIN_TOKEN: adminToken,
  TOKEN: token,
  USERNAME: username,
  CLIENT_FOLDER: folder,
} = process.env;
export const userId = Number(process.env.USER_ID);

/** Imports a package of the client's folder. */
export const load = (name) => import(pathToFileURL(requireThere.resolve(name)).href);

export const requireThere = createRequire(path.join(folder, 'package.json'));

/**
 * Carries out an operation of the client with the checks of what it did, and notes whether it passed. A failed one does not
 * keep the driver from the next.
 * @returns what the work returns; undefined when it fails
 */
export async function operation(name, work) {
  let problem = null;
  try {
    return await work();
  } catch (error) {
    problem = describe(error);
    return undefined;
  } finally {
    const line = JSON.stringify({ operation: name, problem });
    appendFileSync(process.env.CLIENT_RESULTS, `${line}\n`);
  }
}

const SHOWN_CHARACTERS = 500;

function describe(error) {
  // That of @gitbeaker/rest has the text of the service.
  const cause = error?.cause?.description;
  const text = [error?.message ?? String(error), cause].filter(Boolean).join(': ');
  return text.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
}

/** Calls version 4 without the client. @returns the status, the headers, and the body as it was sent */
export async function call(method, route, { body, as = token } = {}) {
  const response = await fetch(`${url}/api/v4${route}`, {
    method,
    headers: { 'private-token': as, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Reads what the service has, without the client. @throws Error unless there is an answer of 200 */
export async function read(route, { as = token } = {}) {
  const { status, text } = await call('GET', route, { as });
  if (status !== 200) throw new Error(`GET ${route} answers ${status} ${text}`);
  return JSON.parse(text);
}

/** Prepares or changes what is there, without the client. @throws Error when it is refused */
export async function write(method, route, body, { as = token } = {}) {
  const { status, text } = await call(method, route, { body, as });
  if (status >= 300) throw new Error(`${method} ${route} answers ${status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** The status with which a thing is read. */
export const statusOf = async (route, options) => (await call('GET', route, options)).status;
