import fc from 'fast-check';
import { CatFileReply } from '../../../src/git/objects/cat-file-reply.js';
import { GitProtocolError, pktLine, FLUSH_PACKET } from '../../../src/git/index.js';
import { HeldOutput, readReport, rewriteReport } from '../../../src/git/wire/push-report.js';
import { LineReply } from '../../../src/git/process/co-process.js';
import { PktLineSplitter, splitPackets } from '../../../src/git/wire/pkt-line.js';

const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 });

/** The same bytes in pieces of the given sizes, which repeat. */
function cut(whole: Buffer, sizes: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, n = 0; at < whole.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    pieces.push(whole.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

function feed(reply: { push(chunk: Buffer): Buffer | null }, pieces: Buffer[]): Buffer[] {
  const queue = [...pieces];
  for (let piece = queue.shift(); piece; piece = queue.shift()) {
    const rest = reply.push(piece);
    if (rest) return [rest, ...queue];
  }
  throw new Error('The answer did not end');
}

describe('the framing of cat-file', () => {
  const oid = 'b'.repeat(40);

  it('accepts any content in any chunks, and keeps the bytes of the next answer', () => {
    const contents = fc.array(fc.option(bytes(120)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(contents, bytes(20), cuts, (objects, behind, sizes) => {
        const stream = Buffer.concat([
          ...objects.flatMap((content) =>
            content === null
              ? [Buffer.from('deadbeef missing\n')]
              : [Buffer.from(`${oid} blob ${content.length}\n`), content, Buffer.from('\n')],
          ),
          behind,
        ]);
        const reply = new CatFileReply(objects.length, 'contents', 100);
        const rest = feed(reply, [...cut(stream, sizes), Buffer.alloc(0)]);
        expect(Buffer.concat(rest).equals(behind)).toBe(true);
        const expected = objects.map(
          (content) =>
            content && {
              ...{ oid, type: 'blob', size: content.length },
              content: content.length > 100 ? null : content,
            },
        );
        expect(reply.result()).toEqual(expected);
      }),
    );
  });

  it('fails on invalid output of cat-file', () => {
    for (const text of ['hello\n', `${oid} blob\n`, `${oid} tree x\n`, `${oid} blob 1\nab`]) {
      const reply = new CatFileReply(1, 'contents');
      expect(() => reply.push(Buffer.from(text))).toThrow(GitProtocolError);
    }
    const endless = new CatFileReply(1, 'contents');
    expect(() => endless.push(Buffer.alloc(5000, 'a'))).toThrow(GitProtocolError);
  });
});

describe('an answer of lines', () => {
  it('ends at its last line in any chunks', () => {
    const text = fc.array(fc.stringMatching(/^[a-zä]{0,8}$/), { maxLength: 8 });
    fc.assert(
      fc.property(text, cuts, (expected, sizes) => {
        const lines: string[] = [];
        const reply = new LineReply('#end', (line) => lines.push(line));
        const stream = Buffer.from([...expected, '#end', 'next'].join('\n'));
        const rest = feed(reply, [...cut(stream, sizes), Buffer.alloc(0)]);
        expect(lines).toEqual(expected);
        expect(Buffer.concat(rest).toString()).toBe('next');
      }),
    );
  });
});

describe('packets', () => {
  it('are parsed from any stream in any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.option(bytes(60))), cuts, (payloads, sizes) => {
        const stream = Buffer.concat(payloads.map((p) => (p ? pktLine(p) : FLUSH_PACKET)));
        const splitter = new PktLineSplitter();
        const packets = cut(stream, sizes).flatMap((piece) => splitter.push(piece));
        expect(packets.map((packet) => packet.payload)).toEqual(payloads);
        expect(splitter.rest).toHaveLength(0);
      }),
    );
  });

  it('are rejected when malformed', () => {
    for (const text of ['zzzz', 'fffff', '0003', '000', '0009abc']) {
      expect(() => splitPackets(Buffer.from(text))).toThrow(GitProtocolError);
    }
    expect(() => pktLine(Buffer.alloc(65_517))).toThrow(GitProtocolError);
  });

  it('pass the buffer whole, and are all emitted', () => {
    const payloads = fc.array(bytes(30), { maxLength: 10 });
    fc.assert(
      fc.property(payloads, cuts, fc.nat(200), bytes(10), (list, sizes, holdAt, junk) => {
        const stream = Buffer.concat([...list.map((payload) => pktLine(payload)), junk]);
        const held = new HeldOutput();
        const passed: Buffer[] = [];
        cut(stream, sizes).forEach((piece, index) => {
          if (index === holdAt) held.hold();
          passed.push(held.push(piece));
        });
        expect(Buffer.concat([...passed, held.take()]).equals(stream)).toBe(true);
      }),
    );
  });
});

