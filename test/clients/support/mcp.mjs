// Speaks to a server of the Model Context Protocol over its standard input and output: one JSON-RPC message a line.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const PROTOCOL = '2024-11-05';
const LIMIT_MS = 30_000;

export class McpServer {
  #waiting = new Map();
  #last = 0;
  #child;
  #errors = '';

  /** @param command the program with its arguments; @param env beyond that of this process */
  static async start([file, ...args], env) {
    const server = new McpServer();
    const child = spawn(file, args, { env: { ...process.env, ...env } });
    server.#child = child;
    child.stderr.on('data', (part) => (server.#errors += part));
    child.once('exit', () => server.#failAll());
    createInterface({ input: child.stdout }).on('line', (line) => server.#receive(line));
    await server.#request('initialize', {
      ...{ protocolVersion: PROTOCOL, capabilities: {} },
      clientInfo: { name: 'driver', version: '1' },
    });
    server.#send({ method: 'notifications/initialized' });
    return server;
  }

  async toolNames() {
    const { tools } = await this.#request('tools/list', {});
    return tools.map(({ name }) => name);
  }

  /** @returns the text that the tool answers, read as JSON where it is. @throws Error when the tool answers an error */
  async call(name, parameters) {
    const result = await this.#request('tools/call', { name, arguments: parameters });
    const text = result.content.map((part) => part.text ?? '').join('');
    if (result.isError) throw new Error(`${name}: ${text}`);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  stop() {
    this.#child.kill();
  }

  #request(method, params) {
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${method} has no answer: ${this.#errors.slice(-400)}`)),
        LIMIT_MS,
      );
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ id, method, params });
    });
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #receive(line) {
    if (!line.startsWith('{')) return;
    const { id, result, error } = JSON.parse(line);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error.message));
  }

  #failAll() {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`The server ended: ${this.#errors.slice(-400)}`));
    }
    this.#waiting.clear();
  }
}
