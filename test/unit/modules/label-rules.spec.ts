import { isLabelName, labelNameOf } from '../../../src/modules/issuables/planning/label.rules.js';
import { labelProblems } from '../../../src/modules/issuables/planning/label.rules.js';

describe('The name of a label', () => {
  it.each([
    ['bug', 'bug'],
    ['  two  words ', 'two  words'],
    ['<b>bold</b>', 'bold'],
    [' <script>x</script> ', 'x'],
    ['<br>', ''],
    ['1 < 2', '1 < 2'],
  ])('of %j is %j', (text, name) => {
    expect(labelNameOf(text)).toBe(name);
  });

  it.each([
    ['', false],
    ['x', true],
    ['a,b', false],
    ['x'.repeat(255), true],
    ['x'.repeat(256), false],
    ['🎉'.repeat(255), true],
    ['🎉'.repeat(256), false],
  ])('may be %j: %s', (name, isOne) => {
    expect(isLabelName(name)).toBe(isOne);
  });
});

describe('What is wrong with a label', () => {
  it('is nothing where nothing is given', () => {
    const none = { labelName: [], color: [], description: [] };
    expect(labelProblems({})).toEqual(none);
    expect(labelProblems({ description: null, priority: null })).toEqual(none);
  });

  it('is told field by field', () => {
    expect(labelProblems({ name: ' ', color: '#ff', description: 'x'.repeat(2001) })).toEqual({
      labelName: [{ rule: 'blank' }],
      color: [{ rule: 'not-a-color' }],
      description: [{ rule: 'too-long', limit: 2000 }],
    });
    expect(labelProblems({ name: 'a,b', color: '#fFf' })).toMatchObject({
      labelName: [{ rule: 'invalid' }],
      color: [],
    });
  });
});
