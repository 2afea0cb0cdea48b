import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { uploadType } from '../../../src/modules/storage/uploads/send-upload.js';

const MIB = 1024 * 1024;
const OPAQUE = { mediaType: 'application/octet-stream', inline: false };

/** Repeats a header to a file of 10 MiB: a container of very many parts. */
const filled = (header: Buffer, beginning = Buffer.alloc(0)): Buffer => {
  const content = Buffer.alloc(10 * MIB, header);
  beginning.copy(content);
  return content;
};

const ZIP_ENTRY = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(22)]);
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const FREE_BOX = Buffer.from('0000000866726565', 'hex');
const ID3 = Buffer.from('49443303000000000000', 'hex');

describe('the type of an upload', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'upload-type-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const typeOf = async (content: Buffer, name: string) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    return uploadType(file, name);
  };

  it.each([
    ['zip', 'a.png', filled(ZIP_ENTRY), OPAQUE],
    ['mp3', 'a.mp4', filled(ID3), OPAQUE],
    ['boxes', 'a.mov', filled(FREE_BOX), { mediaType: 'video/quicktime', inline: true }],
    [
      'png',
      'a.png',
      Buffer.concat([PNG, Buffer.from('0000000d49484452', 'hex'), Buffer.alloc(10 * MIB)]),
      { mediaType: 'image/png', inline: true },
    ],
  ])('needs only the beginning of a file: %s', async (_kind, name, content, type) => {
    const file = path.join(folder, name);
    await writeFile(file, content);
    const before = await bytesRead();
    expect(await uploadType(file, name)).toEqual(type);
    expect((await bytesRead()) - before).toBeLessThan(MIB);
  });

  it('is that of a file shorter than what is read', async () => {
    expect(await typeOf(Buffer.from('GIF89a'), 'a.gif')).toEqual({
      mediaType: 'image/gif',
      inline: true,
    });
    expect(await typeOf(Buffer.alloc(0), 'empty.png')).toEqual(OPAQUE);
  });
});

/** What this process has read so far, from files and elsewhere. */
async function bytesRead(): Promise<number> {
  const [, count] = /^rchar: (\d+)$/m.exec(await readFile('/proc/self/io', 'utf8')) ?? [];
  return Number(count);
}
