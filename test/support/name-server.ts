import { createSocket, type Socket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { until } from './until.js';

const HEADER = 12;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;
const TTL = Buffer.from([0, 0, 0, 60]);
/** The name of the question, and the class of the internet. */
const POINTER = Buffer.from([0xc0, HEADER]);
const INTERNET = Buffer.from([0, 1]);

interface Question {
  name: string;
  type: number;
  bytes: Buffer;
}

/** A DNS server on loopback with names of its own. It answers nothing about `*.silent.example`. */
export class NameServer {
  /** The names that were asked for. */
  readonly asked = new Set<string>();

  private constructor(
    private readonly socket: Socket,
    private readonly records: Readonly<Record<string, readonly string[]>>,
  ) {}

  static async start(records: NameServer['records'] = {}): Promise<NameServer> {
    const server = new NameServer(createSocket('udp4'), records);
    server.socket.on('message', (query, { port, address }) => {
      const question = questionOf(query);
      server.asked.add(question.name);
      if (question.name.endsWith('.silent.example')) return;
      server.socket.send(server.answer(query, question), port, address);
    });
    await new Promise<void>((resolve) => server.socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${String(this.socket.address().port)}`;
  }

  async hasBeenAsked(count: number): Promise<void> {
    await until(async () => this.asked.size >= count);
  }

  stop(): void {
    this.socket.close();
  }

  private answer(query: Buffer, { name, type, bytes }: Question): Buffer {
    const ofType = (address: string): boolean => type === (isIPv4(address) ? TYPE_A : TYPE_AAAA);
    const addresses = (this.records[name] ?? []).filter(ofType);
    const header = Buffer.alloc(HEADER);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (name in this.records ? 0 : NAME_ERROR), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    return Buffer.concat([header, bytes, ...addresses.map(record)]);
  }
}

function questionOf(query: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.'), type, bytes: query.subarray(HEADER, at + 5) };
}

function record(address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const type = Buffer.from([0, data.length === 4 ? TYPE_A : TYPE_AAAA]);
  return Buffer.concat([POINTER, type, INTERNET, TTL, Buffer.from([0, data.length]), data]);
}
