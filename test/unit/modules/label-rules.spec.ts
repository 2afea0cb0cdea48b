import { isLabelName, labelNameOf } from '../../../src/modules/issuables/labels/label.rules.js';
import { labelErrors } from '../../../src/modules/issuables/labels/label.rules.js';

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
    expect(labelErrors({})).toBeNull();
    expect(labelErrors({ description: null, priority: null })).toBeNull();
  });

  it('is told field by field', () => {
    expect(labelErrors({ name: ' ', color: '#ff', description: 'x'.repeat(2001) })).toEqual({
      title: ["can't be blank"],
      color: ['must be a valid color code'],
      description: ['is too long (maximum is 2000 characters)'],
    });
    expect(labelErrors({ name: 'a,b', color: '#fFf' })).toEqual({ title: ['is invalid'] });
  });
});
