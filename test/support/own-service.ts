/** Why suites start a service of their own instead of sharing one (`Trellis.shared`). */
export const OWN_SERVICE = {
  'another process': 'It is a second process beside another service.',
  'data of another instance':
    'Its database or data folder comes from elsewhere: from a backup, an older version, or a stub.',
  'end of a process':
    'Processes on its database are killed, cut off or fenced, and their work is recovered.',
  'git limits': 'Git gets the limits of its conversations when it starts.',
  'settings at the start': 'It has settings that the service reads once, when it starts.',
  'state of the instance': 'The suite looks at, or changes, what is in the whole instance.',
  statistics: 'The suite tests plans of PostgreSQL, which depend on all rows of the database.',
} as const;

export type OwnServiceReason = keyof typeof OWN_SERVICE;
