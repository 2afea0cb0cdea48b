import { noteTarget } from '../../../src/modules/issuables/notes/note.events.js';
import { checkBody } from '../../../src/modules/issuables/notes/notes.service.js';

const LONGEST = 1024 * 1024;

describe('The rules of notes', () => {
  it.each(['', ' ', '\n\t', '\u00a0\u2003'])('require more than blanks: %j', (body) => {
    expect(() => checkBody(body)).toThrow(
      expect.objectContaining({
        detail: { code: 'note-body-missing' },
      }) as Error,
    );
  });

  it('require at most the length of a description', () => {
    expect(() => checkBody('😀'.repeat(LONGEST))).not.toThrow();
    expect(() => checkBody('x'.repeat(LONGEST + 1))).toThrow(
      expect.objectContaining({
        detail: {
          code: 'invalid-fields',
          fields: { noteBody: [{ rule: 'too-long', limit: LONGEST }] },
        },
      }) as Error,
    );
  });

  it('change nothing else', () => {
    expect(() => checkBody(' <b>"\u202e ')).not.toThrow();
  });

  it('name the targets of note events', () => {
    expect(noteTarget('Issue')).toBe('IssueNote');
    expect(noteTarget('MergeRequest')).toBe('MergeRequestNote');
  });
});
