import type { Person } from '../../support/factories.js';
import { type KeyKind, SshPerson } from '../../support/ssh-person.js';
import { Trellis } from '../../support/trellis.js';

/** Every kind of key that an account may have, with the algorithms of OpenSSH that sign with it. */
const ALGORITHMS: [kind: KeyKind, accepted: string[], refused: string[]][] = [
  ['ed25519', ['ssh-ed25519'], []],
  ['ecdsa', ['ecdsa-sha2-nistp256'], []],
  ['ecdsa of 384 bits', ['ecdsa-sha2-nistp384'], []],
  ['ecdsa of 521 bits', ['ecdsa-sha2-nistp521'], []],
  ['rsa', ['rsa-sha2-512', 'rsa-sha2-256'], ['ssh-rsa']],
  ['dsa', [], ['ssh-dss']],
];

describe('Git over SSH: signature algorithms', () => {
  let trellis: Trellis;
  let owner: Person;
  const keys = new Map<KeyKind, SshPerson>();

  beforeAll(async () => {
    trellis = await Trellis.shared({ servesSsh: true });
    owner = await trellis.factories.user();
    for (const [kind] of ALGORITHMS) keys.set(kind, await SshPerson.create(trellis, owner, kind));
  });
  afterAll(async () => {
    await Promise.all([...keys.values()].map((key) => key.remove()));
    await trellis.restore();
  });

  const signIn = async (kind: KeyKind, ...options: string[]) => {
    const key = keys.get(kind);
    if (key === undefined) throw new Error(`There is no key of the kind ${kind}`);
    return key.ssh([], { options });
  };
  const only = (algorithm: string) => ['-o', `PubkeyAcceptedAlgorithms=${algorithm}`];

  const listed = (pick: (row: (typeof ALGORITHMS)[number]) => string[]) =>
    ALGORITHMS.flatMap((row) => pick(row).map((algorithm) => [row[0], algorithm] as const));

  it.each(listed(([, accepted]) => accepted))(
    'accepts a client that has %s keys and offers only %s',
    async (kind, algorithm) => {
      const answer = await signIn(kind, ...only(algorithm));
      expect(answer).toEqual({ code: 0, stdout: `Welcome, ${owner.user.name}!\n`, stderr: '' });
    },
  );

  it.each(listed(([, , refused]) => refused))(
    'refuses a client that has %s keys and offers only %s',
    async (kind, algorithm) => {
      const answer = await signIn(kind, ...only(algorithm));
      expect(answer).toMatchObject({ code: 255, stdout: '' });
      expect(answer.stderr).toContain('Permission denied (publickey).');
    },
  );

  it('accepts a client with its default algorithms', async () => {
    for (const [kind, accepted] of ALGORITHMS) {
      const { code } = await signIn(kind);
      expect({ kind, code }).toEqual({ kind, code: accepted.length > 0 ? 0 : 255 });
    }
  });

  it('announces exactly the accepted algorithms, once', async () => {
    const { stderr } = await signIn('rsa', '-v', '-o', 'LogLevel=DEBUG1');
    const announced = [...stderr.matchAll(/server-sig-algs=<(.*)>/g)].map(([, list]) => list);
    expect(announced).toEqual([
      'ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256',
    ]);
    expect(announced[0]?.split(',').sort()).toEqual(
      listed(([, accepted]) => accepted)
        .map(([, algorithm]) => algorithm)
        .sort(),
    );
  });
});
