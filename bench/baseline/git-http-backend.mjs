import { spawn } from 'node:child_process';

const HEAD_END = '\r\n\r\n';

/** Hosts `git http-backend` as a CGI program, the way a plain web server would. */
export class GitHttpBackend {
  #root;
  #authorization;

  /**
   * @param {string} root the folder that paths are looked up in
   * @param {{ username: string, password: string }} credentials asked for before a push
   */
  constructor(root, { username, password }) {
    this.#root = root;
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   * @param {URL} url
   */
  serve(request, response, url) {
    const isPush = `${url.pathname}${url.search}`.includes('git-receive-pack');
    const isKnown = request.headers.authorization === this.#authorization;
    if (isPush && !isKnown) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="bench"' }).end();
      return;
    }
    const child = spawn('git', ['http-backend'], {
      env: this.#environment(request, url, isKnown),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => request.resume());
    request.pipe(child.stdin);
    child.once('error', () => response.destroy());
    passOn(child.stdout, response).catch(() => response.destroy());
  }

  #environment({ method, headers }, url, isKnown) {
    return {
      PATH: process.env.PATH,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_PROJECT_ROOT: this.#root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: headers['git-protocol'] ?? '',
      REQUEST_METHOD: method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers['content-type'] ?? '',
      CONTENT_LENGTH: headers['content-length'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      REMOTE_ADDR: '127.0.0.1',
      ...(isKnown ? { REMOTE_USER: 'bench' } : {}),
    };
  }
}

/** CGI: header lines, `Status` among them, an empty line, and the body as it comes. */
async function passOn(stdout, response) {
  let head = Buffer.alloc(0);
  for await (const chunk of stdout) {
    if (response.headersSent) {
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end === -1) continue;
    writeHead(head.toString('latin1', 0, end), response);
    response.write(head.subarray(end + HEAD_END.length));
  }
  response.end();
}

function writeHead(text, response) {
  const lines = text.split('\r\n').map((line) => line.split(/: */, 2));
  const fields = lines.filter(([name]) => name !== 'Status');
  const status = lines.find(([name]) => name === 'Status')?.[1] ?? '200';
  response.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields));
}
