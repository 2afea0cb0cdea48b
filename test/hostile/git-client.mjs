// Repositories that attackers make: `git fast-import` writes what no ordinary client would.
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A packet of git's protocols, as text that is sent as UTF-8. */
export const packetLine = (text) =>
  `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;

export const WHO = 'Mallory <mallory@example.com> 1700000000 +0000';
const MOST_OUTPUT = 1024 * 1024;

export class GitClient {
  /** @param basic the `Authorization` header's value, if there is to be one */
  constructor({ folder, basic }) {
    this.folder = folder;
    this.environment = environment(basic);
  }

  async create() {
    await mkdir(this.folder, { recursive: true });
    await this.must(['init', '--quiet', '--bare', '--initial-branch=master']);
    await this.must(['config', 'pack.threads', '1']);
    await this.must(['config', 'pack.window', '1']);
    return this;
  }

  /** @param parts texts and buffers, lazily */
  async import(parts) {
    await this.must(['fast-import', '--quiet', '--force', '--done', '--max-pack-size=4g'], parts, {
      last: 'done\n',
    });
  }

  /** Writes an object as it is, without any check; answers its hash. */
  async write(type, parts) {
    const args = ['hash-object', '-t', type, '-w', '--stdin', '--literally'];
    return (await this.must(args, parts)).trim();
  }

  /** @param entries lines of `git ls-tree` */
  async tree(entries) {
    return (await this.must(['mktree', '--missing'], [entries.join('')])).trim();
  }

  async point(ref, hash) {
    await this.must(['update-ref', ref, hash]);
  }

  async commitTree(tree, message = 'A commit', parent = undefined) {
    const text = `tree ${tree}\n${parent ? `parent ${parent}\n` : ''}author ${WHO}\ncommitter ${WHO}\n\n${message}\n`;
    return this.write('commit', [text]);
  }

  /** A pack of all objects, up to a megabyte. */
  async pack() {
    const packed = await this.must(['pack-objects', '--all', '--stdout', '--quiet']);
    return Buffer.from(packed, 'latin1');
  }

  /** Runs git; throws when it fails. */
  async must(args, input, options) {
    const { code, stdout, stderr } = await this.run(args, input, options);
    if (code !== 0) throw new Error(`git ${args[0]} fails: ${stderr.slice(0, 500)}`);
    return stdout;
  }

  /** Runs git to its end, or until the signal. */
  async run(args, input = [], { last = '', signal } = {}) {
    const child = spawn('git', args, { cwd: this.folder, env: this.environment });
    const abort = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].on('data', (chunk) => {
        if (output[name].length < MOST_OUTPUT) output[name] += chunk.toString('latin1');
      });
    }
    const ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const parts = function* () {
      yield* input;
      yield last;
    };
    // A git that ends early has said why on standard error.
    await pipeline(Readable.from(parts(), { objectMode: true }), child.stdin).catch(
      () => undefined,
    );
    const code = await ended;
    signal?.removeEventListener('abort', abort);
    return { code, ...output };
  }
}

function environment(basic) {
  const header = basic && {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${basic}`,
  };
  return {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    ...header,
  };
}

/** A commit for `git fast-import`. */
export function* commit({ ref = 'refs/heads/master', from, message, author = WHO, files = {} }) {
  yield `commit ${ref}\nauthor ${author}\ncommitter ${WHO}\n`;
  yield* data(message);
  if (from) yield `from ${from}\n`;
  for (const [path, content] of Object.entries(files)) {
    yield `M 100644 inline ${path}\n`;
    yield* data(content);
  }
  yield '\n';
}

/** @param content text, bytes, or `{ bytes, fill }`, that many times the same character */
export function* data(content) {
  // Buffers have a method of that name.
  if (typeof content.fill === 'string') {
    yield `data ${content.bytes}\n`;
    const chunk = Buffer.alloc(1024 * 1024, content.fill);
    for (let left = content.bytes; left > 0; left -= chunk.length) {
      yield chunk.subarray(0, Math.min(left, chunk.length));
    }
  } else {
    const bytes = Buffer.from(content);
    yield `data ${bytes.length}\n`;
    yield bytes;
  }
  yield '\n';
}

/** What a user of git sees of a refusal or failure; `accepted` when there was none. */
export function gitAnswer({ code, stderr }, isAborted) {
  if (code === 0) return 'accepted';
  if (isAborted) return 'open';
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim());
  const shown =
    lines.find((line) =>
      /^remote: *(?!Resolving|Unpacking|Compressing|Counting|warning)\S/.test(line),
    ) ??
    lines.find((line) => /\[remote rejected\]/.test(line)) ??
    lines.find((line) => /^(?:fatal|error): /.test(line)) ??
    `git ends with ${code}`;
  return shown
    .replace(/[0-9a-f]{40}/g, '<hash>')
    .replace(/http:\/\/\S+/g, '<url>')
    .slice(0, 100);
}

/** Whether git's answer says what is wrong, in contrast to a broken connection or a server error. */
export function isShownByGit(answer) {
  if (
    /(?<![\d,])5\d\d\b|internal|curl (?!22)\d|hung up|disconnect|unexpected|early EOF/i.test(answer)
  ) {
    return false;
  }
  return /^remote:|remote rejected|invalid refspec|error: 4\d\d|not found|Authentication|denied|refused/i.test(
    answer,
  );
}
