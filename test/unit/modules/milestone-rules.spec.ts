import type { MilestoneValues } from '../../../src/modules/issuables/planning/milestones.repository.js';
import { milestoneProblems } from '../../../src/modules/issuables/planning/milestones.service.js';

const VALUES: MilestoneValues = { title: 'One', description: null, dueDate: null, startDate: null };

const NONE = { title: [], description: [], startDate: [] };

describe('What is wrong with a milestone', () => {
  it.each([
    [null, null],
    ['2017-01-01', null],
    [null, '2017-01-01'],
    ['2016-12-31', '2017-01-01'],
    ['0999-12-31', '1000-01-01'],
  ])('is nothing from %s to %s', (startDate, dueDate) => {
    expect(milestoneProblems({ ...VALUES, startDate, dueDate })).toEqual(NONE);
  });

  it.each([
    ['2017-01-01', '2017-01-01'],
    ['2017-01-02', '2017-01-01'],
  ])('is its start from %s to %s', (startDate, dueDate) => {
    expect(milestoneProblems({ ...VALUES, startDate, dueDate })).toEqual({
      ...NONE,
      startDate: [{ rule: 'after-due-date' }],
    });
  });

  it('are reported by field, with lengths in characters', () => {
    const title = '🎉'.repeat(255);
    expect(milestoneProblems({ ...VALUES, title: ` ${title} ` })).toEqual(NONE);
    const description = 'x'.repeat(1_048_577);
    expect(milestoneProblems({ ...VALUES, title: `${title}x`, description })).toEqual({
      ...NONE,
      title: [{ rule: 'too-long', limit: 255 }],
      description: [{ rule: 'too-long', limit: 1_048_576 }],
    });
    expect(milestoneProblems({ ...VALUES, title: '\t' })).toEqual({
      ...NONE,
      title: [{ rule: 'blank' }],
    });
  });
});
