import { redactSecrets, redactText } from '../../../src/platform/observability/index.js';

describe('The visible data of jobs', () => {
  it('excludes values of keys that name secrets', () => {
    const payload = {
      projectId: 7,
      privateToken: 'abc',
      hook: { password: 'abc', headers: [{ Authorization: 'Basic abc' }, { cookie: 'abc' }] },
      secret: { inner: 'abc' },
    };
    expect(redactSecrets(payload)).toEqual({
      projectId: 7,
      privateToken: '[redacted]',
      hook: {
        password: '[redacted]',
        headers: [{ Authorization: '[redacted]' }, { cookie: '[redacted]' }],
      },
      secret: '[redacted]',
    });
  });

  it('has addresses without credentials', () => {
    const text = 'Cannot fetch https://mia:abc@example.com/crew.git?private_token=abc&page=2 (404)';
    const shown =
      'Cannot fetch https://[redacted]@example.com/crew.git?private_token=[redacted]&page=2 (404)';
    expect(redactText(text)).toBe(shown);
    expect(redactSecrets([text, null, true])).toEqual([shown, null, true]);
    expect(redactText('ssh://abc@example.com, or https://a:b@c@d/')).not.toMatch(/abc|a:b/);
    expect(redactText('mail to mia@example.com: see a://b')).toBe(
      'mail to mia@example.com: see a://b',
    );
  });

  it('excludes credentials with quotes and brackets', () => {
    for (const password of [`ab'cd`, 'ab"cd', 'ab<cd>']) {
      const shown = redactText(`Cannot fetch 'https://mia:${password}@example.com/crew.git'`);
      expect(shown).toBe(`Cannot fetch 'https://[redacted]@example.com/crew.git'`);
    }
  });

  it('is redacted in linear time', () => {
    const before = process.cpuUsage();
    redactText('a.'.repeat(32 * 1_024));
    const { user } = process.cpuUsage(before);
    expect(user).toBeLessThan(500_000);
  });

  it('is truncated at a maximum depth', () => {
    let value: unknown = 'deep';
    for (let depth = 0; depth < 40; depth += 1) value = [value];
    expect(JSON.stringify(redactSecrets(value))).toContain('[redacted]');
  });
});
