import type { MilestoneValues } from '../../../src/modules/issuables/milestones/milestones.repository.js';
import { milestoneErrors } from '../../../src/modules/issuables/milestones/milestones.service.js';

const VALUES: MilestoneValues = { title: 'One', description: null, dueDate: null, startDate: null };

describe('What is wrong with a milestone', () => {
  it.each([
    [null, null],
    ['2017-01-01', null],
    [null, '2017-01-01'],
    ['2016-12-31', '2017-01-01'],
    ['0999-12-31', '1000-01-01'],
  ])('is nothing from %s to %s', (startDate, dueDate) => {
    expect(milestoneErrors({ ...VALUES, startDate, dueDate })).toBeNull();
  });

  it.each([
    ['2017-01-01', '2017-01-01'],
    ['2017-01-02', '2017-01-01'],
  ])('is its start from %s to %s', (startDate, dueDate) => {
    expect(milestoneErrors({ ...VALUES, startDate, dueDate })).toEqual({
      start_date: ["Can't be greater than due date"],
    });
  });

  it('is told field by field, counted in characters', () => {
    const title = '🎉'.repeat(255);
    expect(milestoneErrors({ ...VALUES, title: ` ${title} ` })).toBeNull();
    const description = 'x'.repeat(1_048_577);
    expect(milestoneErrors({ ...VALUES, title: `${title}x`, description })).toEqual({
      title: ['is too long (maximum is 255 characters)'],
      description: ['is too long (maximum is 1048576 characters)'],
    });
    expect(milestoneErrors({ ...VALUES, title: '\t' })).toEqual({ title: ["can't be blank"] });
  });
});
