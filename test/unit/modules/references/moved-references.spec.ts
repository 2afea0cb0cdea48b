import {
  expandReferences,
  followEdit,
  hideReferences,
  type MovableText,
  withMoved,
} from '../../../../src/modules/issuables/references/moved-references.js';

const SOURCE = { id: 1, namespacePath: 'tools', path: 'api' };
const NEXT = { id: 2, namespacePath: 'apps', path: 'web' };
const LAST = { id: 3, namespacePath: 'docs', path: 'manual' };
const LONGEST = 10_000;

const nothing = (): boolean => false;
const everything = (): boolean => true;
const only = (hidden: number) => (id: number) => id === hidden;

/** What becomes of a text that moves from one project to the next. */
function moved(
  { text, moved: before }: MovableText,
  from: typeof SOURCE = SOURCE,
  to: typeof SOURCE = NEXT,
): MovableText {
  const expanded = expandReferences(text, from, to);
  return { text: expanded.text, moved: withMoved(before, from.id, expanded.added) };
}

const written = (text: string): MovableText => ({ text, moved: null });

describe('references that a move made full', () => {
  it.each([
    ['See #7.', 'See \\#7.'],
    ['#1, !2, ~bug, ~"two words" and %v1.0', '\\#1, \\!2, \\~bug, \\~"two words" and \\%v1.0'],
    ['other#7 and tools/api#8', 'other\\#7 and tools/api#8'],
    ['`#1` tools/api#2 #3', '`#1` tools/api#2 \\#3'],
    ['nothing', 'nothing'],
  ])('%j is shown as %j', (text, shown) => {
    const { text: full, moved: references } = moved(written(text));
    expect(hideReferences({ text: full, moved: references }, everything)).toBe(shown);
    expect(hideReferences({ text: full, moved: references }, nothing)).toBe(full);
  });

  it('refer to nothing when they are hidden', () => {
    const hidden = hideReferences(moved(written('#1, !2 and ~bug')), everything);
    expect(moved(written(hidden)).text).toBe(hidden);
  });

  it('are hidden by the project that each comes from', () => {
    const once = moved(written('a #1'));
    const twice = moved({ ...once, text: `${once.text} and #2` }, NEXT, LAST);
    expect(twice.text).toBe('a tools/api#1 and apps/web#2');
    expect(hideReferences(twice, only(1))).toBe('a \\#1 and apps/web#2');
    expect(hideReferences(twice, only(2))).toBe('a tools/api#1 and \\#2');
    const before = moved({ ...once, text: `#0 ${once.text}`, moved: shifted(once, 3) }, NEXT, LAST);
    expect(hideReferences(before, only(1))).toBe('apps/web#0 a \\#1');
  });

  it('are hidden wherever their path stands after a change that did not know of them', () => {
    const text = moved(written('#1 and #2'));
    const changed = { ...text, text: `New: ${text.text}` };
    expect(hideReferences(changed, everything)).toBe('New: \\#1 and \\#2');
  });

  describe('after an edit by a user who sees them', () => {
    const edit = (text: string, after: string) =>
      hideReferences(followEdit(moved(written(text)), nothing, after, LONGEST), everything);

    it.each([
      ['#1', 'See tools/api#1 now', 'See \\#1 now'],
      ['a #1 b #2 c', 'x tools/api#1 y tools/api#2 z', 'x \\#1 y \\#2 z'],
      ['a #1 b #2 c', 'a tools/api#2 c', 'a \\#2 c'],
      ['a #1', 'a tools/api#1 tools/api#9', 'a \\#1 tools/api#9'],
      ['a #1', 'a tools/api#12', 'a \\#12'],
      ['a #1', 'nothing', 'nothing'],
      ['other#1 #2', 'now tools/other#1 or tools/api#2 then', 'now other\\#1 or \\#2 then'],
    ])('%j that becomes %j is shown as %j', (text, after, shown) => {
      expect(edit(text, after)).toBe(shown);
    });
  });

  describe('after an edit by a user from whom they are hidden', () => {
    const edit = (text: string, after: string) =>
      followEdit(moved(written(text)), everything, after, LONGEST).text;

    it.each([
      ['a #1', 'a \\#1', 'a tools/api#1'],
      ['a #1', 'a \\#1, and more', 'a tools/api#1, and more'],
      ['a #1 b #2', 'Before: a \\#1 b \\#2', 'Before: a tools/api#1 b tools/api#2'],
      ['a #1 b #2', 'a \\#1 new b \\#2', 'a tools/api#1 new b tools/api#2'],
      ['a #1 b #2', 'a \\#1 b', 'a tools/api#1 b'],
      ['a #1', 'a \\#12', 'a \\#12'],
      ['a #1', 'a \\#2', 'a \\#2'],
      ['a #1', 'a #1', 'a #1'],
      ['other#1', 'other\\#1!', 'tools/other#1!'],
    ])('%j that becomes %j is stored as %j', (text, after, stored) => {
      expect(edit(text, after)).toBe(stored);
    });

    it('are lost where the text would be too long with them', () => {
      const after = `a \\#1 ${'x'.repeat(10)}`;
      const { text } = followEdit(moved(written('a #1')), everything, after, after.length);
      expect(text).toBe(after);
    });
  });

  it('leave shown what an edit leaves shown, wherever it cuts', () => {
    const full = moved(written('**#1** other#2 ~"a b" #3, #4 tools/api#5 end'));
    const shown = hideReferences(full, everything);
    for (let from = 0; from <= shown.length; from += 1) {
      for (const to of [from, from + 1, from + 5]) {
        const after = `${shown.slice(0, from)}NEW ${shown.slice(to)}`;
        const edited = followEdit(full, everything, after, LONGEST);
        expect(hideReferences(edited, everything)).toBe(after);
        expect(followEdit(edited, everything, after, LONGEST)).toBe(edited);
      }
    }
  });
});

const shifted = ({ moved: references }: MovableText, by: number): MovableText['moved'] =>
  (references ?? []).map((group) => ({ ...group, at: group.at.map((at) => at + by) }));
