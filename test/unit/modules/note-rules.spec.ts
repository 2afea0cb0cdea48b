import { noteTarget } from '../../../src/modules/issuables/notes/note.events.js';
import { checkBody } from '../../../src/modules/issuables/notes/notes.service.js';

const LONGEST = 1024 * 1024;

describe('The rules of notes', () => {
  it.each(['', ' ', '\n\t', '\u00a0\u2003'])('want more than blanks: %j', (body) => {
    expect(() => checkBody(body)).toThrow(
      expect.objectContaining({
        detail: { code: 'rule-violated', text: '400 (Bad request) "body" not given' },
      }) as Error,
    );
  });

  it('want what is no longer than a description', () => {
    expect(() => checkBody('😀'.repeat(LONGEST))).not.toThrow();
    expect(() => checkBody('x'.repeat(LONGEST + 1))).toThrow(
      expect.objectContaining({
        detail: {
          code: 'invalid-record',
          fields: { note: ['is too long (maximum is 1048576 characters)'] },
        },
      }) as Error,
    );
  });

  it('leave everything else as it is', () => {
    expect(() => checkBody(' <b>"\u202e ')).not.toThrow();
  });

  it('name what events on notes are on', () => {
    expect(noteTarget('Issue')).toBe('IssueNote');
    expect(noteTarget('MergeRequest')).toBe('MergeRequestNote');
  });
});