describe('the report of a push', () => {
  const rewritten = (output: Buffer, wanted: Parameters<typeof rewriteReport>[1]) =>
    Buffer.concat([...rewriteReport(output, wanted)]);
  const lines = ['unpack ok\n', 'ng refs/heads/a old reason\n', 'ok refs/heads/b\n'];
  const plain = Buffer.concat([...lines.map((text) => pktLine(text)), FLUSH_PACKET]);
  const band = (number: number, payload: Buffer) =>
    pktLine(Buffer.concat([Buffer.from([number]), payload]));
  const changes = { reason: (ref: string, own: string) => `${ref}:${own}!`, messages: ['hi'] };

  it('is read with and without bands', () => {
    const expected = new Map([
      ['refs/heads/a', 'old reason'],
      ['refs/heads/b', null],
    ]);
    const banded = Buffer.concat([band(2, Buffer.from('x')), band(1, plain), FLUSH_PACKET]);
    expect(readReport(plain)).toEqual(expected);
    expect(readReport(banded)).toEqual(expected);
    expect(readReport(FLUSH_PACKET)).toBeNull();
    expect(readReport(Buffer.alloc(0))).toBeNull();
    expect(readReport(Buffer.from('junk'))).toBeNull();
  });

  it('is edited without bands', () => {
    const changed = splitPackets(rewritten(plain, changes)).map((p) => p.payload?.toString());
    expect(changed).toEqual([
      'unpack ok\n',
      'ng refs/heads/a refs/heads/a:old reason!\n',
      'ok refs/heads/b\n',
      undefined,
    ]);
  });

  it('is edited within bands, in any chunks of git', () => {
    fc.assert(
      fc.property(cuts, (sizes) => {
        const stream = Buffer.concat([
          band(2, Buffer.from('progress\n')),
          ...cut(plain, sizes).map((piece) => band(1, piece)),
          FLUSH_PACKET,
        ]);
        const packets = splitPackets(rewritten(stream, changes));
        expect(packets.map((packet) => packet.payload?.[0])).toEqual([2, 2, 1, undefined]);
        expect(packets[1]?.payload?.subarray(1).toString()).toBe('hi\n');
        const report = packets[2]?.payload?.subarray(1) ?? Buffer.alloc(0);
        expect(report.equals(rewritten(plain, changes))).toBe(true);
      }),
    );
  });

  it('carries messages although no report was requested', () => {
    const packets = splitPackets(rewritten(FLUSH_PACKET, changes));
    expect(packets.map((packet) => packet.payload?.toString())).toEqual(['\x02hi\n', undefined]);
  });

  it('keeps a reason on one line', () => {
    const reason = () => 'two\nlines\0';
    const changed = rewritten(plain, { reason, messages: [] }).toString();
    expect(changed).toContain('ng refs/heads/a two lines \n');
  });

  it('is passed on unchanged when it is something else', () => {
    fc.assert(
      fc.property(bytes(200), (junk) => {
        const stream = Buffer.concat([Buffer.from('!'), junk]);
        expect(rewritten(stream, changes)).toEqual(stream);
      }),
    );
  });
});
